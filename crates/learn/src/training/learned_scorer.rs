//! Models of every kind, ready to score.

use std::collections::HashMap;

use domain::metrics::LearnedMetricKind;

use super::ScoringError;
use crate::{
    encoder::EncoderError,
    metric::{AssessedScore, HybridScorer, SourceGroup},
    tuning::{ScoringCase, TunedScorer},
};

/// Outputs that a model with its own encoder scores between two reports of progress.
const BATCH_SIZE: usize = 64;

/// Receives the number of groups done, and stops the work by returning false.
type GroupCallback<'a> = &'a mut dyn FnMut(usize) -> bool;

/// A learned metric with all that it needs to score.
#[derive(Debug)]
pub enum LearnedScorer {
    /// Trees and a ranker.
    Hybrid(Box<HybridScorer>),
    /// An encoder with a head.
    Tuned(Box<TunedScorer>),
}

impl LearnedScorer {
    /// Whether it scores by references.
    #[must_use]
    pub const fn needs_references(&self) -> bool {
        match self {
            Self::Hybrid(scorer) => scorer.model().needs_references(),
            Self::Tuned(scorer) => scorer.needs_references(),
        }
    }

    /// The kind of metric that it is.
    #[must_use]
    pub const fn kind(&self) -> LearnedMetricKind {
        match self {
            Self::Hybrid(scorer) => scorer.model().kind(),
            Self::Tuned(scorer) => scorer.card().plan.objective.kind(),
        }
    }

    /// The signature of its scores: kind, settings and data.
    #[must_use]
    pub fn signature(&self) -> String {
        match self {
            Self::Hybrid(scorer) => scorer.model().signature(),
            Self::Tuned(scorer) => scorer.card().signature(),
        }
    }

    /// The fingerprints of the sources that it learned from.
    #[must_use]
    pub fn trained_on(&self) -> Vec<String> {
        match self {
            Self::Hybrid(scorer) => scorer.model().trained_on(),
            Self::Tuned(scorer) => scorer.card().trained_on(),
        }
    }

    /// The scores of some outputs, in their order: predicted mean z-scores, larger for better. Outputs
    /// without the references that the metric needs have none. `on_progress` receives how many more are
    /// done. It takes some milliseconds an output: call it from a blocking thread.
    ///
    /// # Errors
    /// The encoder fails.
    pub fn scores(
        &self,
        cases: &[ScoringCase<'_>],
        on_progress: impl Fn(u64),
    ) -> Result<Vec<Option<f64>>, ScoringError> {
        let score =
            |scorer: &HybridScorer, groups: &[SourceGroup<'_>], on_group: GroupCallback<'_>| {
                scorer.scores(groups, on_group)
            };
        self.score_each(cases, on_progress, score, |score| score)
    }

    /// The same with the meaning of each score.
    ///
    /// # Errors
    /// The encoder fails.
    pub fn assess(
        &self,
        cases: &[ScoringCase<'_>],
        on_progress: impl Fn(u64),
    ) -> Result<Vec<Option<AssessedScore>>, ScoringError> {
        let assess =
            |scorer: &HybridScorer, groups: &[SourceGroup<'_>], on_group: GroupCallback<'_>| {
                scorer.assess(groups, on_group)
            };
        let without_meaning = |score| AssessedScore {
            score,
            meaning: None,
        };
        self.score_each(cases, on_progress, assess, without_meaning)
    }

    /// Scores cases by trees with `by_trees`, and by an encoder with its score as `from_score` has it.
    fn score_each<T: Clone>(
        &self,
        cases: &[ScoringCase<'_>],
        on_progress: impl Fn(u64),
        by_trees: impl Fn(
            &HybridScorer,
            &[SourceGroup<'_>],
            GroupCallback<'_>,
        ) -> Result<Vec<Vec<T>>, EncoderError>,
        from_score: impl Fn(f64) -> T,
    ) -> Result<Vec<Option<T>>, ScoringError> {
        let needs_references = self.needs_references();
        let can_be_scored =
            |case: &ScoringCase<'_>| !(needs_references && case.references.is_empty());
        let scorable: Vec<(usize, ScoringCase<'_>)> = cases
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, case)| can_be_scored(case))
            .collect();
        let mut scores = vec![None; cases.len()];
        match self {
            Self::Hybrid(scorer) => {
                let score = |groups: &[SourceGroup<'_>], on_group: GroupCallback<'_>| {
                    by_trees(scorer, groups, on_group)
                };
                score_groups(&scorable, score, on_progress, &mut scores)?;
            }
            Self::Tuned(scorer) => {
                for batch in scorable.chunks(BATCH_SIZE) {
                    let texts: Vec<ScoringCase<'_>> = batch.iter().map(|(_, case)| *case).collect();
                    for ((place, _), score) in batch.iter().zip(scorer.predict_z(&texts)?) {
                        scores[*place] = Some(from_score(score));
                    }
                    on_progress(batch.len() as u64);
                }
            }
        }
        Ok(scores)
    }
}

/// Scores the outputs of each source together, so that a source's features are computed once, and puts
/// the scores at the places of the cases.
fn score_groups<T>(
    cases: &[(usize, ScoringCase<'_>)],
    score: impl Fn(&[SourceGroup<'_>], GroupCallback<'_>) -> Result<Vec<Vec<T>>, EncoderError>,
    on_progress: impl Fn(u64),
    scores: &mut [Option<T>],
) -> Result<(), EncoderError> {
    let mut group_of = HashMap::new();
    let mut groups: Vec<SourceGroup<'_>> = Vec::new();
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (place, case) in cases {
        let group = *group_of
            .entry((case.source, case.references))
            .or_insert_with(|| {
                groups.push(SourceGroup {
                    source: case.source,
                    references: case.references,
                    outputs: Vec::new(),
                });
                places.push(Vec::new());
                groups.len() - 1
            });
        groups[group].outputs.push(case.output);
        places[group].push(*place);
    }
    let mut reported = 0;
    let group_scores = score(&groups, &mut |done| {
        let outputs = groups[reported..done].iter();
        on_progress(outputs.map(|group| group.outputs.len() as u64).sum());
        reported = done;
        true
    })?;
    let places = places.into_iter().flatten();
    for (place, score) in places.zip(group_scores.into_iter().flatten()) {
        scores[place] = Some(score);
    }
    Ok(())
}
