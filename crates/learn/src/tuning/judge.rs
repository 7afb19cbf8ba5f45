//! What a model is judged by before a study takes it: sources that were held out of its training.

use std::collections::HashSet;

use domain::{
    metrics::learned::{Comparison, Figures},
    statistics::{Undefined, bootstrap::Resampling},
};

use super::{Case, Scorer, TuningError, figures};
use crate::metric::{Group, Source, compared, guarded};

impl Scorer {
    /// How well it agrees with people on sources that it did not learn from, and how often worthless text
    /// comes out behind.
    ///
    /// # Errors
    /// The computation fails, or a reference is missing that the model needs.
    pub fn judged(&self, sources: &[Source]) -> Result<Figures, TuningError> {
        let scored = self.scored(sources)?;
        let found = figures::Figures::of(&scored);
        Ok(Figures {
            r: found.pearson,
            tau: found.tau,
            hard: found.hard,
            degenerate: guarded(sources.iter(), |groups| self.of_groups(groups))?,
            outputs: found.outputs,
            sources: sources.len(),
        })
    }

    /// It against another one, on those of the sources that the other one did not learn from either.
    ///
    /// # Errors
    /// As of [`Scorer::judged`]; inside, [`Undefined`] where there are fewer than two such sources, or no
    /// two outputs of one are apart.
    pub fn compared(
        &self,
        other: &Self,
        sources: &[Source],
        resampling: Resampling,
    ) -> Result<Result<Comparison, Undefined>, TuningError> {
        let learned: HashSet<String> = other.card().trained_on().into_iter().collect();
        let new = |source: &&Source| !learned.contains(&source.fingerprint());
        let sources: Vec<Source> = sources.iter().filter(new).cloned().collect();
        let counts = |scorer: &Self| -> Result<Vec<(usize, usize)>, TuningError> {
            let scored = scorer.scored(&sources)?;
            Ok(scored
                .iter()
                .map(|source| figures::ordered(source))
                .collect())
        };
        Ok(compared(&counts(self)?, &counts(other)?, resampling))
    }

    /// Score and mean z of each output, by source.
    fn scored(&self, sources: &[Source]) -> Result<Vec<Vec<(f64, f64)>>, TuningError> {
        let groups: Vec<Group<'_>> = sources.iter().map(Source::as_group).collect();
        let scores = self.of_groups(&groups)?.into_iter().zip(sources);
        let with_z = |(scores, source): (Vec<f64>, &Source)| {
            let z = source.outputs.iter().map(|output| output.z);
            scores.into_iter().zip(z).collect()
        };
        Ok(scores.map(with_z).collect())
    }

    fn of_groups(&self, groups: &[Group<'_>]) -> Result<Vec<Vec<f64>>, TuningError> {
        let of = |group: &Group<'_>| {
            let case = |output| Case {
                source: group.source,
                output,
                references: group.references,
            };
            let cases: Vec<Case<'_>> = group.outputs.iter().copied().map(case).collect();
            self.z(&cases)
        };
        groups.iter().map(of).collect()
    }
}
