use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{encoder::EncoderError, metric::TrainError, tuning::TuningError};

/// Reasons why a metric was not trained or judged.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    /// Trees and ranker were not trained.
    #[error(transparent)]
    Hybrid(#[from] TrainError),
    /// An encoder was not trained.
    #[error(transparent)]
    Tuning(#[from] TuningError),
    /// A file of an interrupted training, or the model, was not read or written.
    #[error("{} cannot be {verb}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// “read” or “written”.
        verb: &'static str,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

impl TrainingError {
    /// Whether the progress callback stopped the work, so that nothing failed.
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        matches!(
            self,
            Self::Hybrid(TrainError::Stopped) | Self::Tuning(TuningError::Stopped)
        )
    }

    pub(super) fn unreadable(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::File {
            path,
            verb: "read",
            source,
        }
    }

    pub(super) fn unwritable(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::File {
            path,
            verb: "written",
            source,
        }
    }
}

impl From<EncoderError> for TrainingError {
    fn from(error: EncoderError) -> Self {
        Self::Hybrid(error.into())
    }
}

/// Reasons why outputs have no scores.
#[derive(Debug, thiserror::Error)]
pub enum ScoringError {
    /// The encoder failed.
    #[error("the texts were not encoded")]
    Encoder(#[from] EncoderError),
    /// A model with its own encoder failed.
    #[error(transparent)]
    Tuning(#[from] TuningError),
}
