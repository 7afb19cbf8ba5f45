//! A trained model of trees and a ranker, and its file.

use std::ops::RangeInclusive;

use domain::{metrics::LearnedMetricKind, text::align};
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};

use super::{
    HybridSettings, LearnedMetricQuality,
    calibration::{FEWEST_OUTPUTS, KnownFeatures, ScoreCalibration},
    feature_table::FeatureTable,
    features::{self, FeatureResources},
    hybrid::HybridPredictor,
    tensors::{HybridModelError, TensorWriter, read_floats, read_text},
    trees::{GUARD_TENSORS, TREE_TENSORS, TreeEnsemble},
};

/// The key of the description in a file's header.
const CARD_KEY: &str = "rankrate-metric";

/// The range of settings that divide scores: far wider than what a training chooses.
const DIVISORS: RangeInclusive<f64> = 1e-6..=1e6;

/// A trained model. Its training data is stored with it, as features, so that a training can continue
/// from it.
#[derive(Debug, Clone, PartialEq)]
pub struct HybridModel {
    pub(super) card: HybridModelCard,
    pub(super) hybrid: HybridPredictor,
    pub(super) table: FeatureTable,
}

/// The description of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HybridModelCard {
    /// The version of the program that trained it.
    pub program: String,
    /// The features that it computes of an output.
    pub features: FeatureSpec,
    /// The settings of its training.
    pub settings: HybridSettings,
    /// The SHA-256 of the features and ratings stored with it.
    pub data: String,
    /// The sources of the stored outputs, in their order.
    pub sources: Vec<KnownSource>,
    /// The signature of the model that training continued from, if any.
    pub from: Option<String>,
    /// Its agreement with people on the held-out sources, if any.
    pub held_out: Option<LearnedMetricQuality>,
    /// The cross-validated agreement of models trained in the same way.
    pub cross_validated: Option<LearnedMetricQuality>,
    /// The meaning of its scores; `None` for a model with too few outputs that it did not learn from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<ScoreCalibration>,
}

/// The features of a model, and the resources that they are computed with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureSpec {
    /// The version of the features.
    pub version: u32,
    /// The version of the word alignment that some are counted from.
    pub alignment: u32,
    /// The encoder, if any.
    pub encoder: Option<String>,
    /// The list of word frequencies.
    pub frequencies: String,
    /// Their names, in order.
    pub names: Vec<String>,
}

/// A source that a metric knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownSource {
    /// See [`super::fingerprint`].
    pub fingerprint: String,
    /// Whether it was held out: the metric was judged by it and did not learn from it.
    pub held_out: bool,
}

impl FeatureSpec {
    pub(super) fn new(resources: &FeatureResources, names: Vec<String>) -> Self {
        Self {
            version: features::VERSION,
            alignment: align::VERSION,
            encoder: resources.encoder_name().map(str::to_owned),
            frequencies: resources.frequencies.name().to_owned(),
            names,
        }
    }
}

impl HybridModel {
    /// Its description.
    #[must_use]
    pub const fn card(&self) -> &HybridModelCard {
        &self.card
    }

    /// Whether it needs references.
    #[must_use]
    pub const fn needs_references(&self) -> bool {
        self.card.settings.references > 0
    }

    /// The kind of metric that it is.
    #[must_use]
    pub const fn kind(&self) -> LearnedMetricKind {
        if self.needs_references() {
            LearnedMetricKind::LearnedRef
        } else {
            LearnedMetricKind::LearnedFree
        }
    }

    /// The name of its kind, as on the command line.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// The resources, settings and data that its scores depend on, shortened to hashes where they are long.
    #[must_use]
    pub fn signature(&self) -> String {
        let FeatureSpec {
            version,
            alignment,
            encoder,
            frequencies,
            ..
        } = &self.card.features;
        let encoder = encoder.as_deref().unwrap_or("none");
        format!(
            "{}|features:{version}.{alignment}|encoder:{encoder}|words:{frequencies}|trees:{}|beta:{}\
             |seed:{}|sources:{}|data:{}|version:rankrate-{}",
            self.name(),
            self.hybrid.trees.len(),
            self.card.settings.beta,
            self.card.settings.seed,
            self.card.sources.len(),
            &self.card.data[..12],
            self.card.program,
        )
    }

    /// The fingerprints of the sources that it learned from, in their order.
    #[must_use]
    pub fn trained_on(&self) -> Vec<String> {
        let learned = self.card.sources.iter().filter(|source| !source.held_out);
        learned.map(|source| source.fingerprint.clone()).collect()
    }

    /// The features and ratings stored with it.
    #[must_use]
    pub const fn table(&self) -> &FeatureTable {
        &self.table
    }

    /// The same model with the figures of a cross-validation on its card.
    #[must_use]
    pub fn with_cross_validation(mut self, figures: LearnedMetricQuality) -> Self {
        self.card.cross_validated = Some(figures);
        self
    }

    /// The same model with the meaning of its scores. `judged` are outputs that it, or models trained in the same way,
    /// did not learn from, each with its score and its mean z-score. With fewer than 100 of them, the model stays as it
    /// is.
    #[must_use]
    pub fn calibrated_by(mut self, judged: Vec<[f64; 2]>) -> Self {
        // The distance of known outputs takes a while, so it is computed only if needed.
        if judged.len() >= FEWEST_OUTPUTS {
            let table = self.learned();
            let rated_outputs = table.outputs.iter().filter(|output| !output.is_degenerate);
            let ratings = rated_outputs.map(|output| f64::from(output.z)).collect();
            let distance = Some(self.domain().known_distance());
            self.card.calibration = ScoreCalibration::new(judged, ratings, distance);
        }
        self
    }

