//! All metrics of the program, by their names on the command line, and the scoring of outputs by them.
//!
//! A new kind of metric is a variant of [`MetricKind`]: it needs its name in [`MetricKind::named`] and
//! [`MetricKind::names`], and a [`MetricScorer`] with its resources, which scores a [`ScoringBatch`].

mod batch;
mod embedding_metric;
mod learned_metric;
mod reference_coverage;
mod resources;
mod scorer;

use domain::metrics::{LearnedMetricKind, ScoreDirection, TextMetric};
use learn::{metric::ScoreMeaning, training::MeaningUse};
use serde::Serialize;
use utoipa::ToSchema;

use self::scorer::{EmbeddingsByText, embed_batch};
pub(crate) use self::{
    batch::ScoringBatch, embedding_metric::EmbeddingMetric, reference_coverage::ReferenceCoverage,
    resources::MetricResources, scorer::MetricScorer,
};
use crate::progress::{ProgressDisplay, ProgressMeter};

/// A metric of one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricKind {
    /// A metric of texts alone.
    Text(TextMetric),
    /// A metric of the encoder's vectors.
    Embedding(EmbeddingMetric),
    /// The rarity of the output's words compared with the source's, by a list of word frequencies.
    WordRank,
    /// A metric learned from ratings.
    Learned(LearnedMetricKind),
}

/// A metric's scores of a batch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BatchScores {
    /// The metric, or the column that they were imported from.
    pub(crate) name: String,
    /// The metric's signature; `None` for imported scores.
    pub(crate) signature: Option<String>,
    /// The metric's direction; values are as the metric gives them.
    pub(crate) direction: ScoreDirection,
    /// The fingerprints of the sources that the metric learned from, on which it cannot be tested.
    pub(crate) trained_on: Vec<String>,
    /// The score of each output, in their order; `None` if it has none.
    pub(crate) values: Vec<Option<f64>>,
    /// The meaning of each score, in the same order, if it was asked for and the metric knows it; otherwise
    /// empty.
    pub(crate) meanings: Vec<Option<ScoreMeaning>>,
}

/// The score, as one corpus, of the batch's scored outputs for which `is_wanted` holds, by a metric that is
/// made of counts.
pub(crate) fn corpus_score(
    batch: &ScoringBatch,
    metric: &str,
    values: &[Option<f64>],
    is_wanted: impl Fn(usize) -> bool,
) -> Option<f64> {
    let outputs = batch.iter().enumerate();
    let scored_outputs = outputs.filter(|(at, _)| is_wanted(*at) && values[*at].is_some());
    TextMetric::from_name(metric)?.corpus_score(scored_outputs.map(|(_, output)| output))
}

/// The meaning of a score, as reports and calls have it.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(crate) struct ScoreMeaningReport {
    /// The percentage of rated outputs whose mean rating is below that expected of the score.
    percent: f64,
    /// 95 % of outputs with such a score have a mean rating in between, on the same scale.
    interval: [f64; 2],
    /// Whether the texts are unlike all that the metric learned from; null of a metric that cannot tell, one whose encoder
    /// was trained.
    out_of_domain: Option<bool>,
}

impl From<ScoreMeaning> for ScoreMeaningReport {
    fn from(meaning: ScoreMeaning) -> Self {
        let rounded = |value: f64| (value * 10.0).round() / 10.0;
        let (low, high) = meaning.interval;
        Self {
            percent: rounded(meaning.percent),
            interval: [rounded(low), rounded(high)],
            out_of_domain: meaning.is_out_of_domain,
        }
    }
}

/// A reason why outputs are not scored.
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
    Learned(#[from] learn::training::ScoringError),
}

impl MetricKind {
    const WORD_RANK: &str = "word-rank";

    /// The metric of this name.
    pub(crate) fn named(name: &str) -> Result<Self, MetricError> {
        let text = TextMetric::from_name(name).map(Self::Text);
        let embedding = || EmbeddingMetric::named(name).map(Self::Embedding);
        let word_rank = || (name == Self::WORD_RANK).then_some(Self::WordRank);
        let learned = || name.parse().ok().map(Self::Learned);
        let metric = text.or_else(embedding).or_else(word_rank);
        let metric = metric.or_else(learned);
        metric.ok_or_else(|| MetricError::Unknown {
            name: name.to_owned(),
        })
    }

