use std::{
    fmt,
    io::Write as _,
    sync::{Arc, OnceLock},
};

use anyhow::anyhow;
use domain::metrics::{LearnedMetricKind, word_rank_ratio};
use learn::{
    encoder::Encoder,
    metric::{FeatureResources, WordFrequencies},
    training::{LearnedScorer, ModelFile},
};
use service::{
    metrics::{OfferedMetric, OfferedMetricVersion},
    written_texts::WordRanks,
};
use store::metrics::MetricOrigin;

use super::{
    EmbeddingMetric, MetricError, MetricKind, MetricScorer,
    learned_metric::{describe, find_model},
};
use crate::{aligner, learned_metric::open_scorer, settings::EncoderSettings};

/// The resources that metrics need, by the settings. Each is opened when it is first needed and then kept, as
/// is the message about a missing one.
pub(crate) struct MetricResources {
    settings: EncoderSettings,
    encoder: OnceLock<Result<Encoder, String>>,
    frequencies: OnceLock<Result<WordFrequencies, String>>,
    /// The scorer of each kind, in the order of [`LearnedMetricKind::ALL`].
    learned: [OnceLock<Result<Arc<LearnedScorer>, String>>; LearnedMetricKind::ALL.len()],
}

impl MetricResources {
    pub(crate) fn new(settings: &EncoderSettings) -> Self {
        Self {
            settings: settings.clone(),
            encoder: OnceLock::new(),
            frequencies: OnceLock::new(),
            learned: Default::default(),
        }
    }

    /// Resources with an encoder of these settings that is already open.
    pub(crate) fn with_encoder(settings: &EncoderSettings, encoder: Encoder) -> Self {
        Self {
            encoder: OnceLock::from(Ok(encoder)),
            ..Self::new(settings)
        }
    }

    /// Returns the scorer of a metric. This may open files, and take a second.
    ///
    /// # Errors
    /// [`MetricError::Missing`] if something that it needs is missing.
    pub(crate) fn scorer(&self, metric: MetricKind) -> Result<MetricScorer, MetricError> {
        let missing = |why: &str| MetricError::Missing {
            name: metric.name(),
            why: why.to_owned(),
        };

        match metric {
            MetricKind::Text(metric) => Ok(MetricScorer::Text(metric)),
            MetricKind::Embedding(metric) => match self.encoder() {
                Ok(encoder) => Ok(MetricScorer::Embedding(metric, encoder.clone())),
                Err(why) => Err(missing(why)),
            },
            MetricKind::WordRank => match self.frequencies() {
                Ok(list) => Ok(MetricScorer::WordRank(list.clone())),
                Err(why) => Err(missing(why)),
            },
            MetricKind::Learned(kind) => {
                let open = || {
                    let model = find_model(kind, &self.settings, || self.open_shipped_model());
                    let model = model.map_err(to_sentence)?;
                    self.open_model(model).map_err(to_sentence).map(Arc::new)
                };
                match self.learned[kind as usize].get_or_init(open) {
                    Ok(scorer) => Ok(MetricScorer::Learned(scorer.clone())),
                    Err(why) => Err(missing(why)),
                }
            }
        }
    }

    /// Opens the scorer of a study's model, given its file.
    ///
    /// # Errors
    /// A sentence on what is missing or damaged, or does not fit the model.
    pub(crate) fn open_stored_model(&self, file: &[u8]) -> anyhow::Result<LearnedScorer> {
        // ONNX Runtime reads weights from a file, and only while the model is opened.
        let mut place = tempfile::NamedTempFile::new()?;
        place.write_all(file)?;
        let model = ModelFile::open(place.path()).map_err(|error| anyhow!("{}", error.reason()))?;
        self.open_model(model)
    }

    /// Opens the model shipped for the encoder.
    ///
    /// # Errors
    /// A sentence, if the encoder is missing or has no shipped model.
    pub(crate) fn open_shipped_model(&self) -> anyhow::Result<ModelFile> {
        let encoder = self.encoder().map_err(|why| anyhow!("{why}"))?;
        Ok(ModelFile::shipped(Some(encoder.name()))?)
    }

