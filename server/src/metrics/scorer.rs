use std::{collections::HashMap, sync::Arc};

use domain::metrics::{
    ReferenceCount, ScoreScale, TextMetric, word_rank_ratio, word_rank_signature,
};
use learn::{
    embeddings::{TextEmbedding, embed_texts},
    encoder::{Encoder, EncoderError},
    metric::{AssessedScore, WordFrequencies},
    training::{LearnedScorer, MeaningUse},
};

use super::{EmbeddingMetric, MetricError, MetricKind, ScoringBatch};

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
        let assessed = self.assess(batch, &embeddings, MeaningUse::Unneeded, |_| ())?;
        Ok(assessed
            .into_iter()
            .map(|output| Some(output?.score))
            .collect())
    }

    /// Like [`Self::scores`], given the embeddings if the metric needs them, with the meanings of scores if they are
    /// needed and the metric knows them; `on_progress` receives how many more outputs are done.
    pub(super) fn assess(
        &self,
        batch: &ScoringBatch,
        known: &EmbeddingsByText<'_>,
        meanings: MeaningUse,
        on_progress: impl Fn(u64),
    ) -> Result<Vec<Option<AssessedScore>>, MetricError> {
        let each = batch.iter().inspect(|_| on_progress(1));
        let scores: Vec<Option<f64>> = match self {
            Self::Text(metric) => each
                .map(|(side, output)| metric.score(side, output))
                .collect(),
            Self::Embedding(metric, _) => each
                .map(|(side, output)| metric.score(known, side, output))
                .collect(),
            Self::WordRank(list) => each
                .map(|(side, output)| {
                    word_rank_ratio(side.source(), output, |word| list.rank(word))
                })
                .collect(),
            Self::Learned(scorer) => {
                return Ok(scorer.assess(&batch.cases(), meanings, on_progress)?);
            }
        };

        let assessed = scores
            .into_iter()
            .map(|score| score.map(AssessedScore::from));
        Ok(assessed.collect())
    }

    /// The encoder, if it needs embeddings.
    pub(super) const fn encoder(&self) -> Option<&Encoder> {
        match self {
            Self::Embedding(_, encoder) => Some(encoder),
            Self::Text(_) | Self::WordRank(_) | Self::Learned(_) => None,
        }
    }

    /// The metric that it computes.
    pub(crate) fn kind(&self) -> MetricKind {
        match self {
            Self::Text(metric) => MetricKind::Text(*metric),
            Self::Embedding(metric, _) => MetricKind::Embedding(*metric),
            Self::WordRank(_) => MetricKind::WordRank,
            Self::Learned(scorer) => MetricKind::Learned(scorer.kind()),
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
            Self::Learned(scorer) => scorer.scale(),
            Self::Text(_) | Self::Embedding(..) | Self::WordRank(_) => ScoreScale::default(),
        }
    }
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
