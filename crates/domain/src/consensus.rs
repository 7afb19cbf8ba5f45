//! A consensus: people who judged the same source agree on one judgement, question by question, and each of their own
//! judgements stays as it is.
//!
//! The questions are those that the protocol asks: categories, scores, comparisons, whether an output can be judged,
//! answers to the study's own questions, and each mark or edit of any rater. Edits are decided as marks, and stored as edits.
//! Notes and the order of outputs are left out.

mod edits;

use std::collections::BTreeMap;

use self::edits::{confirm_edits, marks_of_confirmed, marks_of_given};
use crate::{
    category::Category,
    edit::Edit,
    ids::OutputId,
    protocol::{AnswerStep, StudyProtocol},
    questions::{AskedQuestion, QuestionSubject},
    span_marks::{MarkGap, SpanMark, sort_marks, taxonomy::SpanTaxonomy},
    study::Dimension,
    work::change::{AnnotationAnswer, AnnotationSlot, StoredAnswer},
};

/// The fewest people who can agree on a source.
pub const FEWEST_RATERS: usize = 2;

/// The matter of a consensus: the outputs of a source, the questions about them, and each rater's answers.
#[derive(Debug, Clone)]
pub struct ConsensusBasis<'a> {
    /// The protocol of the study.
    pub protocol: &'a StudyProtocol,
    /// The dimensions of its scores and comparisons.
    pub dimensions: &'a [Dimension],
    /// The text of the source.
    pub source: &'a str,
    /// The outputs that are judged.
    pub outputs: &'a [ConsensusOutput],
    /// The answers of each rater.
    pub raters: &'a [Vec<StoredAnswer>],
}

/// An output that is judged, with its automatic answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsensusOutput {
    /// The output.
    pub output: OutputId,
    /// Its text.
    pub text: String,
    /// Its automatic category.
    pub category: Category,
    /// Its automatic edits.
    pub edits: Vec<Edit>,
}

/// A question to which each rater gave one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsensusQuestion {
    /// The slot that it is about.
    pub slot: AnnotationSlot,
    /// The answer of each rater, in their order; `None` where a rater gave none.
    pub given: Vec<Option<AnnotationAnswer>>,
    /// Whether each rater was asked: of scores, raters of a group may not rate the dimension.
    pub asked: Vec<bool>,
}

impl ConsensusQuestion {
    /// A question that was put to all raters.
    fn put_to_all(slot: AnnotationSlot, given: Vec<Option<AnnotationAnswer>>) -> Self {
        let asked = vec![true; given.len()];
        Self { slot, given, asked }
    }

    /// The answer that all raters gave who were asked.
    #[must_use]
    pub fn shared(&self) -> Option<&AnnotationAnswer> {
        let answers = self.given.iter().zip(&self.asked);
        let mut answers = answers
            .filter(|(_, asked)| **asked)
            .map(|(answer, _)| answer.as_ref());
        let first = answers.next()??;
        answers.all(|answer| answer == Some(first)).then_some(first)
    }
}

/// A mark of at least one rater, or one that was added to the consensus: the same words with the same type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkQuestion {
    /// Its words and its type, without a level.
    pub mark: SpanMark,
    /// How each rater marked it, in their order.
    pub given: Vec<GivenMark>,
}

/// How a rater marked some words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenMark {
    /// Not, or not with this type.
    Absent,
    /// With this level; `None` where the study has no levels.
    Marked(Option<String>),
}

impl MarkQuestion {
    /// The question about a mark, whatever its level.
    fn new(mark: &SpanMark, given: Vec<GivenMark>) -> Self {
        let mark = SpanMark {
            level: None,
            ..mark.clone()
        };
        Self { mark, given }
    }

    /// The mark as all raters made it.
    #[must_use]
    pub fn shared(&self) -> Option<SpanMark> {
        let GivenMark::Marked(level) = self.given.first()? else {
            return None;
        };
        let is_shared = self.given.iter().all(|given| *given == self.given[0]);
        is_shared.then(|| SpanMark {
            level: level.clone(),
            ..self.mark.clone()
        })
    }

    /// Whether a mark is of the same words with the same type.
    #[must_use]
    pub fn concerns(&self, mark: &SpanMark) -> bool {
        let own = &self.mark;
        (&own.kind, &own.source, &own.output) == (&mark.kind, &mark.source, &mark.output)
    }
}

