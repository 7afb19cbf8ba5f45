//! Random order from a seed, the same on every machine and in every version.

use chacha20::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// Random numbers from a seed.
#[derive(Debug)]
pub struct SeededRandom(ChaCha8Rng);

impl SeededRandom {
    /// The random sequence of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// The random sequence of a key of 256 bits.
    #[must_use]
    pub fn with_key(words: [u64; 4]) -> Self {
        let mut key = [0; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 up to, excluding, `bound`; each equally likely but for one part in
    /// 2⁶⁴ ÷ `bound`.
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no number lies below 0");
        let product = u128::from(self.0.next_u64()) * bound as u128;
        usize::try_from(product >> 64).expect("the upper half lies below the bound")
    }

    /// Shuffles `items`, each order equally likely (Fisher and Yates). It is implemented here so
    /// that a seed gives the same order in every version.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pinned: seeds are stored, so their sequences must never change.
    #[test]
    fn a_seed_means_an_order() {
        let mut items = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        SeededRandom::new(7).shuffle(&mut items);
        assert_eq!(items, [4, 6, 2, 0, 8, 3, 7, 5, 9, 1]);
    }

    #[test]
    fn every_order_of_three_comes_about_equally_often() {
        let mut counts = std::collections::BTreeMap::<[u8; 3], u32>::new();
        for seed in 0..6_000 {
            let mut items = [1, 2, 3];
            SeededRandom::new(seed).shuffle(&mut items);
            *counts.entry(items).or_default() += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(
            counts.values().all(|n| (900..1_100).contains(n)),
            "{counts:?}"
        );
    }

    proptest! {
        #[test]
        fn a_shuffle_keeps_the_items(seed: u64, mut items: Vec<u8>) {
            let mut shuffled = items.clone();
            SeededRandom::new(seed).shuffle(&mut shuffled);
            shuffled.sort_unstable();
            items.sort_unstable();
            prop_assert_eq!(shuffled, items);
        }
    }
}
