//! The levels of measurement.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The level of measurement, which defines the difference δ of two values.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum MeasurementLevel {
    /// Equal or not: δ² is 0 or 1.
    Nominal,
    /// The number of pairable ratings that lie between the two, half of each end included.
    Ordinal,
    /// x − y. The level of 0–100 ratings and of z-scores, and the default.
    #[default]
    Interval,
    /// (x − y)/(x + y), for values from zero up; two zeros do not differ.
    Ratio,
}

impl MeasurementLevel {
    /// All of them, from the weakest to the strongest assumption.
    pub const ALL: [Self; 4] = [Self::Nominal, Self::Ordinal, Self::Interval, Self::Ratio];

    /// The name on the command line and on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nominal => "nominal",
            Self::Ordinal => "ordinal",
            Self::Interval => "interval",
            Self::Ratio => "ratio",
        }
    }
}

impl fmt::Display for MeasurementLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that is not the name of a level of measurement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a level of measurement: use nominal, ordinal, interval or ratio")]
pub struct UnknownLevel(pub String);

impl FromStr for MeasurementLevel {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|level| text.eq_ignore_ascii_case(level.name()))
            .ok_or_else(|| UnknownLevel(text.to_owned()))
    }
}
