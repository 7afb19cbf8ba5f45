//! A consensus: people who judged the same source agree on one judgement, question by question, and keep their own
//! judgements as they are.
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

/// The basis of a consensus: the outputs of a source, the questions about them, and each rater's answers.
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
    /// Whether each rater was asked: a rater's group may not rate the dimension of a score.
    pub asked: Vec<bool>,
}

impl ConsensusQuestion {
    /// A question that was put to all raters.
    fn put_to_all(slot: AnnotationSlot, given: Vec<Option<AnnotationAnswer>>) -> Self {
        Self {
            slot,
            asked: vec![true; given.len()],
            given,
        }
    }

    /// The answer that all raters who were asked gave.
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

    /// Whether a mark has the same words and the same type.
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
    /// The number of decisions that it needs.
    #[must_use]
    pub const fn count(&self) -> usize {
        match self {
            Self::Answer(_) => 1,
            Self::Marks(_, marks) => *marks,
        }
    }
}

impl ConsensusBasis<'_> {
    /// The questions with a single answer: those about the source, then output by output; comparisons come last.
    /// `decided` determines which of the study's own questions are shown.
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
                let answers = self.answers_to(&slot).into_iter().map(|answer| {
                    let category = match answer {
                        Some(AnnotationAnswer::Category(Some(own))) => own,
                        _ => *automatic,
                    };
                    Some(AnnotationAnswer::Category(Some(category)))
                });
                questions.push(ConsensusQuestion::put_to_all(slot, answers.collect()));
            }

            if !self.protocol.scores() {
                questions.extend(self.asked_questions(Some((output, *automatic)), decided));
                continue;
            }

            // Asked only where a rater could not judge the output; all others then said that they can.
            let slot = AnnotationSlot::Unjudged { output };
            let answers = self.answers_to(&slot);
            if answers.iter().any(Option::is_some) {
                let answers = answers
                    .into_iter()
                    .map(|answer| Some(answer.unwrap_or(AnnotationAnswer::Unjudged(None))));
                questions.push(ConsensusQuestion::put_to_all(slot, answers.collect()));
            }

            for dimension in self.dimensions {
                let slot = AnnotationSlot::Rating {
                    output,
                    dimension: dimension.name.clone(),
                };
                let answers = self.answers_to(&slot);
                let rater_was_asked = self.asked_to_rate(&dimension.name);
                if rater_was_asked.contains(&true) {
                    questions.push(ConsensusQuestion {
                        slot,
                        given: answers,
                        asked: rater_was_asked,
                    });
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

        // A rater who could not judge the output does not answer questions about it.
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
        let by_consensus = shown_questions(step, about, |slot| find_decided(decided, slot));

        let questions = step.questions.iter().filter_map(|question| {
            let key = question.key.clone();
            let slot = AnnotationSlot::Question { output, key };
            let answers: Vec<_> = by_rater
                .iter()
                .zip(self.raters)
                .map(|(shown, answers)| {
                    find_given(answers, &slot).filter(|_| is_among(shown, question))
                })
                .map(|answer| answer.filter(|answer| counts(question, answer)))
                .collect();
            let is_asked = is_among(&by_consensus, question) || answers.iter().any(Option::is_some);
            is_asked.then(|| ConsensusQuestion::put_to_all(slot, answers))
        });
        questions.collect()
    }

    /// Whether a question of the study needs a decision: it is required, and shown given what is decided.
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

        let questions = shown_questions(step, about, |slot| find_decided(decided, slot));
        let mut questions = questions.iter();
        questions.any(|question| question.key == key && question.required)
    }

    /// The comparisons of all raters, each once, by their outputs and dimensions.
    fn comparisons(&self) -> Vec<ConsensusQuestion> {
        let answers = self.raters.iter().flatten();
        let mut slots: Vec<_> = answers
            .filter(|answer| answer.answer != answer.slot.unanswered())
            .map(|answer| &answer.slot)
            .filter(|slot| match slot {
                AnnotationSlot::Comparison { outputs, dimension } => {
                    outputs
                        .iter()
                        .all(|output| self.find_output(*output).is_some())
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

        slots
            .into_iter()
            .map(|slot| ConsensusQuestion::put_to_all(slot.clone(), self.answers_to(slot)))
            .collect()
    }

    /// The marks or edits of an output by any rater, and marks of `decided` that no rater made, in the order of its
    /// words. The marks of raters who could not judge the output are left out.
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

        let unjudged = self.answers_to(&AnnotationSlot::Unjudged { output });
        let marks_by_rater = self
            .raters
            .iter()
            .map(|answers| self.given_marks(answers, &slot));
        for (rater, (marks, unjudged)) in marks_by_rater.zip(unjudged).enumerate() {
            if unjudged.is_some() {
                continue;
            }
            for mark in marks {
                let existing = questions.iter().position(|known| known.concerns(&mark));
                let at = existing.unwrap_or_else(|| {
                    questions.push(MarkQuestion::new(&mark, absent.clone()));
                    questions.len() - 1
                });

                // Where a rater marked the same words twice with one type, the first mark counts.
                let place = &mut questions[at].given[rater];
                if *place == GivenMark::Absent {
                    *place = GivenMark::Marked(mark.level);
                }
            }
        }

        let decided = decided.iter().find(|answer| answer.stored.slot == slot);
        // Marks that were left out can be taken back in.
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
        let answers = questions.iter().filter_map(|question| {
            let answer = question.shared()?;
            Some((question.slot.clone(), answer.clone()))
        });
        let mut answers: Vec<_> = answers.collect();

        for ConsensusOutput { output, .. } in self.outputs {
            let Some(slot) = self.marks_slot(*output) else {
                continue;
            };
            let unjudged = self.answers_to(&AnnotationSlot::Unjudged { output: *output });
            if unjudged.iter().all(Option::is_some) {
                continue;
            }

            let questions = self.mark_questions(*output, &[]);
            let marks: Vec<_> = questions.iter().filter_map(MarkQuestion::shared).collect();
            if questions.is_empty() || !marks.is_empty() {
                let answer = self.answer_of_marks(&slot, marks);
                answers.push((slot, answer));
            }
        }
        answers
    }

    /// The questions that `decided` leaves open.
    #[must_use]
    pub fn open_questions(&self, decided: &[ConsensusAnswer]) -> Vec<OpenQuestion> {
        let questions = self.questions(decided).into_iter();
        let all_decided = decided;
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
            AnnotationSlot::Question { output, key }
                if !self.needs_answer((*output, key), all_decided) =>
            {
                false
            }
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
            let open_marks = questions.iter().filter(|question| {
                decided.is_none_or(|decided| !decided.decides(question, &taxonomy))
            });
            match open_marks.count() {
                0 => {}
                count => open.push(OpenQuestion::Marks(*output, count)),
            }
        }
        open
    }

    /// The slot of an output's marks, or of its edits; `None` where annotators neither mark nor correct them, even if
    /// they see the edits.
    #[must_use]
    pub fn marks_slot(&self, output: OutputId) -> Option<AnnotationSlot> {
        if self.protocol.mark_spans_step().is_some() {
            return Some(AnnotationSlot::Marks { output });
        }
        let checks_edits = self.protocol.checks_edits();
        checks_edits.then_some(AnnotationSlot::Edits { output })
    }

    /// The answer to a [`marks_slot`](Self::marks_slot) that keeps these marks. Automatic edits that carry no mark
    /// stay.
    #[must_use]
    pub fn answer_of_marks(&self, slot: &AnnotationSlot, marks: Vec<SpanMark>) -> AnnotationAnswer {
        let AnnotationSlot::Edits { output } = slot else {
            return AnnotationAnswer::Marks(Some(marks));
        };
        let automatic = self
            .find_output(*output)
            .map_or(&[][..], |own| own.edits.as_slice());
        let by_raters = self
            .answers_to(slot)
            .into_iter()
            .filter_map(|answer| match answer {
                Some(AnnotationAnswer::Edits(edits)) => edits,
                _ => None,
            });
        let known_edits: Vec<_> = by_raters
            .flatten()
            .chain(automatic.iter().cloned())
            .collect();

        let texts = self.texts(*output);
        AnnotationAnswer::Edits(Some(confirm_edits(&marks, &known_edits, automatic, texts)))
    }

    /// A rater's marks of an output, or the marks of their edits. A rater without corrections agrees with the
    /// automatic edits.
    fn given_marks(&self, answers: &[StoredAnswer], slot: &AnnotationSlot) -> Vec<SpanMark> {
        match (slot, find_given(answers, slot)) {
            (AnnotationSlot::Edits { output }, answer) => {
                let edits = match answer {
                    Some(AnnotationAnswer::Edits(Some(own))) => Some(own),
                    _ => self.find_output(*output).map(|own| own.edits.clone()),
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

    /// Whether each rater was asked for scores on a dimension: raters who scored only on others were not.
    fn asked_to_rate(&self, dimension: &str) -> Vec<bool> {
        let raters = self.raters.iter();
        raters.map(|answers| rates(answers, dimension)).collect()
    }

    /// Each rater's current answer to a slot.
    fn answers_to(&self, slot: &AnnotationSlot) -> Vec<Option<AnnotationAnswer>> {
        let raters = self.raters.iter();
        raters.map(|answers| find_given(answers, slot)).collect()
    }
}

/// The marks that an answer of a consensus keeps, or the marks of the edits that it keeps; none for any other answer.
#[must_use]
pub fn kept_marks(answer: &AnnotationAnswer) -> Vec<SpanMark> {
    match answer {
        AnnotationAnswer::Marks(Some(marks)) => marks.clone(),
        AnnotationAnswer::Edits(Some(edits)) => marks_of_confirmed(edits),
        _ => vec![],
    }
}

/// Whether a rater scored on a dimension, or on none.
fn rates(answers: &[StoredAnswer], dimension: &str) -> bool {
    let scores = answers
        .iter()
        .filter(|answer| answer.answer != answer.slot.unanswered());
    let dimensions = scores.filter_map(|answer| match &answer.slot {
        AnnotationSlot::Rating { dimension, .. } => Some(dimension.as_str()),
        _ => None,
    });
    let dimensions: Vec<_> = dimensions.collect();
    dimensions.is_empty() || dimensions.contains(&dimension)
}

/// Whether a question is one of these, by its key.
fn is_among(questions: &[&AskedQuestion], question: &AskedQuestion) -> bool {
    questions.iter().any(|other| other.key == question.key)
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

/// Whether an answer fits the question as it is now.
fn counts(question: &AskedQuestion, answer: &AnnotationAnswer) -> bool {
    let answer = match answer {
        AnnotationAnswer::Question(answer) => answer.as_ref(),
        _ => None,
    };
    question.is_answered_by(answer)
}

/// The questions about an output, with its automatic category, or about the source, that are shown given the answers.
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
    /// The marks that are kept, or the marks of kept edits; none for any other answer.
    #[must_use]
    pub fn kept(&self) -> Vec<SpanMark> {
        kept_marks(&self.stored.answer)
    }

    /// Whether a mark is decided on: left out, or kept without lacking a level.
    fn decides(&self, question: &MarkQuestion, taxonomy: &SpanTaxonomy) -> bool {
        let marks = self.kept();
        let mut marks = marks.iter();
        marks.any(|mark| {
            let lacks_level = matches!(mark.gap(taxonomy), Some(MarkGap::Level));
            question.concerns(mark) && !lacks_level
        }) || self.left_out.iter().any(|mark| question.concerns(mark))
    }
}

#[cfg(test)]
mod tests;
