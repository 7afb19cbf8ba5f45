//! How far two readers of the same text give the same answers.

use std::collections::BTreeMap;

use super::{AnswerChoice, AnswerTable};
use crate::statistics::{
    UndefinedReason,
    agreement::{KappaWeights, cohen_kappa, percent_agreement},
};

/// Agreement on the questions that two readers answered on the same text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DoubleAgreement {
    /// Questions in a condition with answers of two or more participants. If there are more than
    /// two, the first two count, in the order of [`AnswerTable::answers`].
    pub items: usize,
    /// Cohen's κ on the five answers.
    pub kappa: Result<f64, UndefinedReason>,
    /// Cohen's κ on right or not.
    pub kappa_correct: Result<f64, UndefinedReason>,
    /// The share of items with the same answer, from 0 to 1.
    pub same: Result<f64, UndefinedReason>,
}

/// Agreement on doubly annotated items. Answers of unknown participants do not count, since they
/// may all come from one person.
#[must_use]
pub fn double_agreement(answers: &AnswerTable) -> DoubleAgreement {
    let mut readers = BTreeMap::<(usize, usize), Vec<(usize, AnswerChoice)>>::new();
    for answer in answers.answers() {
        let Some(participant) = answer.participant else {
            continue;
        };
        let answers = readers
            .entry((answer.condition, answer.question))
            .or_default();
        if answers.len() < 2 && answers.iter().all(|(reader, _)| *reader != participant) {
            answers.push((participant, answer.choice));
        }
    }

    let pairs = readers.values().filter_map(|answers| match answers[..] {
        [(_, first), (_, second)] => Some((first, second)),
        _ => None,
    });
    let items: Vec<_> = pairs.collect();
    let correct: Vec<_> = items
        .iter()
        .map(|(a, b)| (*a == AnswerChoice::A, *b == AnswerChoice::A))
        .collect();

    DoubleAgreement {
        items: items.len(),
        kappa: cohen_kappa(&items, &AnswerChoice::ALL, KappaWeights::Unweighted),
        kappa_correct: cohen_kappa(&correct, &[], KappaWeights::Unweighted),
        same: percent_agreement(&items),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comprehension::ReaderAnswer;

    fn answer<'a>(
        question: &'a str,
        who: Option<&'a str>,
        choice: AnswerChoice,
    ) -> ReaderAnswer<'a> {
        ReaderAnswer {
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
        let answers: AnswerTable = [
            answer("1", Some("p"), AnswerChoice::A),
            answer("1", Some("p"), AnswerChoice::B),
            answer("1", Some("q"), AnswerChoice::A),
            answer("1", Some("r"), AnswerChoice::D),
            answer("2", Some("p"), AnswerChoice::B),
            answer("2", Some("q"), AnswerChoice::C),
            answer("3", None, AnswerChoice::A),
            answer("3", None, AnswerChoice::A),
            answer("4", Some("p"), AnswerChoice::A),
        ]
        .into_iter()
        .collect();
        let agreement = double_agreement(&answers);
        assert_eq!((agreement.items, agreement.same), (2, Ok(0.5)));
        // Observed 1/2; by chance A with A: 1/2 · 1/2.
        assert!((agreement.kappa.unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(agreement.kappa_correct, Ok(1.0));
    }
}
