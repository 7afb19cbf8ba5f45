//! Krippendorff's unitised α.

use std::collections::BTreeMap;

use super::{super::UndefinedReason, MarkScope, characters::MarkedCharacters};

/// The outputs of one source, as the sums that the unitised α is made from.
#[derive(Debug, Clone, Default)]
pub(super) struct UnitisedCounts {
    /// How often each value was given to a character, by the number of the value.
    counts: BTreeMap<usize, f64>,
    /// Σ over characters of the ordered pairs of raters who differ there, over the number of raters less one.
    differing: f64,
    /// Σ over raters of [`MarkedCharacters::pairs_within_units`].
    within_units: f64,
}

impl UnitisedCounts {
    /// Adds an output that two raters or more judged. `values` are those of each rater, character by character.
    pub(super) fn add(
        &mut self,
        raters: &[MarkedCharacters],
        values: &[Vec<Vec<usize>>],
        scope: MarkScope,
        mut value_number: impl FnMut(&[usize]) -> usize,
    ) {
        let characters = values.iter().map(Vec::len).min().unwrap_or(0);
        let raters_less_one = raters.len() as f64 - 1.0;
        for at in 0..characters {
            let mut counts = BTreeMap::<usize, f64>::new();
            for of_rater in values {
                *counts.entry(value_number(&of_rater[at])).or_default() += 1.0;
            }

            let same: f64 = counts.values().map(|count| count * count).sum();
            let all = raters.len() as f64;
            self.differing += (all * all - same) / raters_less_one;
            for (value, count) in counts {
                *self.counts.entry(value).or_default() += count;
            }
        }

        let within = raters.iter().map(|rater| rater.pairs_within_units(scope));
        self.within_units += within.sum::<f64>();
    }
}

/// α of the sources drawn.
pub(super) fn alpha<'a>(
    values: usize,
    drawn: impl Iterator<Item = &'a UnitisedCounts>,
) -> Result<f64, UndefinedReason> {
    let mut counts = vec![0.0; values];
    let (mut differing, mut within) = (0.0, 0.0);
    for source in drawn {
        for (value, count) in &source.counts {
            counts[*value] += count;
        }
        differing += source.differing;
        within += source.within_units;
    }

    let all: f64 = counts.iter().sum();
    if all == 0.0 {
        return Err(UndefinedReason::NoPairableUnit);
    }

    let unequal = all * all - counts.iter().map(|count| count * count).sum::<f64>();
    if unequal <= 0.0 {
        return Err(UndefinedReason::Constant);
    }
    Ok(1.0 - differing * (all - within / all) / unequal)
}
