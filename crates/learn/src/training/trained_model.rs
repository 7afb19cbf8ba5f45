//! Models that were just trained.

use std::{fs, io, path::Path};

use domain::metrics::{ScoreScale, learned_quality::LearnedMetricQuality};
use serde::Serialize;

use super::TrainingError;
use crate::{
    metric::{HybridModel, ScoreCalibration},
    tuning::{TunedModel, TuningAgreement},
};

/// A model that was just trained.
pub enum TrainedModel {
    /// Trees and a ranker.
    Hybrid(Box<HybridModel>),
    /// An encoder with a head.
    Tuned(Box<TunedModel>),
}

/// A model's figures on the sources that it did not learn from, as its card has them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum HeldOutFigures {
    /// The figures of trees; `None` if no source was held out.
    Hybrid(Option<LearnedMetricQuality>),
    /// The figures of a fine-tuned encoder, which also chose its best epoch.
    Tuned(TuningAgreement),
}

impl TrainedModel {
    /// The signature of its scores: kind, settings and data.
    #[must_use]
    pub fn signature(&self) -> String {
        match self {
            Self::Hybrid(model) => model.signature(),
            Self::Tuned(model) => model.card().signature(),
        }
    }

    /// The fingerprints of the sources that it learned from.
    #[must_use]
    pub fn trained_on(&self) -> Vec<String> {
        match self {
            Self::Hybrid(model) => model.trained_on(),
            Self::Tuned(model) => model.card().trained_on(),
        }
    }

    /// The meaning of its scores, as of [`ScoreCalibration::scale`]; empty without a calibration.
    #[must_use]
    pub fn scale(&self) -> ScoreScale {
        let calibration = match self {
            Self::Hybrid(model) => &model.card().calibration,
            Self::Tuned(model) => &model.card().calibration,
        };
        let scale = calibration.as_ref().map(ScoreCalibration::scale);
        scale.unwrap_or_default()
    }

    /// The same model with the figures of a cross-validation on its card.
    #[must_use]
    pub fn with_cross_validation(self, figures: LearnedMetricQuality) -> Self {
        match self {
            Self::Hybrid(model) => Self::Hybrid(Box::new(model.with_cross_validation(figures))),
            Self::Tuned(model) => {
                Self::Tuned(Box::new(model.with_cross_validation(figures.into())))
            }
        }
    }

    /// The figures on its card of the sources that it did not learn from.
    #[must_use]
    pub fn held_out(&self) -> HeldOutFigures {
        match self {
            Self::Hybrid(model) => HeldOutFigures::Hybrid(model.card().held_out),
            Self::Tuned(model) => HeldOutFigures::Tuned(model.card().validation()),
        }
    }

    /// Writes the model to the file at `path`, replacing what is there.
    ///
    /// # Errors
    /// The file cannot be written, or the encoder that training began with cannot be read.
    pub fn save(&self, path: &Path) -> Result<(), TrainingError> {
        match self {
            Self::Hybrid(model) => replace_file(path, &model.write())
                .map_err(|error| TrainingError::unwritable(path, error)),
            Self::Tuned(model) => Ok(model.save(path)?),
        }
    }
}

/// Writes a file next to its place and moves it there, so that no reader sees half of it.
pub(super) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, bytes)?;
    fs::rename(&new, path)
}

/// The figures in the form of a fine-tuned encoder's card and reports.
impl From<LearnedMetricQuality> for TuningAgreement {
    fn from(quality: LearnedMetricQuality) -> Self {
        Self {
            pearson: quality.r,
            tau: quality.tau,
            hard: quality.hard,
            outputs: quality.outputs,
        }
    }
}

/// The number of sources and the figure on degenerate outputs stay unknown.
impl From<TuningAgreement> for LearnedMetricQuality {
    fn from(agreement: TuningAgreement) -> Self {
        Self {
            r: agreement.pearson,
            tau: agreement.tau,
            hard: agreement.hard,
            degenerate: None,
            outputs: agreement.outputs,
            sources: 0,
        }
    }
}
