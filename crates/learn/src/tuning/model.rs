//! Trained models and their files: one safetensors file with the encoder's weights under Hugging Face's names, the
//! head's weights, and a header with all that is needed to use it. Loading one runs no code.

use std::{collections::HashMap, path::Path};

use serde::{Deserialize, Serialize};
use tensor::Weights;

use super::{
    PretrainedCard, TuningAgreement, TuningError, TuningPlan, TuningSplit,
    base_encoder::{BaseEncoder, CONFIG_KEY, TOKENIZER_KEY},
    checkpoint::EpochResult,
    cross::CrossTask,
    lens::LensTask,
    plan::TuningObjective,
    task::{RatedTask, TaskNetworks, score_sources},
    weights_file::write_weights_file,
};
use crate::{
    encoder::weights::WeightsHeader as Header,
    metric::{ScoreCalibration, TrainingSource},
};

/// The key of the card in a file's header.
pub(crate) const CARD_KEY: &str = "rankrate-tuned-metric";

/// The version of the file's layout.
const LAYOUT: u32 = 1;

/// The description of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TunedModelCard {
    /// The version of the file's layout.
    pub layout: u32,
    /// The version of the program that trained it.
    pub program: String,
    /// The encoder that training started from: kind, layers × width, hash of its weights.
    pub encoder: String,
    /// The pre-training of that encoder, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pretraining: Option<Box<PretrainedCard>>,
    /// The settings of its training.
    pub plan: TuningPlan,
    /// Whether the signature states all of them. Files of earlier versions keep their signature, because scores are
    /// stored under it.
    #[serde(default)]
    pub is_plan_signed: bool,
    /// The SHA-256 of its training data; see [`hash_sources`](super::hash_sources).
    pub data: String,
    /// Its training and validation sources.
    pub split: TuningSplit,
    /// The best epoch, from 0.
    pub epoch: usize,
    /// The results of all epochs.
    pub history: Vec<EpochResult>,
    /// The weight of the ranking head in the score; 0 if the model has none.
    pub order_share: f64,
    /// The agreement of models of this plan with people on unseen sources, if it was cross-validated.
    #[serde(default)]
    pub cross_validated: Option<TuningAgreement>,
    /// The meaning of its scores; `None` for a model with too few outputs that it did not learn from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<ScoreCalibration>,
}

/// A trained model.
pub struct TunedModel {
    pub(super) card: TunedModelCard,
    pub(super) base: BaseEncoder,
    /// The weights that differ from the base encoder's, by their names in the file.
    pub(super) weights: Weights,
}

impl TunedModelCard {
    /// The card of the model in the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read or is not a model of this program.
    pub fn read(path: &Path) -> Result<Self, TuningError> {
        Ok(read_model(path)?.0)
    }

    /// The fingerprints of the sources on which the model cannot be tested: it was trained on them,
    /// or its best epoch was chosen by them.
    #[must_use]
    pub fn trained_on(&self) -> Vec<String> {
        let TuningSplit {
            training,
            validation,
        } = &self.split;
        training.union(validation).cloned().collect()
    }

    /// The signature of its scores: name, variant, encoder, all settings that training used, data, seed and version.
    #[must_use]
    pub fn signature(&self) -> String {
        let name = match self.plan.objective {
            TuningObjective::Lens { features, .. } => {
                let features = format!("{features:?}").to_lowercase();
                format!("lens|features:{features}|refs:max")
            }
            TuningObjective::Cross { .. } => "cross|refs:none".to_owned(),
        };
        let is_tuned = self.best_epoch().is_some_and(|epoch| epoch.tuned);
        let tuned = if is_tuned { self.plan.tuned_layers } else { 0 };
        let settings = match self.is_plan_signed {
            true => format!("|{}", self.plan.describe()),
            false => String::new(),
        };
        format!(
            "{name}|encoder:{}|tuned:{tuned}{settings}|data:{:.12}|seed:{}|version:{}",
            self.encoder, self.data, self.plan.seed, self.program
        )
    }

    /// The agreement of its scores with people on the validation sources; a little optimistic, because its best epoch
    /// was chosen by them.
    #[must_use]
    pub fn validation(&self) -> TuningAgreement {
        let best = self.best_epoch();
        best.map(|epoch| epoch.validation).unwrap_or_default()
    }

    fn best_epoch(&self) -> Option<&EpochResult> {
        self.history
            .iter()
            .find(|result| result.epoch == self.epoch)
    }
}

impl TunedModel {
    /// Its description.
    #[must_use]
    pub const fn card(&self) -> &TunedModelCard {
        &self.card
    }

    /// The same model with the figures of a cross-validation on its card.
    #[must_use]
    pub const fn with_cross_validation(mut self, figures: TuningAgreement) -> Self {
        self.card.cross_validated = Some(figures);
        self
    }

