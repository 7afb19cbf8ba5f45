//! BLEU as sacreBLEU computes it.

use serde::{Deserialize, Serialize};

use super::{
    PreparedOutput, PreparedSource,
    grams::{GramTable, ORDERS, OutputGrams},
    signature::{MetricSignature, ReferenceCount},
    tokenisation::Tokenisation,
};

/// BLEU from 0 to 100, larger is closer, with its components.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BleuScore {
    /// The geometric mean of the precisions times the brevity penalty, in percent.
    pub score: f64,
    /// The precision of n-grams of order 1 to 4, in percent, smoothed if none matches.
    pub precisions: [f64; ORDERS],
    /// 1 where the output is at least as long as the reference nearest in length, else below.
    pub brevity_penalty: f64,
}

/// BLEU of one output against its references, as `sentence_bleu` of sacreBLEU 2.6.0: exponential smoothing, only
/// those orders that the output is long enough for. A letter case alone means 13a's tokens.
#[must_use]
pub fn bleu(
    side: &PreparedSource,
    output: &str,
    tokenisation: impl Into<Tokenisation>,
) -> BleuScore {
    BleuCounts::new(side, output, tokenisation).sentence()
}

/// BLEU of one output against its own source, in the same way: 100 is a copy.
#[must_use]
pub fn bleu_to_source(
    side: &PreparedSource,
    output: &str,
    tokenisation: impl Into<Tokenisation>,
) -> BleuScore {
    BleuCounts::to_source(side, output, tokenisation).sentence()
}

/// The signature of [`bleu()`]; of a corpus' BLEU where `corpus` is set.
#[must_use]
pub fn bleu_signature(
    tokenisation: Tokenisation,
    corpus: bool,
    references: ReferenceCount,
) -> MetricSignature {
    let variant = if corpus {
        "sacrebleu-corpus-exp"
    } else {
        "sacrebleu-sentence-exp"
    };
    let Tokenisation { tokeniser, case } = tokenisation;
    MetricSignature::new("bleu", variant, tokeniser.name(), case, references)
}

/// The counts from which BLEU is computed. Those of several outputs add up to a corpus'.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BleuCounts {
    matched: [u64; ORDERS],
    total: [u64; ORDERS],
    length: u64,
    reference_length: u64,
}

impl BleuCounts {
    /// The counts of one output against its references.
    #[must_use]
    pub fn new(side: &PreparedSource, output: &str, tokenisation: impl Into<Tokenisation>) -> Self {
        Self::count(side, &PreparedOutput::new(output), tokenisation)
    }

    /// The counts of one prepared output against its references.
    #[must_use]
    pub fn count(
        side: &PreparedSource,
        output: &PreparedOutput,
        tokenisation: impl Into<Tokenisation>,
    ) -> Self {
        let tokenisation = tokenisation.into();
        let grams = side.grams(tokenisation);
        let output = side.output_grams(output, tokenisation);
        let nearest = nearest(&grams.reference_lengths, output.length);
        Self::from_grams(
            grams.orders(),
            |order| &order.max_in_reference,
            &output,
            nearest,
        )
    }

    /// The counts of one output against its own source.
    #[must_use]
    pub fn to_source(
        side: &PreparedSource,
        output: &str,
        tokenisation: impl Into<Tokenisation>,
    ) -> Self {
        let tokenisation = tokenisation.into();
        let grams = side.grams(tokenisation);
        let output = side.output_grams(&PreparedOutput::new(output), tokenisation);
        let length = grams.source_length();
        Self::from_grams(grams.orders(), |order| &order.source, &output, length)
    }

    fn from_grams(
        orders: &[GramTable; ORDERS],
        most: fn(&GramTable) -> &Vec<u32>,
        output: &OutputGrams,
        reference_length: usize,
    ) -> Self {
        Self {
            matched: std::array::from_fn(|at| {
                let counts = output.orders[at].counts.iter().zip(most(&orders[at]));
                counts.map(|(a, b)| u64::from(*a.min(b))).sum()
            }),
            total: std::array::from_fn(|at| output.orders[at].total as u64),
            length: output.length as u64,
            reference_length: reference_length as u64,
        }
    }

    /// The sum of both counts.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        for at in 0..ORDERS {
            self.matched[at] += other.matched[at];
            self.total[at] += other.total[at];
        }
        self.length += other.length;
        self.reference_length += other.reference_length;
        self
    }

    /// BLEU of one output: orders that it is too short for are left out.
    #[must_use]
    pub fn sentence(&self) -> BleuScore {
        let long_enough = self.total.iter().take_while(|all| **all > 0).count();
        self.bleu(long_enough)
    }

    /// BLEU of a corpus: all four orders count.
    #[must_use]
    pub fn corpus(&self) -> BleuScore {
        self.bleu(ORDERS)
    }

    fn bleu(&self, orders: usize) -> BleuScore {
        let brevity_penalty = match (self.length, self.reference_length) {
            (length, reference_length) if length >= reference_length => 1.0,
            (0, _) => 0.0,
            (length, reference_length) => (1.0 - reference_length as f64 / length as f64).exp(),
        };

        let mut precisions = [0.0; ORDERS];
        if self.matched == [0; ORDERS] {
            return BleuScore {
                score: 0.0,
                precisions,
                brevity_penalty,
            };
        }

        let mut smooth = 1.0;
        let counts = self.matched.iter().zip(&self.total);
        for (precision, (right, all)) in precisions.iter_mut().zip(counts) {
            *precision = match (*right, *all) {
                (_, 0) => break,
                (0, all) => {
                    smooth *= 2.0;
                    100.0 / (smooth * all as f64)
                }
                (right, all) => 100.0 * right as f64 / all as f64,
            };
        }

        // An order without n-grams has precision 0, which makes a corpus' score 0.
        let logarithms: f64 = precisions[..orders].iter().map(|p: &f64| p.ln()).sum();
        BleuScore {
            score: brevity_penalty * (logarithms / orders as f64).exp(),
            precisions,
            brevity_penalty,
        }
    }
}

/// The length nearest to `length`, the shorter of two; 0 without lengths.
fn nearest(lengths: &[usize], length: usize) -> usize {
    lengths
        .iter()
        .copied()
        .min_by_key(|reference_length| (reference_length.abs_diff(length), *reference_length))
        .unwrap_or(0)
}
