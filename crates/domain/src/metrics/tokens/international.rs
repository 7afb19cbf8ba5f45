//! The international tokeniser of WMT's mteval-v14, as sacreBLEU has it.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// `text` with a single space between its tokens.
///
/// Punctuation of any script is separated unless it is between numbers or ends the text after one, and so is each symbol.
#[must_use]
pub fn mteval_14_international(text: &str) -> String {
    let is_number = |c: char| c.general_category_group() == GeneralCategoryGroup::Number;
    let is_punctuation = |c: char| c.general_category_group() == GeneralCategoryGroup::Punctuation;
    let is_symbol = |c: char| c.general_category_group() == GeneralCategoryGroup::Symbol;

    let before = split_pairs(
        text.trim_end(),
        |a, b| !is_number(a) && is_punctuation(b),
        |a, b| [a, ' ', b, ' '],
    );
    let after = split_pairs(
        &before,
        |a, b| is_punctuation(a) && !is_number(b),
        |a, b| [' ', a, ' ', b],
    );
    let mut signs = String::with_capacity(after.len() + 16);
    for c in after.chars() {
        match is_symbol(c) {
            true => signs.extend([' ', c, ' ']),
            false => signs.push(c),
        }
    }
    signs.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Splits each pair of neighbours that `matches`, from the left and without overlaps.
fn split_pairs(
    text: &str,
    matches: impl Fn(char, char) -> bool,
    split: fn(char, char) -> [char; 4],
) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    while let Some(a) = rest.next() {
        match rest.next_if(|b| matches(a, *b)) {
            Some(b) => out.extend(split(a, b)),
            None => out.push(a),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values are those of sacreBLEU 2.6.0.
    #[test]
    fn sacrebleu_examples() {
        for (text, expected) in [
            (
                "It cost €5.00 (about £4) in 2004.",
                "It cost € 5.00 ( about £ 4 ) in 2004.",
            ),
            (
                "«Warum?», fragte sie – leise.",
                "« Warum ? » , fragte sie – leise .",
            ),
            ("co-op in 1,000-2", "co - op in 1,000-2"),
            ("a+b=c ½ off… 50°C", "a + b = c ½ off … 50 ° C"),
            ("  ", ""),
        ] {
            assert_eq!(mteval_14_international(text), expected);
        }
    }
}
