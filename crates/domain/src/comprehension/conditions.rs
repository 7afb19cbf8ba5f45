//! How well readers understood each condition.

use std::{collections::BTreeSet, iter::Sum, ops::AddAssign};

use serde::{Deserialize, Serialize};

use super::{AnswerChoice, AnswerTable};
use crate::statistics::{
    UndefinedReason,
    bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap},
    quality::Proportion,
    ranks::competition_ranks,
};

/// How often each answer was given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceTally([usize; 5]);

impl ChoiceTally {
    /// Counts one more answer.
    pub fn add(&mut self, choice: AnswerChoice) {
        self.0[choice.index()] += 1;
    }

    /// All answers.
    #[must_use]
    pub fn n(self) -> usize {
        self.0.iter().sum()
    }

    /// How often this answer was given.
    #[must_use]
    pub const fn count(self, choice: AnswerChoice) -> usize {
        self.0[choice.index()]
    }

    /// The share of this answer among all answers; for A, the accuracy.
    #[must_use]
    pub fn share(self, choice: AnswerChoice) -> Proportion {
        Proportion {
            count: self.count(choice),
            total: self.n(),
        }
    }

    /// The share of answers that are not *unanswerable*.
    #[must_use]
    pub fn answerability(self) -> Proportion {
        Proportion {
            count: self.n() - self.count(AnswerChoice::Unanswerable),
            total: self.n(),
        }
    }
}

impl AddAssign for ChoiceTally {
    fn add_assign(&mut self, other: Self) {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own += other;
        }
    }
}

impl Sum for ChoiceTally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |mut sum, tally| {
            sum += tally;
            sum
        })
    }
}

impl FromIterator<AnswerChoice> for ChoiceTally {
    fn from_iter<I: IntoIterator<Item = AnswerChoice>>(choices: I) -> Self {
        let mut tally = Self::default();
        choices.into_iter().for_each(|choice| tally.add(choice));
        tally
    }
}

/// The figures of one condition.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionFigures {
    /// In [`AnswerTable::conditions`].
    pub condition: usize,
    /// Its answers; a question that two readers answered counts twice.
    pub tally: ChoiceTally,
    /// The rank by accuracy, from 1 for the best; ties share the smallest rank. `None` without answers.
    pub rank: Option<usize>,
    /// Passages with at least one answer.
    pub passages: usize,
    /// Named participants with at least one answer.
    pub participants: usize,
    /// The percentile interval of the accuracy, from 0 to 1, over resampled passages: how well it
    /// generalises to other passages. Pages also show the intervals of
    /// [`Proportion::wilson`](crate::statistics::quality::Proportion::wilson), which assume independent
    /// answers.
    pub over_passages: Result<BootstrapInterval, UndefinedReason>,
}

/// The figures of each condition, in the order of [`AnswerTable::conditions`].
#[must_use]
pub fn figures_by_condition(
    answers: &AnswerTable,
    resampling: ResamplingOptions,
) -> Vec<ConditionFigures> {
    let cells = tally_cells(answers);
    let tallies: Vec<ChoiceTally> = cells.iter().map(|row| row.iter().copied().sum()).collect();
    let ranks = ranks(&tallies);

    let figures = tallies.iter().enumerate().map(|(condition, tally)| {
        let answered_cells: Vec<_> = cells[condition]
            .iter()
            .copied()
            .filter(|cell| cell.n() > 0)
            .collect();
        let condition_answers = answers
            .answers()
            .iter()
            .filter(|answer| answer.condition == condition);
        let participants: BTreeSet<_> = condition_answers
            .filter_map(|answer| answer.participant)
            .collect();

        ConditionFigures {
            condition,
            tally: *tally,
            rank: ranks[condition],
            passages: answered_cells.len(),
            participants: participants.len(),
            over_passages: bootstrap(answered_cells.len(), resampling, |drawn| {
                let sum: ChoiceTally = drawn.iter().map(|at| answered_cells[*at]).sum();
                sum.share(AnswerChoice::A).rate()
            }),
        }
    });
    figures.collect()
}

/// Ranks by accuracy; `None` without answers.
fn ranks(tallies: &[ChoiceTally]) -> Vec<Option<usize>> {
    let rates: Vec<_> = tallies
        .iter()
        .map(|tally| tally.share(AnswerChoice::A).rate().ok())
        .collect();
    let mut accuracies =
        competition_ranks(&rates.iter().copied().flatten().collect::<Vec<_>>()).into_iter();
    rates
        .iter()
        .map(|rate| rate.and_then(|_| accuracies.next()))
        .collect()
}

/// Tallies by condition, then by passage.
pub(super) fn tally_cells(answers: &AnswerTable) -> Vec<Vec<ChoiceTally>> {
    let row = vec![ChoiceTally::default(); answers.passages().len()];
    let mut cells = vec![row; answers.conditions().len()];
    for answer in answers.answers() {
        cells[answer.condition][answer.passage].add(answer.choice);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comprehension::ReaderAnswer;

    #[test]
    fn equal_accuracies_share_a_rank_also_of_different_numbers() {
        let reader_answers = |condition: &'static str, choices: &'static [AnswerChoice]| {
            choices.iter().map(move |choice| ReaderAnswer {
                condition,
                passage: "1",
                question: "1",
                participant: None,
                choice: *choice,
                place: None,
            })
        };
        let mut answers = AnswerTable::with_conditions(["empty"]);
        answers.extend(reader_answers("half", &[AnswerChoice::A, AnswerChoice::B]));
        answers.extend(reader_answers("none", &[AnswerChoice::Unanswerable]));
        answers.extend(reader_answers(
            "half of four",
            &[
                AnswerChoice::A,
                AnswerChoice::D,
                AnswerChoice::A,
                AnswerChoice::C,
            ],
        ));
        let conditions = figures_by_condition(&answers, ResamplingOptions::default());
        let ranks: Vec<_> = conditions.iter().map(|figures| figures.rank).collect();
        assert_eq!(ranks, [None, Some(1), Some(3), Some(1)]);
        assert_eq!(
            conditions[2].tally.answerability(),
            Proportion { count: 0, total: 1 }
        );
        assert!(
            conditions[1].over_passages.is_err(),
            "one passage has no interval"
        );
    }
}
