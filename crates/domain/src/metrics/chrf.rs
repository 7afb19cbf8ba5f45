//! chrF as sacreBLEU computes it.

use super::{
    PreparedOutput, PreparedSource,
    signature::{LetterCase, MetricSignature, ReferenceCount},
};

/// The highest order of n-grams of characters.
const ORDERS: usize = 6;

/// chrF2 of one output, from 0 to 100, as `sentence_chrf` of sacreBLEU 2.6.0 gives it (Popović 2015):
/// n-grams of characters of order 1 to 6 without white space, recall weighing twice as much, the
/// best reference. 0 without references.
#[must_use]
pub fn chrf(side: &PreparedSource, output: &str) -> f64 {
    ChrfCounts::new(side, output).chrf()
}

/// The signature of [`fn@chrf`].
#[must_use]
pub fn chrf_signature(references: ReferenceCount) -> MetricSignature {
    MetricSignature::new(
        "chrf",
        "sacrebleu-chrf2-nc6-nw0",
        "characters",
        LetterCase::Mixed,
        references,
    )
}

/// The counts from which chrF is computed, against the reference that scores the output best. Those of
/// several outputs add up to a corpus'.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChrfCounts {
    output: [u64; ORDERS],
    reference: [u64; ORDERS],
    both: [u64; ORDERS],
}

impl ChrfCounts {
    /// The counts of one output.
    #[must_use]
    pub fn new(side: &PreparedSource, output: &str) -> Self {
        Self::count(side, &PreparedOutput::new(output))
    }

    /// The counts of one prepared output.
    #[must_use]
    pub fn count(side: &PreparedSource, output: &PreparedOutput) -> Self {
        let mut best = Self::default();
        let mut most = f64::NEG_INFINITY;
        for reference in side.char_grams() {
            let counts = Self::from_grams(output.char_grams(), reference);
            let score = counts.chrf();
            if score > most {
                (best, most) = (counts, score);
            }
        }
        best
    }

    fn from_grams(output: &CharGrams, reference: &CharGrams) -> Self {
        let mut counts = Self::default();
        for order in 0..ORDERS {
            let (of_output, of_reference) = (&output.0[order], &reference.0[order]);
            counts.reference[order] = total(of_reference);
            if counts.reference[order] > 0 {
                counts.output[order] = total(of_output);
            }
            counts.both[order] = common(of_output, of_reference);
        }
        counts
    }

    /// The sum of both counts.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        for order in 0..ORDERS {
            self.output[order] += other.output[order];
            self.reference[order] += other.reference[order];
            self.both[order] += other.both[order];
        }
        self
    }

    /// The score from the counts; orders that either text is too short for are left out.
    #[must_use]
    pub fn chrf(&self) -> f64 {
        const BETA_SQUARED: f64 = 4.0;
        let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
        for order in 0..ORDERS {
            let (output, reference) = (self.output[order], self.reference[order]);
            if output > 0 && reference > 0 {
                precision += self.both[order] as f64 / output as f64;
                recall += self.both[order] as f64 / reference as f64;
                orders += 1.0;
            }
        }
        if precision + recall == 0.0 {
            return 0.0;
        }

        let (precision, recall) = (precision / orders, recall / orders);
        100.0 * (1.0 + BETA_SQUARED) * precision * recall / (BETA_SQUARED * precision + recall)
    }
}

/// The n-grams of a text's characters by order, sorted, with their counts.
#[derive(Debug, Default)]
pub(super) struct CharGrams([Vec<(u128, u32)>; ORDERS]);

impl CharGrams {
    pub(super) fn new(text: &str) -> Self {
        let letters: Vec<u128> = text
            .chars()
            .filter(|c| !c.is_whitespace())
            .map(|c| u128::from(u32::from(c)))
            .collect();
        Self(std::array::from_fn(|order| {
            let mut grams: Vec<u128> = letters.windows(order + 1).map(pack).collect();
            grams.sort_unstable();
            let runs = grams.chunk_by(|a, b| a == b);
            runs.map(|run| (run[0], run.len() as u32)).collect()
        }))
    }
}

/// An n-gram as one number: a character takes 21 bits, so six of them fit.
fn pack(gram: &[u128]) -> u128 {
    gram.iter().fold(0, |gram, c| gram << 21 | c)
}

fn total(grams: &[(u128, u32)]) -> u64 {
    grams.iter().map(|(_, count)| u64::from(*count)).sum()
}

fn common(a: &[(u128, u32)], b: &[(u128, u32)]) -> u64 {
    let mut b = b.iter().peekable();
    let mut sum = 0;
    for (gram, count) in a {
        while b.next_if(|(other, _)| other < gram).is_some() {}
        if let Some((_, other)) = b.next_if(|(other, _)| other == gram) {
            sum += u64::from(*count.min(other));
        }
    }
    sum
}
