//! Sentences, counts and numbers for people to read.

use domain::protocol::StudyProtocol;

/// Turns words into a sentence, with a capital letter and a full stop unless there is one.
#[must_use]
pub fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let stop = if words.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };

    first.chain(letters).chain(stop.chars()).collect()
}

/// A number with its noun: “1 source”, “2 sources”.
#[must_use]
pub fn count_noun(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}

/// The words for annotators' judgements by a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgementWords {
    /// The singular.
    pub one: &'static str,
    /// The plural.
    pub many: &'static str,
    /// The plural with a capital letter.
    pub title: &'static str,
}

/// The words for the judgements of a protocol: ratings, comparisons, texts or answers.
#[must_use]
pub fn judgement_words(protocol: &StudyProtocol) -> JudgementWords {
    let (one, many, title) = match (protocol.scores(), protocol.compares()) {
        (true, _) => ("rating", "ratings", "Ratings"),
        (_, true) => ("comparison", "comparisons", "Comparisons"),
        _ if protocol.only_writes() => ("text", "texts", "Texts"),
        _ => ("answer", "answers", "Answers"),
    };

    JudgementWords { one, many, title }
}

/// Joins words into a list for a sentence.
///
/// ```
/// assert_eq!(service::wording::list_words(&["a", "b", "c"]), "a, b and c");
/// ```
#[must_use]
pub fn list_words<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<_> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// A number with `decimals` decimals and a proper minus sign; a number that rounds to zero has no sign.
///
/// ```
/// assert_eq!(service::wording::decimal(-0.314, 2), "−0.31");
/// ```
#[must_use]
pub fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(size) if size.chars().all(|c| matches!(c, '0' | '.')) => size.to_owned(),
        Some(size) => format!("−{size}"),
        None => text,
    }
}

/// A difference: like [`decimal`], with a plus sign above zero.
#[must_use]
pub fn signed(value: f64, decimals: usize) -> String {
    let text = decimal(value, decimals);
    let nothing = text.starts_with('−') || text.chars().all(|c| matches!(c, '0' | '.'));
    if nothing { text } else { format!("+{text}") }
}

/// An error with the chain of its causes, on one line, for the log.
#[must_use]
pub fn error_chain(error: &dyn std::error::Error) -> String {
    let mut chain = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        chain.push_str(": ");
        chain.push_str(&cause.to_string());
        source = cause.source();
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_proper_minus_and_no_negative_zero() {
        for (value, decimals, plain, difference) in [
            (0.314, 2, "0.31", "+0.31"),
            (-0.314, 2, "−0.31", "−0.31"),
            (-0.001, 2, "0.00", "0.00"),
            (0.0, 0, "0", "0"),
            (12.0, 0, "12", "+12"),
        ] {
            assert_eq!(decimal(value, decimals), plain);
            assert_eq!(signed(value, decimals), difference);
        }
    }
}
