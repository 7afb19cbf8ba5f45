//! The evaluation of a model on held-out sources, before a study takes it.

use std::collections::HashSet;

use domain::{
    metrics::learned_quality::{LearnedMetricComparison, LearnedMetricQuality},
    statistics::{UndefinedReason, bootstrap::ResamplingOptions},
};

use super::{ScoringCase, TunedScorer, TuningError, agreement};
use crate::metric::{SourceGroup, TrainingSource, compare_pair_counts, compute_outranked_share};

impl TunedScorer {
    /// The agreement with people on sources that it was not trained on, and the share of degenerate texts that
    /// good outputs outrank.
    ///
    /// # Errors
    /// The computation fails, or a reference is missing that the model needs.
    pub fn evaluate(
        &self,
        sources: &[TrainingSource],
    ) -> Result<LearnedMetricQuality, TuningError> {
        let scored_outputs = self.score_sources(sources)?;
        let figures = super::TuningAgreement::from_scores(&scored_outputs);
        Ok(LearnedMetricQuality {
            r: figures.pearson,
            tau: figures.tau,
            hard: figures.hard,
            degenerate: compute_outranked_share(sources.iter(), |groups| {
                self.score_groups(groups)
            })?,
            outputs: figures.outputs,
            sources: sources.len(),
        })
    }

    /// Compares it with another model, on those of the sources that the other was not trained on either.
    ///
    /// # Errors
    /// As for [`Self::evaluate`]. The inner error is [`UndefinedReason`] if there are fewer than two such sources, or
    /// none with two outputs that differ.
    pub fn compare(
        &self,
        other: &Self,
        sources: &[TrainingSource],
        resampling: ResamplingOptions,
    ) -> Result<Result<LearnedMetricComparison, UndefinedReason>, TuningError> {
        let learned: HashSet<String> = other.card().trained_on().into_iter().collect();
        let sources: Vec<TrainingSource> = sources
            .iter()
            .filter(|source| !learned.contains(&source.fingerprint()))
            .cloned()
            .collect();

        Ok(compare_pair_counts(
            &self.count_ordered_pairs(&sources)?,
            &other.count_ordered_pairs(&sources)?,
            resampling,
        ))
    }

    /// For each source, the pairs that the scores order as people do, and all pairs.
    fn count_ordered_pairs(
        &self,
        sources: &[TrainingSource],
    ) -> Result<Vec<(usize, usize)>, TuningError> {
        let scored_outputs = self.score_sources(sources)?;
        Ok(scored_outputs
            .iter()
            .map(|source| agreement::count_ordered_pairs(source))
            .collect())
    }

    /// Score and mean z of each output, by source.
    fn score_sources(
        &self,
        sources: &[TrainingSource],
    ) -> Result<Vec<Vec<(f64, f64)>>, TuningError> {
        let groups: Vec<SourceGroup<'_>> = sources.iter().map(TrainingSource::as_group).collect();
        let scores = self.score_groups(&groups)?.into_iter().zip(sources);
        Ok(scores
            .map(|(scores, source)| {
                let z = source.outputs.iter().map(|output| output.z);
                scores.into_iter().zip(z).collect()
            })
            .collect())
    }

    fn score_groups(&self, groups: &[SourceGroup<'_>]) -> Result<Vec<Vec<f64>>, TuningError> {
        groups
            .iter()
            .map(|group| {
                let outputs = group.outputs.iter();
                let cases: Vec<ScoringCase<'_>> = outputs
                    .map(|output| ScoringCase {
                        source: group.source,
                        output,
                        references: group.references,
                    })
                    .collect();
                self.predict_z(&cases)
            })
            .collect()
    }
}
