//! Errors of training jobs.

use std::io;

/// A reason why a training yields no model.
#[derive(Debug, thiserror::Error)]
pub(super) enum TrainingJobError {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("{0}")]
    Message(String),
    #[error("the training’s files were not written: {0}")]
    Files(#[from] io::Error),
    #[error("another version of the program queued this training: begin it again")]
    Version(#[from] serde_json::Error),
    #[error("another version of the program queued this training: begin it again")]
    Settings(#[source] anyhow::Error),
    #[error("the study is gone")]
    NoStudy,
}
