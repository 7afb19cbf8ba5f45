use std::{
    fmt,
    io::Write as _,
    sync::{Arc, OnceLock},
};

use learn::{
    encoder::Encoder,
    metric::{self, HybridModel, WordFrequencies},
    tuning,
};
use service::metrics::{OfferedMetric, OfferedMetricVersion};
use store::metrics::MetricOrigin;

use super::{EmbeddingMetric, LearnedMetric, MetricError, MetricKind, MetricScorer};
use crate::{aligner, settings::EncoderSettings};

/// What metrics need beside texts, by the settings. Each is opened when it is first asked for, and then
/// kept; so is the sentence on what is missing.
pub(crate) struct MetricResources {
    settings: EncoderSettings,
    encoder: OnceLock<Result<Encoder, String>>,
    frequencies: OnceLock<Result<WordFrequencies, String>>,
    learned: [OnceLock<Result<Arc<metric::HybridScorer>, String>>; 2],
    tuned: [OnceLock<Result<Arc<tuning::TunedScorer>, String>>; 2],
}

impl MetricResources {
    pub(crate) fn new(settings: &EncoderSettings) -> Self {
        Self {
            settings: settings.clone(),
            encoder: OnceLock::new(),
            frequencies: OnceLock::new(),
            learned: Default::default(),
            tuned: Default::default(),
        }
    }

    /// With an encoder of these settings that is open already.
    pub(crate) fn with_encoder(settings: &EncoderSettings, encoder: Encoder) -> Self {
        Self {
            encoder: OnceLock::from(Ok(encoder)),
            ..Self::new(settings)
        }
    }

    /// What computes a metric here. It may open files, and take a second.
    ///
    /// # Errors
    /// [`MetricError::Missing`] where there are no means for it.
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
                let model = || self.learned(kind.model(&self.settings)?).map(Arc::new);
                let made = self.learned[kind as usize].get_or_init(|| model().map_err(to_sentence));
                match made {
                    Ok(metric) => Ok(MetricScorer::Learned(metric.clone())),
                    Err(why) => Err(missing(why)),
                }
            }
            MetricKind::Tuned(kind) => {
                let open = || kind.open(&self.settings).map(Arc::new).map_err(to_sentence);
                match self.tuned[kind as usize].get_or_init(open) {
                    Ok(scorer) => Ok(MetricScorer::Tuned(scorer.clone())),
                    Err(why) => Err(missing(why)),
                }
            }
        }
    }

    /// A model with what it needs.
    ///
    /// # Errors
    /// A sentence on what is missing, or does not fit the model.
    pub(crate) fn learned(&self, model: HybridModel) -> anyhow::Result<metric::HybridScorer> {
        let encoder = match model.card().features.encoder {
            Some(_) => Some(
                self.encoder()
                    .map_err(|why| anyhow::anyhow!("{why}"))?
                    .clone(),
            ),
            None => None,
        };
        let means = metric::FeatureResources {
            frequencies: self
                .frequencies()
                .map_err(|why| anyhow::anyhow!("{why}"))?
                .clone(),
            encoder,
        };
        Ok(metric::HybridScorer::new(model, means)?)
    }

    /// A model whose encoder learned.
    ///
    /// # Errors
    /// A sentence on what is missing, or damaged.
    pub(crate) fn tuned(&self, file: &[u8]) -> anyhow::Result<tuning::TunedScorer> {
        // ONNX Runtime reads weights from a file, and only while it is opened.
        let mut place = tempfile::NamedTempFile::new()?;
        place.write_all(file)?;
        let settings = self.settings.in_folder(place.path().to_owned());
        Ok(tuning::TunedScorer::open(place.path(), &settings)?)
    }

    /// Whether there is an encoder, and so ONNX Runtime. It may open files.
    pub(crate) fn has_encoder(&self) -> bool {
        self.encoder().is_ok()
    }

    fn encoder(&self) -> Result<&Encoder, &str> {
        let open =
            || aligner::open_encoder(&self.settings).map_err(|error| to_sentence(error.into()));
        let encoder = self.encoder.get_or_init(open);
        encoder.as_ref().map_err(String::as_str)
    }

    fn frequencies(&self) -> Result<&WordFrequencies, &str> {
        let open = || {
            let list = WordFrequencies::open(&self.settings.frequencies());
            list.map_err(|error| to_sentence(error.into()))
        };
        let list = self.frequencies.get_or_init(open);
        list.as_ref().map_err(String::as_str)
    }

    /// The metrics that a study may choose beside those of texts, with what is missing for some.
    pub(crate) fn offers(&self) -> Vec<OfferedMetric> {
        let meanings = EmbeddingMetric::ALL.map(|of| (MetricKind::Embedding(of), of.about()));
        let learned = LearnedMetric::ALL.map(|of| (MetricKind::Learned(of), of.about()));
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
            "how rare its words are beside the source’s: below 1 they are more frequent",
        );
        let all = learned.into_iter().chain(meanings).chain([words]);
        all.map(offer).collect()
    }
}

fn describe_version(metric: MetricKind, scorer: &MetricScorer) -> OfferedMetricVersion {
    OfferedMetricVersion {
        signature: scorer.version(),
        origin: match metric {
            MetricKind::Learned(_) | MetricKind::Tuned(_) => MetricOrigin::Learned,
            MetricKind::Text(_) | MetricKind::Embedding(_) | MetricKind::WordRank => {
                MetricOrigin::Computed
            }
        },
        direction: metric.direction(),
        uses_references: metric.needs_references(),
        trained_on: scorer.trained_on(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it ends here")]
fn to_sentence(error: anyhow::Error) -> String {
    format!("{error:#}")
}

impl fmt::Debug for MetricResources {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Means").finish_non_exhaustive()
    }
}
