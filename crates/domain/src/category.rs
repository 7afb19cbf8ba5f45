//! The group an output is judged in: step 1 of Rank & Rate.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The main change that a system made to the source (paper 000, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// The output has several sentences.
    Split,
    /// The output is much shorter, or made by deleting words only.
    Deletion,
    /// Everything else, an unchanged copy included.
    Paraphrase,
}

impl Category {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Split, Self::Deletion, Self::Paraphrase];

    /// The name in the store, on the wire and in our own exports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::Deletion => "deletion",
            Self::Paraphrase => "paraphrase",
        }
    }

    /// The name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Split => "Split",
            Self::Deletion => "Deletion",
            Self::Paraphrase => "Paraphrase",
        }
    }

    /// The name that SimpEval-2022 files carry in `sentence_type`.
    #[must_use]
    pub const fn sentence_type(self) -> &'static str {
        match self {
            Self::Split => "Splittings",
            Self::Deletion => "Deletions",
            Self::Paraphrase => "Paraphrases",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The category of an output by the raters who handed it in: the one that most of them chose, the
/// `automatic` one where two are tied or no one chose.
#[must_use]
pub fn majority_category(
    chosen: impl IntoIterator<Item = Category>,
    automatic: Category,
) -> Category {
    let mut votes = [0_usize; Category::ALL.len()];
    for category in chosen {
        votes[category as usize] += 1;
    }

    let most = votes.into_iter().max().unwrap_or_default();
    let mut winners = Category::ALL
        .into_iter()
        .filter(|&c| votes[c as usize] == most);
    match (winners.next(), winners.next()) {
        (Some(only), None) => only,
        _ => automatic,
    }
}

/// A text that is not the name of a category.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a category: use split, deletion or paraphrase")]
pub struct UnknownCategory(pub String);

impl FromStr for Category {
    type Err = UnknownCategory;

    /// Accepts our own names and SimpEval's, in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|c| {
                text.eq_ignore_ascii_case(c.name()) || text.eq_ignore_ascii_case(c.sentence_type())
            })
            .ok_or_else(|| UnknownCategory(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Category::{self, Deletion, Paraphrase, Split};

    #[test]
    fn most_votes_decide_and_ties_fall_to_the_automatic_category() {
        let check = |chosen: &[Category], expected| {
            assert_eq!(
                super::majority_category(chosen.iter().copied(), Split),
                expected,
                "{chosen:?}"
            );
        };
        check(&[], Split);
        check(&[Deletion], Deletion);
        check(&[Deletion, Paraphrase], Split);
        check(&[Paraphrase, Deletion, Paraphrase], Paraphrase);
    }
}
