//! The similarity of two words as strings.

use strsim::jaro_winkler;

use super::function_words::classes;
use crate::text::tokenise::{TokenKind, kind_of, normalise_token};

/// The properties of a word that similarity uses, computed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordForm {
    /// The word, ignoring case and punctuation within it.
    pub(super) bare: String,
    letters: Vec<char>,
    pub(super) kind: TokenKind,
    /// The classes of function words it belongs to, as bits.
    pub(super) classes: u8,
    /// The first character of a word that may be inflected. Different numbers, punctuation
    /// marks or function words are different however similar they look.
    inflects: Option<char>,
}

impl WordForm {
    pub(super) fn new(word: &str) -> Self {
        Self::from_normalised(word, normalise_token(word))
    }

    /// The form of a word whose normalised form is `bare`.
    pub(super) fn from_normalised(word: &str, bare: String) -> Self {
        // Most words are in lower case already.
        let is_lower = word.is_ascii() && !word.contains(|c: char| c.is_ascii_uppercase());
        let classes = match is_lower {
            true => classes(word),
            false => classes(&word.to_lowercase()),
        };

        let kind = kind_of(word);
        let has_digit = bare.contains(|c: char| c.is_ascii_digit());
        let may_inflect = kind == TokenKind::Word && classes == 0 && !has_digit;
        let letters: Vec<char> = bare.chars().collect();
        let inflects = letters.first().copied().filter(|_| may_inflect);

        Self {
            bare,
            letters,
            kind,
            classes,
            inflects,
        }
    }

    pub(super) fn is_content(&self) -> bool {
        self.kind == TokenKind::Word && self.classes == 0
    }

    /// The weight of a link of this word: punctuation and function words recur everywhere.
    pub(super) fn weight(&self) -> f64 {
        match self.kind {
            TokenKind::Sign => 0.4,
            _ if self.classes != 0 => 0.4,
            _ => 1.0,
        }
    }
}

/// 1 for equal words, 0.9 for words with the same stem, up to 0.85 for a high Jaro-Winkler similarity,
/// else 0.
pub(super) fn similarity(a: &WordForm, b: &WordForm) -> f64 {
    const LEAST_JARO_WINKLER: f64 = 0.85;

    if a.bare == b.bare {
        return 1.0;
    }
    if a.inflects.is_none() || a.inflects != b.inflects {
        return 0.0;
    }
    if stem_like(&a.letters, &b.letters) {
        return 0.9;
    }

    let are_long = a.letters.len() > 3 && b.letters.len() > 3;
    let jaro_winkler = if are_long {
        jaro_winkler(&a.bare, &b.bare)
    } else {
        0.0
    };
    if jaro_winkler > LEAST_JARO_WINKLER {
        0.85 * jaro_winkler
    } else {
        0.0
    }
}

/// Whether two words differ only in what follows a stem of at least three letters: English endings,
/// with a consonant doubled before them (`run`, `running`) and up to two letters of the stem that
/// belong to the ending (`city`, `cities`).
fn stem_like(a: &[char], b: &[char]) -> bool {
    let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    (3..=common).rev().take(3).any(|stem| {
        let (x, y) = (&a[stem..], &b[stem..]);
        (stem > 3 || x.len() + y.len() <= 4) && is_ending(x) && is_ending(y)
    }) || (common >= 3 && {
        let (x, y) = (&a[common..], &b[common..]);
        doubles_consonant(a[common - 1], x, y) || doubles_consonant(a[common - 1], y, x)
    })
}

/// Whether `long` is an ending after a doubled `last`, and `short` an ending.
fn doubles_consonant(last: char, long: &[char], short: &[char]) -> bool {
    let consonant = !matches!(last, 'a' | 'e' | 'i' | 'o' | 'u');
    let doubled = long
        .split_first()
        .is_some_and(|(first, rest)| *first == last && is_ending(rest));
    consonant && doubled && long.len() > 1 && is_ending(short)
}

fn is_ending(letters: &[char]) -> bool {
    const ENDINGS: &[&str] = &[
        "", "able", "al", "ally", "an", "ance", "ans", "ant", "ation", "ations", "d", "e", "ed",
        "en", "ence", "ent", "er", "ers", "es", "est", "ful", "ian", "ians", "ible", "ic", "ical",
        "ically", "ial", "ied", "ier", "ies", "iest", "ily", "ing", "ion", "ions", "ise", "ised",
        "ising", "ism", "ist", "ists", "ities", "ity", "ive", "ize", "ized", "izing", "less", "ly",
        "ment", "ments", "n", "ness", "or", "ors", "ous", "r", "rs", "s", "ship", "st", "t", "y",
    ];
    // Endings are ASCII, so that their bytes are their letters.
    ENDINGS
        .iter()
        .any(|ending| ending.len() == letters.len() && ending.chars().eq(letters.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(a: &str, b: &str) -> f64 {
        similarity(&WordForm::new(a), &WordForm::new(b))
    }

    fn check(a: &str, b: &str, expected: f64) {
        assert!(
            (compare(a, b) - expected).abs() < 1e-9,
            "{a} {b}: {}",
            compare(a, b)
        );
        assert!(
            (compare(b, a) - expected).abs() < 1e-9,
            "{b} {a}: {}",
            compare(b, a)
        );
    }

    #[test]
    fn case_and_signs_within_a_word_make_no_difference() {
        check("Harbour", "harbour", 1.0);
        check("U.S.", "US", 1.0);
        check("1,000", "1000", 1.0);
        check("``", "\u{201c}", 1.0);
        check("''", "\"", 1.0);
    }

    #[test]
    fn words_of_one_stem_are_alike() {
        for (a, b) in [
            ("run", "running"),
            ("city", "cities"),
            ("regressive", "regressing"),
            ("consume", "consumption"),
            ("build", "builder"),
        ] {
            assert!(compare(a, b) > 0.7, "{a} {b}");
        }
        check("cat", "dog", 0.0);
        check("the", "they", 0.0);
        check("for", "forest", 0.0);
    }

    #[test]
    fn numbers_and_signs_are_equal_or_different() {
        check("1.5", "15", 0.0);
        check("1990", "1991", 0.0);
        check(",", ";", 0.0);
    }
}
