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
        output_checks::CheckOutput,
    },
};

/// The basis from which the comparisons of a source are drawn.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonDraw<'a> {
    /// The settings of the step.
    pub step: &'a CompareStep,
    /// The outputs, in the order of the file.
    pub outputs: &'a [OutputId],
    /// The pairs that were planned for the source; empty where its comparisons are drawn.
    pub planned: &'a [[OutputId; 2]],
    /// The random seed of the source: all its annotators compare the same outputs with each other, so that their
    /// agreement can be computed.
    pub source_seed: u64,
    /// The random seed of the assignment, for the order of the comparisons and of the outputs in each.
    pub order_seed: u64,
    /// The comparisons that the annotator has answered.
    pub answered: &'a [Vec<OutputId>],
    /// The quality-control items that are compared, too.
    pub checks: &'a [CheckOutput],
}

impl ComparisonDraw<'_> {
    /// The comparisons, in the order in which the annotator sees them; none of fewer than two outputs.
    ///
    /// Each comparison takes the outputs that are in the fewest so far, and of those the ones that were compared with
    /// each other least: outputs are compared about equally often, and with as many others as possible. Comparisons that
    /// were answered before outputs or settings changed stay, and take the place of others.
    #[must_use]
    pub fn comparisons(&self) -> Vec<Vec<OutputId>> {
        let count = self.outputs.len();
        let together = usize::try_from(self.step.together).unwrap_or(usize::MAX);
        let size = together.min(count);
        if size < 2 {
            return vec![];
        }

        let target = self.step.times.map(|times| {
            let times = usize::try_from(times).unwrap_or(usize::MAX);
            count.saturating_mul(times).div_ceil(size)
        });

        let mut sets = match target {
            _ if !self.planned.is_empty() => self.planned_sets(),
            Some(target) if target < count_sets(count, size) => {
                draw_balanced(count, size, target, self.source_seed)
            }
            _ => all_sets(count, size),
        };
        self.keep_answered(&mut sets, size);
        let mut sets: Vec<Vec<OutputId>> = sets
            .into_iter()
            .map(|set| set.into_iter().map(|place| self.outputs[place]).collect())
            .collect();

        let checks = self.checks.iter();
        let checks: Vec<_> = checks
            .filter_map(|check| self.draw_check(*check, &sets))
            .collect();
        sets.extend(checks);

        let mut random = SeededRandom::new(self.order_seed);
        random.shuffle(&mut sets);
        sets.iter_mut().for_each(|set| random.shuffle(set));
        sets
    }

    /// The comparison that a quality-control item is in: the answered one if it is still possible, else one like the
    /// first that its original is in, if any.
    fn draw_check(&self, check: CheckOutput, sets: &[Vec<OutputId>]) -> Option<Vec<OutputId>> {
        let size = sets.first().map_or(0, Vec::len);
        let mut answered = self.answered.iter();
        let answered = answered.find(|set| {
            let mut outputs = set.iter();
            set.contains(&check.item)
                && set.len() == size
                && outputs.all(|output| *output == check.item || self.outputs.contains(output))
        });
        if let Some(answered) = answered {
            return Some(answered.clone());
        }

        let with_original = sets.iter().find(|set| set.contains(&check.made_from))?;
        Some(check.replace_in(with_original))
    }

    /// The place of an output among all.
    fn place(&self, output: &OutputId) -> Option<usize> {
        self.outputs.iter().position(|other| other == output)
    }

    /// The planned pairs whose outputs still exist.
    fn planned_sets(&self) -> Vec<Vec<usize>> {
        let sets = self.planned.iter().filter_map(|[a, b]| {
            let (a, b) = (self.place(a)?, self.place(b)?);
            Some(vec![a.min(b), a.max(b)])
        });
        sets.collect()
    }

    /// Replaces unanswered sets by answered ones of that size that are not drawn now.
    fn keep_answered(&self, sets: &mut Vec<Vec<usize>>, size: usize) {
        let answered = self.answered.iter().filter_map(|outputs| {
            let places = outputs.iter().map(|output| self.place(output));
            let mut set: Vec<_> = places.collect::<Option<_>>()?;
            set.sort_unstable();
            (set.len() == size).then_some(set)
        });
        let answered: Vec<_> = answered.collect();

        let stale = answered.iter().filter(|set| !sets.contains(set));
        let stale: Vec<_> = stale.cloned().collect();
        for set in stale {
            let unanswered = sets
                .iter()
                .enumerate()
                .filter(|(_, other)| !answered.contains(other));
            // The one that has most in common with it.
            let replaceable = unanswered
                .max_by_key(|(_, other)| other.iter().filter(|at| set.contains(at)).count());
            match replaceable.map(|(at, _)| at) {
                Some(at) => sets[at] = set,
                None => sets.push(set),
            }
        }
    }
}

