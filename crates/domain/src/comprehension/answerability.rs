//! Answerability on the questions that chosen conditions make answerable.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{AnswerChoice, AnswerTable, conditions::ChoiceTally};
use crate::statistics::quality::Proportion;

/// The denominator of a condition's answerability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerabilityDenominator {
    /// Its answers to the chosen questions: the share of them that are not *unanswerable*.
    #[default]
    Chosen,
    /// All of its answers, those to other questions taken as answerable, as in Figure 5 of the
    /// paper; higher than the share, and not comparable between choices of questions.
    Paper,
}

/// The questions that every one of `conditions` makes answerable: more than half of its readers
/// gave another answer than *unanswerable*. A question that one of them does not ask is left out;
/// without conditions it is every question.
#[must_use]
pub fn answerable_questions(answers: &AnswerTable, conditions: &[usize]) -> BTreeSet<usize> {
    let mut tallies =
        vec![vec![ChoiceTally::default(); answers.questions().len()]; conditions.len()];
    for answer in answers.answers() {
        let at = conditions
            .iter()
            .position(|condition| *condition == answer.condition);
        if let Some(at) = at {
            tallies[at][answer.question].add(answer.choice);
        }
    }

    (0..answers.questions().len())
        .filter(|question| {
            let mut conditions = tallies.iter();
            conditions.all(|tallies| is_answerable(tallies[*question]))
        })
        .collect()
}

fn is_answerable(tally: ChoiceTally) -> bool {
    2 * tally.answerability().count > tally.n()
}

/// Answerability of each condition on `questions`.
#[must_use]
pub fn answerability_on(
    answers: &AnswerTable,
    questions: &BTreeSet<usize>,
    denominator: AnswerabilityDenominator,
) -> Vec<Proportion> {
    let mut shares = vec![Proportion::default(); answers.conditions().len()];
    for answer in answers.answers() {
        let is_chosen = questions.contains(&answer.question);
        if is_chosen || denominator == AnswerabilityDenominator::Paper {
            let answerable = !is_chosen || answer.choice != AnswerChoice::Unanswerable;
            shares[answer.condition] += Proportion::from_answers([answerable]);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comprehension::ReaderAnswer;

    #[test]
    fn more_than_half_of_the_readers_make_a_question_answerable() {
        let rows = [
            ("human", "tie", AnswerChoice::A),
            ("human", "tie", AnswerChoice::Unanswerable),
            ("human", "most", AnswerChoice::B),
            ("human", "most", AnswerChoice::C),
            ("human", "most", AnswerChoice::Unanswerable),
            ("system", "only here", AnswerChoice::A),
            ("system", "most", AnswerChoice::Unanswerable),
        ];
        let answers: AnswerTable = rows
            .iter()
            .map(|(condition, question, choice)| ReaderAnswer {
                condition,
                passage: "1",
                question,
                participant: None,
                choice: *choice,
                place: None,
            })
            .collect();
        let chosen = answerable_questions(&answers, &[0]);
        assert_eq!(
            chosen,
            BTreeSet::from([1]),
            "the tie is not, what is not asked is not"
        );
        assert_eq!(answerable_questions(&answers, &[]).len(), 3);
        let on = |denominator| answerability_on(&answers, &chosen, denominator);
        let shares =
            |counts: [(usize, usize); 2]| counts.map(|(count, total)| Proportion { count, total });
        assert_eq!(
            on(AnswerabilityDenominator::Chosen),
            shares([(2, 3), (0, 1)])
        );
        assert_eq!(
            on(AnswerabilityDenominator::Paper),
            shares([(4, 5), (1, 2)])
        );
    }
}
