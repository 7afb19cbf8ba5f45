//! How annotators give a score on a dimension.

use serde::{Deserialize, Serialize};

use crate::score::RatingScale;

/// The longest label of a level or of an end of a slider, in characters.
pub const LONGEST_LABEL: usize = 200;

/// The most levels of a scale whose levels are chosen one by one: as many as there are digit keys.
pub const MOST_LEVELS: usize = 10;

/// The control with which annotators score a dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScoreInput {
    /// A slider over the whole scale.
    Slider(SliderInput),
    /// A choice among all levels of the scale, a label for each, from the lowest to the highest: a Likert scale.
    Levels(Vec<String>),
}

/// The settings of a slider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct SliderInput {
    /// Whether annotators do not see the number of their score, so that they do not aim at round ones.
    pub hides_number: bool,
    /// The label of the lowest score; empty for the usual one.
    pub low: String,
    /// The label of the highest score; empty for the usual one.
    pub high: String,
}

impl Default for ScoreInput {
    fn default() -> Self {
        Self::Slider(SliderInput::default())
    }
}

/// The reason why a control does not fit a scale.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadScoreInput {
    /// Not one label for each level.
    #[error("a scale from {scale} has {levels} levels: write one label for each, not {labels}")]
    Labels {
        /// The scale.
        scale: RatingScale,
        /// The number of its levels.
        levels: usize,
        /// The number of labels.
        labels: usize,
    },
    /// Too many levels to choose from.
    #[error(
        "a scale from {scale} has {levels} levels, and {MOST_LEVELS} is the most: use a slider"
    )]
    TooMany {
        /// The scale.
        scale: RatingScale,
        /// The number of its levels.
        levels: usize,
    },
    /// A label is empty, too long, or not one line.
    #[error("“{0}” cannot be a label: use one line of 1 to {LONGEST_LABEL} characters")]
    Label(String),
}

impl ScoreInput {
    /// Whether it is a slider with nothing set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The labels of the levels, where they are chosen one by one.
    #[must_use]
    pub fn levels(&self) -> Option<&[String]> {
        match self {
            Self::Levels(labels) => Some(labels),
            Self::Slider(_) => None,
        }
    }

    /// Checks that it fits a scale.
    ///
    /// # Errors
    /// [`BadScoreInput`] if the numbers of levels and labels differ, there are too many levels, or a text cannot be a
    /// label.
    pub fn check(&self, scale: RatingScale) -> Result<(), BadScoreInput> {
        match self {
            Self::Slider(slider) => {
                let mut ends = [&slider.low, &slider.high].into_iter();
                ends.find(|label| !is_line(label))
                    .map_or(Ok(()), |label| Err(bad_label(label)))
            }
            Self::Levels(labels) => {
                let levels = usize::try_from(scale.high - scale.low + 1).unwrap_or_default();
                if levels > MOST_LEVELS {
                    return Err(BadScoreInput::TooMany { scale, levels });
                }
                if labels.len() != levels {
                    let labels = labels.len();
                    return Err(BadScoreInput::Labels {
                        scale,
                        levels,
                        labels,
                    });
                }

                let mut labels = labels.iter();
                labels
                    .find(|label| label.trim().is_empty() || !is_line(label))
                    .map_or(Ok(()), |label| Err(bad_label(label)))
            }
        }
    }
}

/// Whether a label is one line that is not too long.
fn is_line(label: &str) -> bool {
    label.chars().count() <= LONGEST_LABEL && !label.contains(char::is_control)
}

fn bad_label(label: &str) -> BadScoreInput {
    BadScoreInput::Label(label.chars().take(80).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_has_one_label() {
        let five = RatingScale { low: -2, high: 2 };
        let levels = |n: usize| ScoreInput::Levels((0..n).map(|n| format!("level {n}")).collect());
        assert_eq!(levels(5).check(five), Ok(()));
        assert_eq!(ScoreInput::default().check(RatingScale::PERCENT), Ok(()));
        for (input, scale, message) in [
            (
                levels(4),
                five,
                "a scale from -2 to 2 has 5 levels: write one label for each, not 4",
            ),
            (
                levels(101),
                RatingScale::PERCENT,
                "a scale from 0 to 100 has 101 levels, and 10 is",
            ),
            (
                ScoreInput::Levels(vec![" ".into(), "x".into()]),
                RatingScale { low: 0, high: 1 },
                "“ ” cannot",
            ),
        ] {
            let error = input.check(scale).expect_err("does not fit").to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