    /// The same model with the meaning of its scores. `judged` are outputs that it, or models trained in the same way,
    /// did not learn from, each with its score and its mean z-score; `ratings` are the mean z-scores that it learned
    /// from. With fewer than 100 outputs, the model stays as it is.
    #[must_use]
    pub fn calibrated_by(mut self, judged: Vec<[f64; 2]>, ratings: Vec<f64>) -> Self {
        if let Some(calibration) = ScoreCalibration::new(judged, ratings, None) {
            self.card.calibration = Some(calibration);
        }
        self
    }

    /// The predicted z-score of each output of each source, computed as in training, without ONNX
    /// Runtime. References identical to an output are left out if there are others.
    ///
    /// # Errors
    /// A source lacks the references that the model needs, or the encoder cannot be read.
    pub fn predict_z(&self, sources: &[TrainingSource]) -> Result<Vec<Vec<f64>>, TuningError> {
        match self.card.plan.objective {
            TuningObjective::Lens { .. } => {
                let task = LensTask::new(&self.base, sources, &self.card.plan)?;
                self.predict_scores(&task, "lens")
            }
            TuningObjective::Cross { .. } => {
                let task = CrossTask::new(&self.base, sources, &self.card.plan)?;
                self.predict_scores(&task, "cross")
            }
        }
    }

    fn predict_scores<T: RatedTask>(
        &self,
        task: &T,
        name: &str,
    ) -> Result<Vec<Vec<f64>>, TuningError> {
        let mut encoder = self.base.network()?;
        encoder.weights.replace(&self.weights);
        let own = self.weights.part(name);
        let head = Weights::find(task.head_weights(), |name| own.get(name).cloned());
        let head = head.map_err(TuningError::Weight)?;

        let all: Vec<usize> = (0..task.sources()).collect();
        let networks = TaskNetworks {
            encoder: Some(&encoder),
            head: &head,
            masks: None,
        };
        let predictions = score_sources(task, &all, networks);

        let share = self.card.order_share;
        Ok(predictions
            .iter()
            .map(|source| source.iter().map(|output| output.score(share)).collect())
            .collect())
    }

    /// Writes the model to the file at `path`. An existing file is replaced rather than overwritten: processes that
    /// have it open keep the old one.
    ///
    /// # Errors
    /// The encoder that training started from cannot be read, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), TuningError> {
        let card = serde_json::to_string(&self.card).expect("a card is plain data");
        let texts = HashMap::from([(CARD_KEY.to_owned(), card)]);
        write_model(path, &self.base, &self.weights, texts)
    }
}

/// Writes all weights of an encoder, of which `changed` replace or join those of `base`, with its configuration and
/// other texts in the header.
///
/// # Errors
/// The encoder that training started from cannot be read, or the file cannot be written.
pub(super) fn write_model(
    path: &Path,
    base: &BaseEncoder,
    changed: &Weights,
    mut texts: HashMap<String, String>,
) -> Result<(), TuningError> {
    let mut all = base.network()?.weights;
    all.extend(changed.clone());
    texts.insert(CONFIG_KEY.to_owned(), base.config_text.clone());
    texts.insert(TOKENIZER_KEY.to_owned(), base.tokenizer_text.clone());
    write_weights_file(path, &all, texts)
}

/// Reads the card and the encoder of the model at `path`.
///
/// # Errors
/// The file cannot be read or is not a model of this program.
pub(super) fn read_model(path: &Path) -> Result<(TunedModelCard, BaseEncoder), TuningError> {
    let header = Header::read(path)?;
    let card: TunedModelCard =
        serde_json::from_str(&find_text(&header, CARD_KEY, path)?).map_err(|error| {
            let reason =
                format!("its card is of another version of the program ({error}); train it again");
            TuningError::content(path, reason)
        })?;

    if card.layout != LAYOUT {
        let reason = format!(
            "it has layout {}, this program reads {LAYOUT}; train it again",
            card.layout
        );
        return Err(TuningError::content(path, reason));
    }
    card.plan.check()?;
    if card.calibration.as_ref().is_some_and(|own| !own.is_sound()) {
        return Err(TuningError::content(path, "its calibration is damaged"));
    }

    let config = find_text(&header, CONFIG_KEY, path)?;
    let tokenizer = find_text(&header, TOKENIZER_KEY, path)?;
    Ok((card, BaseEncoder::new(config, tokenizer, header)?))
}

fn find_text(header: &Header, name: &str, path: &Path) -> Result<String, TuningError> {
    let text = header.text(name).map(str::to_owned);
    text.ok_or_else(|| {
        let reason = format!("there is no {name} in it; train a model with `rankrate train`");
        TuningError::content(path, reason)
    })
}

/// The card of a new model.
pub(super) fn new_card(
    base: &BaseEncoder,
    plan: &TuningPlan,
    data: String,
) -> Result<TunedModelCard, TuningError> {
    Ok(TunedModelCard {
        layout: LAYOUT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        encoder: base.name()?,
        pretraining: base
            .pretraining
            .as_ref()
            .map(|pretraining| Box::new(pretraining.card.clone())),
        plan: plan.clone(),
        is_plan_signed: true,
        data,
        split: TuningSplit::default(),
        epoch: 0,
        history: Vec::new(),
        order_share: 0.0,
        cross_validated: None,
        calibration: None,
    })
}
