//! Figures of each question and of each passage.

use super::{Answers, conditions::Tally};

/// The answers to one question, or to the questions of one passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFigures {
    /// In [`Answers::passages`].
    pub passage: usize,
    /// In [`Answers::questions`]; `None` for the passage as a whole.
    pub question: Option<usize>,
    /// Those of all conditions together.
    pub all: Tally,
    /// Those of each, in the order of [`Answers::conditions`].
    pub by_condition: Vec<Tally>,
}

/// Each question's answers, in the order of [`Answers::questions`].
#[must_use]
pub fn by_question(answers: &Answers) -> Vec<ItemFigures> {
    let questions = answers.questions().iter().enumerate();
    let empty = questions.map(|(question, (passage, _))| none(answers, *passage, Some(question)));
    let mut figures: Vec<_> = empty.collect();
    for given in answers.given() {
        figures[given.question].count(given);
    }
    figures
}

/// Each passage's answers, in the order of [`Answers::passages`].
#[must_use]
pub fn by_passage(answers: &Answers) -> Vec<ItemFigures> {
    let passages = 0..answers.passages().len();
    let mut figures: Vec<_> = passages
        .map(|passage| none(answers, passage, None))
        .collect();
    for given in answers.given() {
        figures[given.passage].count(given);
    }
    figures
}

impl ItemFigures {
    fn count(&mut self, given: &super::Given) {
        self.all.add(given.choice);
        self.by_condition[given.condition].add(given.choice);
    }
}

fn none(answers: &Answers, passage: usize, question: Option<usize>) -> ItemFigures {
    ItemFigures {
        passage,
        question,
        all: Tally::default(),
        by_condition: vec![Tally::default(); answers.conditions().len()],
    }
}
