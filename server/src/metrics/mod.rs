//! Every metric that the program knows, by its name on the command line, and how outputs are scored by
//! it.
//!
//! A new kind of metric is a variant of [`Metric`]: it needs its name in [`Metric::named`] and
//! [`Metric::names`], and a [`Scorer`] that has what it needs and scores a [`Sheet`].

mod batch;
mod embedding_metric;
mod learned_metric;
mod resources;
mod scorer;
mod tuned_metric;

use std::path::Path;

use domain::metrics::{ScoreDirection, TextMetric};
use indicatif::{ProgressBar, ProgressStyle};

use self::scorer::{EmbeddingsByText, embed_batch};
pub(crate) use self::{
    batch::ScoringBatch, embedding_metric::EmbeddingMetric, learned_metric::LearnedMetric,
    resources::MetricResources, scorer::MetricScorer, tuned_metric::TunedMetric,
};

/// A metric of one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricKind {
    /// Of texts alone.
    Text(TextMetric),
    /// Of the encoder's vectors.
    Embedding(EmbeddingMetric),
    /// How rare the output's words are beside the source's, by a list of words.
    WordRank,
    /// Learned from ratings.
    Learned(LearnedMetric),
    /// With an encoder that learned from ratings.
    Tuned(TunedMetric),
}

/// A metric's scores of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BatchScores {
    /// The metric, or the column that they were imported from.
    pub(crate) name: String,
    /// What they were computed by; `None` of imported ones.
    pub(crate) signature: Option<String>,
    /// Which way they point; values are as the metric gives them.
    pub(crate) direction: ScoreDirection,
    /// The fingerprints of the sources that it learned from, whose ratings are no test of it.
    pub(crate) trained_on: Vec<String>,
    /// One an output, in their order; `None` where there is none.
    pub(crate) values: Vec<Option<f64>>,
}

/// Why outputs are not scored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MetricError {
    #[error("there is no metric “{name}”; there are: {}", MetricKind::names().join(", "))]
    Unknown { name: String },
    #[error("{name} needs references: name a folder or a file with --references")]
    NoReferences { name: &'static str },
    #[error("{name} cannot be computed: {why}")]
    Missing { name: &'static str, why: String },
    #[error("the texts were not encoded")]
    Encoding(#[from] learn::encoder::EncoderError),
    #[error(transparent)]
    Tuned(#[from] learn::tuning::TuningError),
}

impl MetricKind {
    const WORD_RANK: &str = "word-rank";

    /// The metric of that name.
    pub(crate) fn named(name: &str) -> Result<Self, MetricError> {
        let meaning = || EmbeddingMetric::named(name).map(Self::Embedding);
        let learned = || LearnedMetric::named(name).map(Self::Learned);
        let found = TextMetric::from_name(name).map(Self::Text);
        let tuned = || TunedMetric::named(name).map(Self::Tuned);
        let words = || (name == Self::WORD_RANK).then_some(Self::WordRank);
        let found = found.or_else(meaning).or_else(words);
        let found = found.or_else(learned).or_else(tuned);
        found.ok_or_else(|| MetricError::Unknown {
            name: name.to_owned(),
        })
    }

    /// The names of all.
    pub(crate) fn names() -> Vec<&'static str> {
        let texts = TextMetric::ALL.into_iter().map(TextMetric::name);
        let meanings = EmbeddingMetric::ALL.into_iter().map(EmbeddingMetric::name);
        let learned = LearnedMetric::ALL.into_iter().map(LearnedMetric::name);
        let tuned = TunedMetric::ALL.into_iter().map(TunedMetric::name);
        let of_texts = texts.chain(meanings).chain([Self::WORD_RANK]);
        of_texts.chain(learned).chain(tuned).collect()
    }

    /// What is computed where nobody says what: what is quick, and means something with those
    /// references.
    pub(crate) fn defaults(references: bool) -> Vec<Self> {
        use TextMetric::{Bleu, Chrf, Compression, Fkgl, Levenshtein, Sari, SariLens};
        let usual = [Sari, SariLens, Bleu, Chrf, Fkgl, Levenshtein, Compression];
        let fits = |metric: &TextMetric| references || !metric.needs_references();
        usual.into_iter().filter(fits).map(Self::Text).collect()
    }

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text(metric) => metric.name(),
            Self::Embedding(metric) => metric.name(),
            Self::WordRank => Self::WORD_RANK,
            Self::Learned(metric) => metric.name(),
            Self::Tuned(metric) => metric.name(),
        }
    }

    /// Which way its scores point.
    pub(crate) const fn direction(self) -> ScoreDirection {
        match self {
            Self::Text(metric) => metric.direction(),
            Self::Embedding(_) | Self::Learned(_) | Self::Tuned(_) => {
                ScoreDirection::HigherIsBetter
            }
            // Rarer words are harder.
            Self::WordRank => ScoreDirection::LowerIsBetter,
        }
    }

    /// Whether it means nothing without references.
    pub(crate) fn needs_references(self) -> bool {
        match self {
            Self::Text(metric) => metric.needs_references(),
            Self::Embedding(metric) => metric.needs_references(),
            Self::WordRank => false,
            Self::Learned(metric) => metric == LearnedMetric::Ref,
            Self::Tuned(metric) => metric == TunedMetric::Lens,
        }
    }
}

