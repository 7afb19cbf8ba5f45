//! A stretch of a text.

use serde::{Deserialize, Serialize};

/// A stretch of a text, as byte offsets into its UTF-8 form, both on character boundaries.
///
/// Half-open: `start` belongs to it, `end` does not; `start == end` is a place between characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct Span {
    /// Where it begins, in bytes from the start of the text.
    pub start: usize,
    /// Where it ends, in bytes from the start of the text.
    pub end: usize,
}

impl Span {
    /// The stretch from `start` up to, not including, `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The place before the byte at `offset`.
    #[must_use]
    pub const fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Whether it is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The stretch of `text`, or `None` if the span does not fit the text.
    #[must_use]
    pub fn slice(self, text: &str) -> Option<&str> {
        text.get(self.start..self.end)
    }
}
