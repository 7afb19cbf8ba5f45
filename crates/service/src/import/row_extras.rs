//! The parts of an imported row that have no database columns of their own. They are stored as JSON, for
//! exports.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};

/// The further parts of a row.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RowExtras<'a> {
    /// The name of the row's format.
    pub(crate) format: Cow<'a, str>,
    /// Verbatim cells by column; for JSONL, verbatim JSON by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) columns: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    /// Ratings whose rater the file does not name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) scores: Vec<AnonymousScore<'a>>,
}

/// A rating without a rater, verbatim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub(crate) struct AnonymousScore<'a> {
    /// Its column.
    pub(crate) column: Cow<'a, str>,
    /// The rating.
    pub(crate) value: Cow<'a, str>,
    /// The file's z-score of the rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) z: Option<Cow<'a, str>>,
}
