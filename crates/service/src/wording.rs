//! Sentences and counts for people to read.

/// The words as a sentence, with a capital letter and a full stop.
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
