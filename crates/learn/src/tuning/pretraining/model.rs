//! The description of a pre-trained encoder.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{LanguageModelCard, PretrainingPlan, PretrainingSignal, PretrainingStage, SignalScale};
use crate::{
    encoder::weights::read_texts,
    tuning::{TextPooling, TuningError},
};

/// The key of the card in a file's header.
pub(crate) const PRETRAINED_KEY: &str = "rankrate-pretrained-encoder";

/// The version of the file's layout.
pub(super) const LAYOUT: u32 = 1;

/// The description of a pre-trained encoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PretrainedCard {
    /// The version of the file's layout.
    pub layout: u32,
    /// The version of the program that trained it.
    pub program: String,
    /// The encoder that the first stage started from: kind, layers × width, hash of its weights.
    pub encoder: String,
    /// The list of word frequencies by which words were replaced.
    pub frequencies: String,
    /// The settings of its training; the usual ones for a stage that it lacks.
    pub plan: PretrainingPlan,
    /// The stages, in their order.
    pub stages: Vec<StageCard>,
}

/// A stage of pre-training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StageCard {
    /// The stage.
    pub stage: PretrainingStage,
    /// The SHA-256 of its texts.
    pub data: String,
    /// The number of its sources.
    pub sources: usize,
    /// The number of those sources by which its best epoch was chosen.
    pub development_sources: usize,
    /// The number of its candidates.
    pub candidates: usize,
    /// The signals that it learned.
    pub signals: Vec<LearnedSignal>,
    /// The language model of signals of fluency, if it learned any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language_model: Option<LanguageModelCard>,
    /// The best epoch, from 0.
    pub epoch: usize,
    /// The results of all epochs.
    pub history: Vec<PretrainingEpoch>,
}

/// A signal, and the accuracy of its predictions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LearnedSignal {
    /// The signal.
    pub signal: PretrainingSignal,
    /// Its mean and deviation over the candidates that were learned from.
    #[serde(flatten)]
    pub scale: SignalScale,
    /// Pearson's r of predicted and true values over the candidates of the development sources.
    pub r: Option<f64>,
}

/// The result of an epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PretrainingEpoch {
    /// Its number, from 0.
    pub epoch: usize,
    /// The mean loss of its steps: squared errors of standardised signals, summed over signals.
    pub loss: f64,
    /// The same on the development sources.
    pub development_loss: Option<f64>,
}

impl PretrainedCard {
    /// The card of the pre-trained encoder in the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, or was not written by `rankrate pretrain`.
    pub fn read(path: &Path) -> Result<Self, TuningError> {
        Self::parse(&Self::read_text(path)?, path)
    }

    /// The vector of a pair of texts that the heads of its last stage saw.
    #[must_use]
    pub fn pooling(&self) -> TextPooling {
        let last = self.stages.last();
        last.map_or_else(TextPooling::default, |last| self.plan.pooling(last.stage))
    }

    /// The card of the file at `path` as it is written.
    pub(crate) fn read_text(path: &Path) -> Result<String, TuningError> {
        read_texts(path)?.remove(PRETRAINED_KEY).ok_or_else(|| {
            let reason = "it is not a pre-trained encoder; make one with `rankrate pretrain`";
            TuningError::content(path, reason)
        })
    }

    /// Parses the card of the file at `path`.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, TuningError> {
        let card: Self = serde_json::from_str(text).map_err(|error| {
            let reason =
                format!("its card is of another version of the program ({error}); pre-train again");
            TuningError::content(path, reason)
        })?;
        if card.layout != LAYOUT {
            let reason = format!(
                "it has layout {}, this program reads {LAYOUT}; pre-train again",
                card.layout
            );
            return Err(TuningError::content(path, reason));
        }
        Ok(card)
    }
}
