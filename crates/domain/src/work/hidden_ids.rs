//! Ids of outputs in annotators' pages, which reveal nothing about the outputs.
//!
//! Stored ids begin with the time at which they were made, so they would tell the outputs of an import from those
//! added later: copies and scrambled outputs for quality control, attention items. In each assignment an output has a
//! different id, which leads back to the stored one only with the assignment's seed.

use uuid::Uuid;

use super::{
    change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome},
    task::AnnotationTask,
};
use crate::{ids::OutputId, random::SeededRandom};

/// The UUID version of stored ids, and of those in annotators' pages: version 8 of RFC 9562, whose other bits a
/// program may define.
const STORED: u128 = 7;
const HIDDEN: u128 = 8;
/// The place of the version's four bits, and of the two bits of the variant, from the lowest bit.
const VERSION_AT: u32 = 76;
const VARIANT_AT: u32 = 62;
/// Half of the other bits of an id.
const HALF_BITS: u32 = 61;
const HALF: u64 = (1 << HALF_BITS) - 1;
/// The rounds of the cipher: with four, its results cannot be told from random ones, as long as those of the round
/// function cannot (Luby and Rackoff 1988).
const ROUNDS: [u64; 4] = [1, 2, 3, 4];

/// The ids of outputs in one assignment.
#[derive(Debug, Clone, Copy)]
pub struct HiddenIds {
    seed: u64,
}

impl HiddenIds {
    /// The ids of an assignment with this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The id in the annotator's page for a stored id; other ids stay as they are.
    #[must_use]
    pub fn hide(self, id: OutputId) -> OutputId {
        self.replace(id, STORED, HIDDEN, |(left, right), round| {
            (right, left ^ self.mix(round, right))
        })
    }

    /// The stored id for an id in the annotator's page. Stored ids stay as they are: a browser may have kept answers
    /// from when pages held them.
    #[must_use]
    pub fn reveal(self, id: OutputId) -> OutputId {
        self.replace(id, HIDDEN, STORED, |(left, right), round| {
            let round = ROUNDS.len() as u64 + 1 - round;
            (right ^ self.mix(round, left), left)
        })
    }

    /// Hides the outputs of a task.
    pub fn hide_task(self, task: &mut AnnotationTask) {
        for item in &mut task.items {
            item.output = self.hide(item.output);
        }
        for output in task.comparisons.iter_mut().flatten() {
            *output = self.hide(*output);
        }
        for stored in &mut task.answers {
            self.hide_answer(&mut stored.slot, &mut stored.answer);
        }
        for question in &mut task.questions {
            question.output = self.hide(question.output);
        }
    }

    /// Replaces the ids of a change by the stored ones.
    pub fn reveal_change(self, change: &mut AnnotationChange) {
        replace_in_slot(&mut change.slot, |id| self.reveal(id));
        replace_in_answer(&mut change.answer, |id| self.reveal(id));
    }

    /// Hides the outputs of the answer that an outcome names.
    pub fn hide_outcome(self, outcome: &mut SaveOutcome) {
        if let SaveOutcome::Conflict {
            current: Some(current),
            ..
        } = outcome
        {
            self.hide_answer(&mut current.slot, &mut current.answer);
        }
    }

    /// Hides the outputs of an answer and of its slot.
    pub fn hide_answer(self, slot: &mut AnnotationSlot, answer: &mut AnnotationAnswer) {
        replace_in_slot(slot, |id| self.hide(id));
        replace_in_answer(answer, |id| self.hide(id));
    }

    /// Replaces an id of one version by one of another: a Feistel network over its free bits, so that ids correspond
    /// one to one.
    fn replace(
        self,
        id: OutputId,
        from: u128,
        to: u128,
        step: impl Fn((u64, u64), u64) -> (u64, u64),
    ) -> OutputId {
        let bits = id.0.as_u128();
        if (bits >> VERSION_AT) & 0xf != from {
            return id;
        }
        let upper = bits >> (VERSION_AT + 4);
        let middle = (bits >> (VARIANT_AT + 2)) & 0xfff;
        let lower = bits & ((1 << VARIANT_AT) - 1);
        let free = (((upper << 12) | middle) << VARIANT_AT) | lower;

        let halves = ((free >> HALF_BITS) as u64, free as u64 & HALF);
        let (left_half, right_half) = ROUNDS.into_iter().fold(halves, step);

        let free = (u128::from(left_half) << HALF_BITS) | u128::from(right_half);
        let lower = free & ((1 << VARIANT_AT) - 1);
        let middle = (free >> VARIANT_AT) & 0xfff;
        let upper = free >> (VARIANT_AT + 12);
        let variant = bits & (0b11 << VARIANT_AT);
        let bits = (upper << (VERSION_AT + 4)) | (to << VERSION_AT) | (middle << (VARIANT_AT + 2));
        OutputId(Uuid::from_u128(bits | variant | lower))
    }

    /// The round function: random numbers by key, round and half.
    fn mix(self, round: u64, half: u64) -> u64 {
        SeededRandom::with_key([self.seed, OUTPUT_IDS, round, half]).bits() & HALF
    }
}

/// Separates these random numbers from others of the same seed.
const OUTPUT_IDS: u64 = 0x6f75_7470_7574_2d69;

