//! Answerability on the questions that chosen conditions make answerable.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Answers, Choice, conditions::Tally};
use crate::statistics::quality::Share;

/// What the answerable answers of a condition are divided by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Denominator {
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
pub fn answerable_in(answers: &Answers, conditions: &[usize]) -> BTreeSet<usize> {
    let mut asked = vec![vec![Tally::default(); answers.questions().len()]; conditions.len()];
    for given in answers.given() {
        let at = conditions
            .iter()
            .position(|condition| *condition == given.condition);
        if let Some(at) = at {
            asked[at][given.question].add(given.choice);
        }
    }
    let answerable = |tally: Tally| 2 * tally.answerability().count > tally.n();
    (0..answers.questions().len())
        .filter(|question| asked.iter().all(|tallies| answerable(tallies[*question])))
        .collect()
}

/// Answerability of each condition on `questions`.
#[must_use]
pub fn answerability_on(
    answers: &Answers,
    questions: &BTreeSet<usize>,
    denominator: Denominator,
) -> Vec<Share> {
    let mut shares = vec![Share::default(); answers.conditions().len()];
    for given in answers.given() {
        let chosen = questions.contains(&given.question);
        if chosen || denominator == Denominator::Paper {
            let answerable = !chosen || given.choice != Choice::Unanswerable;
            shares[given.condition] += Share::of([answerable]);
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comprehension::Answer;

    #[test]
    fn more_than_half_of_the_readers_make_a_question_answerable() {
        let given = [
            ("human", "tie", Choice::A),
            ("human", "tie", Choice::Unanswerable),
            ("human", "most", Choice::B),
            ("human", "most", Choice::C),
            ("human", "most", Choice::Unanswerable),
            ("system", "only here", Choice::A),
            ("system", "most", Choice::Unanswerable),
        ];
        let answers: Answers = given
            .iter()
            .map(|(condition, question, choice)| Answer {
                condition,
                passage: "1",
                question,
                participant: None,
                choice: *choice,
                place: None,
            })
            .collect();
        let chosen = answerable_in(&answers, &[0]);
        assert_eq!(
            chosen,
            BTreeSet::from([1]),
            "the tie is not, what is not asked is not"
        );
        assert_eq!(answerable_in(&answers, &[]).len(), 3);
        let on = |denominator| answerability_on(&answers, &chosen, denominator);
        let shares = |of: [(usize, usize); 2]| of.map(|(count, of)| Share { count, of });
        assert_eq!(on(Denominator::Chosen), shares([(2, 3), (0, 1)]));
        assert_eq!(on(Denominator::Paper), shares([(4, 5), (1, 2)]));
    }
}
