//! The evaluation of an aligner on gold alignments.

use std::{collections::BTreeSet, iter::Sum, ops::AddAssign};

use serde::{Deserialize, Serialize};

use super::{AlignerGrade, Alignment, AlignmentLink, gold::GoldPair, pharaoh::LinkSet};
use crate::{
    edit::EditKind,
    text::{edits::find_changes, tokenise::fold_token},
};

/// Precision, recall and related figures over many pairs; all are fractions from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct AlignmentEvaluation {
    /// The mean over pairs of the share of predicted links that are gold; 1 if none is predicted.
    pub precision: f64,
    /// The mean over pairs of the share of gold links that are predicted; 1 if there are none.
    pub recall: f64,
    /// The harmonic mean of the two means above.
    pub f1: f64,
    /// The share of pairs whose predicted links are exactly the gold ones.
    pub exact: f64,
    /// F1 over all links between differing words, ignoring case.
    pub non_identical_f1: f64,
    /// F1 over all edits derived from the links, word by word.
    pub edits_f1: f64,
    /// The number of pairs.
    pub pairs: usize,
}

/// Sums over pairs, from which an [`AlignmentEvaluation`] is computed.
#[derive(Debug, Clone, Copy, Default)]
pub struct AlignmentTally {
    pairs: usize,
    precision: f64,
    recall: f64,
    exact: usize,
    non_identical: HitCounts,
    edits: HitCounts,
}

#[derive(Debug, Clone, Copy, Default)]
struct HitCounts {
    both: usize,
    predicted: usize,
    gold: usize,
}

impl HitCounts {
    fn add<T: Ord>(&mut self, predicted: &BTreeSet<T>, gold: &BTreeSet<T>) {
        self.both += predicted.intersection(gold).count();
        self.predicted += predicted.len();
        self.gold += gold.len();
    }

    fn add_counts(&mut self, other: Self) {
        self.both += other.both;
        self.predicted += other.predicted;
        self.gold += other.gold;
    }

    fn f1(self) -> f64 {
        ratio(2 * self.both, self.predicted + self.gold)
    }
}

/// The share of `part` in `whole`; 1 if `whole` is 0.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of links stay far under 2⁵³"
)]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

impl AlignmentTally {
    /// Adds one pair: the links of an aligner, and the gold ones.
    pub fn add(&mut self, pair: &GoldPair, predicted: &LinkSet, gold: &LinkSet) {
        let hits = predicted.intersection(gold).count();
        self.pairs += 1;
        self.precision += ratio(hits, predicted.len());
        self.recall += ratio(hits, gold.len());
        self.exact += usize::from(predicted == gold);
        self.non_identical.add(
            &differing_links(pair, predicted),
            &differing_links(pair, gold),
        );
        self.edits
            .add(&word_edits(pair, predicted), &word_edits(pair, gold));
    }

    /// The figures so far; without any pair, precision, recall and `exact` are 0.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of pairs stay far under 2⁵³"
    )]
    pub fn evaluation(&self) -> AlignmentEvaluation {
        let pairs = self.pairs.max(1) as f64;
        let (precision, recall) = (self.precision / pairs, self.recall / pairs);
        let sum = precision + recall;
        AlignmentEvaluation {
            precision,
            recall,
            f1: if sum > 0.0 {
                2.0 * precision * recall / sum
            } else {
                0.0
            },
            exact: self.exact as f64 / pairs,
            non_identical_f1: self.non_identical.f1(),
            edits_f1: self.edits.f1(),
            pairs: self.pairs,
        }
    }
}

impl AddAssign for AlignmentTally {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.precision += other.precision;
        self.recall += other.recall;
        self.exact += other.exact;
        self.non_identical.add_counts(other.non_identical);
        self.edits.add_counts(other.edits);
    }
}

impl Sum for AlignmentTally {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), |mut sum, tally| {
            sum += tally;
            sum
        })
    }
}

fn differing_links(pair: &GoldPair, links: &LinkSet) -> LinkSet {
    links
        .iter()
        .filter(|&&(i, j)| fold_token(&pair.source[i]) != fold_token(&pair.output[j]))
        .copied()
        .collect()
}

/// A word in an edit: the kind, whether it is a word of the output, and its index.
type WordEdit = (EditKind, bool, usize);

/// The words that are highlighted: deleted words of the source, new or changed ones of the output,
/// added sentence ends.
fn word_edits(pair: &GoldPair, links: &LinkSet) -> BTreeSet<WordEdit> {
    let (source, output) = pair.texts();
    let links = links.iter().map(|&(source, output)| AlignmentLink {
        source,
        output,
        confidence: 1.0,
    });
    let alignment = Alignment {
        links: links.collect(),
        near_misses: Vec::new(),
        grade: AlignerGrade::String,
        version: 0,
        banded: false,
    };

    let mut words = BTreeSet::new();
    for change in find_changes(&source, &output, &alignment) {
        let kind = change.kind;
        match kind {
            EditKind::Deletion => words.extend(change.source.iter().map(|&at| (kind, false, at))),
            _ => words.extend(change.output.iter().map(|&at| (kind, true, at))),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(predicted: &str, expected: AlignmentEvaluation) {
        let line = "0\told boats sank\t\tships sank\t\t1\t1\t1-0 2-1";
        let pair = GoldPair::parse(line).expect("a gold pair");
        let predicted = crate::text::align::pharaoh::parse_links(predicted).expect("links");
        let mut tally = AlignmentTally::default();
        tally.add(&pair, &predicted, &pair.all_links());
        assert_eq!(tally.evaluation(), expected, "{predicted:?}");
    }

    #[test]
    fn figures_follow_from_links_counted_by_hand() {
        let perfect = AlignmentEvaluation {
            precision: 1.0,
            recall: 1.0,
            f1: 1.0,
            exact: 1.0,
            non_identical_f1: 1.0,
            edits_f1: 1.0,
            pairs: 1,
        };
        check("1-0 2-1", perfect);
        // Gold edits: old deleted, ships changed. Predicted: old and boats deleted, ships new.
        check(
            "2-1",
            AlignmentEvaluation {
                recall: 0.5,
                f1: 2.0 / 3.0,
                exact: 0.0,
                non_identical_f1: 0.0,
                edits_f1: 0.8,
                ..perfect
            },
        );
    }
}
