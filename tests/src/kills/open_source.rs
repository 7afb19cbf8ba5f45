//! The source that a simulated annotator has open.

use std::collections::HashMap;

use domain::{
    category::Category,
    edit::{Edit, EditKind},
    ids::{AnnotationId, OutputId},
    random::SeededRandom,
    score::RatingScale,
    span::Span,
    study::OVERALL,
    work::{
        activity::{ActivityReport, TabActivity},
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep},
        task::AnnotationTask,
        unjudged::UnjudgedReason,
    },
};
use tokio::time::Instant;
use uuid::Uuid;

use crate::fresh_id;

/// A source and the newest answer to each of its slots, acknowledged or not.
pub(super) struct OpenSource {
    outputs: Vec<OutputId>,
    newest: HashMap<AnnotationSlot, AnnotationId>,
    tab: Uuid,
    opened: Instant,
    activity: TabActivity,
}

impl OpenSource {
    pub(super) fn new(task: AnnotationTask) -> Self {
        let answers = task.answers.into_iter();
        Self {
            outputs: task.items.iter().map(|item| item.output).collect(),
            newest: answers.map(|answer| (answer.slot, answer.id)).collect(),
            tab: fresh_id(),
            opened: Instant::now(),
            activity: TabActivity::default(),
        }
    }

    /// The active times so far, after an interaction in a random step. The server accepts no more than has passed
    /// since it gave the source out, which was before the page opened.
    pub(super) fn report_times(&mut self, random: &mut SeededRandom) -> ActivityReport {
        const STEPS: [AnnotationStep; 3] = [
            AnnotationStep::Categorise,
            AnnotationStep::Highlight,
            AnnotationStep::Rate,
        ];

        let now = u64::try_from(self.opened.elapsed().as_millis()).expect("a short time");
        let step = STEPS[random.below(STEPS.len())];
        self.activity.interact(now, step);
        self.activity.report(self.tab)
    }

    /// A few changes: categories, edits, ratings (some of them removed or replaced with reasons), notes and orders.
    pub(super) fn make_changes(&mut self, random: &mut SeededRandom) -> Vec<AnnotationChange> {
        let count = 1 + random.below(5);
        (0..count).flat_map(|_| self.make_change(random)).collect()
    }

    /// A rating of every output, so that the source can be handed in.
    pub(super) fn rate_all(&mut self, random: &mut SeededRandom) -> Vec<AnnotationChange> {
        let outputs = self.outputs.clone();
        outputs
            .into_iter()
            .flat_map(|output| self.rate(output, random))
            .collect()
    }

    fn make_change(&mut self, random: &mut SeededRandom) -> Vec<AnnotationChange> {
        let output = self.outputs[random.below(self.outputs.len())];

        let change = match random.below(7) {
            0 => {
                let category = Category::ALL[random.below(Category::ALL.len())];
                self.answer(
                    AnnotationSlot::Category { output },
                    AnnotationAnswer::Category(Some(category)),
                )
            }
            1 => {
                let mut order = self.outputs.clone();
                random.shuffle(&mut order);
                self.answer(AnnotationSlot::Order, AnnotationAnswer::Order(Some(order)))
            }
            2 => {
                let note = match random.below(4) {
                    0 => String::new(),
                    _ => format!("It’s “note” number {}.\n", random.below(1_000)),
                };
                self.answer(
                    AnnotationSlot::Note { output },
                    AnnotationAnswer::Note(note),
                )
            }
            3 => {
                let edits = [None, Some(vec![]), Some(vec![first_word_edit()])];
                let edits = edits[random.below(edits.len())].clone();
                self.answer(
                    AnnotationSlot::Edits { output },
                    AnnotationAnswer::Edits(edits),
                )
            }
            4 => self.answer(rating_slot(output), AnnotationAnswer::Rating(None)),
            5 => {
                let reason = UnjudgedReason::ALL[random.below(UnjudgedReason::ALL.len())];
                let mark = AnnotationAnswer::Unjudged(Some(reason));
                return self.replace(rating_slot(output), unjudged_slot(output), mark);
            }
            _ => return self.rate(output, random),
        };
        vec![change]
    }

    fn rate(&mut self, output: OutputId, random: &mut SeededRandom) -> Vec<AnnotationChange> {
        let score = i32::try_from(random.below(101)).expect("at most 100");
        let score = AnnotationAnswer::Rating(Some(RatingScale::PERCENT.clamp(score)));
        self.replace(unjudged_slot(output), rating_slot(output), score)
    }

    /// Removes the answer to the slot `old`, if there is one, and answers another slot, as the workspace does.
    fn replace(
        &mut self,
        old: AnnotationSlot,
        slot: AnnotationSlot,
        answer: AnnotationAnswer,
    ) -> Vec<AnnotationChange> {
        let unanswered = old.unanswered();
        let taken_back = (self.newest.contains_key(&old)).then(|| self.answer(old, unanswered));
        taken_back
            .into_iter()
            .chain([self.answer(slot, answer)])
            .collect()
    }

    fn answer(&mut self, slot: AnnotationSlot, answer: AnnotationAnswer) -> AnnotationChange {
        let id = AnnotationId(fresh_id());
        AnnotationChange {
            id,
            supersedes: self.newest.insert(slot.clone(), id),
            slot,
            answer,
        }
    }
}

fn rating_slot(output: OutputId) -> AnnotationSlot {
    AnnotationSlot::Rating {
        output,
        dimension: OVERALL.to_owned(),
    }
}

fn unjudged_slot(output: OutputId) -> AnnotationSlot {
    AnnotationSlot::Unjudged { output }
}

/// New words: the first word of any output of the study, “Output”.
fn first_word_edit() -> Edit {
    Edit {
        kind: EditKind::Paraphrase,
        source: vec![],
        output: vec![Span::new(0, 6)],
        confidence: None,
    }
}