/// An answer of the consensus.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsensusAnswer {
    /// The slot and the answer. For marks: those that are kept.
    pub stored: StoredAnswer,
    /// The marks that were decided to be left out.
    pub left_out: Vec<SpanMark>,
}

/// A question that is still to be decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenQuestion {
    /// One with a single answer.
    Answer(AnnotationSlot),
    /// Some of the marks of an output: that many.
    Marks(OutputId, usize),
}

impl OpenQuestion {
    /// How many decisions it needs.
    #[must_use]
    pub const fn count(&self) -> usize {
        match self {
            Self::Answer(_) => 1,
            Self::Marks(_, marks) => *marks,
        }
    }
}

impl ConsensusBasis<'_> {
    /// The questions with a single answer: those about the source, then output by output; comparisons come last. `decided`
    /// shows the study's own questions that depend on other answers.
    #[must_use]
    pub fn questions(&self, decided: &[ConsensusAnswer]) -> Vec<ConsensusQuestion> {
        let mut questions = self.asked_questions(None, decided);
        for ConsensusOutput {
            output,
            category: automatic,
            ..
        } in self.outputs
        {
            let output = *output;
            if self.protocol.categorises() {
                let slot = AnnotationSlot::Category { output };
                // Without a correction a rater agrees with the computer.
                let category = |answer: Option<AnnotationAnswer>| match answer {
                    Some(AnnotationAnswer::Category(Some(own))) => own,
                    _ => *automatic,
                };
                let given = self.given(&slot).into_iter();
                let given = given
                    .map(|answer| Some(AnnotationAnswer::Category(Some(category(answer)))))
                    .collect();
                questions.push(ConsensusQuestion::put_to_all(slot, given));
            }
            if !self.protocol.scores() {
                questions.extend(self.asked_questions(Some((output, *automatic)), decided));
                continue;
            }
            let slot = AnnotationSlot::Unjudged { output };
            let given = self.given(&slot);
            if given.iter().any(Option::is_some) {
                let can_judge = || AnnotationAnswer::Unjudged(None);
                let given = given.into_iter();
                let given = given.map(|answer| Some(answer.unwrap_or_else(can_judge)));
                questions.push(ConsensusQuestion::put_to_all(slot, given.collect()));
            }
            for dimension in self.dimensions {
                let slot = AnnotationSlot::Rating {
                    output,
                    dimension: dimension.name.clone(),
                };
                let given = self.given(&slot);
                let asked = self.asked_to_rate(&dimension.name);
                if asked.contains(&true) {
                    questions.push(ConsensusQuestion { slot, given, asked });
                }
            }
            questions.extend(self.asked_questions(Some((output, *automatic)), decided));
        }
        questions.extend(self.comparisons());
        questions
    }

    /// The study's own questions about an output, or about the source, that a rater answered or that the consensus shows.
    fn asked_questions(
        &self,
        about: Option<(OutputId, Category)>,
        decided: &[ConsensusAnswer],
    ) -> Vec<ConsensusQuestion> {
        let Some(step) = self.protocol.answer_step() else {
            return vec![];
        };
        let output = about.map(|(output, _)| output);
        let by_rater: Vec<_> = self
            .raters
            .iter()
            .map(|answers| {
                let is_unjudged = output.is_some_and(|output| {
                    find_given(answers, &AnnotationSlot::Unjudged { output }).is_some()
                });
                match is_unjudged {
                    true => vec![],
                    false => shown_questions(step, about, |slot| find_given(answers, slot)),
                }
            })
            .collect();
        let agreed = shown_questions(step, about, |slot| find_decided(decided, slot));
        let asked = step.questions.iter().filter_map(|question| {
            let key = question.key.clone();
            let slot = AnnotationSlot::Question { output, key };
            let is_in = |shown: &[&AskedQuestion]| shown.iter().any(|own| own.key == question.key);
            let given: Vec<_> = by_rater
                .iter()
                .zip(self.raters)
                .map(|(shown, answers)| find_given(answers, &slot).filter(|_| is_in(shown)))
                .map(|answer| answer.filter(|answer| counts(question, answer)))
                .collect();
            let is_asked = is_in(&agreed) || given.iter().any(Option::is_some);
            is_asked.then(|| ConsensusQuestion::put_to_all(slot, given))
        });
        asked.collect()
    }

    /// Whether a question of the study needs a decision: it is required, and shown beside what is decided.
    fn needs_answer(
        &self,
        (output, key): (Option<OutputId>, &str),
        decided: &[ConsensusAnswer],
    ) -> bool {
        let Some(step) = self.protocol.answer_step() else {
            return false;
        };
        let about = output.and_then(|output| {
            let own = self.find_output(output)?;
            Some((own.output, own.category))
        });
        let shown = shown_questions(step, about, |slot| find_decided(decided, slot));
        let mut shown = shown.iter();
        shown.any(|question| question.key == key && question.required)
    }

    /// The comparisons of all raters, each once, by their outputs and dimensions.
    fn comparisons(&self) -> Vec<ConsensusQuestion> {
        let answers = self.raters.iter().flatten();
        let mut slots: Vec<_> = answers
            .filter(|answer| answer.answer != answer.slot.unanswered())
            .map(|answer| &answer.slot)
            .filter(|slot| match slot {
                AnnotationSlot::Comparison { outputs, dimension } => {
                    let is_shown = |id: &OutputId| self.find_output(*id).is_some();
                    outputs.iter().all(is_shown)
                        && self.dimensions.iter().any(|own| own.name == *dimension)
                }
                _ => false,
            })
            .collect();
        slots.sort_unstable();
        slots.dedup();
        if !self.protocol.compares() {
            slots.clear();
        }
        let question =
            |slot: &AnnotationSlot| ConsensusQuestion::put_to_all(slot.clone(), self.given(slot));
        slots.into_iter().map(question).collect()
    }

    /// The marks or edits of an output by any rater, and marks of `decided` that no rater made, in the order of its words.
    /// Those of raters who could not judge the output are left out.
    #[must_use]
    pub fn mark_questions(
        &self,
        output: OutputId,
        decided: &[ConsensusAnswer],
    ) -> Vec<MarkQuestion> {
        let Some(slot) = self.marks_slot(output) else {
            return vec![];
        };
        let absent = vec![GivenMark::Absent; self.raters.len()];
        let mut questions: Vec<MarkQuestion> = vec![];
        let unjudged = self.given(&AnnotationSlot::Unjudged { output });
        let given = self
            .raters
            .iter()
            .map(|answers| self.given_marks(answers, &slot));
        for (rater, (marks, unjudged)) in given.zip(unjudged).enumerate() {
            if unjudged.is_some() {
                continue;
            }
            for mark in marks {
                // Where a rater marked the same words twice with one type, the first mark says it.
                let known = questions.iter().position(|known| known.concerns(&mark));
                let at = known.unwrap_or_else(|| {
                    questions.push(MarkQuestion::new(&mark, absent.clone()));
                    questions.len() - 1
                });
                let place = &mut questions[at].given[rater];
                if *place == GivenMark::Absent {
                    *place = GivenMark::Marked(mark.level);
                }
            }
        }
        let decided = decided.iter().find(|answer| answer.stored.slot == slot);
        // Those that were left out again can come back.
        let added = decided.map(|decided| [decided.kept(), decided.left_out.clone()].concat());
        for mark in added.iter().flatten() {
            if !questions.iter().any(|known| known.concerns(mark)) {
                questions.push(MarkQuestion::new(mark, absent.clone()));
            }
        }
        let mut order: Vec<_> = questions
            .iter()
            .map(|question| question.mark.clone())
            .collect();
        sort_marks(&mut order);
        questions.sort_by_key(|question| order.iter().position(|mark| question.concerns(mark)));
        questions
    }

    /// The answers with which a consensus begins: what all raters said.
    #[must_use]
    pub fn shared_answers(&self) -> Vec<(AnnotationSlot, AnnotationAnswer)> {
        let questions = self.questions(&[]);
        let shared = questions.iter().filter_map(|question| {
            let answer = question.shared()?;
            Some((question.slot.clone(), answer.clone()))
        });
        let mut shared: Vec<_> = shared.collect();
        for ConsensusOutput { output, .. } in self.outputs {
            let Some(slot) = self.marks_slot(*output) else {
                continue;
            };
            let unjudged = self.given(&AnnotationSlot::Unjudged { output: *output });
            if unjudged.iter().all(Option::is_some) {
                continue;
            }
            let questions = self.mark_questions(*output, &[]);
            let marks: Vec<_> = questions.iter().filter_map(MarkQuestion::shared).collect();
            if questions.is_empty() || !marks.is_empty() {
                let answer = self.answer_of_marks(&slot, marks);
                shared.push((slot, answer));
            }
        }
        shared
    }

    /// The questions that `decided` leaves open.
    #[must_use]
    pub fn open_questions(&self, decided: &[ConsensusAnswer]) -> Vec<OpenQuestion> {
        let questions = self.questions(decided).into_iter();
        let all_decided = decided;
        let needs_answer = |place: (Option<OutputId>, &str)| self.needs_answer(place, decided);
        let decided: BTreeMap<_, _> = decided
            .iter()
            .map(|answer| (&answer.stored.slot, answer))
            .collect();
        let is_unjudged = |output| {
            let answer = decided.get(&AnnotationSlot::Unjudged { output });
            answer.is_some_and(|answer| answer.stored.answer != answer.stored.slot.unanswered())
        };
        let is_open = |slot: &AnnotationSlot| match slot {
            // “Can be judged” is an answer, too.
            AnnotationSlot::Unjudged { .. } => !decided.contains_key(slot),
            AnnotationSlot::Rating { output, .. }
            | AnnotationSlot::Question {
                output: Some(output),
                ..
            } if is_unjudged(*output) => false,
            AnnotationSlot::Question { output, key } if !needs_answer((*output, key)) => false,
            _ => {
                let answer = decided.get(slot);
                answer.is_none_or(|answer| answer.stored.answer == slot.unanswered())
            }
        };
        let mut open: Vec<_> = questions
            .filter(|question| is_open(&question.slot))
            .map(|question| OpenQuestion::Answer(question.slot))
            .collect();
        let Some(taxonomy) = self.protocol.marked_types() else {
            return open;
        };
        for ConsensusOutput { output, .. } in self.outputs {
            if is_unjudged(*output) {
                continue;
            }
            let slot = self.marks_slot(*output);
            let decided = slot.and_then(|slot| decided.get(&slot));
            let questions = self.mark_questions(*output, all_decided);
            let left = questions.iter().filter(|question| {
                decided.is_none_or(|decided| !decided.decides(question, &taxonomy))
            });
            match left.count() {
                0 => {}
                left => open.push(OpenQuestion::Marks(*output, left)),
            }
        }
        open
    }

    /// The slot of an output's marks, or of its edits; `None` where the protocol asks for neither. That annotators see edits is
    /// not enough.
    #[must_use]
    pub fn marks_slot(&self, output: OutputId) -> Option<AnnotationSlot> {
        if self.protocol.mark_spans_step().is_some() {
            return Some(AnnotationSlot::Marks { output });
        }
        let checks_edits = self.protocol.checks_edits();
        checks_edits.then_some(AnnotationSlot::Edits { output })
    }

    /// The answer to a [`marks_slot`](Self::marks_slot) that keeps those marks. Of edits, the automatic ones without a mark stay.
    #[must_use]
    pub fn answer_of_marks(&self, slot: &AnnotationSlot, marks: Vec<SpanMark>) -> AnnotationAnswer {
        let AnnotationSlot::Edits { output } = slot else {
            return AnnotationAnswer::Marks(Some(marks));
        };
        let automatic = self
            .find_output(*output)
            .map_or(&[][..], |own| own.edits.as_slice());
        let given = self
            .given(slot)
            .into_iter()
            .filter_map(|answer| match answer {
                Some(AnnotationAnswer::Edits(edits)) => edits,
                _ => None,
            });
        let known: Vec<_> = given.flatten().chain(automatic.iter().cloned()).collect();
        let texts = self.texts(*output);
        AnnotationAnswer::Edits(Some(confirm_edits(&marks, &known, automatic, texts)))
    }

    /// A rater's marks of an output, or the edits that carry one; without corrections a rater agrees with the automatic ones.
    fn given_marks(&self, answers: &[StoredAnswer], slot: &AnnotationSlot) -> Vec<SpanMark> {
        let given = find_given(answers, slot);
        match (slot, given) {
            (AnnotationSlot::Edits { output }, given) => {
                let automatic = || self.find_output(*output).map(|own| own.edits.clone());
                let edits = match given {
                    Some(AnnotationAnswer::Edits(Some(own))) => Some(own),
                    _ => automatic(),
                };
                marks_of_given(edits.unwrap_or_default(), self.texts(*output))
            }
            (_, Some(AnnotationAnswer::Marks(Some(marks)))) => marks,
            _ => vec![],
        }
    }

    /// The texts of the source and of an output.
    fn texts(&self, output: OutputId) -> (&str, &str) {
        let text = self.find_output(output).map(|own| own.text.as_str());
        (self.source, text.unwrap_or_default())
    }

    fn find_output(&self, output: OutputId) -> Option<&ConsensusOutput> {
        self.outputs.iter().find(|own| own.output == output)
    }

    /// Whether each rater was asked for scores on a dimension: raters who scored on others alone were not.
    fn asked_to_rate(&self, dimension: &str) -> Vec<bool> {
        let rates = |answers: &Vec<StoredAnswer>| {
            let scores = answers
                .iter()
                .filter(|answer| answer.answer != answer.slot.unanswered());
            let scored = scores.filter_map(|answer| match &answer.slot {
                AnnotationSlot::Rating { dimension, .. } => Some(dimension.as_str()),
                _ => None,
            });
            let scored: Vec<_> = scored.collect();
            scored.is_empty() || scored.contains(&dimension)
        };
        self.raters.iter().map(rates).collect()
    }

    /// Each rater's current answer to a slot.
    fn given(&self, slot: &AnnotationSlot) -> Vec<Option<AnnotationAnswer>> {
        let own = |answers: &Vec<StoredAnswer>| find_given(answers, slot);
        self.raters.iter().map(own).collect()
    }
}

