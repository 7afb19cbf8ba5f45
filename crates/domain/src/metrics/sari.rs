//! SARI as EASSE computes it: what an output adds, keeps and deletes, against several references.

use serde::{Deserialize, Serialize};

use super::{
    PreparedOutput, PreparedSource,
    grams::{ORDERS, OutputGrams, SourceGrams},
    signature::{LetterCase, MetricSignature, ReferenceCount},
};

/// SARI and its parts: from 0 to 100 each by [`sari`], from 0 to 1 by [`sari_lens`](super::sari_lens()). Larger is better.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SariScore {
    /// The mean of the three parts.
    pub score: f64,
    /// How well words are added.
    pub add: f64,
    /// How well words are kept.
    pub keep: f64,
    /// How well words are deleted.
    pub delete: f64,
}

/// The measure of deleted n-grams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeletionMeasure {
    /// F1, as for the other parts: EASSE's default.
    #[default]
    F1,
    /// Precision alone, as Xu et al. (2016) have it: deleting too little is not penalised.
    Precision,
}

/// SARI of one output (Xu et al. 2016, *Optimizing statistical machine translation for text
/// simplification*, in the form of EASSE 0.2.4): F1 of the n-grams of each order, averaged over orders 1
/// to 4; n-grams of the source count once for each reference. 13a's tokens of
/// lower-cased texts. A part without n-grams in references and output is 0.
///
/// Without references no added or kept n-gram is right, so the score is meaningless.
#[must_use]
pub fn sari(side: &PreparedSource, output: &str, deletion: DeletionMeasure) -> SariScore {
    SariCounts::new(side, output).sari(deletion)
}

/// The signature of [`sari`].
#[must_use]
pub fn sari_signature(deletion: DeletionMeasure, references: ReferenceCount) -> MetricSignature {
    let variant = match deletion {
        DeletionMeasure::F1 => "easse-f1",
        DeletionMeasure::Precision => "easse-precision",
    };
    MetricSignature::new("sari", variant, "13a", LetterCase::Lower, references)
}

/// The counts from which SARI is computed. Those of several outputs add up to a corpus', whose SARI is not
/// the mean of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SariCounts {
    add: [GramCounts; ORDERS],
    keep: [GramCounts; ORDERS],
    delete: [GramCounts; ORDERS],
}

/// Counts of n-grams of one order that were added, kept or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct GramCounts {
    by_both: u64,
    by_output: u64,
    by_references: u64,
}

impl SariCounts {
    /// The counts of one output.
    #[must_use]
    pub fn new(side: &PreparedSource, output: &str) -> Self {
        Self::count(side, &PreparedOutput::new(output))
    }

    /// The counts of one prepared output.
    #[must_use]
    pub fn count(side: &PreparedSource, output: &PreparedOutput) -> Self {
        let grams = side.grams(LetterCase::Lower.into());
        Self::from_grams(grams, &side.output_grams(output, LetterCase::Lower.into()))
    }

    fn from_grams(grams: &SourceGrams, output: &OutputGrams) -> Self {
        let mut counts = Self::default();
        let references = grams.references() as u64;
        for (at, (order, output)) in grams.orders().iter().zip(&output.orders).enumerate() {
            let (mut add, mut keep) = (GramCounts::default(), GramCounts::default());
            let mut delete = GramCounts::default();
            add.by_output = output.unseen as u64;

            let columns = order
                .source
                .iter()
                .zip(&order.references)
                .zip(&output.counts);
            for ((source, of_references), of_output) in columns {
                let (source, output) = (u64::from(*source), u64::from(*of_output));
                let by_references = u64::from(*of_references);
                if source == 0 {
                    let (added, wanted) = (output > 0, by_references > 0);
                    add.by_output += u64::from(added);
                    add.by_references += u64::from(wanted);
                    add.by_both += u64::from(added && wanted);
                    continue;
                }

                let all = source * references;
                let kept_by_output = source.min(output) * references;
                let kept_by_references = all.min(by_references);
                keep.by_output += kept_by_output;
                keep.by_references += kept_by_references;
                keep.by_both += kept_by_output.min(kept_by_references);
                delete.by_output += all - kept_by_output;
                delete.by_references += all - kept_by_references;
                delete.by_both += (all - kept_by_output).min(all - kept_by_references);
            }
            (counts.add[at], counts.keep[at], counts.delete[at]) = (add, keep, delete);
        }
        counts
    }

    /// The sum of both counts.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        let parts = [
            (&mut self.add, &other.add),
            (&mut self.keep, &other.keep),
            (&mut self.delete, &other.delete),
        ];
        for (mine, theirs) in parts {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.by_both += theirs.by_both;
                mine.by_output += theirs.by_output;
                mine.by_references += theirs.by_references;
            }
        }
        self
    }

    /// The score from the counts.
    #[must_use]
    pub fn sari(&self, deletion: DeletionMeasure) -> SariScore {
        let of_deletion = match deletion {
            DeletionMeasure::F1 => f1,
            DeletionMeasure::Precision => precision,
        };
        let (add, keep) = (mean(&self.add, f1), mean(&self.keep, f1));
        let delete = mean(&self.delete, of_deletion);

        SariScore {
            score: 100.0 * (add + keep + delete) / 3.0,
            add: 100.0 * add,
            keep: 100.0 * keep,
            delete: 100.0 * delete,
        }
    }
}

/// The mean of a measure over the orders.
fn mean(counts: &[GramCounts; ORDERS], measure: fn(&GramCounts) -> f64) -> f64 {
    counts.iter().map(measure).sum::<f64>() / ORDERS as f64
}

fn precision(counts: &GramCounts) -> f64 {
    share(counts.by_both, counts.by_output)
}

fn f1(counts: &GramCounts) -> f64 {
    harmonic(
        precision(counts),
        share(counts.by_both, counts.by_references),
    )
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// The harmonic mean of precision and recall; 0 if both are 0.
pub(super) fn harmonic(precision: f64, recall: f64) -> f64 {
    if precision + recall > 0.0 {
        2.0 * precision * recall / (precision + recall)
    } else {
        0.0
    }
}
