//! Files of weights with what is to be known of them.
//!
//! A file is written beside its place and moved there when it is whole: whoever has the old one mapped
//! keeps it, and a loss of power leaves one of the two.

use std::{
    borrow::Cow,
    collections::HashMap,
    fs::{self, File},
    path::Path,
};

use safetensors::{Dtype, View};

use super::{TuningError, network::named_weights::WeightTensor};

/// What a tensor holds.
#[derive(Debug)]
pub(super) enum TensorContent<'a> {
    /// Numbers of single precision.
    Numbers(&'a WeightTensor),
    /// Anything, and how many bytes.
    Bytes(&'a [u8], [usize; 1]),
}

/// Writes tensors and texts to the file at `path`, in place of what is there.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_weights_file(
    path: &Path,
    tensors: Vec<(String, TensorContent<'_>)>,
    texts: HashMap<String, String>,
) -> Result<(), TuningError> {
    let new = path.with_extension("new");
    safetensors::serialize_to_file(tensors, Some(texts), &new)?;
    File::open(&new)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&new, path))
        .map_err(|source| TuningError::file(path, source))
}

impl<'a> TensorContent<'a> {
    /// Anything.
    pub(super) fn bytes(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes, [bytes.len()])
    }

    /// Numbers of single precision.
    pub(super) fn numbers(weight: &'a WeightTensor) -> Self {
        Self::Numbers(weight)
    }
}

impl View for TensorContent<'_> {
    fn dtype(&self) -> Dtype {
        match self {
            Self::Numbers(_) => Dtype::F32,
            Self::Bytes(..) => Dtype::U8,
        }
    }

    fn shape(&self) -> &[usize] {
        match self {
            Self::Numbers(weight) => &weight.shape,
            Self::Bytes(_, length) => length,
        }
    }

    fn data(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Numbers(weight) => {
                let bytes = weight.values.iter().flat_map(|value| value.to_le_bytes());
                Cow::Owned(bytes.collect())
            }
            Self::Bytes(bytes, _) => Cow::Borrowed(bytes),
        }
    }

    fn data_len(&self) -> usize {
        match self {
            Self::Numbers(weight) => weight.values.len() * size_of::<f32>(),
            Self::Bytes(bytes, _) => bytes.len(),
        }
    }
}
