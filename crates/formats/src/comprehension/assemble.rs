//! Passages, assembled from rows that repeat their fields.

use std::collections::{HashMap, HashSet};

use domain::comprehension::{
    AnswerChoice, EvidenceSpans, MaterialName, NonBlankText, Passage, PassagePurpose, Question,
};

use super::{ComprehensionField, ComprehensionFile, ComprehensionFileAnswer, ComprehensionFormat};
use crate::error::{BadRow, clip};

/// The most conditions in a file. Studies have a handful, and a text is found by a linear search of its passage.
const MAX_CONDITIONS: usize = 1_000;
/// The most questions of a passage.
pub(super) const MAX_QUESTIONS: usize = 1_000;
/// The most pieces of evidence of a passage, one for each question in each condition.
const MAX_EVIDENCE: usize = 3_000;

/// The passages and answers that were read so far.
#[derive(Default)]
pub(super) struct ComprehensionBuilder {
    passages: Vec<Passage>,
    index_by_name: HashMap<MaterialName, usize>,
    /// The conditions with a text.
    conditions: HashSet<MaterialName>,
    pub(super) answers: Vec<ComprehensionFileAnswer>,
    /// The lines of answers whose participant is known.
    answer_lines: HashMap<AnswerKey, u64>,
    pub(super) notes: Vec<String>,
    pub(super) bad_rows: Vec<BadRow>,
}

/// The key of an answer: passage, question, condition and participant.
type AnswerKey = [MaterialName; 4];

impl ComprehensionBuilder {
    /// Adds an answer. If a participant answers a question about a text more than once, the first answer counts.
    pub(super) fn add_answer(&mut self, answer: ComprehensionFileAnswer) {
        let ComprehensionFileAnswer {
            line,
            passage,
            question,
            condition,
            participant,
            ..
        } = &answer;

        if let Some(participant) = participant {
            let key = [passage, question, condition, participant].map(MaterialName::clone);
            let first = *self.answer_lines.entry(key).or_insert(*line);
            if first != *line {
                self.notes.push(format!(
                    "Line {line}: {participant} answered question {question} of passage {passage} in {condition} on \
                     line {first} already. The first answer counts."
                ));
                return;
            }
        }

        self.answers.push(answer);
    }

    /// The passage of that name, added if new. The title counts only where the passage has none yet.
    pub(super) fn passage_mut(&mut self, name: &MaterialName, title: &str) -> &mut Passage {
        let next = self.passages.len();
        let at = *self.index_by_name.entry(name.clone()).or_insert(next);
        if at == next {
            self.passages.push(empty_passage(name));
        }

        let passage = &mut self.passages[at];
        if passage.title.is_empty() {
            title.clone_into(&mut passage.title);
        }
        passage
    }

    /// Takes out the passage of that name, without copying its texts, and returns whether it existed. An empty one
    /// takes its place until it is [put back](Self::put_back).
    fn take_out(&mut self, name: &MaterialName) -> (bool, Passage) {
        let place = self
            .index_by_name
            .get(name)
            .map(|at| &mut self.passages[*at]);
        match place {
            Some(passage) => (true, std::mem::replace(passage, empty_passage(name))),
            None => (false, empty_passage(name)),
        }
    }

    /// Puts a passage back in its place, or adds it if it is new. The title counts only where it has none.
    fn put_back(&mut self, passage: Passage, title: &str) {
        let place = self.passage_mut(&passage.name, "");
        *place = passage;
        if place.title.is_empty() {
            title.clone_into(&mut place.title);
        }
    }

    /// Adds all that `add` adds to the passage of that name, or nothing. The title counts only where the passage has
    /// none. `refuse` makes the error where a limit is exceeded, from the field at fault and the reason.
    pub(super) fn add_to_passage<T, E>(
        &mut self,
        name: &MaterialName,
        title: &str,
        add: impl FnOnce(&mut Passage) -> Result<T, E>,
        refuse: impl FnOnce(ComprehensionField, String) -> E,
    ) -> Result<T, E> {
        let (is_known, mut passage) = self.take_out(name);
        let before = PassageSize::new(&passage);

        let added = add(&mut passage).and_then(|added| {
            let checked = self.check_limits(&passage, &before);
            checked.map_err(|(field, reason)| refuse(field, reason))?;
            Ok(added)
        });

        if added.is_err() {
            before.restore(&mut passage);
        }
        if is_known || added.is_ok() {
            self.put_back(passage, if added.is_ok() { title } else { "" });
        }
        added
    }

