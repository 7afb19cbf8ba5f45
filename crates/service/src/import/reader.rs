use std::{
    io::{self, Read},
    sync::Arc,
};

use domain::ids::UploadId;
use store::Store;
use tokio::runtime::Handle;

use super::RunningJobProgress;

/// Reads a file that was sent in, chunk by chunk from the database. It blocks: use it on threads
/// that may.
pub struct UploadReader {
    store: Store,
    runtime: Handle,
    upload: UploadId,
    next: u32,
    chunk: Vec<u8>,
    read: usize,
    progress: Option<Arc<RunningJobProgress>>,
}

impl UploadReader {
    /// From the beginning; what is read is added to `progress`.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn new(store: Store, upload: UploadId, progress: Option<Arc<RunningJobProgress>>) -> Self {
        Self {
            store,
            runtime: Handle::current(),
            upload,
            next: 0,
            chunk: Vec::new(),
            read: 0,
            progress,
        }
    }
}

impl Read for UploadReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.chunk.len() {
            let chunk = self.store.read_chunk(self.upload, self.next);
            let chunk = self.runtime.block_on(chunk).map_err(io::Error::other)?;
            self.chunk = chunk.unwrap_or_default();
            self.next += u32::from(!self.chunk.is_empty());
            self.read = 0;
        }
        let count = (&self.chunk[self.read..]).read(buffer)?;
        self.read += count;
        if let Some(progress) = &self.progress {
            progress.add(count as u64);
        }
        Ok(count)
    }
}
