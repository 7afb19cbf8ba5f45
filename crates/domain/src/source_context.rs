//! The text around a source.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::names::names;

/// The text before and after a source in the document that it was taken from. Annotators judge meaning by it, but it
/// does not belong to the source: no edit, category or metric sees it. An unknown side is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceContext {
    /// The text before the source.
    pub before: String,
    /// The text after the source.
    pub after: String,
}

/// A side of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContextSide {
    /// Before the source.
    Before,
    /// After the source.
    After,
}

names!(ContextSide, "side of a source", UnknownContextSide, Before => "before", After => "after");

impl SourceContext {
    /// Whether neither side is known.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// The sides that are known, with their texts.
    pub fn sides(&self) -> impl Iterator<Item = (ContextSide, &str)> {
        let sides = [
            (ContextSide::Before, self.before.as_str()),
            (ContextSide::After, self.after.as_str()),
        ];
        sides.into_iter().filter(|(_, text)| !text.is_empty())
    }

    /// Writes both sides as a list. The browser's part reads lists of texts anyway, so this adds next to nothing to it.
    pub(crate) fn write_list<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        [&self.before, &self.after].serialize(to)
    }

    /// Reads what [`Self::write_list`] writes.
    pub(crate) fn read_list<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut sides = Vec::<String>::deserialize(from)?.into_iter();
        let mut next = || sides.next().unwrap_or_default();
        Ok(Self {
            before: next(),
            after: next(),
        })
    }

    /// Sets the text of a side.
    pub fn set(&mut self, side: ContextSide, text: String) {
        match side {
            ContextSide::Before => self.before = text,
            ContextSide::After => self.after = text,
        }
    }
}
