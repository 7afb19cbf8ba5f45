//! Texts in other encodings, as UTF-8.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::{error::FatalReadError, input_options::TextEncoding};

/// The number of bytes that are decoded at a time.
const BLOCK_BYTES: usize = 16 << 10;

/// Decodes a text to UTF-8 without a byte-order mark; fails where bytes are not valid in the encoding.
pub(super) struct DecodingReader<R> {
    input: R,
    encoding: TextEncoding,
    decoder: Decoder,
    /// The decoded text and how much of it was passed on.
    text: Vec<u8>,
    served: usize,
    newlines: u64,
    ended: bool,
}

impl<R: Read> DecodingReader<R> {
    /// `head` holds the first bytes of the input, which `input` yields again.
    pub(super) fn new(input: R, encoding: TextEncoding, head: &[u8]) -> Self {
        let decoder = match encoding {
            TextEncoding::Utf16 if is_big_endian(head) => UTF_16BE.new_decoder_with_bom_removal(),
            TextEncoding::Utf16 => UTF_16LE.new_decoder_with_bom_removal(),
            // UTF-8 is passed on as it is, without this reader.
            TextEncoding::Windows1252 | TextEncoding::Utf8 => {
                WINDOWS_1252.new_decoder_without_bom_handling()
            }
        };
        Self {
            input,
            encoding,
            decoder,
            text: Vec::new(),
            served: 0,
            newlines: 0,
            ended: false,
        }
    }

    /// Decodes the next block.
    fn refill(&mut self) -> io::Result<()> {
        let mut block = [0; BLOCK_BYTES];
        let count = loop {
            match self.input.read(&mut block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.ended = count == 0;

        let room = self
            .decoder
            .max_utf8_buffer_length_without_replacement(count)
            .expect("a block is far from the largest size");
        self.text.resize(room, 0);
        let (result, _, written) = self.decoder.decode_to_utf8_without_replacement(
            &block[..count],
            &mut self.text,
            self.ended,
        );
        self.text.truncate(written);
        self.served = 0;
        self.newlines += self.text.iter().filter(|byte| **byte == b'\n').count() as u64;

        match result {
            DecoderResult::InputEmpty => Ok(()),
            DecoderResult::Malformed(..) | DecoderResult::OutputFull => {
                Err(io::Error::other(FatalReadError::NotInEncoding {
                    line: self.newlines + 1,
                    encoding: self.encoding,
                }))
            }
        }
    }
}

impl<R: Read> Read for DecodingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.served == self.text.len() && !self.ended {
            self.refill()?;
        }
        let count = (&self.text[self.served..]).read(buffer)?;
        self.served += count;
        Ok(count)
    }
}

/// Whether the first bytes are UTF-16 in big-endian order.
fn is_big_endian(head: &[u8]) -> bool {
    match head {
        [0xfe, 0xff, ..] => true,
        [0xff, 0xfe, ..] => false,
        _ => {
            let [even, odd] = nul_bytes(head);
            even > odd
        }
    }
}

/// Whether bytes without a byte-order mark look like UTF-16: in texts of European languages nearly every
/// second byte is NUL, and in UTF-8 none is.
pub(super) fn looks_like_utf16(head: &[u8]) -> bool {
    let [even, odd] = nul_bytes(head);
    let (more, fewer) = (even.max(odd), even.min(odd));
    head.len() >= 2 && more * 2 > head.len() / 2 && fewer * 20 <= more
}

/// The number of NUL bytes in even and in odd places.
fn nul_bytes(head: &[u8]) -> [usize; 2] {
    let mut counts = [0; 2];
    for (place, _) in head.iter().enumerate().filter(|(_, byte)| **byte == 0) {
        counts[place % 2] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8], encoding: TextEncoding) -> Result<String, String> {
        let mut text = String::new();
        let read = DecodingReader::new(bytes, encoding, bytes).read_to_string(&mut text);
        read.map(|_| text)
            .map_err(|error| FatalReadError::from(error).to_string())
    }

    fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn utf16_is_decoded_in_either_byte_order_with_or_without_a_mark() {
        let text = "Grüße 🌊\n".repeat(5_000);
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            for mark in ["", "\u{feff}"] {
                let bytes = utf16(&[mark, &text].concat(), order);
                assert_eq!(decode(&bytes, TextEncoding::Utf16).as_ref(), Ok(&text));
            }
            assert!(looks_like_utf16(&utf16("source;output", order)));
        }
        assert!(!looks_like_utf16(b"source;output"));
        assert!(!looks_like_utf16(b""));
        // A lone surrogate.
        let mut bytes = utf16("one\ntwo\n", u16::to_le_bytes);
        bytes.extend([0x00, 0xd8, b'x', 0]);
        let fault = decode(&bytes, TextEncoding::Utf16).unwrap_err();
        assert!(fault.starts_with("line 3 is not UTF-16"), "{fault}");
    }

    #[test]
    fn windows_1252_has_a_letter_for_every_byte() {
        let bytes = b"Das Boot f\xe4hrt f\xfcr 5 \x80.";
        let text = decode(bytes, TextEncoding::Windows1252);
        assert_eq!(text.as_deref(), Ok("Das Boot fährt für 5 €."));
        let all: Vec<u8> = (0..=255).collect();
        assert!(decode(&all, TextEncoding::Windows1252).is_ok());
    }
}