/// The marks that an answer of a consensus keeps, of edits those that carry them; none of another answer.
#[must_use]
pub fn kept_marks(answer: &AnnotationAnswer) -> Vec<SpanMark> {
    match answer {
        AnnotationAnswer::Marks(Some(marks)) => marks.clone(),
        AnnotationAnswer::Edits(Some(edits)) => marks_of_confirmed(edits),
        _ => vec![],
    }
}

/// A rater's current answer to a slot.
fn find_given(answers: &[StoredAnswer], slot: &AnnotationSlot) -> Option<AnnotationAnswer> {
    let answer = answers.iter().find(|answer| answer.slot == *slot)?;
    (answer.answer != slot.unanswered()).then(|| answer.answer.clone())
}

/// The decision on a slot, where there is one.
fn find_decided(decided: &[ConsensusAnswer], slot: &AnnotationSlot) -> Option<AnnotationAnswer> {
    let answer = decided.iter().find(|answer| answer.stored.slot == *slot)?;
    (answer.stored.answer != slot.unanswered()).then(|| answer.stored.answer.clone())
}

/// Whether an answer is one to a question as it is now.
fn counts(question: &AskedQuestion, answer: &AnnotationAnswer) -> bool {
    let answer = match answer {
        AnnotationAnswer::Question(answer) => answer.as_ref(),
        _ => None,
    };
    question.is_answered_by(answer)
}