    /// The features of the outputs that it knows.
    pub(super) fn domain(&self) -> KnownFeatures {
        KnownFeatures::new(&self.learned(), &self.hybrid.clip)
    }

    /// The training data without the sources that were held out.
    fn learned(&self) -> FeatureTable {
        let sources = &self.card.sources;
        self.table
            .select_sources(|source| !sources[source].held_out)
    }

    /// Checks that the resources are those that it was trained with, and that they give the features that it
    /// names.
    pub(super) fn check_resources(
        &self,
        resources: &FeatureResources,
    ) -> Result<(), HybridModelError> {
        let spec = &self.card.features;
        if (spec.version, spec.alignment) != (features::VERSION, align::VERSION) {
            return Err(HybridModelError::Features {
                found: spec.version,
                here: features::VERSION,
            });
        }

        let (wanted, available) = (spec.encoder.as_deref(), resources.encoder_name());
        if wanted != available {
            return Err(HybridModelError::Resources {
                wanted: describe_encoder(wanted),
                given: describe_encoder(available),
                advice: "name its folder with --encoder or RANKRATE_ENCODER (./run fetches the default \
                         one), or train a metric again",
            });
        }

        if resources.frequencies.name() != spec.frequencies {
            return Err(HybridModelError::Resources {
                wanted: format!("the word frequencies {}", spec.frequencies),
                given: resources.frequencies.name().to_owned(),
                advice: "name its list with --frequencies or RANKRATE_FREQUENCIES (./run fetches the \
                         default one), or train a metric again",
            });
        }

        let names = resources.feature_names(self.needs_references())?;
        if names != spec.names {
            return Err(HybridModelError::FeatureNames {
                found: spec.names.len(),
                here: names.len(),
                resources: match spec.encoder {
                    Some(_) => "the encoder",
                    None => "words alone",
                },
            });
        }
        Ok(())
    }

    /// The model as a file, which [`Self::read`] reads.
    ///
    /// # Panics
    /// Never: names and shapes are the program's own.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut file = TensorWriter::default();

        let (hybrid, table) = (&self.hybrid, &self.table);
        let clip: Vec<f32> = hybrid.clip.iter().flatten().copied().collect();
        file.add_floats("clip", &[hybrid.clip.len(), 2], &clip);
        file.add_floats(
            "ranker.weights",
            &[hybrid.ranker_weights.len()],
            &hybrid.ranker_weights,
        );
        file.add_floats("ranker.offset", &[1], &[hybrid.ranker_offset]);
        hybrid.trees.write_tensors(&mut file, TREE_TENSORS);
        hybrid.guard.write_tensors(&mut file, GUARD_TENSORS);
        table.write_tensors(&mut file);

        let card = serde_json::to_string(&self.card).expect("a card is plain data");
        file.finish(CARD_KEY, card)
    }

    /// Reads what [`Self::write`] wrote. No code of the file runs.
    ///
    /// # Errors
    /// The file has another format or is damaged.
    pub fn read(file: &[u8]) -> Result<Self, HybridModelError> {
        let card: HybridModelCard = serde_json::from_str(&read_text(file, CARD_KEY)?)
            .map_err(|error| HybridModelError::Card(error.to_string()))?;

        let file = SafeTensors::deserialize(file)?;
        let columns = card.features.names.len();
        let (shape, clip) = read_floats(&file, "clip")?;
        let clip: Vec<[f32; 2]> = clip.as_chunks().0.to_vec();
        let ascending = clip.iter().all(|[least, most]| least <= most);
        if shape != [columns, 2] || !ascending || columns == 0 {
            return Err(HybridModelError::Damaged("clip"));
        }

        let (_, weights) = read_floats(&file, "ranker.weights")?;
        let (_, offset) = read_floats(&file, "ranker.offset")?;
        if weights.len() != columns || offset.len() != 1 {
            return Err(HybridModelError::Damaged("ranker.weights"));
        }

        let HybridSettings {
            negative_scale,
            gate,
            gain,
            guard,
            ..
        } = card.settings;
        // Scores are divided by these and must stay finite. A gate of 0 means no gate.
        let width = gain.map_or(1.0, |gain| gain.width);
        let gate_divisor = if gate == 0.0 { 1.0 } else { gate };
        let divisors = [negative_scale, gate_divisor, width];
        let sound = divisors.iter().all(|value| DIVISORS.contains(value));
        let points = gain.map_or([0.0; 3], |gain| {
            [gain.compression, gain.grade, gain.threshold]
        });
        let bounded = points.iter().all(|value| value.abs() <= *DIVISORS.end());
        if !sound || !bounded || !(0.0..=*DIVISORS.end()).contains(&guard) {
            return Err(HybridModelError::Damaged("settings"));
        }

        let hybrid = HybridPredictor {
            clip,
            trees: TreeEnsemble::read_tensors(&file, columns, TREE_TENSORS)?,
            guard: TreeEnsemble::read_tensors(&file, columns, GUARD_TENSORS)?,
            guard_weight: guard,
            ranker_weights: weights,
            ranker_offset: offset[0],
            gate,
            gain,
            top_references: card.settings.top_references.max(1),
            negative_scale,
        };

        let calibration = card.calibration.as_ref();
        if calibration.is_some_and(|calibration| !calibration.is_sound()) {
            return Err(HybridModelError::Damaged("calibration"));
        }

        let sources = card.sources.iter().map(|source| source.fingerprint.clone());
        let table = FeatureTable::read_tensors(&file, sources.collect(), columns)?;
        if table.hash() != card.data {
            return Err(HybridModelError::Damaged("table.values"));
        }
        Ok(Self {
            card,
            hybrid,
            table,
        })
    }
}

fn describe_encoder(encoder: Option<&str>) -> String {
    encoder.map_or("no encoder".to_owned(), |name| {
        format!("the encoder {name}")
    })
}
