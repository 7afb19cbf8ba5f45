//! F1 of the overlap of two raters' marks.

use std::collections::BTreeMap;

use super::super::{UndefinedReason, describe::mean};

/// Characters with a type on the outputs of one source that two raters both judged.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OverlapCounts {
    /// Those that both marked with the type.
    pub(super) both: f64,
    /// Those that the first marked, and those that the second marked, added up.
    pub(super) each: f64,
}

impl OverlapCounts {
    pub(super) fn add(&mut self, other: Self) {
        self.both += other.both;
        self.each += other.each;
    }

    /// Counts the types of each character that two raters marked.
    pub(super) fn count(first: &[Vec<usize>], second: &[Vec<usize>]) -> Self {
        let mut counts = Self::default();
        for (a, b) in first.iter().zip(second) {
            counts.both += a.iter().filter(|kind| b.contains(kind)).count() as f64;
            counts.each += (a.len() + b.len()) as f64;
        }
        counts
    }
}

/// The overlaps of one source, by the number of the pair of raters.
pub(super) type SourceOverlaps = BTreeMap<usize, OverlapCounts>;

/// The mean over pairs of raters of 2·both/each; a pair that marked nothing is left out.
pub(super) fn mean_f1<'a>(
    pairs: usize,
    drawn: impl Iterator<Item = &'a SourceOverlaps>,
) -> Result<f64, UndefinedReason> {
    let mut sums = vec![OverlapCounts::default(); pairs];
    let mut shares_outputs = false;
    for (pair, counts) in drawn.flatten() {
        shares_outputs = true;
        sums[*pair].add(*counts);
    }

    let marked = sums.iter().filter(|pair| pair.each > 0.0);
    let f1: Vec<_> = marked.map(|pair| 2.0 * pair.both / pair.each).collect();
    match (shares_outputs, f1.is_empty()) {
        (false, _) => Err(UndefinedReason::NoPairableUnit),
        (true, true) => Err(UndefinedReason::NoMark),
        (true, false) => Ok(mean(&f1)),
    }
}