fn replace_in_slot(slot: &mut AnnotationSlot, replace: impl Fn(OutputId) -> OutputId) {
    match slot {
        AnnotationSlot::Category { output }
        | AnnotationSlot::Edits { output }
        | AnnotationSlot::Marks { output }
        | AnnotationSlot::Rating { output, .. }
        | AnnotationSlot::Unjudged { output }
        | AnnotationSlot::Note { output }
        | AnnotationSlot::Reply { output, .. }
        | AnnotationSlot::Question {
            output: Some(output),
            ..
        } => *output = replace(*output),
        // The outputs stay in the order of their ids.
        AnnotationSlot::Comparison { outputs, .. } => {
            for output in &mut *outputs {
                *output = replace(*output);
            }
            outputs.sort_unstable();
        }
        AnnotationSlot::Question { output: None, .. }
        | AnnotationSlot::Order
        | AnnotationSlot::Text
        | AnnotationSlot::Progress => {}
    }
}

fn replace_in_answer(answer: &mut AnnotationAnswer, replace: impl Fn(OutputId) -> OutputId) {
    match answer {
        AnnotationAnswer::Order(Some(order)) => {
            for output in order {
                *output = replace(*output);
            }
        }
        AnnotationAnswer::Comparison(Some(choice)) => *choice = choice.map(replace),
        AnnotationAnswer::Order(None)
        | AnnotationAnswer::Comparison(None)
        | AnnotationAnswer::Category(_)
        | AnnotationAnswer::Edits(_)
        | AnnotationAnswer::Marks(_)
        | AnnotationAnswer::Rating(_)
        | AnnotationAnswer::Unjudged(_)
        | AnnotationAnswer::Note(_)
        | AnnotationAnswer::Question(_)
        | AnnotationAnswer::Text(_)
        | AnnotationAnswer::Progress(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{comparison::ComparisonChoice, ids::AnnotationId};

    /// An id as the server makes it: made at that millisecond.
    fn stored(at_ms: u64, random: u128) -> OutputId {
        let random = random & !(0xffff << 64) & !(0b11 << VARIANT_AT) & ((1 << 80) - 1);
        let time = u128::from(at_ms) << 80;
        OutputId(Uuid::from_u128(
            time | (STORED << VERSION_AT) | (0b10 << VARIANT_AT) | random,
        ))
    }

    /// The millisecond in which the id seems to be made.
    fn time(id: OutputId) -> u128 {
        id.0.as_u128() >> 80
    }

    /// Pinned: browsers keep answers under these ids, so they must never change.
    #[test]
    fn a_seed_means_an_id() {
        let id = stored(1_764_000_000_000, 12_345);
        let hidden = HiddenIds::new(7).hide(id);
        assert_eq!(hidden.to_string(), "704201e5-7122-8b0d-b654-25d76f8e48e3");
    }

    #[test]
    fn hidden_ids_do_not_tell_what_was_made_together() {
        // Ten outputs of an import, and one for quality control two months later.
        let ids: Vec<_> = (0..11)
            .map(|at| stored(1_764_000_000_000 + at / 10 * 5_000_000_000, u128::from(at)))
            .collect();
        let mut first = 0;
        for seed in 0..2_000 {
            let hidden: Vec<_> = ids
                .iter()
                .map(|id| HiddenIds::new(seed).hide(*id))
                .collect();
            let latest = hidden.iter().max_by_key(|id| time(**id));
            first += u32::from(latest == hidden.last());
            let distinct: BTreeSet<_> = hidden.iter().collect();
            assert_eq!(distinct.len(), 11);
        }
        // One in eleven of 2,000 is 182, give or take 13.
        assert!((130..235).contains(&first), "{first}");
    }

    #[test]
    fn a_change_goes_to_the_page_and_back() {
        let ids = HiddenIds::new(99);
        let outputs: Vec<_> = (1..=3).map(|at| stored(at, u128::from(at))).collect();
        let hidden: Vec<_> = outputs.iter().map(|id| ids.hide(*id)).collect();
        let change = |slot, answer| AnnotationChange {
            id: AnnotationId(Uuid::nil()),
            supersedes: None,
            slot,
            answer,
        };
        let make = |outputs: &[OutputId]| {
            [
                change(
                    AnnotationSlot::Note { output: outputs[0] },
                    AnnotationAnswer::Note("Odd.".into()),
                ),
                change(
                    AnnotationSlot::Order,
                    AnnotationAnswer::Order(Some(outputs.to_vec())),
                ),
                change(
                    AnnotationSlot::comparison(outputs, "overall"),
                    AnnotationAnswer::Comparison(Some(ComparisonChoice::BestWorst {
                        best: Some(outputs[2]),
                        worst: None,
                    })),
                ),
                change(
                    AnnotationSlot::Question {
                        output: Some(outputs[1]),
                        key: "clear".into(),
                    },
                    AnnotationAnswer::Question(None),
                ),
                change(AnnotationSlot::Text, AnnotationAnswer::Text(None)),
            ]
        };
        let stored = make(&outputs);
        for (mut sent, stored) in make(&hidden).into_iter().zip(&stored) {
            ids.reveal_change(&mut sent);
            assert_eq!(sent, *stored);
            // What a browser kept since pages held stored ids.
            ids.reveal_change(&mut sent);
            assert_eq!(sent, *stored);
        }
    }

    proptest! {
        #[test]
        fn each_id_leads_back(seed: u64, at_ms in 0_u64..1 << 48, random: u128) {
            let (ids, id) = (HiddenIds::new(seed), stored(at_ms, random));
            let hidden = ids.hide(id);
            prop_assert_ne!(hidden, id);
            prop_assert_eq!(hidden.0.get_version_num(), 8);
            prop_assert_eq!(hidden.0.get_variant(), uuid::Variant::RFC4122);
            prop_assert_eq!(ids.reveal(hidden), id);
            prop_assert_eq!(ids.hide(hidden), hidden);
            prop_assert_eq!(ids.reveal(id), id);
            prop_assert_ne!(HiddenIds::new(seed ^ 1).reveal(hidden), id);
        }
    }
}
