//! The source that a simulated annotator has open.

use std::collections::HashMap;

use domain::{
    category::Category,
    ids::{AnnotationId, OutputId},
    random::SeededRandom,
    score::RatingScale,
    study::OVERALL,
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
        task::AnnotationTask,
    },
};

use crate::fresh_id;

/// A source and the newest answer to each of its slots, acknowledged or not.
pub(super) struct OpenSource {
    outputs: Vec<OutputId>,
    newest: HashMap<AnnotationSlot, AnnotationId>,
}

impl OpenSource {
    pub(super) fn new(task: AnnotationTask) -> Self {
        let answers = task.answers.into_iter();
        Self {
            outputs: task.items.iter().map(|item| item.output).collect(),
            newest: answers.map(|answer| (answer.slot, answer.id)).collect(),
        }
    }

    /// A few changes: categories, ratings and orders.
    pub(super) fn make_changes(&mut self, random: &mut SeededRandom) -> Vec<AnnotationChange> {
        let count = 1 + random.below(5);
        (0..count).map(|_| self.make_change(random)).collect()
    }

    /// A rating of every output, so that the source can be handed in.
    pub(super) fn rate_all(&mut self, random: &mut SeededRandom) -> Vec<AnnotationChange> {
        let outputs = self.outputs.clone();
        outputs
            .into_iter()
            .map(|output| self.rate(output, random))
            .collect()
    }

    fn make_change(&mut self, random: &mut SeededRandom) -> AnnotationChange {
        let output = self.outputs[random.below(self.outputs.len())];
        match random.below(3) {
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
            _ => self.rate(output, random),
        }
    }

    fn rate(&mut self, output: OutputId, random: &mut SeededRandom) -> AnnotationChange {
        let dimension = OVERALL.to_owned();
        let score = i32::try_from(random.below(101)).expect("at most 100");
        self.answer(
            AnnotationSlot::Rating { output, dimension },
            AnnotationAnswer::Rating(Some(RatingScale::PERCENT.clamp(score))),
        )
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
