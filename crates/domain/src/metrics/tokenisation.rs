//! The words that metrics of n-grams count.

use super::{
    signature::LetterCase,
    tokens::{mteval_13a, mteval_14_international},
};

/// A tokeniser of sacreBLEU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum WordTokeniser {
    /// `13a`, the usual one: [`mteval_13a`].
    #[default]
    Mteval13a,
    /// `intl`: [`mteval_14_international`].
    International,
    /// `char`: each character is a word, white space none.
    Characters,
    /// `none`: texts are cut at white space.
    WhiteSpace,
}

/// The treatment of texts before their n-grams are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tokenisation {
    /// The tokeniser.
    pub tokeniser: WordTokeniser,
    /// The treatment of upper case.
    pub case: LetterCase,
}

impl WordTokeniser {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Mteval13a,
        Self::International,
        Self::Characters,
        Self::WhiteSpace,
    ];

    /// Its name in signatures, which is sacreBLEU's.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mteval13a => "13a",
            Self::International => "intl",
            Self::Characters => "char",
            Self::WhiteSpace => "none",
        }
    }
}

impl Tokenisation {
    /// 13a's words as they are written.
    pub const USUAL: Self = Self {
        tokeniser: WordTokeniser::Mteval13a,
        case: LetterCase::Mixed,
    };

    /// The number of tokenisations.
    pub(super) const COUNT: usize = 2 * WordTokeniser::ALL.len();

    /// All of them, the usual one first.
    pub fn all() -> impl Iterator<Item = Self> {
        [LetterCase::Mixed, LetterCase::Lower]
            .into_iter()
            .flat_map(|case| WordTokeniser::ALL.map(|tokeniser| Self { tokeniser, case }))
    }

    /// Its place among all, for tables of them.
    pub(super) const fn place(self) -> usize {
        2 * self.tokeniser as usize + self.case as usize
    }

    /// The words of a text with a space between them.
    pub(super) fn cut(self, text: &str) -> String {
        let lower;
        let text = match self.case {
            LetterCase::Mixed => text,
            LetterCase::Lower => {
                lower = text.to_lowercase();
                &lower
            }
        };
        match self.tokeniser {
            WordTokeniser::Mteval13a => mteval_13a(text),
            WordTokeniser::International => mteval_14_international(text),
            WordTokeniser::Characters => {
                let characters = text.chars().filter(|c| !c.is_whitespace());
                characters.flat_map(|c| [c, ' ']).collect()
            }
            WordTokeniser::WhiteSpace => text.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

impl From<LetterCase> for Tokenisation {
    /// 13a's words.
    fn from(case: LetterCase) -> Self {
        Self {
            case,
            ..Self::USUAL
        }
    }
}
