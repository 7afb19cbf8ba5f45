//! Writes protocol buffers, as far as ONNX needs them.
//!
//! Wire format: <https://protobuf.dev/programming-guides/encoding/>.

/// A message that is being built: its fields, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProtobufMessage(Vec<u8>);

impl ProtobufMessage {
    /// The message as bytes.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Adds a whole number.
    pub(crate) fn integer(&mut self, field: u64, value: i64) -> &mut Self {
        self.varint(field << 3);
        // A negative number is written as its two's complement in 64 bits.
        self.varint(value.cast_unsigned());
        self
    }

    /// Adds a number of 32 bits.
    pub(crate) fn float(&mut self, field: u64, value: f32) -> &mut Self {
        self.varint(field << 3 | 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds bytes or text.
    pub(crate) fn bytes(&mut self, field: u64, value: impl AsRef<[u8]>) -> &mut Self {
        let value = value.as_ref();
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    /// Adds a message within this one.
    pub(crate) fn message(&mut self, field: u64, fill: impl FnOnce(&mut Self)) -> &mut Self {
        let mut inner = Self::default();
        fill(&mut inner);
        self.bytes(field, inner.0)
    }

    #[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_in_the_encoding_guide() {
        let check = |fill: fn(&mut ProtobufMessage), expect: &[u8]| {
            let mut message = ProtobufMessage::default();
            fill(&mut message);
            assert_eq!(message.into_bytes(), expect);
        };
        check(|m| _ = m.integer(1, 150), &[0x08, 0x96, 0x01]);
        check(|m| _ = m.bytes(2, "testing"), b"\x12\x07testing");
        check(
            |m| _ = m.message(3, |m| _ = m.integer(1, 150)),
            &[0x1a, 3, 0x08, 0x96, 0x01],
        );
        check(
            |m| _ = m.integer(1, -2),
            &[
                0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
            ],
        );
        check(|m| _ = m.float(1, 1.0), &[0x0d, 0, 0, 0x80, 0x3f]);
    }
}
