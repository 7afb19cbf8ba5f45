//! The automatic category of an output: step 1 before people correct it.

use std::{collections::HashMap, fmt};

use serde::{Deserialize, Serialize};

use super::{sentences::split_sentences, tokenise::fold_token, tokenised_text::TokenisedText};
use crate::category::Category;

/// The version of this file's decisions, stored with them.
pub const VERSION: u32 = 1;

/// The rule that decides between deletion and paraphrase; several sentences are a split under either.
///
/// The threshold is the ratio of the output's length to the source's, 0 to 1, below which an output
/// is a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "lowercase")]
pub enum ThresholdRule {
    /// The rule that fits the labels released with SimpEval-2022: few words, or no word that the
    /// source lacks (counted with repetition, in any order).
    Tuned {
        /// The threshold for the ratio of word counts.
        threshold: f64,
    },
    /// The rule of paper 000 (section 6.1): few characters, or words deleted and none moved.
    Paper {
        /// The threshold for the ratio of character counts.
        threshold: f64,
    },
}

impl ThresholdRule {
    /// The tuned rule with the threshold that fits the released labels.
    pub const TUNED: Self = Self::Tuned { threshold: 0.7 };
    /// The paper's rule with the paper's threshold.
    pub const PAPER: Self = Self::Paper { threshold: 0.5 };

    /// The rule of that name, with its default threshold if none is given.
    ///
    /// # Errors
    /// An unknown name, or a threshold that is not between 0 and 1.
    pub fn from_name(name: &str, threshold: Option<f64>) -> Result<Self, ThresholdRuleError> {
        if let Some(value) = threshold.filter(|value| !(0.0..=1.0).contains(value)) {
            return Err(ThresholdRuleError::Threshold(value));
        }
        match name {
            "tuned" => Ok(threshold.map_or(Self::TUNED, |threshold| Self::Tuned { threshold })),
            "paper" => Ok(threshold.map_or(Self::PAPER, |threshold| Self::Paper { threshold })),
            _ => Err(ThresholdRuleError::Name(name.to_owned())),
        }
    }

    /// `tuned` or `paper`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tuned { .. } => "tuned",
            Self::Paper { .. } => "paper",
        }
    }

    /// The rule, its threshold and the version of this file, as stored with each decision.
    #[must_use]
    pub fn version(self) -> String {
        format!("{}-{} v{VERSION}", self.name(), self.threshold())
    }

    /// The ratio below which an output is a deletion.
    #[must_use]
    pub const fn threshold(self) -> f64 {
        match self {
            Self::Tuned { threshold } | Self::Paper { threshold } => threshold,
        }
    }
}

impl Default for ThresholdRule {
    fn default() -> Self {
        Self::TUNED
    }
}

/// The reason why a setting is not a rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ThresholdRuleError {
    /// The name is unknown.
    #[error("“{0}” is not a category rule: use tuned or paper")]
    Name(String),
    /// The threshold is out of range.
    #[error("the threshold of the category rule is a ratio from 0 to 1, not {0}")]
    Threshold(f64),
}

/// A category and the reason for it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AutomaticCategory {
    /// The group the output is placed in.
    pub category: Category,
    /// The reason.
    pub reason: CategoryReason,
}

impl fmt::Display for AutomaticCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "automatic: {}", self.reason)
    }
}

/// The reason for a category, with the figure that decided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum CategoryReason {
    /// It has several sentences.
    Sentences {
        /// The number of sentences.
        count: usize,
    },
    /// It has no words.
    Empty,
    /// It has the source's words, in order, ignoring case and punctuation.
    Copy,
    /// It is shorter than the threshold allows.
    Shorter {
        /// Its length divided by the source's, in the rule's unit.
        ratio: f64,
    },
    /// It has only words of the source.
    DeletedOnly {
        /// Its length divided by the source's, in the rule's unit.
        ratio: f64,
    },
    /// None of the others.
    Rewritten {
        /// Its length divided by the source's, in the rule's unit; absent for a source without words.
        ratio: Option<f64>,
    },
}

impl fmt::Display for CategoryReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const COUNTS: [&str; 8] = [
            "two", "three", "four", "five", "six", "seven", "eight", "nine",
        ];

        match *self {
            Self::Sentences { count } => match COUNTS.get(count.wrapping_sub(2)) {
                Some(word) => write!(f, "{word} sentences"),
                None => write!(f, "{count} sentences"),
            },
            Self::Empty => f.write_str("no words"),
            Self::Copy => f.write_str("same as the source"),
            Self::Shorter { ratio } => f.write_str(&percent(ratio)),
            Self::DeletedOnly { .. } => f.write_str("words deleted only"),
            Self::Rewritten { ratio: Some(ratio) } => {
                write!(f, "one sentence with new words, {}", percent(ratio))
            }
            Self::Rewritten { ratio: None } => f.write_str("one sentence with new words"),
        }
    }
}

fn percent(ratio: f64) -> String {
    format!("{:.0} % of the length", ratio * 100.0)
}

/// The category of `output`, a simplification of `source`, under `rule`.
///
/// It never fails: an empty output is a deletion, and an output of an empty source is a paraphrase.
#[must_use]
pub fn categorise(source: &str, output: &str, rule: ThresholdRule) -> AutomaticCategory {
    categorise_tokenised(
        &TokenisedText::new(source),
        &TokenisedText::new(output),
        rule,
    )
}

