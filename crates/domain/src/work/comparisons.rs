//! The comparisons of a source: which outputs are compared, and the annotator's choices.

use std::collections::BTreeSet;

use crate::{
    comparison::ComparisonChoice,
    ids::OutputId,
    protocol::CompareStep,
    random::SeededRandom,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        draft::AnnotationDraft,
    },
};

/// Draws the comparisons of a source, in the order in which an annotator sees them; none of fewer than two outputs.
/// The same outputs and seed give the same ones.
///
/// Each comparison takes the outputs that are in the fewest so far, and of those the ones that were compared with each
/// other least: outputs are compared about equally often, and with as many others as possible.
#[must_use]
pub fn draw_comparisons(outputs: &[OutputId], step: &CompareStep, seed: u64) -> Vec<Vec<OutputId>> {
    let together = usize::try_from(step.together).unwrap_or(usize::MAX);
    let size = together.min(outputs.len());
    if size < 2 {
        return vec![];
    }
    let mut random = SeededRandom::new(seed);
    let mut drawn = match step.times {
        None => all_pairs(outputs.len()),
        Some(times) => {
            let times = usize::try_from(times).unwrap_or(usize::MAX);
            draw_balanced(outputs.len(), size, times, &mut random)
        }
    };
    random.shuffle(&mut drawn);
    let comparison = |mut places: Vec<usize>| {
        random.shuffle(&mut places);
        places.into_iter().map(|place| outputs[place]).collect()
    };
    drawn.into_iter().map(comparison).collect()
}

fn all_pairs(count: usize) -> Vec<Vec<usize>> {
    let with_later = |a| (a + 1..count).map(move |b| vec![a, b]);
    (0..count).flat_map(with_later).collect()
}

/// Different sets of `size` of `count` places, each place in about `times` of them.
fn draw_balanced(
    count: usize,
    size: usize,
    times: usize,
    random: &mut SeededRandom,
) -> Vec<Vec<usize>> {
    let mut uses = vec![0_usize; count];
    let mut meetings = vec![vec![0_usize; count]; count];
    let mut drawn = BTreeSet::new();
    for _ in 0..(count * times).div_ceil(size) {
        let mut places: Vec<usize> = (0..count).collect();
        random.shuffle(&mut places);
        let mut set: Vec<usize> = vec![];
        while set.len() < size {
            let met = |place: usize| {
                set.iter()
                    .map(|other| meetings[place][*other])
                    .sum::<usize>()
            };
            let left = places.iter().filter(|place| !set.contains(place));
            let next = left.min_by_key(|place| (uses[**place], met(**place)));
            set.extend(next);
        }
        for place in &set {
            uses[*place] += 1;
            set.iter().for_each(|other| meetings[*place][*other] += 1);
        }
        set.sort_unstable();
        drawn.insert(set);
    }
    drawn.into_iter().collect()
}

impl AnnotationSlot {
    /// The slot of a comparison, whatever the order in which its outputs are shown.
    #[must_use]
    pub fn of_comparison(shown: &[OutputId], dimension: &str) -> Self {
        let mut outputs = shown.to_vec();
        outputs.sort_unstable();
        Self::Comparison {
            outputs,
            dimension: dimension.to_owned(),
        }
    }
}

impl AnnotationDraft {
    /// The annotator's choice among outputs that are shown together; `None` until one is made.
    #[must_use]
    pub fn choice(
        &self,
        shown: &[OutputId],
        dimension: &str,
    ) -> Option<ComparisonChoice<OutputId>> {
        match self.answer(&AnnotationSlot::of_comparison(shown, dimension)) {
            AnnotationAnswer::Comparison(choice) => choice,
            _ => None,
        }
    }

