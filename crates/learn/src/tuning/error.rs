//! Errors of training and scoring.

use std::path::PathBuf;

use crate::encoder::EncoderError;

/// Reasons why a model was not trained or does not score.
#[derive(Debug, thiserror::Error)]
pub enum TuningError {
    /// The encoder that training starts from, or the one in a model, cannot be used.
    #[error(transparent)]
    Encoder(#[from] EncoderError),
    /// The ratings are too few, or lack what the trainer needs.
    #[error("{0}")]
    Data(String),
    /// A setting is out of its range.
    #[error("{0}")]
    Plan(String),
    /// A weight is missing or has another shape.
    #[error(
        "the weights “{0}” are missing or of another shape; take weights and config.json of one \
         model"
    )]
    Weight(String),
    /// The weights cannot be read as numbers.
    #[error("the weights cannot be read: {0}")]
    Format(#[from] safetensors::SafeTensorError),
    /// A file cannot be read or written.
    #[error("{} cannot be used: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A file is not a model of this program, or is one of another kind.
    #[error("{}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The fault and its remedy.
        reason: String,
    },
    /// The threads cannot be started.
    #[error("the threads for training cannot be started: {0}")]
    Threads(String),
    /// The loss is not finite.
    #[error(
        "the training diverged: its error grew beyond all numbers; choose smaller learning rates"
    )]
    Diverged,
    /// The progress callback stopped it.
    #[error("the training was stopped; what was finished of it is kept where that was asked for")]
    Stopped,
}

impl TuningError {
    /// The error that the file at `path` has a fault, `reason`.
    pub(crate) fn content(path: &std::path::Path, reason: impl Into<String>) -> Self {
        Self::Content {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }

    /// The error that the file at `path` cannot be used.
    pub(super) fn file(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            source,
        }
    }
}
