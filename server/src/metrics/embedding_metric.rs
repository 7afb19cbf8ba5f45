//! Metrics on the encoder's embeddings.

use std::collections::HashMap;

use domain::metrics::{
    BertScore, LetterCase, MetricSignature, PreparedSource, ReferenceCount, bertscore, cosine,
};
use learn::{
    embeddings::{TextEmbedding, embedding_layers},
    encoder::Encoder,
};

/// A metric that compares embeddings of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmbeddingMetric {
    /// BERTScore's F1 to the nearest reference.
    BertScoreF1,
    /// BERTScore's precision, likewise.
    BertScorePrecision,
    /// BERTScore's recall, likewise.
    BertScoreRecall,
    /// BERTScore's F1 to the source.
    BertScoreSourceF1,
    /// The cosine between the embeddings of output and source.
    Similarity,
}

impl EmbeddingMetric {
    pub(super) const ALL: [Self; 5] = [
        Self::BertScoreF1,
        Self::BertScorePrecision,
        Self::BertScoreRecall,
        Self::BertScoreSourceF1,
        Self::Similarity,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::BertScoreF1 => "bertscore-f1",
            Self::BertScorePrecision => "bertscore-precision",
            Self::BertScoreRecall => "bertscore-recall",
            Self::BertScoreSourceF1 => "bertscore-source-f1",
            Self::Similarity => "similarity",
        }
    }

    pub(super) const fn about(self) -> &'static str {
        match self {
            Self::BertScoreF1 => "BERTScore’s F1 to the nearest reference",
            Self::BertScorePrecision => "its precision",
            Self::BertScoreRecall => "its recall",
            Self::BertScoreSourceF1 => "BERTScore’s F1 to the source: 1 is a copy",
            Self::Similarity => "cosine of what output and source mean: 1 is a copy",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    pub(super) const fn needs_references(self) -> bool {
        !matches!(self, Self::BertScoreSourceF1 | Self::Similarity)
    }

    pub(super) fn score(
        self,
        embeddings: &HashMap<&str, TextEmbedding>,
        side: &PreparedSource,
        output: &str,
    ) -> Option<f64> {
        let output = embeddings.get(output)?;

        let best = |select: fn(BertScore) -> f64| {
            let references = side.references().iter();
            let references = references.filter_map(|text| embeddings.get(text.as_str()));
            let scores = references.map(|text| select(bertscore(&output.words, &text.words)));
            scores.max_by(f64::total_cmp)
        };
        let source = || embeddings.get(side.source());

        match self {
            Self::BertScoreF1 => best(|score| score.f1),
            Self::BertScorePrecision => best(|score| score.precision),
            Self::BertScoreRecall => best(|score| score.recall),
            Self::BertScoreSourceF1 => Some(bertscore(&output.words, &source()?.words).f1),
            Self::Similarity => Some(cosine(&output.embedding, &source()?.embedding)),
        }
    }

    pub(super) fn signature(
        self,
        references: ReferenceCount,
        encoder: &Encoder,
    ) -> MetricSignature {
        let references = if self.needs_references() {
            references
        } else {
            ReferenceCount::Each(0)
        };

        let by = |prefix: &str, layer: fn((usize, usize)) -> usize| {
            format!(
                "{prefix}-{}-layer{}",
                encoder.name(),
                layer(embedding_layers(encoder))
            )
        };
        let variant = match self {
            Self::Similarity => by("cosine-of-means-to-source", |layers| layers.1),
            Self::BertScoreSourceF1 => by("words-to-source", |layers| layers.0),
            _ => by("words-best-reference", |layers| layers.0),
        };

        MetricSignature::new(
            self.name(),
            variant,
            "rankrate",
            LetterCase::Mixed,
            references,
        )
    }
}