    /// The names of all metrics.
    pub(crate) fn names() -> Vec<&'static str> {
        let texts = TextMetric::ALL.into_iter().chain(TextMetric::other_bleu());
        let texts = texts.map(TextMetric::name);
        let embeddings = EmbeddingMetric::ALL.into_iter().map(EmbeddingMetric::name);
        let learned = LearnedMetricKind::ALL.iter().map(|kind| kind.name());
        let unlearned = texts.chain(embeddings).chain([Self::WORD_RANK]);
        unlearned.chain(learned).collect()
    }

    /// The default metrics, which are quick to compute; without `references`, only those that need none.
    pub(crate) fn defaults(references: bool) -> Vec<Self> {
        use TextMetric::{Chrf, Compression, Fkgl, Levenshtein, Sari, SariLens};
        let usual = [
            Sari,
            SariLens,
            TextMetric::BLEU,
            Chrf,
            Fkgl,
            Levenshtein,
            Compression,
        ];
        let fits = |metric: &TextMetric| references || !metric.needs_references();
        usual.into_iter().filter(fits).map(Self::Text).collect()
    }

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text(metric) => metric.name(),
            Self::Embedding(metric) => metric.name(),
            Self::WordRank => Self::WORD_RANK,
            Self::Learned(kind) => kind.name(),
        }
    }

    /// The direction of its scores.
    pub(crate) const fn direction(self) -> ScoreDirection {
        match self {
            Self::Text(metric) => metric.direction(),
            Self::Embedding(_) | Self::Learned(_) => ScoreDirection::HigherIsBetter,
            // Rarer words are harder.
            Self::WordRank => ScoreDirection::LowerIsBetter,
        }
    }

    /// Whether it needs references.
    pub(crate) fn needs_references(self) -> bool {
        match self {
            Self::Text(metric) => metric.needs_references(),
            Self::Embedding(metric) => metric.needs_references(),
            Self::WordRank => false,
            Self::Learned(kind) => kind.needs_references(),
        }
    }

    /// Whether its scores come with their meanings, if these are needed.
    pub(crate) fn has_meanings(self, meanings: MeaningUse) -> bool {
        meanings == MeaningUse::Needed && matches!(self, Self::Learned(_))
    }

    /// Whether it computes with a model, which takes far longer than comparing words.
    pub(crate) const fn has_model(self) -> bool {
        match self {
            Self::Embedding(_) | Self::Learned(_) => true,
            Self::Text(_) | Self::WordRank => false,
        }
    }
}

/// Scores every output by each of the metrics, in their order.
pub(crate) fn score_batch(
    batch: &ScoringBatch,
    metrics: &[MetricKind],
    resources: &MetricResources,
    progress: ProgressDisplay<'_>,
) -> Result<Vec<BatchScores>, MetricError> {
    score_part(
        batch,
        metrics,
        resources,
        MeaningUse::Unneeded,
        progress,
        None,
    )
}

/// Like [`score_batch`], with the meanings of scores if they are needed and the metric knows them. `meter` may
/// count the scores of several batches.
pub(crate) fn score_part<'p>(
    batch: &ScoringBatch,
    metrics: &[MetricKind],
    resources: &MetricResources,
    meanings: MeaningUse,
    progress: ProgressDisplay<'p>,
    meter: Option<&ProgressMeter<'p>>,
) -> Result<Vec<BatchScores>, MetricError> {
    let needs = |metric: &&MetricKind| metric.needs_references();
    if let (Some(metric), false) = (metrics.iter().find(needs), batch.has_references()) {
        return Err(MetricError::NoReferences {
            name: metric.name(),
        });
    }

    let scorers = metrics.iter().map(|metric| resources.scorer(*metric));
    let scorers = scorers.collect::<Result<Vec<_>, _>>()?;

    let embeddings = match scorers.iter().find_map(MetricScorer::encoder) {
        Some(encoder) => {
            let encoded = progress.begin("texts encoded", batch.texts().len());
            embed_batch(batch, encoder, |more| encoded.add(more))?
        }
        None => EmbeddingsByText::new(),
    };

    let total = metrics.len() * batch.outputs().len();
    let own_meter = meter.is_none().then(|| progress.begin("scores", total));
    let meter = meter.or(own_meter.as_ref());
    let on_progress = |more: u64| meter.into_iter().for_each(|meter| meter.add(more as usize));

    let score = |(metric, scorer): (&MetricKind, &MetricScorer)| {
        let assessed = scorer.assess(batch, &embeddings, meanings, on_progress)?;
        let known = assessed.iter().map(|output| (*output)?.meaning);
        let meanings = match metric.has_meanings(meanings) {
            true => known.collect(),
            false => Vec::new(),
        };

        Ok(BatchScores {
            name: metric.name().to_owned(),
            signature: Some(scorer.signature(batch.references())),
            direction: metric.direction(),
            trained_on: scorer.trained_on(),
            values: assessed
                .iter()
                .map(|output| Some((*output)?.score))
                .collect(),
            meanings,
        })
    };
    metrics.iter().zip(&scorers).map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_words_have_the_greater_rank() {
        let Some(settings) = crate::learned_metric::testing::settings_with_words(&[]) else {
            return;
        };
        let mut batch = ScoringBatch::default();
        for output in ["The vessel foundered.", "The boat sank.", "It is."] {
            batch.add("The vessel foundered.", output, || &[]);
        }

        let scores = score_batch(
            &batch,
            &[MetricKind::WordRank],
            &MetricResources::new(&settings),
            ProgressDisplay::Hidden,
        )
        .expect("scored");

        let [Some(same), Some(easier), None] = scores[0].values[..] else {
            panic!("{scores:?}");
        };
        assert!(
            same.to_bits() == 1.0_f64.to_bits() && easier < 0.9,
            "{easier}"
        );

        let signature = scores[0].signature.as_deref().unwrap_or_default();
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
