//! What a row says of its output that has no place of its own: kept as JSON, for the export.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};

/// The rest of a row.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RowExtras<'a> {
    /// The format that the row is of, by its name.
    pub(crate) format: Cow<'a, str>,
    /// Cells (of JSONL: JSON) to the letter, by column.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) columns: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    /// Ratings of which the file does not say who gave them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) scores: Vec<AnonymousScore<'a>>,
}

/// A number without a rater, to the letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AnonymousScore<'a> {
    /// Where it stood.
    pub(crate) column: Cow<'a, str>,
    /// The number.
    pub(crate) value: Cow<'a, str>,
    /// The file's z-score of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) z: Option<Cow<'a, str>>,
}
