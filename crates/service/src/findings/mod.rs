//! Findings: for each chart, a sentence on what its figures show, for the heading of its card.
//!
//! A sentence never claims more than the tests or intervals behind it. If these cannot tell two items apart, the
//! sentence says so; if there is too little data, it says how little.

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

/// The most names in a sentence; above that, their number is given.
const MOST_NAMES: usize = 3;

/// Joins names for a sentence: “a”, “a and b”, “a, b and c”.
fn join_names(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Joins names for a sentence, or gives their number if there are many: “4 others”.
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
