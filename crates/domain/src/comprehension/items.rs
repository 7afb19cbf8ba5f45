//! Figures of each question and of each passage.

use super::{AnswerTable, conditions::ChoiceTally};

/// The answers to one question, or to the questions of one passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFigures {
    /// In [`AnswerTable::passages`].
    pub passage: usize,
    /// In [`AnswerTable::questions`]; `None` for the passage as a whole.
    pub question: Option<usize>,
    /// The answers in all conditions together.
    pub all: ChoiceTally,
    /// The answers in each condition, in the order of [`AnswerTable::conditions`].
    pub by_condition: Vec<ChoiceTally>,
}

/// Each question's answers, in the order of [`AnswerTable::questions`].
#[must_use]
pub fn figures_by_question(answers: &AnswerTable) -> Vec<ItemFigures> {
    let questions = answers.questions().iter().enumerate();
    let empty =
        questions.map(|(question, (passage, _))| empty_figures(answers, *passage, Some(question)));
    let mut figures: Vec<_> = empty.collect();
    for answer in answers.answers() {
        figures[answer.question].count(answer);
    }
    figures
}

/// Each passage's answers, in the order of [`AnswerTable::passages`].
#[must_use]
pub fn figures_by_passage(answers: &AnswerTable) -> Vec<ItemFigures> {
    let passages = 0..answers.passages().len();
    let mut figures: Vec<_> = passages
        .map(|passage| empty_figures(answers, passage, None))
        .collect();
    for answer in answers.answers() {
        figures[answer.passage].count(answer);
    }
    figures
}

impl ItemFigures {
    fn count(&mut self, answer: &super::IndexedAnswer) {
        self.all.add(answer.choice);
        self.by_condition[answer.condition].add(answer.choice);
    }
}

fn empty_figures(answers: &AnswerTable, passage: usize, question: Option<usize>) -> ItemFigures {
    ItemFigures {
        passage,
        question,
        all: ChoiceTally::default(),
        by_condition: vec![ChoiceTally::default(); answers.conditions().len()],
    }
}
