//! Metrics that nobody trained, to compare with.

use std::collections::HashSet;

use domain::metrics::{ScoreDirection, TextMetric};
use formats::SourceReferences;
use learn::metric::{DatasetProbe, DatasetScores, RatedDataset};

use super::OpenedDataset;
use crate::{
    metrics::{
        BatchScores, EmbeddingMetric, MetricKind, MetricResources, ScoringBatch, score_batch,
    },
    settings::EncoderSettings,
};

/// A baseline with its scores, larger for better.
pub(super) struct BaselineScores {
    pub(super) label: String,
    pub(super) scores: DatasetScores,
}

/// The scores of a dataset's outputs and probes by the usual metrics: SARI, BLEU and BERTScore where there are
/// references, and FKGL, BLEU to the source and length, all three reversed.
pub(super) fn score(
    opened: &OpenedDataset,
    probes: &[Vec<DatasetProbe>],
    encoder: &EncoderSettings,
    with_encoder: bool,
) -> anyhow::Result<Vec<BaselineScores>> {
    let dataset = &opened.dataset;
    let batch = collect_batch(dataset, probes, opened.references.as_ref());
    let mut metrics = Vec::new();
    if batch.has_references() {
        metrics.extend([TextMetric::Sari, TextMetric::Bleu].map(MetricKind::Text));
        if with_encoder {
            metrics.push(MetricKind::Embedding(EmbeddingMetric::BertScoreF1));
        }
    }
    let reversed = [
        TextMetric::Fkgl,
        TextMetric::SelfBleu,
        TextMetric::Compression,
    ];
    metrics.extend(reversed.map(MetricKind::Text));
    let scores = score_batch(&batch, &metrics, &MetricResources::new(encoder))?;
    let scores = metrics.into_iter().zip(scores);
    Ok(scores
        .map(|(metric, scores)| {
            let is_reversed = matches!(metric, MetricKind::Text(text) if reversed.contains(&text));
            let direction = match is_reversed {
                true => ScoreDirection::LowerIsBetter,
                false => ScoreDirection::HigherIsBetter,
            };
            BaselineScores {
                label: direction.label(&scores.name),
                scores: split_scores(dataset, probes, &scores, direction),
            }
        })
        .collect())
}

/// All outputs and probes, source by source. A reference that says the same as an output of the source is left out: that
/// output would be perfect by definition.
fn collect_batch(
    dataset: &RatedDataset,
    probes: &[Vec<DatasetProbe>],
    references: Option<&SourceReferences>,
) -> ScoringBatch {
    let mut batch = ScoringBatch::default();
    for (source, probes) in dataset.sources.iter().zip(probes) {
        let training = &source.training;
        let outputs = training.outputs.iter();
        let outputs: HashSet<_> = outputs.map(|output| letters_of(&output.text)).collect();
        let is_output = |reference: &String| outputs.contains(&letters_of(reference));
        let references = references.map_or(&[][..], |all| all.references_for(&training.text));
        let mut references = references.to_vec();
        references.retain(|reference| !is_output(reference));
        let outputs = training.outputs.iter().map(|output| &output.text);
        for text in outputs.chain(probes.iter().map(|probe| &probe.text)) {
            batch.add(&training.text, text, || &references);
        }
    }
    batch
}

/// The letters and digits of a text in lower case: releases of the same texts differ in capitals, spaces and quotes.
fn letters_of(text: &str) -> String {
    let letters = text.chars().filter(|sign| sign.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Scores in the order of [`collect_batch`], by source.
fn split_scores(
    dataset: &RatedDataset,
    probes: &[Vec<DatasetProbe>],
    scores: &BatchScores,
    direction: ScoreDirection,
) -> DatasetScores {
    let values = scores.values.iter();
    let mut values = values.map(|value| value.map_or(f64::NAN, |value| direction.orient(value)));
    let mut split = DatasetScores::default();
    for (source, probes) in dataset.sources.iter().zip(probes) {
        let outputs = values.by_ref().take(source.training.outputs.len());
        split.outputs.push(outputs.collect());
        split
            .probes
            .push(values.by_ref().take(probes.len()).collect());
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_spaces_and_punctuation_make_no_other_text() {
        assert_eq!(
            letters_of("The voice of  America, 1942."),
            letters_of("The Voice of America 1942")
        );
        assert_ne!(
            letters_of("Voice of America"),
            letters_of("Voices of America")
        );
    }
}
