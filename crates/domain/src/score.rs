//! Rating scales and scores.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The largest absolute value of a rating or a score that the program accepts. No scale or metric comes near it, and sums
/// of squares stay finite below it.
pub const LARGEST_NUMBER: f64 = 1e15;

/// The range of numbers that a rating may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct RatingScale {
    /// The worst.
    pub low: i32,
    /// The best.
    pub high: i32,
}

impl RatingScale {
    /// The 0–100 slider of Rank & Rate and of direct assessment.
    pub const PERCENT: Self = Self { low: 0, high: 100 };
    /// The five-point Likert scale of the released simplicity ratings.
    pub const LIKERT: Self = Self { low: -2, high: 2 };

    /// The score at `value`.
    ///
    /// # Errors
    /// [`OffScale`] if it is off the scale.
    pub const fn score(self, value: i32) -> Result<RatingScore, OffScale> {
        if self.low <= value && value <= self.high {
            Ok(RatingScore(value))
        } else {
            Err(OffScale { value, scale: self })
        }
    }

    /// Whether a number, decimal or whole, is on the scale, ends included.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        (f64::from(self.low)..=f64::from(self.high)).contains(&value)
    }

    /// The usual scale for ratings on `dimension` from `low` to `high`: the shortest common scale that
    /// contains them. Simplicity goes from −2 to 2 if it stays below 3, as in the released Likert
    /// files. If no scale contains them it is 0 to 100, so that a single mistyped number is off the
    /// scale and does not stretch it.
    #[must_use]
    pub fn infer(dimension: &str, low: f64, high: f64) -> Self {
        const USUAL: [(i32, i32); 12] = [
            (1, 5),
            (0, 1),
            (0, 4),
            (0, 5),
            (1, 7),
            (1, 10),
            (0, 10),
            (0, 100),
            (-2, 2),
            (-3, 3),
            (-5, 5),
            (-10, 10),
        ];

        let scales = USUAL.map(|(low, high)| Self { low, high });
        let simplicity = dimension.to_lowercase().contains("simplicity") && high <= 2.0;
        let first = simplicity.then_some(Self::LIKERT);

        let mut candidates = first.into_iter().chain(scales);
        let usual_scale = candidates.find(|scale| scale.contains(low) && scale.contains(high));
        usual_scale.unwrap_or_default()
    }

    /// The number of decimals to show of a mean of ratings: one if the scale has fifty points or more,
    /// two on a shorter one.
    #[must_use]
    pub const fn decimals(self) -> usize {
        if self.high - self.low >= 50 { 1 } else { 2 }
    }

    /// The nearest score to `value`.
    #[must_use]
    pub fn clamp(self, value: i32) -> RatingScore {
        RatingScore(value.clamp(self.low, self.high))
    }
}

impl Default for RatingScale {
    fn default() -> Self {
        Self::PERCENT
    }
}

impl fmt::Display for RatingScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.low, self.high)
    }
}

/// A whole number that an annotator set on a [`RatingScale`]; stored as entered, never rounded.
/// Imported ratings may be decimal: they are plain `f64` everywhere below the annotator's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RatingScore(i32);

impl RatingScore {
    /// The number.
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }
}

impl fmt::Display for RatingScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Written as `LOW..HIGH`, such as `1..5` or `-2..2`.
impl FromStr for RatingScale {
    type Err = BadScale;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || BadScale(text.chars().take(40).collect());
        let (low, high) = text.split_once("..").ok_or_else(bad)?;
        let low = parse_end(low).ok_or_else(bad)?;
        let high = parse_end(high).ok_or_else(bad)?;

        if low >= high {
            return Err(bad());
        }
        Ok(Self { low, high })
    }
}

/// A lowest or highest number of a scale.
fn parse_end(text: &str) -> Option<i32> {
    let number = text.trim().replace('−', "-").parse().ok();
    number.filter(|number| (-1000..=1000).contains(number))
}

/// A text that is not a scale.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” is not a scale: write LOW..HIGH in whole numbers from -1000 to 1000, such as 1..5 or -2..2"
)]
pub struct BadScale(pub String);

/// A number outside its scale.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{value} is outside the scale from {scale}")]
pub struct OffScale {
    /// The number.
    pub value: i32,
    /// The scale.
    pub scale: RatingScale,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_scale_that_holds_all_ratings_is_taken() {
        for (dimension, low, high, expect) in [
            ("fluency", 1.0, 5.0, "1 to 5"),
            ("fluency", 1.5, 3.5, "1 to 5"),
            ("fluency", 0.0, 1.0, "0 to 1"),
            ("fluency", 0.0, 4.0, "0 to 4"),
            ("fluency", 0.0, 5.0, "0 to 5"),
            ("fluency", 2.0, 7.0, "1 to 7"),
            ("fluency", 1.0, 9.5, "1 to 10"),
            ("fluency", 0.0, 9.5, "0 to 10"),
            ("fluency", 3.0, 77.333, "0 to 100"),
            ("fluency", -1.0, 2.0, "-2 to 2"),
            ("fluency", -3.0, 1.0, "-3 to 3"),
            ("simplicity", 0.0, 1.0, "-2 to 2"),
            ("structural_simplicity", 1.0, 2.0, "-2 to 2"),
            ("simplicity", 1.0, 4.0, "1 to 5"),
            ("simplicity", 0.0, 100.0, "0 to 100"),
            ("fluency", 0.0, 101.0, "0 to 100"),
            ("fluency", -11.0, 5.0, "0 to 100"),
            ("fluency", f64::NAN, 1.0, "0 to 100"),
        ] {
            let actual = RatingScale::infer(dimension, low, high).to_string();
            assert_eq!(actual, expect, "{dimension} {low} {high}");
        }
    }

    #[test]
    fn a_scale_is_read_as_it_is_kept() {
        for (text, expect) in [
            ("1..5", Some((1, 5))),
            ("-2..2", Some((-2, 2))),
            (" −2 .. 2 ", Some((-2, 2))),
            ("5..1", None),
            ("1..1", None),
            ("1-5", None),
            ("1..9999", None),
            ("", None),
        ] {
            let actual = text
                .parse::<RatingScale>()
                .ok()
                .map(|scale| (scale.low, scale.high));
            assert_eq!(actual, expect, "{text}");
        }
    }
}
