//! How far two readers of the same text give the same answers.

use std::collections::BTreeMap;

use super::{Answers, Choice};
use crate::statistics::{
    Undefined,
    agreement::{Weights, cohen_kappa, percent_agreement},
};

/// Agreement on the questions that two readers answered on the same text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubly {
    /// Questions in a condition with answers of two or more participants. Of more than two the first
    /// two count, in the order of [`Answers::given`].
    pub items: usize,
    /// Cohen's κ on the five answers.
    pub kappa: Result<f64, Undefined>,
    /// Cohen's κ on right or not.
    pub kappa_correct: Result<f64, Undefined>,
    /// The share of items with the same answer, from 0 to 1.
    pub same: Result<f64, Undefined>,
}

/// Agreement on what is doubly annotated. Answers of unknown participants do not count: they may be
/// one person's.
#[must_use]
pub fn double_agreement(answers: &Answers) -> Doubly {
    let mut readers = BTreeMap::<(usize, usize), Vec<(usize, Choice)>>::new();
    for given in answers.given() {
        let Some(participant) = given.participant else {
            continue;
        };
        let of = readers
            .entry((given.condition, given.question))
            .or_default();
        if of.len() < 2 && of.iter().all(|(known, _)| *known != participant) {
            of.push((participant, given.choice));
        }
    }
    let pairs = readers.values().filter_map(|of| match of[..] {
        [(_, first), (_, second)] => Some((first, second)),
        _ => None,
    });
    let items: Vec<_> = pairs.collect();
    let right = |(a, b): &(Choice, Choice)| (*a == Choice::A, *b == Choice::A);
    let correct: Vec<_> = items.iter().map(right).collect();
    Doubly {
        items: items.len(),
        kappa: cohen_kappa(&items, &Choice::ALL, Weights::Unweighted),
        kappa_correct: cohen_kappa(&correct, &[], Weights::Unweighted),
        same: percent_agreement(&items),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comprehension::Answer;

    fn answer<'a>(question: &'a str, who: Option<&'a str>, choice: Choice) -> Answer<'a> {
        Answer {
            condition: "Original",
            passage: "1",
            question,
            participant: who,
            choice,
            place: None,
        }
    }

    #[test]
    fn only_two_different_named_readers_are_a_pair() {
        let answers: Answers = [
            answer("1", Some("p"), Choice::A),
            answer("1", Some("p"), Choice::B),
            answer("1", Some("q"), Choice::A),
            answer("1", Some("r"), Choice::D),
            answer("2", Some("p"), Choice::B),
            answer("2", Some("q"), Choice::C),
            answer("3", None, Choice::A),
            answer("3", None, Choice::A),
            answer("4", Some("p"), Choice::A),
        ]
        .into_iter()
        .collect();
        let found = double_agreement(&answers);
        assert_eq!((found.items, found.same), (2, Ok(0.5)));
        // Observed 1/2; by chance A with A: 1/2 · 1/2.
        assert!((found.kappa.unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(found.kappa_correct, Ok(1.0));
    }
}
