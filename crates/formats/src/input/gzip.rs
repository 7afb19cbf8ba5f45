//! Files that are compressed by gzip.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use crate::error::FatalReadError;

/// The most bytes that a compressed file may unpack to.
pub const MAX_UNPACKED_BYTES: u64 = 1 << 30;

/// Unpacks gzip, and fails beyond a number of bytes: a small file may unpack to any size.
pub(super) struct GzipReader<R> {
    decoder: MultiGzDecoder<R>,
    limit: u64,
    left: u64,
}

impl<R: Read> GzipReader<R> {
    pub(super) fn new(input: R, limit: u64) -> Self {
        Self {
            decoder: MultiGzDecoder::new(input),
            limit,
            left: limit,
        }
    }
}

impl<R: Read> Read for GzipReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer).map_err(|error| {
            use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
            match error.kind() {
                // Other errors are the input's and keep their kind.
                InvalidData | InvalidInput | UnexpectedEof => {
                    io::Error::other(FatalReadError::DamagedGzip)
                }
                _ => error,
            }
        })?;
        let left = self.left.checked_sub(count as u64);
        self.left =
            left.ok_or_else(|| io::Error::other(FatalReadError::UnpacksTooLarge(self.limit)))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn unpack(bytes: &[u8], limit: u64) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        let read = GzipReader::new(bytes, limit).read_to_end(&mut all);
        read.map(|_| all)
            .map_err(|error| FatalReadError::from(error).to_string())
    }

    #[test]
    fn files_are_unpacked_up_to_the_limit() {
        let rows = b"source,output\n".repeat(1000);
        assert_eq!(unpack(&packed(&rows), rows.len() as u64), Ok(rows.clone()));
        // Files that were joined unpack to all of their contents.
        let twice = [packed(&rows), packed(&rows)].concat();
        assert_eq!(unpack(&twice, 1 << 20), Ok(rows.repeat(2)));

        let bomb = packed(&vec![0; 3 << 20]);
        assert!(bomb.len() < 10_000);
        let fault = unpack(&bomb, 2 << 20).unwrap_err();
        assert_eq!(
            fault,
            "the file unpacks to more than 2 MiB: leave out what is not needed, or split it"
        );
        let whole = packed(&rows);
        for broken in [&whole[..whole.len() / 2], b"\x1f\x8b\x08".as_slice()] {
            let fault = unpack(broken, 1 << 20).unwrap_err();
            assert!(
                fault.starts_with("the compressed file is damaged"),
                "{fault}"
            );
        }
    }
}
