//! Errors of the encoder.

use std::path::PathBuf;

use super::families::FAMILIES;

/// Reasons why an encoder cannot be opened or used; each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum EncoderError {
    /// A file of the model's folder is missing or unreadable.
    #[error(
        "{} cannot be read; the encoder's folder must hold model.safetensors, config.json and \
         tokenizer.json of a model of {FAMILIES}",
        path.display()
    )]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A file of the model's folder does not hold what it should.
    #[error("{}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The fault and its remedy.
        reason: String,
    },
    /// The ONNX Runtime library is missing or cannot be loaded.
    #[error(
        "ONNX Runtime cannot be loaded from {}; put the shared library of version 1.24 or newer there \
         or name another path",
        path.display()
    )]
    Runtime {
        /// The path that was tried.
        path: PathBuf,
        /// The loader's message.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The chosen device does not exist.
    #[error(
        "CUDA device {device} cannot be used; choose the CPU, or install ONNX Runtime's GPU build with \
         libonnxruntime_providers_cuda.so beside the library, and CUDA with cuDNN"
    )]
    Device {
        /// The device's number.
        device: u16,
        /// ONNX Runtime's message.
        #[source]
        source: ort::Error,
    },
    /// ONNX Runtime refuses the model.
    #[error("ONNX Runtime cannot load the encoder's weights {}", path.display())]
    Session {
        /// The weights.
        path: PathBuf,
        /// ONNX Runtime's message.
        #[source]
        source: ort::Error,
    },
    /// The tokenizer fails on a text.
    #[error("the encoder's tokenizer cannot cut a text into word pieces: {0}")]
    Pieces(String),
    /// The computation fails.
    #[error("ONNX Runtime cannot compute the vectors of a text")]
    Run(#[source] ort::Error),
}

impl EncoderError {
    /// The error that the file at `path` has a fault, `reason`.
    pub(crate) fn content(path: &std::path::Path, reason: impl Into<String>) -> Self {
        Self::Content {
            path: path.to_owned(),
            reason: reason.into(),
        }
    }

    /// The error that the file at `path` cannot be read.
    pub(crate) fn file(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::File {
            path: path.to_owned(),
            source,
        }
    }
}
