//! Models of every kind, ready to score.

use std::collections::HashMap;

use domain::metrics::{LearnedMetricKind, ScoreScale};

use super::ScoringError;
use crate::{
    encoder::EncoderError,
    metric::{AssessedScore, HybridScorer, ScoreCalibration, SourceGroup},
    tuning::{ScoringCase, TunedScorer},
};

/// The number of outputs that a model with its own encoder scores between two reports of progress.
const BATCH_SIZE: usize = 64;

/// Whether scores come with their meanings, which takes a little longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeaningUse {
    /// With meanings, if the metric knows them.
    Needed,
    /// Scores alone.
    Unneeded,
}

/// A learned metric with all that it needs to score.
#[derive(Debug)]
pub enum LearnedScorer {
    /// Trees and a ranker.
    Hybrid(Box<HybridScorer>),
    /// An encoder with a head.
    Tuned(Box<TunedScorer>),
}

impl LearnedScorer {
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

    /// The meaning of its scores, as of [`ScoreCalibration::scale`]; empty without a calibration.
    #[must_use]
    pub fn scale(&self) -> ScoreScale {
        let calibration = match self {
            Self::Hybrid(scorer) => &scorer.model().card().calibration,
            Self::Tuned(scorer) => &scorer.card().calibration,
        };
        let scale = calibration.as_ref().map(ScoreCalibration::scale);
        scale.unwrap_or_default()
    }

    /// The scores of outputs, in their order: predicted mean z-scores, larger for better, and their meanings if needed.
    /// Outputs without the references that the metric needs have none. `on_progress` receives the number of outputs newly
    /// done. Scoring takes some milliseconds an output: call it from a blocking thread.
    ///
    /// # Errors
    /// The encoder fails.
    pub fn assess(
        &self,
        cases: &[ScoringCase<'_>],
        meanings: MeaningUse,
        on_progress: impl Fn(u64),
    ) -> Result<Vec<Option<AssessedScore>>, ScoringError> {
        let needs_references = self.kind().needs_references();
        let scorable: Vec<(usize, ScoringCase<'_>)> = cases
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, case)| !(needs_references && case.references.is_empty()))
            .collect();

        let mut scores = vec![None; cases.len()];
        match self {
            Self::Hybrid(scorer) => {
                score_groups(scorer, &scorable, meanings, on_progress, &mut scores)?;
            }
            Self::Tuned(scorer) => {
                let calibration = scorer.card().calibration.as_ref();
                let calibration = calibration.filter(|_| meanings == MeaningUse::Needed);
                for batch in scorable.chunks(BATCH_SIZE) {
                    let texts: Vec<ScoringCase<'_>> = batch.iter().map(|(_, case)| *case).collect();
                    for ((place, _), score) in batch.iter().zip(scorer.predict_z(&texts)?) {
                        let meaning =
                            calibration.map(|calibration| calibration.meaning(score, None));
                        scores[*place] = Some(AssessedScore { score, meaning });
                    }
                    on_progress(batch.len() as u64);
                }
            }
        }

        Ok(scores)
    }
}

/// Scores the outputs of each source together, so that a source's features are computed once, and writes the scores to
/// the places of the cases.
fn score_groups(
    scorer: &HybridScorer,
    cases: &[(usize, ScoringCase<'_>)],
    meanings: MeaningUse,
    on_progress: impl Fn(u64),
    scores: &mut [Option<AssessedScore>],
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
    let on_group = |done: usize| {
        let outputs = groups[reported..done].iter();
        on_progress(outputs.map(|group| group.outputs.len() as u64).sum());
        reported = done;
        true
    };

    let group_scores = match meanings {
        MeaningUse::Needed => scorer.assess(&groups, on_group)?,
        MeaningUse::Unneeded => {
            let scores = scorer.scores(&groups, on_group)?.into_iter();
            scores
                .map(|group| group.into_iter().map(AssessedScore::from).collect())
                .collect()
        }
    };

    let places = places.into_iter().flatten();
    for (place, score) in places.zip(group_scores.into_iter().flatten()) {
        scores[place] = Some(score);
    }
    Ok(())
}