    /// Opens the scorer of a model.
    ///
    /// # Errors
    /// A sentence on what is missing or damaged, or does not fit the model.
    pub(crate) fn open_model(&self, model: ModelFile) -> anyhow::Result<LearnedScorer> {
        open_scorer(model, &self.settings, |with_encoder| {
            let encoder = with_encoder.then(|| self.encoder().cloned()).transpose();
            Ok(FeatureResources {
                encoder: encoder.map_err(|why| anyhow!("{why}"))?,
                frequencies: self
                    .frequencies()
                    .cloned()
                    .map_err(|why| anyhow!("{why}"))?,
            })
        })
    }

    /// Whether there is an encoder, and so ONNX Runtime. This may open files.
    pub(crate) fn has_encoder(&self) -> bool {
        self.encoder().is_ok()
    }

    /// The encoder, or the reason why it is missing.
    pub(crate) fn encoder(&self) -> Result<&Encoder, &str> {
        let open =
            || aligner::open_encoder(&self.settings).map_err(|error| to_sentence(error.into()));
        let encoder = self.encoder.get_or_init(open);
        encoder.as_ref().map_err(String::as_str)
    }

    /// Drops the vectors of earlier texts, so that scores do not depend on what was scored before.
    pub(crate) fn forget_texts(&self) {
        if let Some(Ok(encoder)) = self.encoder.get() {
            encoder.clear_cache();
        }
    }

    fn frequencies(&self) -> Result<&WordFrequencies, &str> {
        let open = || {
            let list = WordFrequencies::open(&self.settings.frequencies());
            list.map_err(|error| to_sentence(error.into()))
        };
        let list = self.frequencies.get_or_init(open);
        list.as_ref().map_err(String::as_str)
    }

    /// The metric of word ranks, for one text at a time; undefined for every text if the list of words is
    /// missing.
    pub(crate) fn word_ranks(self: Arc<Self>) -> WordRanks {
        WordRanks::new(move |source, text| {
            let list = self.frequencies().ok()?;
            word_rank_ratio(source, text, |word| list.rank(word))
        })
    }

    /// The metrics that a study may choose in addition to those of text alone, with what is missing for some.
    pub(crate) fn offers(&self) -> Vec<OfferedMetric> {
        let embeddings =
            EmbeddingMetric::ALL.map(|metric| (MetricKind::Embedding(metric), metric.about()));

        // Models with an encoder of their own are large, and come only from a study's own training.
        let learned = LearnedMetricKind::ALL.iter().copied();
        let learned = learned.filter(|kind| !kind.trainer().tunes_encoder());
        let learned = learned.map(|kind| (MetricKind::Learned(kind), describe(kind)));

        let offer = |(metric, about): (MetricKind, &'static str)| OfferedMetric {
            name: metric.name(),
            about,
            version: match self.scorer(metric) {
                Ok(scorer) => Ok(describe_version(metric, &scorer)),
                Err(MetricError::Missing { why, .. }) => Err(why),
                Err(error) => Err(error.to_string()),
            },
        };
        let words = (
            MetricKind::WordRank,
            "how rare its words are compared with the source’s: below 1 they are more frequent",
        );

        let all = learned.chain(embeddings).chain([words]);
        all.map(offer).collect()
    }
}

fn describe_version(metric: MetricKind, scorer: &MetricScorer) -> OfferedMetricVersion {
    OfferedMetricVersion {
        signature: scorer.version(),
        origin: match metric {
            MetricKind::Learned(_) => MetricOrigin::Learned,
            MetricKind::Text(_) | MetricKind::Embedding(_) | MetricKind::WordRank => {
                MetricOrigin::Computed
            }
        },
        direction: metric.direction(),
        uses_references: metric.needs_references(),
        trained_on: scorer.trained_on(),
        scale: scorer.scale(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it ends here")]
fn to_sentence(error: anyhow::Error) -> String {
    format!("{error:#}")
}

impl fmt::Debug for MetricResources {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("MetricResources").finish_non_exhaustive()
    }
}