/// The questions about an output, with its automatic category, or about the source that are shown beside answers.
fn shown_questions(
    step: &AnswerStep,
    about: Option<(OutputId, Category)>,
    answer: impl Fn(&AnnotationSlot) -> Option<AnnotationAnswer>,
) -> Vec<&AskedQuestion> {
    let subject = about.map_or(QuestionSubject::Source, |(output, automatic)| {
        let category = match answer(&AnnotationSlot::Category { output }) {
            Some(AnnotationAnswer::Category(Some(own))) => own,
            _ => automatic,
        };
        QuestionSubject::Output(output, category)
    });
    step.shown(subject, |output, key| {
        let key = key.to_owned();
        match answer(&AnnotationSlot::Question { output, key }) {
            Some(AnnotationAnswer::Question(answer)) => answer,
            _ => None,
        }
    })
}

impl ConsensusAnswer {
    /// The marks that are kept, of edits those that carry them; none of another answer.
    #[must_use]
    pub fn kept(&self) -> Vec<SpanMark> {
        kept_marks(&self.stored.answer)
    }

    /// Whether a mark is decided on: left out, or kept with all that its type needs.
    fn decides(&self, question: &MarkQuestion, taxonomy: &SpanTaxonomy) -> bool {
        let is_whole = |mark: &SpanMark| !matches!(mark.gap(taxonomy), Some(MarkGap::Level));
        let kept = self.kept();
        let mut kept = kept.iter();
        kept.any(|mark| question.concerns(mark) && is_whole(mark))
            || self.left_out.iter().any(|mark| question.concerns(mark))
    }
}

#[cfg(test)]
mod tests;
