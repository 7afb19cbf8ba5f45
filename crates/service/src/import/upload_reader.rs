use std::{
    io::{self, Read},
    sync::Arc,
};

use domain::ids::UploadId;
use formats::FatalReadError;
use store::Store;
use tokio::runtime::Handle;

use super::{RunningJobProgress, preview_turns::PreviewReading};

/// Reads an uploaded file from the database, chunk by chunk. Reading blocks, so use it only on threads that may
/// block.
pub struct UploadReader {
    store: Store,
    runtime: Handle,
    upload: UploadId,
    /// The number of the next chunk.
    next_chunk: u32,
    chunk: Vec<u8>,
    /// The number of bytes of the chunk that have been read.
    position: usize,
    progress: Option<Arc<RunningJobProgress>>,
    /// The preview for which it reads.
    preview: Option<Arc<PreviewReading>>,
}

impl UploadReader {
    /// Begins at the start of the file. The number of bytes read is added to `progress`.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub fn new(store: Store, upload: UploadId, progress: Option<Arc<RunningJobProgress>>) -> Self {
        Self {
            store,
            runtime: Handle::current(),
            upload,
            next_chunk: 0,
            chunk: Vec::new(),
            position: 0,
            progress,
            preview: None,
        }
    }

    /// The same reader, but it fails as soon as nobody waits for the preview.
    pub(super) fn for_preview(self, preview: Option<Arc<PreviewReading>>) -> Self {
        Self { preview, ..self }
    }
}

impl Read for UploadReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self
            .preview
            .as_ref()
            .is_some_and(|preview| preview.is_abandoned())
        {
            return Err(io::Error::other("nobody is waiting for the preview"));
        }

        if self.position == self.chunk.len() {
            let chunk = self.store.read_chunk(self.upload, self.next_chunk);
            let chunk = self.runtime.block_on(chunk).map_err(io::Error::other)?;
            self.chunk = chunk.unwrap_or_default();
            self.next_chunk += u32::from(!self.chunk.is_empty());
            self.position = 0;
        }

        let count = (&self.chunk[self.position..]).read(buffer)?;
        self.position += count;

        if let Some(progress) = &self.progress {
            progress.add(count as u64);
        }
        Ok(count)
    }
}

/// The store's error if the database caused the fault; otherwise the fault of the file.
pub(super) fn find_store_error(fault: FatalReadError) -> Result<store::Error, FatalReadError> {
    let error = fault.into_input_error()?;
    error.downcast().map_err(FatalReadError::Input)
}
