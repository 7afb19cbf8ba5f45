//! Weight files with texts in their headers.
//!
//! A file is written beside its place and moved there when it is complete: processes that have the old one mapped
//! keep it, and a power failure leaves one of the two.

use std::{
    borrow::Cow,
    collections::HashMap,
    fs::{self, File},
    path::Path,
};

use safetensors::{Dtype, View};

use super::{TuningError, network::named_weights::WeightTensor};

/// The contents of a tensor.
#[derive(Debug)]
pub(super) enum TensorContent<'a> {
    /// Numbers in single precision.
    Numbers(&'a WeightTensor),
    /// Arbitrary bytes, and their number.
    Bytes(&'a [u8], [usize; 1]),
}

/// Writes tensors and texts to the file at `path`, replacing an existing one.
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
    /// Arbitrary bytes.
    pub(super) fn bytes(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes, [bytes.len()])
    }

    /// Numbers in single precision.
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
