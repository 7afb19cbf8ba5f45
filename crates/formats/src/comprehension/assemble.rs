//! From rows that repeat themselves to passages.

use std::collections::HashMap;

use domain::comprehension::{Choice, Name, Passage, PassagePurpose, Question, Spans, Text};

use super::{Comprehension, FileAnswer, Format};
use crate::fault::{BadRow, clip};

/// What was read so far.
#[derive(Default)]
pub(super) struct Assembler {
    passages: Vec<Passage>,
    at: HashMap<Name, usize>,
    pub(super) answers: Vec<FileAnswer>,
    pub(super) notes: Vec<String>,
    pub(super) bad_rows: Vec<BadRow>,
}

impl Assembler {
    /// The passage of that name, a new one where there is none. A title given later is taken where
    /// there was none.
    pub(super) fn passage(&mut self, name: &Name, title: &str) -> &mut Passage {
        let next = self.passages.len();
        let at = *self.at.entry(name.clone()).or_insert(next);
        if at == next {
            self.passages.push(Passage {
                name: name.clone(),
                title: String::new(),
                texts: vec![],
                questions: vec![],
                spans: vec![],
                purpose: PassagePurpose::Main,
            });
        }
        let passage = &mut self.passages[at];
        if passage.title.is_empty() {
            title.clone_into(&mut passage.title);
        }
        passage
    }

    /// The passage of that name, where there is one.
    pub(super) fn known(&self, name: &Name) -> Option<&Passage> {
        self.at.get(name).map(|at| &self.passages[*at])
    }

    pub(super) fn finish(self, format: Format) -> Comprehension {
        Comprehension {
            format,
            passages: self.passages,
            answers: self.answers,
            notes: self.notes,
            bad_rows: self.bad_rows,
        }
    }
}

/// Adds the text of a condition; refuses another one than is there.
pub(super) fn add_text(passage: &mut Passage, condition: &Name, text: Text) -> Result<(), String> {
    match passage.texts.iter().find(|(own, _)| own == condition) {
        None => passage.texts.push((condition.clone(), text)),
        Some((_, own)) if *own == text => {}
        Some(_) => {
            let name = clip(passage.name.as_str());
            return Err(format!(
                "passage {name} has another text in {condition} further up: \
                 keep one of them, or give the passages different names"
            ));
        }
    }
    Ok(())
}

/// Adds a question; refuses another one of the same name.
pub(super) fn add_question(
    passage: &mut Passage,
    name: &Name,
    question: Question,
) -> Result<(), String> {
    match passage.questions.iter().find(|(own, _)| own == name) {
        None => passage.questions.push((name.clone(), question)),
        Some((_, own)) if *own == question => {}
        Some(_) => {
            let passage = clip(passage.name.as_str());
            return Err(format!(
                "question {name} of passage {passage} is another one further up: \
                 give them different names"
            ));
        }
    }
    Ok(())
}

/// Adds where the evidence stands, unless there is none or it was said further up.
pub(super) fn add_spans(passage: &mut Passage, condition: &Name, question: &Name, spans: Spans) {
    let mut said = passage.spans.iter();
    let is_said = said.any(|(of, own, _)| of == condition && own == question);
    if spans != Spans::default() && !is_said {
        let spans = (condition.clone(), question.clone(), spans);
        passage.spans.push(spans);
    }
}

/// An answer as a letter, as the words of *unanswerable*, or as the words of one of the four.
pub(super) fn choice(question: &Question, written: &str) -> Result<Choice, String> {
    let plain = written.trim();
    if plain.eq_ignore_ascii_case(Choice::Unanswerable.name())
        || plain.eq_ignore_ascii_case("UA")
        || plain.eq_ignore_ascii_case(super::UNANSWERABLE)
    {
        return Ok(Choice::Unanswerable);
    }
    let found = question.choice(plain).or_else(|| plain.parse().ok());
    found.ok_or_else(|| {
        let plain = clip(plain);
        format!(
            "“{plain}” is none of the question's answers: write A, B, C, D or unanswerable, or the \
             answer's own words"
        )
    })
}
