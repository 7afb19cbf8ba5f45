//! Random numbers from a seed, the same on every machine and in every version.

/// Sebastiano Vigna's SplitMix64: small, fast, good enough to shuffle and to draw samples with.
///
/// An own few lines rather than a library, because stored seeds must mean the same order for ever.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The sequence that belongs to `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `bound`, which is left out; each equally likely but for one part in
    /// 2⁶⁴ ÷ `bound`.
    ///
    /// # Panics
    /// Where `bound` is 0: there is no such number.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no number lies below 0");
        let product = u128::from(self.next_u64()) * bound as u128;
        usize::try_from(product >> 64).expect("the upper half lies below the bound")
    }

    /// Puts `items` in random order, each order equally likely (Fisher and Yates).
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

    /// The first numbers for the seed 1234567, as Rosetta Code lists them for SplitMix64.
    #[test]
    fn rosetta_code_splitmix64() {
        let mut random = Random::new(1_234_567);
        assert_eq!(
            [(); 5].map(|()| random.next_u64()),
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }

    #[test]
    fn every_order_of_three_comes_about_equally_often() {
        let mut seen = std::collections::BTreeMap::<[u8; 3], u32>::new();
        for seed in 0..6_000 {
            let mut items = [1, 2, 3];
            Random::new(seed).shuffle(&mut items);
            *seen.entry(items).or_default() += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|n| (900..1_100).contains(n)), "{seen:?}");
    }

    proptest! {
        #[test]
        fn a_shuffle_keeps_the_items(seed: u64, mut items: Vec<u8>) {
            let mut shuffled = items.clone();
            Random::new(seed).shuffle(&mut shuffled);
            shuffled.sort_unstable();
            items.sort_unstable();
            prop_assert_eq!(shuffled, items);
        }
    }
}
