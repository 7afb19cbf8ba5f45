//! The direction of a metric's scores.

use serde::{Deserialize, Serialize};

use crate::names::names;

/// Whether a larger score means a better output. Scores are stored and exported as the metric
/// gives them; [`ScoreDirection::orient`] orients them before they are compared with ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScoreDirection {
    /// A larger score is better: most metrics.
    #[default]
    HigherIsBetter,
    /// A smaller score is better: grade levels, error rates, perplexity.
    LowerIsBetter,
    /// Neither: lengths and shares of copied words describe an output and do not judge it. Scores
    /// are compared with ratings as they are.
    Neither,
}

names!(ScoreDirection, "direction of a metric", UnknownDirection,
    HigherIsBetter => "higher-is-better", LowerIsBetter => "lower-is-better", Neither => "neither");

/// Words in the names of metrics for which a smaller score is better.
const LOWER_IS_BETTER_WORDS: [&str; 20] = [
    "ari",
    "cer",
    "coleman",
    "dale-chall",
    "difficulty",
    "error",
    "errors",
    "fkgl",
    "flesch-kincaid",
    "fog",
    "grade",
    "hter",
    "linsear",
    "loss",
    "nll",
    "perplexity",
    "ppl",
    "smog",
    "ter",
    "wer",
];

/// Words in the names of metrics that describe an output and do not judge it.
const NEITHER_WORDS: [&str; 8] = [
    "compression",
    "copy",
    "distance",
    "length",
    "levenshtein",
    "sentences",
    "tokens",
    "words",
];

impl ScoreDirection {
    /// The direction that a metric of this name most likely has, for scores computed elsewhere. It is a
    /// guess from the words of the name; show it, and let the user correct it.
    #[must_use]
    pub fn guess(name: &str) -> Self {
        let name = name.to_lowercase();
        let words: Vec<&str> = name
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();

        if has_any(&words, &LOWER_IS_BETTER_WORDS) {
            Self::LowerIsBetter
        } else if has_any(&words, &NEITHER_WORDS) {
            Self::Neither
        } else {
            Self::HigherIsBetter
        }
    }

    /// The score oriented so that larger is better: negated if smaller ones are better.
    #[must_use]
    pub fn orient(self, score: f64) -> f64 {
        match self {
            Self::LowerIsBetter => -score,
            Self::HigherIsBetter | Self::Neither => score,
        }
    }

    /// The name of a metric where its oriented scores are shown: `fkgl (reversed)`.
    #[must_use]
    pub fn label(self, name: &str) -> String {
        match self {
            Self::LowerIsBetter => format!("{name} (reversed)"),
            Self::HigherIsBetter | Self::Neither => name.to_owned(),
        }
    }

    /// The description for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::HigherIsBetter => "higher is better",
            Self::LowerIsBetter => "lower is better",
            Self::Neither => "neither is better",
        }
    }
}

/// Whether the words of a name include one of the list, which may itself be hyphenated.
fn has_any(words: &[&str], list: &[&str]) -> bool {
    let joined = words.join("-");
    list.iter().any(|word| match word.contains('-') {
        true => joined.contains(*word),
        false => words.contains(word),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_direction_of_known_metrics_is_guessed_from_their_names() {
        for (name, expected) in [
            ("fkgl", ScoreDirection::LowerIsBetter),
            ("FKGL_easse", ScoreDirection::LowerIsBetter),
            ("Flesch-Kincaid", ScoreDirection::LowerIsBetter),
            ("TER", ScoreDirection::LowerIsBetter),
            ("gpt2 perplexity", ScoreDirection::LowerIsBetter),
            ("lens", ScoreDirection::HigherIsBetter),
            ("bertscore_f1", ScoreDirection::HigherIsBetter),
            ("questeval", ScoreDirection::HigherIsBetter),
            // Neither “inter” nor “charity” is TER or ARI.
            ("inter", ScoreDirection::HigherIsBetter),
            ("charity", ScoreDirection::HigherIsBetter),
            ("compression_ratio", ScoreDirection::Neither),
            ("copy-rate", ScoreDirection::Neither),
        ] {
            assert_eq!(ScoreDirection::guess(name), expected, "{name}");
        }
    }

    #[test]
    fn an_oriented_score_is_larger_where_the_output_is_better() {
        assert!(
            ScoreDirection::LowerIsBetter.orient(3.0) > ScoreDirection::LowerIsBetter.orient(9.0)
        );
        for direction in [ScoreDirection::HigherIsBetter, ScoreDirection::Neither] {
            assert_eq!(direction.orient(3.0).to_bits(), 3.0_f64.to_bits());
            assert_eq!(direction.label("sari"), "sari");
        }
        assert!(ScoreDirection::LowerIsBetter.orient(f64::NAN).is_nan());
        assert_eq!(
            ScoreDirection::LowerIsBetter.label("fkgl"),
            "fkgl (reversed)"
        );
        for direction in ScoreDirection::ALL {
            assert_eq!(direction.name().parse(), Ok(*direction));
        }
    }
}
