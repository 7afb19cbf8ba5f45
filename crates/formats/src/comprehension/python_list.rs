//! Lists of texts as Python writes them: `['one', "another's"]`.

use std::{fmt::Write as _, iter::Peekable, str::Chars};

/// Reads a list of texts; `None` where the text isn't one.
pub(super) fn parse_list(text: &str) -> Option<Vec<String>> {
    let mut rest = text.trim().chars().peekable();
    let mut texts = Vec::new();
    expect(&mut rest, '[')?;

    loop {
        skip_space(&mut rest);
        match rest.next()? {
            ']' if skip_space(&mut rest) && rest.peek().is_none() => return Some(texts),
            quote @ ('\'' | '"') => texts.push(parse_quoted(&mut rest, quote)?),
            _ => return None,
        }
        skip_space(&mut rest);
        if rest.peek() == Some(&',') {
            rest.next();
        } else if rest.peek() != Some(&']') {
            return None;
        }
    }
}

fn expect(rest: &mut Peekable<Chars<'_>>, wanted: char) -> Option<()> {
    (rest.next()? == wanted).then_some(())
}

/// Skips white space. Always true, for use in a condition.
fn skip_space(rest: &mut Peekable<Chars<'_>>) -> bool {
    while rest.next_if(|c| c.is_whitespace()).is_some() {}
    true
}

fn parse_quoted(rest: &mut Peekable<Chars<'_>>, quote: char) -> Option<String> {
    let mut text = String::new();
    loop {
        match rest.next()? {
            c if c == quote => return Some(text),
            '\\' => text.push(parse_escape(rest)?),
            c => text.push(c),
        }
    }
}

fn parse_escape(rest: &mut Peekable<Chars<'_>>) -> Option<char> {
    Some(match rest.next()? {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'x' => parse_code_point(rest, 2)?,
        'u' => parse_code_point(rest, 4)?,
        'U' => parse_code_point(rest, 8)?,
        own @ ('\\' | '\'' | '"') => own,
        _ => return None,
    })
}

fn parse_code_point(rest: &mut Peekable<Chars<'_>>, digits: usize) -> Option<char> {
    let digits: String = rest.by_ref().take(digits).collect();
    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
}

/// Writes a list of texts as Python does: in single quotes, or in double quotes where a text contains single
/// quotes only.
pub(super) fn format_list<T: AsRef<str>>(texts: &[T]) -> String {
    let each: Vec<_> = texts
        .iter()
        .map(|text| format_literal(text.as_ref()))
        .collect();
    format!("[{}]", each.join(", "))
}

fn format_literal(text: &str) -> String {
    let quote = match text.contains('\'') && !text.contains('"') {
        true => '"',
        false => '\'',
    };

    let mut literal = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => literal += "\\n",
            '\r' => literal += "\\r",
            '\t' => literal += "\\t",
            '\\' => literal += "\\\\",
            c if c == quote => literal.extend(['\\', c]),
            c if c.is_control() && u32::from(c) < 0x100 => {
                let _ = write!(literal, "\\x{:02x}", u32::from(c));
            }
            // Python escapes unprintable characters; of those, only these occur in running text.
            '\u{a0}' => literal += "\\xa0",
            '\u{ad}' => literal += "\\xad",
            '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{feff}' => {
                let _ = write!(literal, "\\u{:04x}", u32::from(c));
            }
            c => literal.push(c),
        }
    }

    literal.push(quote);
    literal
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn python_repr_of_lists() {
        for (literal, texts) in [
            ("[]", &[][..]),
            ("['a', 'b']", &["a", "b"]),
            (r#"["don't", 'say "x"']"#, &["don't", "say \"x\""]),
            (r#"['it\'s "x"', 'a\\b\n']"#, &["it's \"x\"", "a\\b\n"]),
            (r"['x\xa0y']", &["x\u{a0}y"]),
        ] {
            assert_eq!(parse_list(literal).unwrap(), texts);
            assert_eq!(format_list(texts), literal);
        }
        assert_eq!(parse_list(" [ 'a' ,\"b\", ] ").unwrap(), ["a", "b"]);
    }

    #[test]
    fn what_is_no_list_of_texts() {
        for text in [
            "",
            "[",
            "['a'",
            "['a' 'b']",
            "[1]",
            "['a'] x",
            "a",
            r"['\q']",
            "[,]",
        ] {
            assert_eq!(parse_list(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_list_comes_back(texts in prop::collection::vec(any::<String>(), 0..5)) {
            prop_assert_eq!(parse_list(&format_list(&texts)), Some(texts));
        }
    }
}