/// The number of sets of `size` of the places below `count`.
fn count_sets(count: usize, size: usize) -> usize {
    (0..size).fold(1_usize, |sets, at| {
        sets.saturating_mul(count - at) / (at + 1)
    })
}

/// All sets of `size` of the places below `count`.
fn all_sets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..size {
        let longer_sets = sets.iter().flat_map(|set| {
            let first = set.last().map_or(0, |last| last + 1);
            (first..count).map(move |place| [&set[..], &[place]].concat())
        });
        sets = longer_sets.collect();
    }
    sets
}

/// `target` different sets of `size` of the places below `count`, in which each place is about as often as any other.
fn draw_balanced(count: usize, size: usize, target: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = SeededRandom::new(seed);
    let mut uses = vec![0_usize; count];
    let mut meetings = vec![vec![0_usize; count]; count];
    let mut drawn_sets = BTreeSet::new();

    while drawn_sets.len() < target {
        let mut places: Vec<usize> = (0..count).collect();
        random.shuffle(&mut places);
        places.sort_by_key(|place| uses[*place]);
        let sets = places
            .iter()
            .map(|first| complete_set(*first, size, &places, &uses, &meetings, &drawn_sets));
        let Some(set) = sets.flatten().next() else {
            break;
        };

        for place in &set {
            uses[*place] += 1;
            set.iter().for_each(|other| meetings[*place][*other] += 1);
        }
        drawn_sets.insert(set);
    }
    drawn_sets.into_iter().collect()
}

/// A set with `first` that was not drawn before; `None` where every last place would complete one that was.
fn complete_set(
    first: usize,
    size: usize,
    places: &[usize],
    uses: &[usize],
    meetings: &[Vec<usize>],
    drawn: &BTreeSet<Vec<usize>>,
) -> Option<Vec<usize>> {
    let mut set = vec![first];
    while set.len() < size {
        let with = |place: usize| {
            let mut longer = [&set[..], &[place]].concat();
            longer.sort_unstable();
            longer
        };
        let candidates = places.iter().copied().filter(|place| {
            !set.contains(place) && (set.len() + 1 < size || !drawn.contains(&with(*place)))
        });

        let next = candidates.min_by_key(|place| {
            let earlier_meetings = set.iter().map(|other| meetings[*place][*other]);
            (uses[*place], earlier_meetings.sum::<usize>())
        })?;
        set = with(next);
    }
    Some(set)
}

