//! Rated outputs with their places, references and mean ratings.

use domain::{
    category::Category,
    metrics::meta::OutputGrouping,
    statistics::RatingTable,
    text::categorise::{ThresholdRule, categorise},
};
use formats::{RatedOutput, SourceReferences};

use super::published::PublishedEvaluation;
use crate::metrics::{BatchScores, ScoringBatch};

/// Keeps the scores of those outputs that are kept.
pub(super) fn retain_scores(scores: Vec<BatchScores>, kept: &[bool]) -> Vec<BatchScores> {
    let retain = |mut metric: BatchScores| {
        let mut flags = kept.iter();
        metric
            .values
            .retain(|_| flags.next().is_none_or(|keep| *keep));
        metric
    };
    scores.into_iter().map(retain).collect()
}

pub(super) fn meta_place(output: &RatedOutput) -> OutputGrouping<String, Category> {
    let automatic =
        || categorise(&output.source_text, &output.text, ThresholdRule::default()).category;
    OutputGrouping {
        source: output.source.to_string(),
        system: Some(output.system.to_string()).filter(|system| !system.is_empty()),
        category: output.category.unwrap_or_else(automatic),
    }
}

/// The texts to score, as they are or as a published evaluation prepares them.
pub(super) fn scoring_batch(
    outputs: &[&RatedOutput],
    references: Option<&SourceReferences>,
    like: Option<PublishedEvaluation>,
) -> ScoringBatch {
    let mut batch = ScoringBatch::default();
    for output in outputs {
        add_texts(
            &mut batch,
            &output.source_text,
            &output.text,
            references,
            like,
        );
    }
    batch
}

/// Adds an output of a source to the texts to score, as it is or as a published evaluation prepares it.
pub(super) fn add_texts(
    batch: &mut ScoringBatch,
    source: &str,
    output: &str,
    references: Option<&SourceReferences>,
    like: Option<PublishedEvaluation>,
) {
    let references = references.map_or(&[][..], |references| references.references_for(source));
    match like {
        None => batch.add(source, output, || references),
        Some(evaluation) => {
            let texts = evaluation.prepare(source, output, references);
            batch.add(&texts.source, &texts.output, || &texts.references);
        }
    }
}

pub(super) fn is_copy(output: &RatedOutput, references: &SourceReferences) -> bool {
    let references = references.references_for(&output.source_text);
    references
        .iter()
        .any(|reference| reference.trim() == output.text.trim())
}

/// The mean of each output's raw ratings.
pub(super) fn mean_ratings(raw: &RatingTable<String, u64>) -> Vec<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    raw.by_unit().map(|(_, unit)| mean(unit.values)).collect()
}