/// Scores every output by each of the metrics, in their order, with a bar on standard error where
/// somebody sees it.
pub(crate) fn score_batch(
    sheet: &ScoringBatch,
    metrics: &[MetricKind],
    means: &MetricResources,
) -> Result<Vec<BatchScores>, MetricError> {
    let needs = |metric: &&MetricKind| metric.needs_references();
    if let (Some(metric), false) = (metrics.iter().find(needs), sheet.has_references()) {
        return Err(MetricError::NoReferences {
            name: metric.name(),
        });
    }
    let scorers = metrics.iter().map(|metric| means.scorer(*metric));
    let scorers = scorers.collect::<Result<Vec<_>, _>>()?;
    let known = match scorers.iter().find_map(MetricScorer::encoder) {
        Some(encoder) => {
            let bar = progress_bar(sheet.texts().len(), "texts encoded");
            let known = embed_batch(sheet, encoder, |more| bar.inc(more as u64))?;
            bar.finish_and_clear();
            known
        }
        None => EmbeddingsByText::new(),
    };
    let bar = progress_bar(metrics.len() * sheet.outputs().len(), "scores");
    let score = |(metric, scorer): (&MetricKind, &MetricScorer)| {
        Ok(BatchScores {
            name: metric.name().to_owned(),
            signature: Some(scorer.signature(sheet.references())),
            direction: metric.direction(),
            trained_on: scorer.trained_on(),
            values: scorer.scores_with_embeddings(sheet, &known, |more| bar.inc(more))?,
        })
    };
    let found = metrics.iter().zip(&scorers).map(score).collect();
    bar.finish_and_clear();
    found
}

/// Whether a file is a metric whose encoder learned.
pub(crate) fn is_tuned(path: &Path) -> bool {
    tuned_metric::detect_kind(path).is_some()
}

/// A progress bar, drawn on standard error where that is a terminal.
pub(crate) fn progress_bar(steps: usize, of: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}, {eta} left");
    let bar = ProgressBar::new(steps as u64).with_message(of);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_words_have_the_greater_rank() {
        let Some(settings) = crate::learned_metric::testing::settings_with_words(&[]) else {
            return;
        };
        let mut sheet = ScoringBatch::default();
        for output in ["The vessel foundered.", "The boat sank.", "It is."] {
            sheet.add("The vessel foundered.", output, || &[]);
        }
        let found = score_batch(
            &sheet,
            &[MetricKind::WordRank],
            &MetricResources::new(&settings),
        )
        .expect("scored");
        let [Some(same), Some(easier), None] = found[0].values[..] else {
            panic!("{found:?}");
        };
        assert!(
            same.to_bits() == 1.0_f64.to_bits() && easier < 0.9,
            "{easier}"
        );
        let signature = found[0].signature.as_deref().unwrap_or_default();
        assert!(signature.starts_with("word-rank|variant:third-quartile-to-source-wordfreq-en"));
    }

    #[test]
    fn every_name_names_its_metric() {
        for name in MetricKind::names() {
            assert_eq!(
                MetricKind::named(name).map(MetricKind::name).ok(),
                Some(name)
            );
        }
        let error = MetricKind::named("questeval").map_err(|error| error.to_string());
        assert!(
            error.is_err_and(|error| error.contains("sari, ") && error.contains("bertscore-f1"))
        );
    }
}
