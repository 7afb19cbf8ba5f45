//! The pairs of raters and units with a rating.

use rustc_hash::FxHashSet;

/// The most bits of a [`PairSet`]: 16 MB.
const MOST_BITS: usize = 1 << 27;

/// A set of pairs of rater and unit.
pub(super) enum PairSet {
    /// A bit for each pair, unit by unit. A hash table of as many pairs as a file has ratings would be larger, and
    /// each look-up would miss the caches.
    Bits { words: Vec<u64>, raters: usize },
    /// The pairs of a file with many raters and many outputs.
    Pairs(FxHashSet<(u32, u32)>),
}

impl PairSet {
    pub(super) fn new(raters: usize, units: usize) -> Self {
        match raters.checked_mul(units) {
            Some(bits) if bits <= MOST_BITS => Self::Bits {
                words: vec![0; bits.div_ceil(64)],
                raters,
            },
            _ => Self::Pairs(FxHashSet::default()),
        }
    }

    /// Adds a pair and returns whether it is new.
    pub(super) fn insert(&mut self, rater: u32, unit: u32) -> bool {
        match self {
            Self::Bits { words, raters } => {
                let bit = unit as usize * *raters + rater as usize;
                let (word, mask) = (&mut words[bit / 64], 1 << (bit % 64));
                let is_new = *word & mask == 0;
                *word |= mask;
                is_new
            }
            Self::Pairs(pairs) => pairs.insert((rater, unit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_new_once_in_either_kind_of_set() {
        let (raters, units) = (3, 70);
        let sets = [PairSet::new(raters, units), PairSet::new(usize::MAX, units)];
        assert!(matches!(sets, [PairSet::Bits { .. }, PairSet::Pairs(_)]));
        for mut set in sets {
            let pairs = (0..3).flat_map(|rater| (0..70).map(move |unit| (rater, unit)));
            for (rater, unit) in pairs.clone() {
                assert!(set.insert(rater, unit), "{rater} {unit}");
            }
            assert!(pairs.clone().all(|(rater, unit)| !set.insert(rater, unit)));
        }
    }
}