/// As [`categorise`], of texts that are tokenised already.
#[must_use]
pub fn categorise_tokenised(
    source: &TokenisedText,
    output: &TokenisedText,
    rule: ThresholdRule,
) -> AutomaticCategory {
    let reason = find_reason(source, output, rule);
    let category = match reason {
        CategoryReason::Sentences { .. } => Category::Split,
        CategoryReason::Empty
        | CategoryReason::Shorter { .. }
        | CategoryReason::DeletedOnly { .. } => Category::Deletion,
        CategoryReason::Copy | CategoryReason::Rewritten { .. } => Category::Paraphrase,
    };
    AutomaticCategory { category, reason }
}

fn find_reason(
    source: &TokenisedText,
    output: &TokenisedText,
    rule: ThresholdRule,
) -> CategoryReason {
    let count = split_sentences(output.text()).len();
    if count > 1 {
        return CategoryReason::Sentences { count };
    }

    let (source_words, output_words) = (folded_words(source), folded_words(output));
    if source_words == output_words {
        return CategoryReason::Copy;
    }
    if output_words.is_empty() {
        return CategoryReason::Empty;
    }

    let (ratio, deleted_only) = match rule {
        ThresholdRule::Tuned { .. } => (
            ratio(output_words.len(), source_words.len()),
            is_sub_multiset(&output_words, &source_words),
        ),
        ThresholdRule::Paper { .. } => (
            ratio(output.text().chars().count(), source.text().chars().count()),
            is_subsequence(&output_words, &source_words),
        ),
    };

    match ratio {
        Some(ratio) if deleted_only => CategoryReason::DeletedOnly { ratio },
        Some(ratio) if ratio < rule.threshold() => CategoryReason::Shorter { ratio },
        ratio => CategoryReason::Rewritten { ratio },
    }
}

fn folded_words(text: &TokenisedText) -> Vec<String> {
    text.whole_words().map(fold_token).collect()
}

#[expect(clippy::cast_precision_loss, reason = "no text has 2⁵³ words")]
fn ratio(output: usize, source: usize) -> Option<f64> {
    (source > 0).then(|| output as f64 / source as f64)
}

/// Whether `part` can be made from `whole` by removing words and moving the rest.
fn is_sub_multiset(part: &[String], whole: &[String]) -> bool {
    let mut available: HashMap<&str, usize> = HashMap::new();
    for word in whole {
        *available.entry(word).or_default() += 1;
    }

    part.iter()
        .all(|word| match available.get_mut(word.as_str()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        })
}

/// Whether `part` can be made from `whole` by removing words.
fn is_subsequence(part: &[String], whole: &[String]) -> bool {
    let mut rest = whole.iter();
    part.iter()
        .all(|word| rest.any(|candidate| candidate == word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SOURCE: &str = "The old harbour, built in 1820, is still used by small boats.";

    fn check(output: &str, rule: ThresholdRule, category: Category, says: &str) {
        let automatic = categorise(SOURCE, output, rule);
        assert_eq!(automatic.category, category, "{output}");
        assert_eq!(
            automatic.to_string(),
            format!("automatic: {says}"),
            "{output}"
        );
    }

    #[test]
    fn every_reason_is_a_sentence_for_people() {
        use Category::{Deletion, Paraphrase, Split};
        let tuned = ThresholdRule::TUNED;
        check(
            "The harbour is old. It is in use.",
            tuned,
            Split,
            "two sentences",
        );
        check("Boats.", tuned, Deletion, "words deleted only");
        check("Ships use it.", tuned, Deletion, "25 % of the length");
        check(
            "The old harbour is still used by small boats.",
            tuned,
            Deletion,
            "words deleted only",
        );
        check(
            &SOURCE.to_uppercase(),
            tuned,
            Paraphrase,
            "same as the source",
        );
        check("", tuned, Deletion, "no words");
        check(
            "Small boats still use the old harbour, which was made in 1820.",
            tuned,
            Paraphrase,
            "one sentence with new words, 100 % of the length",
        );
    }

    #[test]
    fn moved_words_are_a_deletion_when_tuned_and_not_in_the_paper() {
        let moved = "Small boats still used the old harbour built in 1820 is.";
        check(
            moved,
            ThresholdRule::TUNED,
            Category::Deletion,
            "words deleted only",
        );
        let paper = categorise(SOURCE, moved, ThresholdRule::PAPER);
        assert_eq!(paper.category, Category::Paraphrase);
    }

    #[test]
    fn a_rule_is_read_by_name() {
        assert_eq!(
            ThresholdRule::from_name("tuned", None),
            Ok(ThresholdRule::TUNED)
        );
        assert_eq!(
            ThresholdRule::from_name("paper", Some(0.4)),
            Ok(ThresholdRule::Paper { threshold: 0.4 })
        );
        assert!(ThresholdRule::from_name("paper", Some(f64::NAN)).is_err());
        assert!(ThresholdRule::from_name("other", None).is_err());
    }

    proptest! {
        #[test]
        fn a_sentence_with_words_left_out_is_a_deletion(keep in prop::collection::vec(any::<bool>(), 12)) {
            let source: Vec<String> = (0..12).map(|n| format!("w{n}")).collect();
            let kept: Vec<&str> =
                source.iter().zip(&keep).filter(|(_, kept)| **kept).map(|(w, _)| w.as_str()).collect();
            prop_assume!(kept.len() < 12);
            for rule in [ThresholdRule::TUNED, ThresholdRule::PAPER] {
                let automatic = categorise(&source.join(" "), &kept.join(" "), rule);
                prop_assert_eq!(automatic.category, Category::Deletion);
            }
        }

        #[test]
        fn any_texts_have_a_category_and_a_copy_is_never_a_deletion(a in "\\PC{0,80}", b in "\\PC{0,80}") {
            for rule in [ThresholdRule::TUNED, ThresholdRule::PAPER] {
                let _ = categorise(&a, &b, rule);
                prop_assert_ne!(categorise(&a, &a, rule).category, Category::Deletion);
            }
        }
    }
}
