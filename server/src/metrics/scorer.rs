use std::{collections::HashMap, sync::Arc};

use domain::metrics::{ReferenceCount, TextMetric, word_rank_ratio, word_rank_signature};
use learn::{
    embeddings::{TextEmbedding, embed_texts},
    encoder::{Encoder, EncoderError},
    metric::{self, WordFrequencies},
    tuning,
};

use super::{EmbeddingMetric, MetricError, ScoringBatch, learned_metric, tuned_metric};

/// A metric with all that it needs. Clones share that.
#[derive(Debug, Clone)]
pub(crate) enum MetricScorer {
    /// Of texts alone.
    Text(TextMetric),
    /// Of an encoder's vectors.
    Embedding(EmbeddingMetric, Encoder),
    /// Of how rare words are.
    WordRank(WordFrequencies),
    /// Learned from ratings.
    Learned(Arc<metric::HybridScorer>),
    /// With an encoder that learned from ratings.
    Tuned(Arc<tuning::TunedScorer>),
}

/// What texts mean, by text.
pub(super) type EmbeddingsByText<'a> = HashMap<&'a str, TextEmbedding>;

impl MetricScorer {
    /// The scores of a sheet's outputs, in their order; `None` where there is none. It computes for a
    /// while: call it from a blocking thread.
    ///
    /// # Errors
    /// When the encoder fails.
    pub(crate) fn scores(&self, sheet: &ScoringBatch) -> Result<Vec<Option<f64>>, MetricError> {
        let known = match self.encoder() {
            Some(encoder) => embed_batch(sheet, encoder, |_| ())?,
            None => EmbeddingsByText::new(),
        };
        self.scores_with_embeddings(sheet, &known, |_| ())
    }

    /// The same, given what texts mean where the metric needs that; `tell` hears of how many more outputs
    /// are done.
    pub(super) fn scores_with_embeddings(
        &self,
        sheet: &ScoringBatch,
        known: &EmbeddingsByText<'_>,
        tell: impl Fn(u64),
    ) -> Result<Vec<Option<f64>>, MetricError> {
        let each = sheet.iter();
        Ok(match self {
            Self::Text(metric) => each
                .inspect(|_| tell(1))
                .map(|(side, output)| metric.score(side, output))
                .collect(),
            Self::Embedding(metric, _) => each
                .inspect(|_| tell(1))
                .map(|(side, output)| metric.score(known, side, output))
                .collect(),
            Self::WordRank(list) => each
                .inspect(|_| tell(1))
                .map(|(side, output)| {
                    word_rank_ratio(side.source(), output, |word| list.rank(word))
                })
                .collect(),
            Self::Learned(metric) => learned_metric::score_batch(metric, sheet, tell)?,
            Self::Tuned(metric) => tuned_metric::score_batch(metric, sheet, tell)?,
        })
    }

    /// The encoder, where it needs to know what texts mean.
    pub(super) const fn encoder(&self) -> Option<&Encoder> {
        match self {
            Self::Embedding(_, encoder) => Some(encoder),
            Self::Text(_) | Self::WordRank(_) | Self::Learned(_) | Self::Tuned(_) => None,
        }
    }

    /// Everything that scores by so many references depend on.
    pub(super) fn signature(&self, references: ReferenceCount) -> String {
        match self {
            Self::Text(metric) => metric.signature(references).to_string(),
            Self::Embedding(metric, encoder) => metric.signature(references, encoder).to_string(),
            Self::WordRank(list) => word_rank_signature(list.name()).to_string(),
            Self::Learned(metric) => metric.model().signature(),
            Self::Tuned(metric) => metric.card().signature(),
        }
    }

    /// The signature without the number of references, which each source has its own of.
    pub(crate) fn version(&self) -> String {
        let signature = self.signature(ReferenceCount::Each(0));
        signature.replace("|nrefs:0", "")
    }

    /// The fingerprints of the sources that it learned from.
    pub(super) fn trained_on(&self) -> Vec<String> {
        match self {
            Self::Learned(metric) => metric.model().trained_on(),
            Self::Tuned(metric) => metric.card().trained_on(),
            Self::Text(_) | Self::Embedding(..) | Self::WordRank(_) => Vec::new(),
        }
    }
}

/// What every text of a sheet means; `tell` hears of how many more are done.
pub(super) fn embed_batch<'a>(
    sheet: &'a ScoringBatch,
    encoder: &Encoder,
    tell: impl Fn(usize),
) -> Result<EmbeddingsByText<'a>, EncoderError> {
    let texts = sheet.texts();
    let known = embed_texts(encoder, &texts, tell)?;
    Ok(texts.into_iter().zip(known).collect())
}
