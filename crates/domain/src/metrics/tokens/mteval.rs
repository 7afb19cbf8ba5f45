//! The tokeniser of WMT's mteval-v13a, as sacreBLEU has it.

/// `text` with a single space between its tokens (mteval-v13a.pl's rules for Western languages).
///
/// ASCII punctuation is separated, except `'`; periods and commas are separated unless between digits;
/// a hyphen only after a digit. Four HTML entities are resolved, and a word hyphenated at a line's end
/// is joined.
#[must_use]
pub fn mteval_13a(text: &str) -> String {
    let signs = space_signs(&resolve_entities(text.trim_end()));
    let before = split_pairs(
        &signs,
        |a, b| !a.is_ascii_digit() && is_point(b),
        after_both,
    );
    let after = split_pairs(
        &before,
        |a, b| is_point(a) && !b.is_ascii_digit(),
        before_both,
    );
    let dashes = split_pairs(&after, |a, b| a.is_ascii_digit() && b == b'-', after_both);

    let text = String::from_utf8_lossy(&dashes);
    let mut joined = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    joined
}

/// Joins lines, resolves entities, and adds a space at either end.
fn resolve_entities(text: &str) -> String {
    let mut text = format!(" {text} ");
    let rules = [
        ("<skipped>", ""),
        ("-\n", ""),
        ("\n", " "),
        ("&quot;", "\""),
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ];
    for (from, to) in rules {
        if text.contains(from) {
            text = text.replace(from, to);
        }
    }
    text
}

/// Puts spaces around each ASCII punctuation mark but `'`, `,`, `-` and `.`.
fn space_signs(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 16);
    for byte in text.bytes() {
        if byte.is_ascii_punctuation() && !matches!(byte, b'\'' | b',' | b'-' | b'.') {
            out.extend([b' ', byte, b' ']);
        } else {
            out.push(byte);
        }
    }
    out
}

const fn is_point(byte: u8) -> bool {
    matches!(byte, b'.' | b',')
}

/// Puts spaces into each pair of neighbours that `matches`, from the left and without overlaps. Only
/// ASCII is matched, so it works byte by byte.
fn split_pairs(
    text: &[u8],
    matches: impl Fn(u8, u8) -> bool,
    split: fn(u8, u8) -> [u8; 4],
) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    while let [a, after @ ..] = rest {
        match after {
            [b, after @ ..] if matches(*a, *b) => {
                out.extend(split(*a, *b));
                rest = after;
            }
            _ => {
                out.push(*a);
                rest = after;
            }
        }
    }
    out
}

const fn after_both(a: u8, b: u8) -> [u8; 4] {
    [a, b' ', b, b' ']
}

const fn before_both(a: u8, b: u8) -> [u8; 4] {
    [b' ', a, b' ', b]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(mteval_13a(text), expected);
    }

    /// Expected values are those of sacreBLEU 2.6.0.
    #[test]
    fn sacrebleu_examples() {
        check(
            "Hello, world! 3.5% of U.S.",
            "Hello , world ! 3.5 % of U . S .",
        );
        check("Stern's co-op in 1,000-2", "Stern's co-op in 1,000 - 2");
        check("wait...what..", "wait . . . what . .");
        check("&quot;R&amp;D&quot; <skipped>is", "\" R & D \" is");
        check("a long-\nish line\nends -\n", "a longish line ends -");
        check("£5.é,é", "£5 . é , é");
        check(",,0", ", ,0");
        check("", "");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_but_white_space(text in "[^&<\n]{0,40}|[a,.0 -]{0,40}") {
            let without_spaces = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(without_spaces(&mteval_13a(&text)), without_spaces(&text));
        }
    }
}
