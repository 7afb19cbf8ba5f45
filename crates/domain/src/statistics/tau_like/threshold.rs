//! The difference of two ratings from which they express a preference.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{Consensus, PreferenceRule};
use crate::score::RatingScale;

/// The largest difference of a rater's two ratings that is still a tie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieThreshold {
    /// A share of the scale's range, in percent from 0 to 100.
    Percent(f64),
    /// Points of the scale, from 0 on.
    Points(f64),
}

impl Default for TieThreshold {
    /// 5 % of the scale: the 5 points of 0 to 100 in paper 000, section 4.1.
    fn default() -> Self {
        Self::Percent(5.0)
    }
}

impl TieThreshold {
    /// The threshold in points of a scale.
    #[must_use]
    pub fn points(self, scale: RatingScale) -> f64 {
        match self {
            Self::Points(points) => points,
            Self::Percent(percent) => {
                (f64::from(scale.high) - f64::from(scale.low)) * percent / 100.0
            }
        }
    }

    /// The rule by which ratings on a scale become preferences.
    #[must_use]
    pub fn preference_rule(self, consensus: Consensus, scale: RatingScale) -> PreferenceRule {
        PreferenceRule {
            consensus,
            tie_points: self.points(scale),
        }
    }

    /// A description on a scale: `5 % of the scale, 0.2 points on 1 to 5`.
    #[must_use]
    pub fn describe(self, scale: RatingScale) -> String {
        let points = format_number(self.points(scale));
        match self {
            Self::Points(_) => format!("{points} points on {scale}"),
            Self::Percent(percent) => {
                format!(
                    "{} % of the scale, {points} points on {scale}",
                    format_number(percent)
                )
            }
        }
    }

    /// The parameters on which a Kendall-tau-like depends in addition to ratings and scores, in the format
    /// of a metric's signature.
    #[must_use]
    pub fn signature(self, consensus: Consensus, dimension: &str, scale: RatingScale) -> String {
        let consensus = match consensus {
            Consensus::Majority => "majority",
            Consensus::All => "all",
        };
        format!(
            "tau-like|consensus:{consensus}|tie:{self}|points:{}|scale:{}..{}|dimension:{dimension}\
             |version:rankrate-{}",
            format_number(self.points(scale)),
            scale.low,
            scale.high,
            env!("CARGO_PKG_VERSION")
        )
    }
}

/// A number without the rounding error of a multiplication.
fn format_number(number: f64) -> String {
    let rounded = (number * 1e6).round() / 1e6;
    rounded.to_string()
}

impl fmt::Display for TieThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent(percent) => write!(f, "{}%", format_number(*percent)),
            Self::Points(points) => f.write_str(&format_number(*points)),
        }
    }
}

/// A text that is not a threshold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” is not a threshold: give a share of the scale such as 5%, or points from 0 on such as 5"
)]
pub struct UnknownThreshold(String);

impl FromStr for TieThreshold {
    type Err = UnknownThreshold;

    /// Reads `5%`, a share of the scale, or `5`, points.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let threshold = match text.trim().strip_suffix('%') {
            Some(share) => {
                let percent = parse_number(share);
                percent
                    .filter(|percent| *percent <= 100.0)
                    .map(Self::Percent)
            }
            None => parse_number(text).map(Self::Points),
        };
        threshold.ok_or_else(|| UnknownThreshold(text.chars().take(40).collect()))
    }
}

fn parse_number(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    // No two ratings can differ by more.
    (0.0..=1e6).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_share_is_five_points_of_a_hundred_and_a_fifth_of_one_to_five() {
        let usual = TieThreshold::default();
        assert_eq!(
            usual.points(RatingScale::PERCENT).to_bits(),
            5.0_f64.to_bits()
        );
        let rule = usual.preference_rule(Consensus::Majority, RatingScale::PERCENT);
        assert_eq!(rule, PreferenceRule::default());
        let five = RatingScale { low: 1, high: 5 };
        assert!((usual.points(five) - 0.2).abs() < 1e-12);
        assert!((usual.points(RatingScale::LIKERT) - 0.2).abs() < 1e-12);
        assert_eq!(
            usual.describe(five),
            "5 % of the scale, 0.2 points on 1 to 5"
        );
        let signature = usual.signature(Consensus::Majority, "fluency", five);
        assert!(
            signature.starts_with(
                "tau-like|consensus:majority|tie:5%|points:0.2|scale:1..5|dimension:fluency|"
            ),
            "{signature}"
        );
    }

    #[test]
    fn it_is_read_as_a_share_or_as_points() {
        for (text, expected) in [
            ("5%", TieThreshold::Percent(5.0)),
            (" 2.5 % ", TieThreshold::Percent(2.5)),
            ("5", TieThreshold::Points(5.0)),
            ("0", TieThreshold::Points(0.0)),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for text in [
            "", "%", "-1", "-1%", "101%", "NaN", "inf", "5 points", "1e300",
        ] {
            let read: Result<TieThreshold, _> = text.parse();
            assert!(read.is_err(), "{text}");
        }
        assert_eq!(TieThreshold::Percent(5.0).to_string(), "5%");
        assert_eq!(TieThreshold::Points(0.5).to_string(), "0.5");
    }
}
