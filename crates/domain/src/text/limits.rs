//! Size limits for texts that are categorised and aligned.
//!
//! Both compare each word of a source with each word of its output, and words letter by letter, so time
//! is quadratic in the length. A "word" of half a megabyte took minutes.

use super::tokenise::tokenise;

/// The maximum number of words and punctuation marks of a text.
pub const MOST_WORDS: usize = 5_000;
/// The maximum number of letters of a word.
pub const LONGEST_WORD: usize = 500;
/// The maximum number of letters of a text.
pub const MOST_LETTERS: usize = 60_000;

/// The reason why a text is too large to compare, as the end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextSizeError {
    /// It has more than [`MOST_LETTERS`].
    #[error("has more than {MOST_LETTERS} letters: shorten it, or split it into several texts")]
    Letters,
    /// It has more than [`MOST_WORDS`].
    #[error("has more than {MOST_WORDS} words: shorten it, or split it into several texts")]
    Words,
    /// It has a word of more than [`LONGEST_WORD`] letters.
    #[error(
        "has a word of more than {LONGEST_WORD} letters: look for a line that lacks its blanks"
    )]
    Word,
}

/// Refuses a text that would take too long to compare with another one.
///
/// # Errors
/// [`TextSizeError`] states which limit is exceeded.
pub fn check_size(text: &str) -> Result<(), TextSizeError> {
    // A letter takes at least one byte, so most texts pass without counting.
    if text.len() > MOST_LETTERS && text.chars().count() > MOST_LETTERS {
        return Err(TextSizeError::Letters);
    }
    if text.len() <= LONGEST_WORD {
        return Ok(());
    }

    let tokens = tokenise(text);
    if tokens.len() > MOST_WORDS {
        return Err(TextSizeError::Words);
    }
    let mut words = tokens.iter().filter_map(|token| token.span.slice(text));
    if words.any(|word| word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD) {
        return Err(TextSizeError::Word);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_length_that_people_read_pass() {
        for text in [
            "",
            "A ferry.",
            &"word ".repeat(5_000),
            &"ü".repeat(500),
            &format!("https://example.org/{}", "a/".repeat(200)),
        ] {
            assert_eq!(check_size(text), Ok(()));
        }
    }

    #[test]
    fn what_would_take_minutes_is_named() {
        for (text, expect) in [
            ("a".repeat(501), TextSizeError::Word),
            (format!("b {} c", "ü".repeat(501)), TextSizeError::Word),
            ("a ".repeat(5_001), TextSizeError::Words),
            ("abcdefghijk ".repeat(5_000 + 1), TextSizeError::Letters),
            ("a".repeat(500_000), TextSizeError::Letters),
        ] {
            assert_eq!(check_size(&text), Err(expect));
        }
    }
}
