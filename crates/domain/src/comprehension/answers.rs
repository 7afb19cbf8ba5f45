//! The answers of readers, from which all figures are computed.

use std::collections::{HashMap, HashSet};

use super::AnswerChoice;

/// One answer of one reader to one question, by names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderAnswer<'a> {
    /// The condition of the text that was read.
    pub condition: &'a str,
    /// The passage.
    pub passage: &'a str,
    /// The question, unlike those of the same passage.
    pub question: &'a str,
    /// The participant; `None` where a file does not name one. Such an answer counts for its condition
    /// and in no figure about participants.
    pub participant: Option<&'a str>,
    /// The answer.
    pub choice: AnswerChoice,
    /// The position at which the answer was shown, from 1 to 5; `None` if not recorded.
    pub place: Option<u8>,
}

/// All answers, with lists of the conditions, passages, questions and participants. The numbers below
/// are indices into these lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerTable {
    conditions: NameIndex,
    passages: NameIndex,
    participants: NameIndex,
    /// Passage and name.
    questions: Vec<(usize, String)>,
    question_at: HashMap<(usize, String), usize>,
    answers: Vec<IndexedAnswer>,
}

/// One answer, by indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedAnswer {
    /// In [`AnswerTable::conditions`].
    pub condition: usize,
    /// In [`AnswerTable::passages`].
    pub passage: usize,
    /// In [`AnswerTable::questions`].
    pub question: usize,
    /// In [`AnswerTable::participants`].
    pub participant: Option<usize>,
    /// The answer.
    pub choice: AnswerChoice,
    /// The position at which it was shown, from 1 to 5.
    pub place: Option<u8>,
}

impl AnswerTable {
    /// A table without answers. `conditions` come first, in this order; others follow as they occur.
    pub fn with_conditions<T: AsRef<str>>(conditions: impl IntoIterator<Item = T>) -> Self {
        let mut answers = Self::default();
        for condition in conditions {
            answers.conditions.intern(condition.as_ref());
        }
        answers
    }

    /// Adds answers. The `passages` with an answer come first, in this order: intervals and draws over passages depend on it,
    /// and must not depend on the order in which people answered.
    pub fn extend_in_order<'a>(
        &mut self,
        passages: impl IntoIterator<Item = &'a str>,
        answers: &[ReaderAnswer<'_>],
    ) {
        let answered: HashSet<&str> = answers.iter().map(|answer| answer.passage).collect();
        for passage in passages.into_iter().filter(|name| answered.contains(name)) {
            self.passages.intern(passage);
        }
        self.extend(answers.iter().copied());
    }

    /// Adds an answer. An answer that is added twice counts twice.
    pub fn add(&mut self, answer: ReaderAnswer<'_>) {
        let passage = self.passages.intern(answer.passage);
        let key = (passage, answer.question.to_owned());
        let next = self.questions.len();
        let question = *self.question_at.entry(key).or_insert(next);
        if question == next {
            self.questions.push((passage, answer.question.to_owned()));
        }

        let answer_indices = IndexedAnswer {
            condition: self.conditions.intern(answer.condition),
            passage,
            question,
            participant: answer
                .participant
                .map(|name| self.participants.intern(name)),
            choice: answer.choice,
            place: answer.place,
        };
        self.answers.push(answer_indices);
    }

    /// The answers in the order in which they were added.
    #[must_use]
    pub fn answers(&self) -> &[IndexedAnswer] {
        &self.answers
    }

    /// The names of the conditions.
    #[must_use]
    pub fn conditions(&self) -> &[String] {
        &self.conditions.list
    }

    /// The names of the passages.
    #[must_use]
    pub fn passages(&self) -> &[String] {
        &self.passages.list
    }

    /// The questions: the number of the passage, and the name.
    #[must_use]
    pub fn questions(&self) -> &[(usize, String)] {
        &self.questions
    }

    /// The names of the participants that are known.
    #[must_use]
    pub fn participants(&self) -> &[String] {
        &self.participants.list
    }

    /// The number of a condition.
    #[must_use]
    pub fn condition(&self, name: &str) -> Option<usize> {
        self.conditions.index.get(name).copied()
    }
}

impl<'a> Extend<ReaderAnswer<'a>> for AnswerTable {
    fn extend<I: IntoIterator<Item = ReaderAnswer<'a>>>(&mut self, answers: I) {
        answers.into_iter().for_each(|answer| self.add(answer));
    }
}

impl<'a> FromIterator<ReaderAnswer<'a>> for AnswerTable {
    fn from_iter<I: IntoIterator<Item = ReaderAnswer<'a>>>(answers: I) -> Self {
        let mut all = Self::default();
        all.extend(answers);
        all
    }
}

/// Names by index, in the order of their first occurrence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct NameIndex {
    list: Vec<String>,
    index: HashMap<String, usize>,
}

impl NameIndex {
    fn intern(&mut self, name: &str) -> usize {
        if let Some(position) = self.index.get(name) {
            return *position;
        }
        self.list.push(name.to_owned());
        self.index.insert(name.to_owned(), self.list.len() - 1);
        self.list.len() - 1
    }
}