    /// The dimensions on which the choice among outputs is not complete.
    pub fn open_dimensions<'d>(
        &'d self,
        shown: &'d [OutputId],
    ) -> impl Iterator<Item = &'d str> + 'd {
        let dimensions = self.task().dimensions.iter();
        let names = dimensions.map(|dimension| dimension.name.as_str());
        names.filter(|name| {
            !self
                .choice(shown, name)
                .is_some_and(ComparisonChoice::is_complete)
        })
    }

    /// The number of comparisons that lack a choice.
    #[must_use]
    pub fn count_open_comparisons(&self) -> usize {
        let comparisons = self.task().comparisons.iter();
        let is_open = |shown: &&Vec<OutputId>| self.open_dimensions(shown).next().is_some();
        comparisons.filter(is_open).count()
    }

    /// The number of the comparison to show first: the first with an output that the lead asks about, else the first
    /// that lacks a choice.
    #[must_use]
    pub fn first_comparison(&self, asked: Option<OutputId>) -> usize {
        let mut comparisons = self.task().comparisons.iter();
        let first = match asked {
            Some(asked) => comparisons.position(|shown| shown.contains(&asked)),
            None => comparisons.position(|shown| self.open_dimensions(shown).next().is_some()),
        };
        first.unwrap_or_default()
    }

    /// The number of the comparison that a slot belongs to, from 0.
    #[must_use]
    pub fn find_comparison(&self, slot: &AnnotationSlot) -> Option<usize> {
        let AnnotationSlot::Comparison { outputs, .. } = slot else {
            return None;
        };
        let is_it = |shown: &Vec<OutputId>| {
            shown.len() == outputs.len() && shown.iter().all(|output| outputs.contains(output))
        };
        self.task().comparisons.iter().position(is_it)
    }
}

/// The name of an output within a comparison: `A` for the first.
#[must_use]
pub fn letter(place: usize) -> char {
    let letters = 'A'..='Z';
    letters.into_iter().nth(place).unwrap_or('?')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::work::test_tasks::output;

    fn outputs(count: u32) -> Vec<OutputId> {
        (1..=count).map(output).collect()
    }

    fn step(together: u32, times: Option<u32>) -> CompareStep {
        CompareStep {
            together,
            times,
            ..CompareStep::default()
        }
    }

    fn uses(drawn: &[Vec<OutputId>]) -> BTreeMap<OutputId, usize> {
        let mut uses = BTreeMap::new();
        for output in drawn.iter().flatten() {
            *uses.entry(*output).or_default() += 1;
        }
        uses
    }

    #[test]
    fn all_pairs_are_each_drawn_once() {
        let drawn = draw_comparisons(&outputs(6), &step(2, None), 1);
        let different: BTreeSet<_> = drawn
            .iter()
            .map(|pair| AnnotationSlot::of_comparison(pair, ""))
            .collect();
        assert_eq!((drawn.len(), different.len()), (15, 15));
        assert!(uses(&drawn).values().all(|uses| *uses == 5));
        assert_ne!(drawn, draw_comparisons(&outputs(6), &step(2, None), 2));
        assert_eq!(draw_comparisons(&outputs(1), &step(2, None), 1), [[]; 0]);
        assert_eq!(draw_comparisons(&outputs(3), &step(4, Some(1)), 1).len(), 1);
    }

    /// Pinned: the draw follows from a stored seed, so it must never change.
    #[test]
    fn a_seed_means_a_draw() {
        let drawn = draw_comparisons(&outputs(5), &step(2, Some(2)), 7);
        let numbers = |pair: &Vec<OutputId>| {
            let place = |id: &OutputId| outputs(5).iter().position(|of| of == id);
            pair.iter().filter_map(place).collect::<Vec<_>>()
        };
        let drawn: Vec<_> = drawn.iter().map(numbers).collect();
        assert_eq!(drawn, [[4, 0], [4, 2], [0, 3], [3, 1], [2, 1]]);
    }

    proptest! {
        #[test]
        fn outputs_are_compared_about_equally_often(
            count in 2_u32..24, together in 2_u32..6, times in 1_u32..6, seed: u64,
        ) {
            let drawn = draw_comparisons(&outputs(count), &step(together, Some(times)), seed);
            let size = together.min(count) as usize;
            for shown in &drawn {
                let different: BTreeSet<_> = shown.iter().collect();
                prop_assert_eq!((shown.len(), different.len()), (size, size));
            }
            let uses = uses(&drawn);
            prop_assert_eq!(uses.len(), count as usize, "each output is compared");
            // Where few outputs leave only few different sets, they cannot be drawn more often.
            if count > together * times {
                let (least, most) = (uses.values().min(), uses.values().max());
                prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 2), "{:?}", uses);
            }
        }
    }
}
