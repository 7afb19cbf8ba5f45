//! Baselines: metrics that are not trained, to compare learned ones with.

use domain::metrics::{ScoreDirection, TextMetric};
use learn::metric::{DatasetProbe, DatasetScores, RatedDataset};

use super::OpenedDataset;
use crate::{
    metrics::{
        BatchScores, EmbeddingMetric, MetricKind, MetricResources, ScoringBatch, score_batch,
    },
    progress::ProgressDisplay,
    settings::EncoderSettings,
};

/// Scores a dataset's outputs and probes by the usual metrics: SARI, BLEU and BERTScore if there are references, and
/// FKGL, BLEU to the source and length, all three reversed. Each comes with its name, and larger scores are better.
pub(super) fn score(
    opened: &OpenedDataset,
    probes: &[Vec<DatasetProbe>],
    encoder: &EncoderSettings,
    with_encoder: bool,
    progress: ProgressDisplay<'_>,
) -> anyhow::Result<Vec<(String, DatasetScores)>> {
    let dataset = &opened.dataset;
    let batch = collect_batch(opened, probes);

    let mut metrics = Vec::new();
    if batch.has_references() {
        metrics.extend([TextMetric::Sari, TextMetric::BLEU].map(MetricKind::Text));
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

    let resources = MetricResources::new(encoder);
    let scores = score_batch(&batch, &metrics, &resources, progress)?;
    let scores = metrics.into_iter().zip(scores);

    Ok(scores
        .map(|(metric, scores)| {
            let is_reversed = matches!(metric, MetricKind::Text(text) if reversed.contains(&text));
            let direction = match is_reversed {
                true => ScoreDirection::LowerIsBetter,
                false => ScoreDirection::HigherIsBetter,
            };
            let label = direction.label(&scores.name);
            (label, split_scores(dataset, probes, &scores, direction))
        })
        .collect())
}

/// All outputs and probes, source by source.
fn collect_batch(opened: &OpenedDataset, probes: &[Vec<DatasetProbe>]) -> ScoringBatch {
    let mut batch = ScoringBatch::default();
    for (source, probes) in opened.dataset.sources.iter().zip(probes) {
        let training = &source.training;
        let references = opened.references_of(training);
        let outputs = training.outputs.iter().map(|output| &output.text);
        for text in outputs.chain(probes.iter().map(|probe| &probe.text)) {
            batch.add(&training.text, text, || &references);
        }
    }
    batch
}

/// Groups scores in the order of [`collect_batch`] by source.
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
