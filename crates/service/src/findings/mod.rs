//! Findings: one sentence for each chart that says what its figures show, for the heading of its card.
//!
//! A sentence never claims more than the tests or the intervals behind it: where these cannot tell two
//! things apart, the sentence says so, and where there is too little data, it says how little.

pub mod agreement;
pub mod comparisons;
pub mod comprehension;
mod leader;
pub mod metrics;
pub mod protocols;
pub mod spans;
pub mod systems;

pub use self::leader::{LeaderCandidate, LeaderPhrases, leader_sentence};
use crate::wording::count_noun;

/// The most names in a sentence; more are counted.
const MOST_NAMES: usize = 3;

/// Names in a sentence: “a”, “a and b”, “a, b and c”.
fn join_names(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Names in a sentence, or their number where there are many: “4 others”.
fn names_or_count(names: &[&str], noun: &str) -> String {
    if names.len() > MOST_NAMES {
        count_noun(names.len(), noun)
    } else {
        join_names(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_or_counted() {
        for (names, expected) in [
            (&[][..], ""),
            (&["a"], "a"),
            (&["a", "b"], "a and b"),
            (&["a", "b", "c"], "a, b and c"),
            (&["a", "b", "c", "d"], "4 others"),
        ] {
            assert_eq!(names_or_count(names, "other"), expected);
        }
    }
}
