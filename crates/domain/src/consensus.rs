//! A consensus: people who judged the same source agree on one judgement, question by question, and each of their own
//! judgements stays as it is.
//!
//! The questions are those that the protocol asks: categories, scores, comparisons, whether an output can be judged,
//! and each mark of any rater. Edits, notes, the order of outputs and answers to questions are left out.

use std::collections::BTreeMap;

use crate::{
    category::Category,
    ids::OutputId,
    protocol::StudyProtocol,
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
    /// The outputs that are judged, with their automatic categories.
    pub outputs: &'a [(OutputId, Category)],
    /// The answers of each rater.
    pub raters: &'a [Vec<StoredAnswer>],
}

/// A question to which each rater gave one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsensusQuestion {
    /// The slot that it is about.
    pub slot: AnnotationSlot,
    /// The answer of each rater, in their order; `None` where a rater gave none.
    pub given: Vec<Option<AnnotationAnswer>>,
}

impl ConsensusQuestion {
    /// The answer that all raters gave.
    #[must_use]
    pub fn shared(&self) -> Option<&AnnotationAnswer> {
        let first = self.given.first()?.as_ref()?;
        let mut others = self.given.iter();
        others
            .all(|answer| answer.as_ref() == Some(first))
            .then_some(first)
    }
}

/// A mark of at least one rater: the same words with the same type.
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
    /// The questions with a single answer, output by output; comparisons come last.
    #[must_use]
    pub fn questions(&self) -> Vec<ConsensusQuestion> {
        let mut questions = Vec::new();
        for (output, automatic) in self.outputs {
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
                questions.push(ConsensusQuestion { slot, given });
            }
            if !self.protocol.scores() {
                continue;
            }
            let slot = AnnotationSlot::Unjudged { output };
            let given = self.given(&slot);
            if given.iter().any(Option::is_some) {
                let can_judge = || AnnotationAnswer::Unjudged(None);
                let given = given.into_iter();
                let given = given.map(|answer| Some(answer.unwrap_or_else(can_judge)));
                questions.push(ConsensusQuestion {
                    slot,
                    given: given.collect(),
                });
            }
            for dimension in self.dimensions {
                let slot = AnnotationSlot::Rating {
                    output,
                    dimension: dimension.name.clone(),
                };
                let given = self.given(&slot);
                questions.push(ConsensusQuestion { slot, given });
            }
        }
        questions.extend(self.comparisons());
        questions
    }

    /// The comparisons of all raters, each once, by their outputs and dimensions.
    fn comparisons(&self) -> Vec<ConsensusQuestion> {
        let answers = self.raters.iter().flatten();
        let mut slots: Vec<_> = answers
            .filter(|answer| answer.answer != answer.slot.unanswered())
            .map(|answer| &answer.slot)
            .filter(|slot| match slot {
                AnnotationSlot::Comparison { outputs, dimension } => {
                    let is_shown = |id: &OutputId| self.outputs.iter().any(|(own, _)| own == id);
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
        let question = |slot: &AnnotationSlot| ConsensusQuestion {
            slot: slot.clone(),
            given: self.given(slot),
        };
        slots.into_iter().map(question).collect()
    }

    /// The marks of an output by any rater, in the order of its words. Those of raters who could not judge the output are
    /// left out.
    #[must_use]
    pub fn mark_questions(&self, output: OutputId) -> Vec<MarkQuestion> {
        if self.protocol.mark_spans_step().is_none() {
            return vec![];
        }
        let mut questions: Vec<MarkQuestion> = vec![];
        let unjudged = self.given(&AnnotationSlot::Unjudged { output });
        let given = self.given(&AnnotationSlot::Marks { output });
        for (rater, (marks, unjudged)) in given.into_iter().zip(unjudged).enumerate() {
            let (Some(AnnotationAnswer::Marks(Some(marks))), None) = (marks, unjudged) else {
                continue;
            };
            for mark in marks {
                // Where a rater marked the same words twice with one type, the first mark says it.
                let known = questions.iter().position(|known| known.concerns(&mark));
                let at = known.unwrap_or_else(|| {
                    questions.push(MarkQuestion {
                        mark: SpanMark {
                            level: None,
                            ..mark.clone()
                        },
                        given: vec![GivenMark::Absent; self.raters.len()],
                    });
                    questions.len() - 1
                });
                let place = &mut questions[at].given[rater];
                if *place == GivenMark::Absent {
                    *place = GivenMark::Marked(mark.level);
                }
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
        let questions = self.questions();
        let shared = questions.iter().filter_map(|question| {
            let answer = question.shared()?;
            Some((question.slot.clone(), answer.clone()))
        });
        let mut shared: Vec<_> = shared.collect();
        if self.protocol.mark_spans_step().is_some() {
            for (output, _) in self.outputs {
                let questions = self.mark_questions(*output);
                let marks: Vec<_> = questions.iter().filter_map(MarkQuestion::shared).collect();
                if questions.is_empty() || !marks.is_empty() {
                    let slot = AnnotationSlot::Marks { output: *output };
                    shared.push((slot, AnnotationAnswer::Marks(Some(marks))));
                }
            }
        }
        shared
    }

    /// The questions that `decided` leaves open.
    #[must_use]
    pub fn open_questions(&self, decided: &[ConsensusAnswer]) -> Vec<OpenQuestion> {
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
            AnnotationSlot::Rating { output, .. } if is_unjudged(*output) => false,
            _ => {
                let answer = decided.get(slot);
                answer.is_none_or(|answer| answer.stored.answer == slot.unanswered())
            }
        };
        let questions = self.questions().into_iter();
        let mut open: Vec<_> = questions
            .filter(|question| is_open(&question.slot))
            .map(|question| OpenQuestion::Answer(question.slot))
            .collect();
        let Some(step) = self.protocol.mark_spans_step() else {
            return open;
        };
        for (output, _) in self.outputs {
            if is_unjudged(*output) {
                continue;
            }
            let decided = decided.get(&AnnotationSlot::Marks { output: *output });
            let questions = self.mark_questions(*output);
            let left = questions.iter().filter(|question| {
                decided.is_none_or(|decided| !decided.decides(question, &step.taxonomy))
            });
            match left.count() {
                0 => {}
                left => open.push(OpenQuestion::Marks(*output, left)),
            }
        }
        open
    }

    /// Each rater's current answer to a slot.
    fn given(&self, slot: &AnnotationSlot) -> Vec<Option<AnnotationAnswer>> {
        let own = |answers: &Vec<StoredAnswer>| {
            let answer = answers.iter().find(|answer| answer.slot == *slot)?;
            (answer.answer != slot.unanswered()).then(|| answer.answer.clone())
        };
        self.raters.iter().map(own).collect()
    }
}

impl ConsensusAnswer {
    /// The marks that are kept; none of another answer.
    #[must_use]
    pub fn kept(&self) -> &[SpanMark] {
        match &self.stored.answer {
            AnnotationAnswer::Marks(Some(marks)) => marks,
            _ => &[],
        }
    }

    /// Whether a mark is decided on: left out, or kept with all that its type needs.
    fn decides(&self, question: &MarkQuestion, taxonomy: &SpanTaxonomy) -> bool {
        let is_whole = |mark: &SpanMark| !matches!(mark.gap(taxonomy), Some(MarkGap::Level));
        let mut kept = self.kept().iter();
        kept.any(|mark| question.concerns(mark) && is_whole(mark))
            || self.left_out.iter().any(|mark| question.concerns(mark))
    }
}

#[cfg(test)]
mod tests;
