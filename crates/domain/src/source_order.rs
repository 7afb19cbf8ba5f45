//! The order in which sources are given to annotators.

use serde::{Deserialize, Serialize};

use crate::names::names;

/// The rule for which of the sources that need raters equally comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SourceOrder {
    /// The one that was imported first.
    #[default]
    AsImported,
    /// The one that narrows the ranking of systems most.
    WhereUncertain,
}

names!(SourceOrder, "order of sources", UnknownSourceOrder,
    AsImported => "as-imported", WhereUncertain => "where-uncertain");

impl SourceOrder {
    /// Whether it is the default order.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
