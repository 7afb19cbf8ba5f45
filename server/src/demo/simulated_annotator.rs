//! Annotators that follow a formula, so that a new platform has something to show.

use domain::category::Category;

/// A simulated annotator: how their ratings differ from the quality that each output was written with.
#[derive(Debug)]
pub(super) struct SimulatedAnnotator {
    /// The name shown everywhere, which says that the annotator is simulated.
    pub(super) label: &'static str,
    seed: u64,
    /// Points added to every rating.
    bias: f64,
    /// The factor by which ratings spread around 50; 1 is the true spread.
    spread: f64,
    /// Points by which a rating may miss either way.
    noise: f64,
    /// Ratings are multiples of this.
    step: i32,
    /// The number of the source that they skip.
    skipped_source: usize,
    /// The fraction of outputs whose edits are corrected.
    correction_rate: f64,
    /// Milliseconds per word shown.
    pace: f64,
}

impl SimulatedAnnotator {
    /// Three annotators: a strict one, a mild one that rounds to five, and a careless one.
    pub(super) const ALL: [Self; 3] = [
        Self {
            label: "simulated 1",
            seed: 11,
            bias: -6.0,
            spread: 1.05,
            noise: 18.0,
            step: 1,
            skipped_source: 7,
            correction_rate: 0.3,
            pace: 900.0,
        },
        Self {
            label: "simulated 2",
            seed: 23,
            bias: 5.0,
            spread: 0.8,
            noise: 20.0,
            step: 5,
            skipped_source: 8,
            correction_rate: 0.15,
            pace: 600.0,
        },
        Self {
            label: "simulated 3",
            seed: 42,
            bias: 0.0,
            spread: 0.9,
            noise: 32.0,
            step: 1,
            skipped_source: 6,
            correction_rate: 0.0,
            pace: 260.0,
        },
    ];

    /// Whether they judge the source with this number.
    pub(super) const fn judges(&self, source: usize) -> bool {
        source != self.skipped_source
    }

    /// The rating of an output of this quality, 0 to 100.
    pub(super) fn rating(&self, quality: i32, source: usize, place: usize) -> i32 {
        let noise = (2.0 * self.chance(source, place) - 1.0) * self.noise;
        let exact_rating = 50.0 + self.spread * (f64::from(quality) - 50.0) + self.bias + noise;
        let steps = (exact_rating / f64::from(self.step)).round() as i32;
        (steps * self.step).clamp(0, 100)
    }

    /// The rating of an output that they rated before, closer to that rating than to the quality.
    pub(super) fn rating_again(&self, before: i32, source: usize, place: usize) -> i32 {
        let noise = (self.chance(source, place) - 0.5) * self.noise;
        let steps = ((f64::from(before) + noise) / f64::from(self.step)).round() as i32;
        (steps * self.step).clamp(0, 100)
    }

    /// The category they choose for an output: mostly the automatic one.
    pub(super) fn category(&self, automatic: Category, source: usize, place: usize) -> Category {
        match automatic {
            Category::Deletion if self.chance(source + 100, place) < 0.1 => Category::Paraphrase,
            category => category,
        }
    }

    /// Whether they correct the edits of an output.
    pub(super) fn corrects(&self, source: usize, place: usize) -> bool {
        self.chance(source + 200, place) < self.correction_rate
    }

    /// Whether they look less closely than they should.
    pub(super) fn is_careless(&self) -> bool {
        self.correction_rate == 0.0
    }

    /// The time spent on a source with this many words, in milliseconds. The careless annotator clicks
    /// through one of the sources.
    pub(super) fn active_ms(&self, source: usize, words: usize) -> u64 {
        if self.is_careless() && source == 2 {
            return 9_000;
        }
        let swing = 0.75 + 0.5 * self.chance(source + 300, 0);
        (self.pace * words as f64 * swing) as u64
    }

    /// A note on a source, if they have one.
    pub(super) fn note(&self, source: usize) -> Option<&'static str> {
        match (self.seed, source) {
            (11, 0) => Some("Simulated note: “river mouth” helps more than “estuary”."),
            (11, 4) => Some("Simulated note: two outputs say the same, in other words."),
            (23, 3) => Some("Simulated note: the cost is missing in several outputs."),
            _ => None,
        }
    }

    /// A number in 0..1 that depends only on annotator, source and place (SplitMix64).
    fn chance(&self, source: usize, place: usize) -> f64 {
        let mut x = self.seed << 40 | (source as u64) << 20 | place as u64;
        x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_stay_on_the_scale_and_follow_the_quality() {
        for annotator in &SimulatedAnnotator::ALL {
            let mean = |quality| {
                let ratings = (0..50).map(|place| annotator.rating(quality, 0, place));
                ratings
                    .inspect(|rating| assert!((0..=100).contains(rating)))
                    .sum::<i32>()
                    / 50
            };
            assert!(
                mean(20) < mean(50) && mean(50) < mean(90),
                "{}",
                annotator.label
            );
        }
    }
}
