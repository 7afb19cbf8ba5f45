//! Simplifications that annotators write: their figures, and their adoption as references or outputs.

mod adoption;

use std::{fmt, sync::Arc};

use domain::writing::WrittenFigures;

pub use adoption::{AdoptedRow, AdoptionPlan};

/// Compares the rarity of a text's words with that of its source's words; `None` if the ratio is undefined.
type RankRatio = dyn Fn(&str, &str) -> Option<f64> + Send + Sync;

/// The metric of word ranks, which needs a list of words by frequency.
#[derive(Clone)]
pub struct WordRanks(Arc<RankRatio>);

impl WordRanks {
    /// Creates the metric from a function of the source and the text, such as
    /// [`fn@domain::metrics::word_rank_ratio`]. Without a list of words, it returns `None` for all texts.
    pub fn new(ratio: impl Fn(&str, &str) -> Option<f64> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ratio))
    }

    /// The ratio of a text; below 1, its words are more frequent than the source's.
    #[must_use]
    pub fn ratio(&self, source: &str, text: &str) -> Option<f64> {
        (self.0)(source, text)
    }
}

impl Default for WordRanks {
    /// The metric without a list of words.
    fn default() -> Self {
        Self::new(|_, _| None)
    }
}

impl fmt::Debug for WordRanks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WordRanks").finish_non_exhaustive()
    }
}

/// All figures of a written text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextFigures {
    /// The figures that need no list of words.
    pub own: WrittenFigures,
    /// The ratio of the rarity of its words to that of the source's; `None` if it is undefined, or there is no list
    /// of words.
    pub word_rank: Option<f64>,
}

impl TextFigures {
    /// The figures of a text, without white space at its ends.
    #[must_use]
    pub fn new(source: &str, text: &str, ranks: &WordRanks) -> Self {
        Self {
            own: WrittenFigures::new(source, text),
            word_rank: ranks.ratio(source, text.trim()),
        }
    }
}