    /// Checks what was added to a passage against the limits. `Err` has the field at fault and the reason.
    fn check_limits(
        &mut self,
        passage: &Passage,
        before: &PassageSize,
    ) -> Result<(), (ComprehensionField, String)> {
        let too_many = |field, most, things| {
            let reason = format!("is one more than the {most} {things}");
            Err((field, reason))
        };

        let (questions, evidence) = (passage.questions.len(), passage.spans.len());
        if questions > before.questions && questions > MAX_QUESTIONS {
            let things = "that a passage may have";
            return too_many(ComprehensionField::Asked, MAX_QUESTIONS, things);
        }
        if evidence > before.spans && evidence > MAX_EVIDENCE {
            let things = "stretches of evidence that a passage may have";
            return too_many(ComprehensionField::Critical, MAX_EVIDENCE, things);
        }

        for (condition, _) in &passage.texts[before.texts..] {
            if !self.conditions.contains(condition) {
                if self.conditions.len() >= MAX_CONDITIONS {
                    let reason = "is one more than the conditions that a file may have";
                    return Err((
                        ComprehensionField::Condition,
                        format!("{reason}, {MAX_CONDITIONS}"),
                    ));
                }
                self.conditions.insert(condition.clone());
            }
        }
        Ok(())
    }

    pub(super) fn finish(self, format: ComprehensionFormat) -> ComprehensionFile {
        ComprehensionFile {
            format,
            passages: self.passages,
            answers: self.answers,
            notes: self.notes,
            bad_rows: self.bad_rows,
        }
    }
}

/// The sizes and the purpose of a passage before a row was added.
struct PassageSize {
    texts: usize,
    questions: usize,
    spans: usize,
    purpose: PassagePurpose,
}

impl PassageSize {
    const fn new(passage: &Passage) -> Self {
        Self {
            texts: passage.texts.len(),
            questions: passage.questions.len(),
            spans: passage.spans.len(),
            purpose: passage.purpose,
        }
    }

    /// Undoes all later additions.
    fn restore(&self, passage: &mut Passage) {
        passage.texts.truncate(self.texts);
        passage.questions.truncate(self.questions);
        passage.spans.truncate(self.spans);
        passage.purpose = self.purpose;
    }
}

/// A passage without texts and questions.
fn empty_passage(name: &MaterialName) -> Passage {
    Passage {
        name: name.clone(),
        title: String::new(),
        texts: vec![],
        questions: vec![],
        spans: vec![],
        purpose: PassagePurpose::Main,
    }
}

/// Adds the text of a condition; refuses one that differs from the text already there.
pub(super) fn add_text(
    passage: &mut Passage,
    condition: &MaterialName,
    text: NonBlankText,
) -> Result<(), String> {
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

/// Adds a question; refuses one that differs from an earlier question of that name.
pub(super) fn add_question(
    passage: &mut Passage,
    name: &MaterialName,
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

/// Adds the spans of the evidence, unless there are none or an earlier row stated them.
pub(super) fn add_spans(
    passage: &mut Passage,
    condition: &MaterialName,
    question: &MaterialName,
    spans: EvidenceSpans,
) {
    let mut stated = passage.spans.iter();
    let is_stated = stated.any(|(own_condition, own_question, _)| {
        own_condition == condition && own_question == question
    });
    if spans != EvidenceSpans::default() && !is_stated {
        let spans = (condition.clone(), question.clone(), spans);
        passage.spans.push(spans);
    }
}

/// Parses an answer: a letter, a spelling of *unanswerable*, or the words of one of the four answers.
pub(super) fn parse_choice(question: &Question, written: &str) -> Result<AnswerChoice, String> {
    let plain = written.trim();
    if plain.eq_ignore_ascii_case(AnswerChoice::Unanswerable.name())
        || plain.eq_ignore_ascii_case("UA")
        || plain.eq_ignore_ascii_case(super::UNANSWERABLE)
    {
        return Ok(AnswerChoice::Unanswerable);
    }

    let choice = question.choice(plain).or_else(|| plain.parse().ok());
    choice.ok_or_else(|| {
        let plain = clip(plain);
        format!(
            "“{plain}” is none of the question's answers: write A, B, C, D or unanswerable, or the \
             answer's own words"
        )
    })
}
