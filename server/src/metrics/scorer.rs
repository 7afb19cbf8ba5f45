use std::{collections::HashMap, sync::Arc};

use domain::metrics::{ReferenceCount, TextMetric, word_rank_ratio, word_rank_signature};
use learn::{
    embeddings::{TextEmbedding, embed_texts},
    encoder::{Encoder, EncoderError},
    metric::{ScoreMeaning, WordFrequencies},
    training::LearnedScorer,
};
use service::metrics::{ScaleMark, ScoreScale};

use super::{EmbeddingMetric, MetricError, MetricKind, ScoringBatch, learned_metric};

/// A metric with its resources, which clones share.
#[derive(Debug, Clone)]
pub(crate) enum MetricScorer {
    /// A metric of texts alone.
    Text(TextMetric),
    /// A metric of an encoder's vectors.
    Embedding(EmbeddingMetric, Encoder),
    /// A metric of the rarity of words.
    WordRank(WordFrequencies),
    /// A metric learned from ratings.
    Learned(Arc<LearnedScorer>),
}

/// Embeddings by text.
pub(super) type EmbeddingsByText<'a> = HashMap<&'a str, TextEmbedding>;

impl MetricScorer {
    /// The scores of a batch's outputs, in their order; `None` for an output without one. Call it from a
    /// blocking thread, because it computes for a while.
    ///
    /// # Errors
    /// When the encoder fails.
    pub(crate) fn scores(&self, batch: &ScoringBatch) -> Result<Vec<Option<f64>>, MetricError> {
        let embeddings = match self.encoder() {
            Some(encoder) => embed_batch(batch, encoder, |_| ())?,
            None => EmbeddingsByText::new(),
        };
        self.scores_with_embeddings(batch, &embeddings, |_| ())
    }

    /// Like [`Self::scores`], given the embeddings if the metric needs them; `on_progress` receives how many
    /// more outputs are done.
    pub(super) fn scores_with_embeddings(
        &self,
        batch: &ScoringBatch,
        known: &EmbeddingsByText<'_>,
        on_progress: impl Fn(u64),
    ) -> Result<Vec<Option<f64>>, MetricError> {
        let each = batch.iter();
        Ok(match self {
            Self::Text(metric) => each
                .inspect(|_| on_progress(1))
                .map(|(side, output)| metric.score(side, output))
                .collect(),

            Self::Embedding(metric, _) => each
                .inspect(|_| on_progress(1))
                .map(|(side, output)| metric.score(known, side, output))
                .collect(),
            Self::WordRank(list) => each
                .inspect(|_| on_progress(1))
                .map(|(side, output)| {
                    word_rank_ratio(side.source(), output, |word| list.rank(word))
                })
                .collect(),
            Self::Learned(metric) => learned_metric::score_batch(metric, batch, on_progress)?,
        })
    }

    /// The encoder, if it needs embeddings.
    pub(super) const fn encoder(&self) -> Option<&Encoder> {
        match self {
            Self::Embedding(_, encoder) => Some(encoder),
            Self::Text(_) | Self::WordRank(_) | Self::Learned(_) => None,
        }
    }

    /// The metric's name on the command line.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Text(metric) => metric.name(),
            Self::Embedding(metric, _) => metric.name(),
            Self::WordRank(_) => MetricKind::WordRank.name(),
            Self::Learned(scorer) => scorer.kind().name(),
        }
    }

    /// Whether it needs references.
    pub(crate) fn needs_references(&self) -> bool {
        match self {
            Self::Text(metric) => metric.needs_references(),
            Self::Embedding(metric, _) => metric.needs_references(),
            Self::WordRank(_) => false,
            Self::Learned(scorer) => scorer.needs_references(),
        }
    }

    /// The signature of scores with this number of references.
    pub(crate) fn signature(&self, references: ReferenceCount) -> String {
        match self {
            Self::Text(metric) => metric.signature(references).to_string(),
            Self::Embedding(metric, encoder) => metric.signature(references, encoder).to_string(),
            Self::WordRank(list) => word_rank_signature(list.name()).to_string(),
            Self::Learned(scorer) => scorer.signature(),
        }
    }

    /// The signature without the number of references, which differs between sources.
    pub(crate) fn version(&self) -> String {
        let signature = self.signature(ReferenceCount::Each(0));
        signature.replace("|nrefs:0", "")
    }

    /// The fingerprints of the sources that it learned from.
    pub(super) fn trained_on(&self) -> Vec<String> {
        match self {
            Self::Learned(scorer) => scorer.trained_on(),
            Self::Text(_) | Self::Embedding(..) | Self::WordRank(_) => Vec::new(),
        }
    }

    /// The meaning of its scores; empty if unknown.
    pub(super) fn scale(&self) -> ScoreScale {
        match self {
            Self::Learned(scorer) => to_scale(scorer.scale()),
            Self::Text(_) | Self::Embedding(..) | Self::WordRank(_) => ScoreScale::default(),
        }
    }
}

/// The meaning of all scores, as pages show it.
pub(crate) fn to_scale(meanings: Vec<(f64, ScoreMeaning)>) -> ScoreScale {
    let mark = |(score, meaning): (f64, ScoreMeaning)| ScaleMark {
        score,
        percent: meaning.percent,
        interval: meaning.interval,
    };
    ScoreScale::new(meanings.into_iter().map(mark).collect())
}

/// Embeds all texts of a batch; `on_progress` receives how many more are done.
pub(super) fn embed_batch<'a>(
    batch: &'a ScoringBatch,
    encoder: &Encoder,
    on_progress: impl Fn(usize),
) -> Result<EmbeddingsByText<'a>, EncoderError> {
    let texts = batch.texts();
    let embeddings = embed_texts(encoder, &texts, on_progress)?;
    Ok(texts.into_iter().zip(embeddings).collect())
}
