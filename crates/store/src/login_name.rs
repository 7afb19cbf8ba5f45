//! Names to log in with, and whether two of them look alike.

use unicode_normalization::UnicodeNormalization;
use unicode_security::{MixedScript, skeleton};

use crate::{Error, Result};

/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 80;

/// A name to log in with.
pub(crate) struct LoginName {
    /// The name as it is shown.
    pub(crate) as_entered: String,
    /// The name in the form in which names are compared, so that no person is taken for another.
    pub(crate) folded: String,
}

impl LoginName {
    /// The name in `text`, by the rules that every stored name meets.
    ///
    /// # Errors
    /// [`Error::Refused`] for a text that cannot be a name.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let normalised: String = text
            .nfkc()
            .collect::<String>()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");

        if normalised.is_empty() || normalised.chars().count() > MAX_NAME_CHARS {
            return Err(Error::Refused(format!(
                "A name has 1 to {MAX_NAME_CHARS} characters."
            )));
        }

        if normalised
            .chars()
            .any(|c| c.is_control() || is_invisible(c))
        {
            return Err(unseen());
        }

        let folded = normalised.to_lowercase();
        Ok(Self {
            as_entered: normalised,
            folded,
        })
    }

    /// The name in `text` for a new person. The rules are stricter here; people whose names are
    /// older than the rules still log in.
    ///
    /// # Errors
    /// [`Error::Refused`] for a text that cannot be a name, or looks like another name.
    pub(crate) fn parse_new(text: &str) -> Result<Self> {
        let name = Self::parse(text)?;
        if name.as_entered.chars().any(leaves_no_mark) {
            return Err(unseen());
        }

        let mut words = name.as_entered.split(|c: char| !c.is_alphanumeric());
        if !words.all(is_in_one_script) {
            return Err(Error::Refused(
                "A word of the name mixes letters of two alphabets, which may look the same: write each \
                 word in one."
                    .into(),
            ));
        }
        Ok(name)
    }

    /// Whether people may take one name for the other. Compares their skeletons, in which Unicode
    /// (UTS #39) writes characters that look alike as the same.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        let same = |one: &str, other: &str| skeleton(one).eq(skeleton(other));
        same(&self.as_entered, &other.as_entered) || same(&self.folded, &other.folded)
    }
}

fn unseen() -> Error {
    Error::Refused("The name holds a character that cannot be seen: write it without.".into())
}

/// Invisible characters, by which names that look the same differ.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Further characters that leave no mark: those that a program may ignore (Unicode's property
/// `Default_Ignorable_Code_Point`), and blanks that count as letters, symbols or notes.
const fn leaves_no_mark(c: char) -> bool {
    matches!(c, '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether the word is in one script, or in an East Asian one with Latin letters, as is usual
/// there.
fn is_in_one_script(word: &str) -> bool {
    if word.is_single_script() {
        return true;
    }
    let beside_latin: String = word.chars().filter(|c| !c.is_ascii_alphabetic()).collect();
    let scripts = beside_latin.as_str().resolve_script_set();
    scripts.hanb || scripts.jpan || scripts.kore
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_names_leave_a_mark_and_keep_to_one_alphabet() {
        for good in [
            "annotator 1",
            "Zoë O’Brien-Łukasz",
            "Анна Иванова",
            "Anna Иванова",
            "rater-α1",
            "山田 太郎",
            "山田ひろみ",
            "김철수金",
            "李Lee",
            "प्रिया शर्मा",
            "محمد",
            "🦊",
        ] {
            let name = LoginName::parse_new(good);
            assert!(name.is_ok(), "{good}: {:?}", name.err());
        }
        let blanks = [
            "a\u{3164}b",
            "a\u{2800}b",
            "a\u{180e}b",
            "a\u{115f}b",
            "a\u{1160}b",
            "a\u{ffa0}b",
            "a\u{34f}b",
            "a\u{e0061}b",
            "a\u{fe0f}b",
            "\u{2800}",
        ];
        let mixed = ["lеad", "Αnna", "аnnotator 1", "pаypal"];
        for bad in blanks.into_iter().chain(mixed) {
            assert!(LoginName::parse_new(bad).is_err(), "{bad:?}");
            // People who have such a name already still log in.
            assert!(LoginName::parse(bad).is_ok(), "{bad:?}");
        }
    }

    #[test]
    fn names_that_look_alike() {
        let name = |text| LoginName::parse(text).unwrap();
        for (one, other, expect) in [
            ("lead", "lеad", true),
            ("coco", "сосо", true),
            ("annotator 1", "annotator l", true),
            ("Iris", "lris", true),
            ("LEAD", "lеad", true),
            ("annotator 1", "annotator 2", false),
            ("annotator 1", "annotator 11", false),
            ("Anna", "Hanna", false),
            ("Zoe", "Zoë", false),
        ] {
            assert_eq!(name(one).looks_like(&name(other)), expect, "{one} {other}");
        }
    }
}
