use std::{
    fmt,
    io::Write as _,
    sync::{Arc, OnceLock},
};

use app::metrics::{Offer, Version};
use learn::{
    encoder::Encoder,
    metric::{self, Frequencies, Model},
    tuning,
};
use store::metrics::Origin;

use super::{LearnedMetric, MeaningMetric, Metric, MetricError, Scorer};
use crate::{aligner, settings::EncoderSettings};

/// What metrics need beside texts, by the settings. Each is opened when it is first asked for, and then
/// kept; so is the sentence on what is missing.
pub(crate) struct Means {
    settings: EncoderSettings,
    encoder: OnceLock<Result<Encoder, String>>,
    frequencies: OnceLock<Result<Frequencies, String>>,
    learned: [OnceLock<Result<Arc<metric::Metric>, String>>; 2],
    tuned: [OnceLock<Result<Arc<tuning::Scorer>, String>>; 2],
}

impl Means {
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
    pub(crate) fn scorer(&self, metric: Metric) -> Result<Scorer, MetricError> {
        let missing = |why: &str| MetricError::Missing {
            name: metric.name(),
            why: why.to_owned(),
        };
        match metric {
            Metric::Text(metric) => Ok(Scorer::Text(metric)),
            Metric::Meaning(metric) => match self.encoder() {
                Ok(encoder) => Ok(Scorer::Meaning(metric, encoder.clone())),
                Err(why) => Err(missing(why)),
            },
            Metric::WordRank => match self.frequencies() {
                Ok(list) => Ok(Scorer::WordRank(list.clone())),
                Err(why) => Err(missing(why)),
            },
            Metric::Learned(kind) => {
                let model = || self.learned(kind.model(&self.settings)?).map(Arc::new);
                let made = self.learned[kind as usize].get_or_init(|| model().map_err(sentence));
                match made {
                    Ok(metric) => Ok(Scorer::Learned(metric.clone())),
                    Err(why) => Err(missing(why)),
                }
            }
            Metric::Tuned(kind) => {
                let open = || kind.open(&self.settings).map(Arc::new).map_err(sentence);
                match self.tuned[kind as usize].get_or_init(open) {
                    Ok(scorer) => Ok(Scorer::Tuned(scorer.clone())),
                    Err(why) => Err(missing(why)),
                }
            }
        }
    }

    /// A model with what it needs.
    ///
    /// # Errors
    /// A sentence on what is missing, or does not fit the model.
    pub(crate) fn learned(&self, model: Model) -> anyhow::Result<metric::Metric> {
        let encoder = match model.card().features.encoder {
            Some(_) => Some(
                self.encoder()
                    .map_err(|why| anyhow::anyhow!("{why}"))?
                    .clone(),
            ),
            None => None,
        };
        let means = metric::Means {
            frequencies: self
                .frequencies()
                .map_err(|why| anyhow::anyhow!("{why}"))?
                .clone(),
            encoder,
        };
        Ok(metric::Metric::new(model, means)?)
    }

    /// A model whose encoder learned.
    ///
    /// # Errors
    /// A sentence on what is missing, or damaged.
    pub(crate) fn tuned(&self, file: &[u8]) -> anyhow::Result<tuning::Scorer> {
        // ONNX Runtime reads weights from a file, and only while it is opened.
        let mut place = tempfile::NamedTempFile::new()?;
        place.write_all(file)?;
        let settings = self.settings.in_folder(place.path().to_owned());
        Ok(tuning::Scorer::open(place.path(), &settings)?)
    }

    /// Whether there is an encoder, and so ONNX Runtime. It may open files.
    pub(crate) fn has_encoder(&self) -> bool {
        self.encoder().is_ok()
    }

    fn encoder(&self) -> Result<&Encoder, &str> {
        let open = || aligner::encoder(&self.settings).map_err(|error| sentence(error.into()));
        let encoder = self.encoder.get_or_init(open);
        encoder.as_ref().map_err(String::as_str)
    }

    fn frequencies(&self) -> Result<&Frequencies, &str> {
        let open = || {
            let list = Frequencies::open(&self.settings.frequencies());
            list.map_err(|error| sentence(error.into()))
        };
        let list = self.frequencies.get_or_init(open);
        list.as_ref().map_err(String::as_str)
    }

    /// The metrics that a study may choose beside those of texts, with what is missing for some.
    pub(crate) fn offers(&self) -> Vec<Offer> {
        let meanings = MeaningMetric::ALL.map(|of| (Metric::Meaning(of), of.about()));
        let learned = LearnedMetric::ALL.map(|of| (Metric::Learned(of), of.about()));
        let offer = |(metric, about): (Metric, &'static str)| Offer {
            name: metric.name(),
            about,
            version: match self.scorer(metric) {
                Ok(scorer) => Ok(version(metric, &scorer)),
                Err(MetricError::Missing { why, .. }) => Err(why),
                Err(error) => Err(error.to_string()),
            },
        };
        let words = (
            Metric::WordRank,
            "how rare its words are beside the source’s: below 1 they are more frequent",
        );
        let all = learned.into_iter().chain(meanings).chain([words]);
        all.map(offer).collect()
    }
}

fn version(metric: Metric, scorer: &Scorer) -> Version {
    Version {
        signature: scorer.version(),
        origin: match metric {
            Metric::Learned(_) | Metric::Tuned(_) => Origin::Learned,
            Metric::Text(_) | Metric::Meaning(_) | Metric::WordRank => Origin::Computed,
        },
        direction: metric.direction(),
        uses_references: metric.needs_references(),
        trained_on: scorer.trained_on(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it ends here")]
fn sentence(error: anyhow::Error) -> String {
    format!("{error:#}")
}

impl fmt::Debug for Means {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Means").finish_non_exhaustive()
    }
}
