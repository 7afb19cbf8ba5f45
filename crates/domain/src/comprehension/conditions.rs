//! How well readers understood each condition.

use std::{collections::BTreeSet, iter::Sum, ops::AddAssign};

use serde::{Deserialize, Serialize};

use super::{Answers, Choice};
use crate::statistics::{
    Undefined,
    bootstrap::{Interval, Resampling, bootstrap},
    quality::Share,
    ranks::places,
};

/// How often each answer was given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally([usize; 5]);

impl Tally {
    /// Counts one more answer.
    pub fn add(&mut self, choice: Choice) {
        self.0[choice.index()] += 1;
    }

    /// All answers.
    #[must_use]
    pub fn n(self) -> usize {
        self.0.iter().sum()
    }

    /// How often this answer was given.
    #[must_use]
    pub const fn count(self, choice: Choice) -> usize {
        self.0[choice.index()]
    }

    /// The part of all answers that this one is; of A it is the accuracy.
    #[must_use]
    pub fn share(self, choice: Choice) -> Share {
        Share {
            count: self.count(choice),
            of: self.n(),
        }
    }

    /// The part of all answers that is not *unanswerable*.
    #[must_use]
    pub fn answerability(self) -> Share {
        Share {
            count: self.n() - self.count(Choice::Unanswerable),
            of: self.n(),
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |mut sum, tally| {
            sum += tally;
            sum
        })
    }
}

impl FromIterator<Choice> for Tally {
    fn from_iter<I: IntoIterator<Item = Choice>>(choices: I) -> Self {
        let mut tally = Self::default();
        choices.into_iter().for_each(|choice| tally.add(choice));
        tally
    }
}

/// The figures of one condition.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionFigures {
    /// In [`Answers::conditions`].
    pub condition: usize,
    /// Its answers; a question that two readers answered counts twice.
    pub tally: Tally,
    /// The place by accuracy, from 1 for the best; ties share the smallest. `None` without answers.
    pub rank: Option<usize>,
    /// Passages with at least one answer.
    pub passages: usize,
    /// Named participants with at least one answer.
    pub participants: usize,
    /// The percentile interval of the accuracy, from 0 to 1, over resampled passages: how far it
    /// holds for other passages. Beside it stand the intervals of [`Share::wilson`], which take the
    /// answers as independent.
    pub over_passages: Result<Interval, Undefined>,
}

/// The figures of each condition, in the order of [`Answers::conditions`].
#[must_use]
pub fn by_condition(answers: &Answers, resampling: Resampling) -> Vec<ConditionFigures> {
    let cells = cells(answers);
    let tallies: Vec<Tally> = cells.iter().map(|row| row.iter().copied().sum()).collect();
    let ranks = ranks(&tallies);
    let figures = |(condition, tally): (usize, &Tally)| {
        let read: Vec<_> = cells[condition]
            .iter()
            .copied()
            .filter(|cell| cell.n() > 0)
            .collect();
        let of = answers
            .given()
            .iter()
            .filter(|given| given.condition == condition);
        let participants: BTreeSet<_> = of.filter_map(|given| given.participant).collect();
        ConditionFigures {
            condition,
            tally: *tally,
            rank: ranks[condition],
            passages: read.len(),
            participants: participants.len(),
            over_passages: bootstrap(read.len(), resampling, |drawn| {
                let sum: Tally = drawn.iter().map(|at| read[*at]).sum();
                sum.share(Choice::A).rate()
            }),
        }
    };
    tallies.iter().enumerate().map(figures).collect()
}

/// Places by accuracy; `None` without answers.
fn ranks(tallies: &[Tally]) -> Vec<Option<usize>> {
    let rates: Vec<_> = tallies
        .iter()
        .map(|tally| tally.share(Choice::A).rate().ok())
        .collect();
    let mut known = places(&rates.iter().copied().flatten().collect::<Vec<_>>()).into_iter();
    rates
        .iter()
        .map(|rate| rate.and_then(|_| known.next()))
        .collect()
}

/// Tallies by condition, then by passage.
pub(super) fn cells(answers: &Answers) -> Vec<Vec<Tally>> {
    let row = vec![Tally::default(); answers.passages().len()];
    let mut cells = vec![row; answers.conditions().len()];
    for given in answers.given() {
        cells[given.condition][given.passage].add(given.choice);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comprehension::Answer;

    #[test]
    fn equal_accuracies_share_a_rank_also_of_different_numbers() {
        let of = |condition: &'static str, choices: &'static [Choice]| {
            choices.iter().map(move |choice| Answer {
                condition,
                passage: "1",
                question: "1",
                participant: None,
                choice: *choice,
                place: None,
            })
        };
        let mut answers = Answers::of_conditions(["empty"]);
        answers.extend(of("half", &[Choice::A, Choice::B]));
        answers.extend(of("none", &[Choice::Unanswerable]));
        answers.extend(of(
            "half of four",
            &[Choice::A, Choice::D, Choice::A, Choice::C],
        ));
        let found = by_condition(&answers, Resampling::default());
        let ranks: Vec<_> = found.iter().map(|figures| figures.rank).collect();
        assert_eq!(ranks, [None, Some(1), Some(3), Some(1)]);
        assert_eq!(found[2].tally.answerability(), Share { count: 0, of: 1 });
        assert!(
            found[1].over_passages.is_err(),
            "one passage has no interval"
        );
    }
}
