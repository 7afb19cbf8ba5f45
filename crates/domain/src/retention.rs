//! How long a study keeps personal data.

use serde::{Deserialize, Serialize};

use crate::names::names;

/// How long a study keeps personal data after it was closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RetentionPeriod {
    /// As long as the study itself.
    #[default]
    Study,
    /// One month.
    OneMonth,
    /// Three months.
    ThreeMonths,
    /// Six months.
    SixMonths,
    /// Twelve months.
    TwelveMonths,
    /// Twenty-four months.
    TwentyFourMonths,
}

names!(RetentionPeriod, "time to keep personal data", UnknownRetentionPeriod,
    Study => "study", OneMonth => "one-month", ThreeMonths => "three-months",
    SixMonths => "six-months", TwelveMonths => "twelve-months",
    TwentyFourMonths => "twenty-four-months");

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

impl RetentionPeriod {
    /// The time at which to erase the personal data of a study that was closed at `closed_at_ms`, both in
    /// milliseconds since 1970; `None` where it is kept as long as the study. Each period has at least as many days
    /// as any such calendar months.
    #[must_use]
    pub const fn due_at(self, closed_at_ms: i64) -> Option<i64> {
        let days = match self {
            Self::Study => return None,
            Self::OneMonth => 31,
            Self::ThreeMonths => 92,
            Self::SixMonths => 184,
            Self::TwelveMonths => 366,
            Self::TwentyFourMonths => 731,
        };
        Some(closed_at_ms.saturating_add(days * DAY_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::StudySettings;

    #[test]
    fn the_time_counts_from_the_end_of_the_study() {
        assert_eq!(RetentionPeriod::Study.due_at(5), None);
        assert_eq!(RetentionPeriod::OneMonth.due_at(5), Some(31 * DAY_MS + 5));
        let dues: Vec<_> = RetentionPeriod::ALL.iter().map(|p| p.due_at(0)).collect();
        assert!(dues.is_sorted(), "{dues:?}");
    }

    #[test]
    fn names_are_those_of_the_settings() {
        for period in RetentionPeriod::ALL {
            let json = serde_json::to_string(period).unwrap();
            assert_eq!(json, format!("\"{period}\""));
            assert_eq!(period.name().parse(), Ok(*period));
        }
        let before: StudySettings = serde_json::from_str(r#"{"overlap": 2}"#).unwrap();
        assert_eq!(before.retention, RetentionPeriod::Study);
    }
}
