//! Weight files with texts in their headers.
//!
//! A file is written next to its place and moved there when it is complete: processes that have the old one mapped
//! keep it, and a power failure leaves one of the two.

use std::{
    borrow::Cow,
    collections::HashMap,
    fs::{self, File},
    path::Path,
};

use safetensors::{Dtype, View};
use tensor::{Tensor, Weights};

use super::TuningError;

/// A tensor in the form that files need.
struct WrittenTensor<'a>(&'a Tensor);

/// Writes tensors and texts to the file at `path`, replacing an existing one.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_weights_file(
    path: &Path,
    tensors: &Weights,
    texts: HashMap<String, String>,
) -> Result<(), TuningError> {
    let new = path.with_extension("new");
    let tensors = tensors.iter();
    let tensors = tensors.map(|(name, tensor)| (name, WrittenTensor(tensor)));
    safetensors::serialize_to_file(tensors, Some(texts), &new)?;
    File::open(&new)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&new, path))
        .map_err(|source| TuningError::file(path, source))
}

impl View for WrittenTensor<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let bytes = self.0.values().iter().copied().flat_map(f32::to_le_bytes);
        Cow::Owned(bytes.collect())
    }

    fn data_len(&self) -> usize {
        size_of_val(self.0.values())
    }
}
