//! The visible form of names and texts, without invisible differences.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// The text with its letters composed (NFC), without invisible characters and surrounding white space, and
/// with one space for any other white space: two spaces, a no-break space, a line end.
#[must_use]
pub fn visible_form(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return text.into();
    }
    let shown = text.chars().filter(|sign| !is_invisible(*sign));
    let composed: String = shown.nfc().collect();
    let words: Vec<&str> = composed.split_whitespace().collect();
    let visible = words.join(" ");
    match visible == text {
        true => text.into(),
        false => visible.into(),
    }
}

/// Whether the text is ASCII with single spaces between its words, as most are.
fn is_plain(text: &str) -> bool {
    let mut before = b' ';
    let is_plain = text.bytes().all(|byte| {
        let follows = byte != b' ' || before != b' ';
        before = byte;
        follows && matches!(byte, b' '..=b'~')
    });
    is_plain && (before != b' ' || text.is_empty())
}

/// Whether a character is invisible and joins nothing: a soft hyphen, a zero-width space or a byte-order mark.
pub(crate) const fn is_invisible(sign: char) -> bool {
    matches!(sign, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_makes_no_difference() {
        for (text, visible) in [
            ("r1", "r1"),
            ("", ""),
            (" ", ""),
            ("r1 ", "r1"),
            ("\u{a0}r1\u{200b}", "r1"),
            ("Jose\u{301}", "José"),
            ("José", "José"),
            ("T5  large", "T5 large"),
            ("T5\r\nlarge", "T5 large"),
            ("T5\u{a0}large\u{feff}", "T5 large"),
            ("T5 Large", "T5 Large"),
        ] {
            assert_eq!(visible_form(text), visible, "{text:?}");
        }
        assert!(matches!(visible_form("José Ø"), Cow::Borrowed(_)));
        assert_ne!(visible_form("R1"), visible_form("r1"));
    }
}