impl AnnotationSlot {
    /// The slot of a comparison, whatever the order in which its outputs are shown.
    #[must_use]
    pub fn comparison(shown: &[OutputId], dimension: &str) -> Self {
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
        match self.answer(&AnnotationSlot::comparison(shown, dimension)) {
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

    /// Whether outputs that are shown together lack a choice that can be made.
    #[must_use]
    pub fn is_uncompared(&self, shown: &[OutputId]) -> bool {
        let may_change = shown.iter().any(|output| self.may_change(*output));
        may_change && self.open_dimensions(shown).next().is_some()
    }

    /// The number of the first comparison after `from` that lacks a choice, and after the last one the first.
    #[must_use]
    pub fn next_uncompared(&self, from: usize) -> Option<usize> {
        let count = self.task().comparisons.len();
        let numbers = (from + 1..count).chain(0..count.min(from + 1));
        let mut numbers =
            numbers.filter(|number| self.is_uncompared(&self.task().comparisons[*number]));
        numbers.next()
    }

    /// The number of comparisons that lack a choice.
    #[must_use]
    pub fn count_open_comparisons(&self) -> usize {
        let comparisons = self.task().comparisons.iter();
        comparisons
            .filter(|shown| self.is_uncompared(shown))
            .count()
    }

    /// The number of the comparison to show first: the first with an output that the lead asks about, else the first
    /// that lacks a choice.
    #[must_use]
    pub fn first_comparison(&self, asked: Option<OutputId>) -> usize {
        let mut comparisons = self.task().comparisons.iter();
        let first = match asked {
            Some(asked) => comparisons.position(|shown| shown.contains(&asked)),
            None => comparisons.position(|shown| self.is_uncompared(shown)),
        };
        first.unwrap_or_default()
    }

    /// The number of the comparison that a slot belongs to, from 0.
    #[must_use]
    pub fn find_comparison(&self, slot: &AnnotationSlot) -> Option<usize> {
        let AnnotationSlot::Comparison { outputs, .. } = slot else {
            return None;
        };
        let mut comparisons = self.task().comparisons.iter();
        comparisons.position(|shown| {
            shown.len() == outputs.len() && shown.iter().all(|output| outputs.contains(output))
        })
    }
}

/// The name of an output within a comparison: `A` for the first.
#[must_use]
pub fn output_letter(place: usize) -> char {
    let letters = 'A'..='Z';
    letters.into_iter().nth(place).unwrap_or('?')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{purpose::OutputPurpose, work::test_tasks::output};

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

    fn draw(outputs: &[OutputId], step: &CompareStep, seeds: (u64, u64)) -> Vec<Vec<OutputId>> {
        draw_around(outputs, step, seeds, &[])
    }

    fn draw_around(
        outputs: &[OutputId],
        step: &CompareStep,
        (source_seed, order_seed): (u64, u64),
        answered: &[Vec<OutputId>],
    ) -> Vec<Vec<OutputId>> {
        let draw = ComparisonDraw {
            step,
            outputs,
            planned: &[],
            source_seed,
            order_seed,
            answered,
            checks: &[],
        };
        draw.comparisons()
    }

    fn uses(drawn: &[Vec<OutputId>]) -> BTreeMap<OutputId, usize> {
        let mut uses = BTreeMap::new();
        for output in drawn.iter().flatten() {
            *uses.entry(*output).or_default() += 1;
        }
        uses
    }

    /// The comparisons, whatever their order and that of their outputs.
    fn sets(drawn: &[Vec<OutputId>]) -> BTreeSet<AnnotationSlot> {
        let slots = drawn
            .iter()
            .map(|shown| AnnotationSlot::comparison(shown, ""));
        slots.collect()
    }

    #[test]
    fn all_pairs_are_each_drawn_once() {
        let (six, pairs) = (outputs(6), step(2, None));
        let drawn = draw(&six, &pairs, (1, 1));
        assert_eq!((drawn.len(), sets(&drawn).len()), (15, 15));
        assert!(uses(&drawn).values().all(|uses| *uses == 5));
        assert_ne!(drawn, draw(&six, &pairs, (1, 2)));
        assert_eq!(draw(&outputs(1), &pairs, (1, 1)), [[]; 0]);
        assert_eq!(draw(&outputs(3), &step(4, Some(4)), (1, 1)).len(), 1);
    }

    #[test]
    fn annotators_compare_the_same_outputs_in_another_order() {
        let (ten, four) = (outputs(10), step(4, Some(4)));
        let (one, other) = (draw(&ten, &four, (7, 1)), draw(&ten, &four, (7, 2)));
        assert_eq!(sets(&one), sets(&other));
        assert_ne!(one, other);
        assert_ne!(sets(&one), sets(&draw(&ten, &four, (8, 1))));
    }

    #[test]
    fn answered_comparisons_stay_when_an_output_comes() {
        let four = step(3, Some(3));
        let before = draw(&outputs(8), &four, (3, 9));
        let answered = &before[..5];
        let after = draw_around(&outputs(9), &four, (3, 9), answered);
        assert!(sets(&after).is_superset(&sets(answered)));
        assert_eq!(after.len(), draw(&outputs(9), &four, (3, 9)).len());
        assert!(
            uses(&after).contains_key(&output(9)),
            "the new one is compared"
        );
        // Of outputs that are no longer there, nothing is asked.
        let fewer = draw_around(&outputs(7), &four, (3, 9), &before);
        assert!(!uses(&fewer).contains_key(&output(8)));
    }

    #[test]
    fn planned_pairs_take_the_place_of_drawn_ones() {
        let three = outputs(3);
        let draw = ComparisonDraw {
            step: &step(2, Some(2)),
            outputs: &three,
            planned: &[[output(3), output(1)], [output(1), output(9)]],
            source_seed: 1,
            order_seed: 1,
            answered: &[vec![output(1), output(2)]],
            checks: &[],
        };
        let answered = AnnotationSlot::comparison(&[output(1), output(2)], "");
        let planned = AnnotationSlot::comparison(&[output(1), output(3)], "");
        let drawn = draw.comparisons();
        // The answered one stays; without another to take the place of, it takes the planned one's.
        assert_eq!(sets(&drawn), BTreeSet::from([answered]));
        let draw = ComparisonDraw {
            answered: &[],
            ..draw
        };
        assert_eq!(sets(&draw.comparisons()), BTreeSet::from([planned]));
    }

    #[test]
    fn quality_control_items_are_compared_like_their_originals() {
        let five = outputs(5);
        let check = |item, purpose| CheckOutput {
            item: output(item),
            purpose,
            made_from: output(2),
        };
        let scrambled = check(8, OutputPurpose::Scrambled);
        let repeated = check(9, OutputPurpose::Repeated);
        for step in [step(2, Some(2)), step(4, Some(3)), step(3, None)] {
            let plain = draw(&five, &step, (7, 7));
            let draw = |answered: &[Vec<OutputId>], checks: &[CheckOutput]| {
                let draw = ComparisonDraw {
                    step: &step,
                    outputs: &five,
                    planned: &[],
                    source_seed: 7,
                    order_seed: 7,
                    answered,
                    checks,
                };
                draw.comparisons()
            };
            let drawn = draw(&[], &[scrambled, repeated]);
            assert!(sets(&drawn).is_superset(&sets(&plain)));
            let with = |item: OutputId| {
                let mut with = drawn.iter().filter(|set| set.contains(&item));
                let set = with.next().expect("it is compared").clone();
                assert_eq!(with.next(), None);
                set
            };
            let beside = with(output(8));
            assert!(beside.contains(&output(2)) && beside.len() == plain[0].len());
            let mut again = with(output(9));
            for output in &mut again {
                if *output == repeated.item {
                    *output = repeated.made_from;
                }
            }
            assert!(sets(&plain).contains(&AnnotationSlot::comparison(&again, "")));
            // An answered one stays, whatever would be drawn.
            let size = u32::try_from(plain[0].len()).expect("few");
            let with = |last: u32| {
                let others = (1..size - 1).chain([last]).map(output);
                [output(9)].into_iter().chain(others).collect::<Vec<_>>()
            };
            let keeps = |other: &Vec<OutputId>| {
                let drawn = draw(std::slice::from_ref(other), &[repeated]);
                sets(&drawn).contains(&AnnotationSlot::comparison(other, ""))
            };
            assert!(keeps(&with(5)));
            assert!(!keeps(&with(7)), "with an output that is gone");
            assert!(!keeps(&[with(5), vec![output(4)]].concat()), "too many");
        }
    }

    /// Pinned: the draw follows from stored seeds, so it must never change.
    #[test]
    fn a_seed_means_a_draw() {
        let five = outputs(5);
        let numbers = |pair: &Vec<OutputId>| {
            let place = |id: &OutputId| five.iter().position(|of| of == id);
            pair.iter().filter_map(place).collect::<Vec<_>>()
        };
        let drawn = draw(&five, &step(2, Some(2)), (7, 7));
        let drawn: Vec<_> = drawn.iter().map(numbers).collect();
        assert_eq!(drawn, [[1, 3], [4, 0], [2, 1], [2, 4], [3, 0]]);
    }

    proptest! {
        #[test]
        fn outputs_are_compared_about_equally_often(
            count in 2_u32..24, together in 2_u32..6, times in 1_u32..8, seed: u64,
        ) {
            let drawn = draw(&outputs(count), &step(together, Some(times)), (seed, seed));
            let size = together.min(count) as usize;
            for shown in &drawn {
                let different: BTreeSet<_> = shown.iter().collect();
                prop_assert_eq!((shown.len(), different.len()), (size, size));
            }
            let target = ((count * times) as usize).div_ceil(size);
            let all = count_sets(count as usize, size);
            prop_assert_eq!((drawn.len(), sets(&drawn).len()), (target.min(all), drawn.len()));
            let uses = uses(&drawn);
            prop_assert_eq!(uses.len(), count as usize, "each output is compared");
            let (least, most) = (uses.values().min(), uses.values().max());
            prop_assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 2), "{:?}", uses);
        }
    }
}
