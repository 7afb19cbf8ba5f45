//! SARI as the LENS repository computes it.

use super::{
    PreparedSource, SariScore,
    grams::{GramTable, ORDERS, OutputGramCounts, SourceGrams},
    sari::harmonic,
    signature::{LetterCase, MetricSignature, ReferenceCount},
    tokens::treebank_words,
};

/// The letter case of the source in which the LENS repository's function looks for n-grams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceCase {
    /// As written: the function called on unchanged texts.
    #[default]
    Written,
    /// Lower-cased, as by the paper's loader, which produced the paper's figures.
    /// Without it, a word that is capitalised in the source is not found.
    Lower,
}

/// SARI of one output in the LENS repository's form, from 0 to 1 there and here: every n-gram weighs
/// the same whatever its count, deletion is precision alone, and an n-gram whose words occur in the
/// source in the same order does not count as a good addition. Tokens are Penn Treebank's, lower-cased.
#[must_use]
pub fn sari_lens(side: &PreparedSource, output: &str, case: SourceCase) -> SariScore {
    let lens = side.lens_grams(case);
    let output = treebank_words(&output.to_lowercase());
    let output = lens.grams.output(output.iter().map(String::as_str));
    let references = f64::from(u32::try_from(lens.grams.references()).unwrap_or(u32::MAX));

    let mut sum = SariScore::default();
    let orders = lens.grams.orders().iter().zip(&output.orders);
    for ((order, output), drawn) in orders.zip(&lens.drawn_from_source) {
        sum.add += add_score(order, output, drawn);
        sum.keep += keep_score(order, output, references);
        sum.delete += delete_score(order, output, references);
    }

    let orders = ORDERS as f64;
    let (add, keep, delete) = (sum.add / orders, sum.keep / orders, sum.delete / orders);
    SariScore {
        score: (add + keep + delete) / 3.0,
        add,
        keep,
        delete,
    }
}

/// The signature of [`sari_lens`].
#[must_use]
pub fn sari_lens_signature(case: SourceCase, references: ReferenceCount) -> MetricSignature {
    let (name, variant) = match case {
        SourceCase::Written => ("sari-lens", "lens-precision-0-1"),
        SourceCase::Lower => ("sari-lens-paper", "lens-precision-0-1-lower-source"),
    };
    MetricSignature::new(name, variant, "treebank", LetterCase::Lower, references)
}

/// The n-grams of a source and its references for this SARI.
#[derive(Debug)]
pub(super) struct LensGrams {
    grams: SourceGrams,
    /// Whether the words of the n-gram occur in the source in this order, by n-gram order and index.
    drawn_from_source: [Vec<bool>; ORDERS],
}

impl LensGrams {
    pub(super) fn new(source: &str, references: &[String], case: SourceCase) -> Self {
        let lower = source.to_lowercase();
        let cut = treebank_words(&lower);
        let references: Vec<_> = references
            .iter()
            .map(|text| treebank_words(&text.to_lowercase()))
            .collect();
        let texts = references
            .iter()
            .map(|words| words.iter().map(String::as_str));
        let grams = SourceGrams::new(cut.iter().map(String::as_str), texts);

        // The source is searched with punctuation still attached to its words.
        let cased_source = match case {
            SourceCase::Written => source,
            SourceCase::Lower => &lower,
        };
        let source_words: Vec<&str> = cased_source.split_whitespace().collect();
        let drawn_from_source = std::array::from_fn(|order| {
            let grams = grams.gram_words(order).into_iter();
            let are_drawn = grams.map(|gram| {
                cut.len() > order
                    && gram.iter().all(|word| cut.iter().any(|own| own == word))
                    && is_subsequence(&gram, &source_words)
            });
            are_drawn.collect()
        });
        Self {
            grams,
            drawn_from_source,
        }
    }
}

fn is_subsequence(words: &[&str], container: &[&str]) -> bool {
    let mut container = container.iter();
    words
        .iter()
        .all(|word| container.any(|other| other == word))
}

fn add_score(order: &GramTable, output: &OutputGramCounts, drawn: &[bool]) -> f64 {
    let (mut added, mut good, mut wanted) = (output.unseen, 0, 0);
    let columns = order.source.iter().zip(&output.counts).zip(drawn);
    for ((_, output), drawn) in columns.filter(|((source, _), _)| **source == 0) {
        wanted += 1;
        added += usize::from(*output > 0);
        good += usize::from(*output > 0 && !drawn);
    }
    harmonic(share(good as f64, added), share(good as f64, wanted))
}

fn keep_score(order: &GramTable, output: &OutputGramCounts, references: f64) -> f64 {
    let (mut by_output, mut by_references) = (MeanShare::default(), MeanShare::default());
    for (source, of_references, output) in source_gram_counts(order, output) {
        let kept_by_output = source.min(output) * references;
        let kept_by_references = (source * references).min(of_references);
        let good = kept_by_output.min(kept_by_references);
        by_output.add(good, kept_by_output);
        by_references.add(good, kept_by_references);
    }
    harmonic(by_output.get(), by_references.get())
}

fn delete_score(order: &GramTable, output: &OutputGramCounts, references: f64) -> f64 {
    let mut by_output = MeanShare::default();
    for (source, of_references, output) in source_gram_counts(order, output) {
        let deleted = (source - output).max(0.0) * references;
        by_output.add((deleted - of_references).max(0.0), deleted);
    }
    by_output.get()
}

/// The counts of the source's n-grams: in it, in the references, in the output.
fn source_gram_counts<'a>(
    order: &'a GramTable,
    output: &'a OutputGramCounts,
) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
    let columns = order
        .source
        .iter()
        .zip(&order.references)
        .zip(&output.counts);
    columns
        .map(|((source, references), output)| (source, references, output))
        .take_while(|(source, ..)| **source > 0)
        .map(|(source, references, output)| {
            (
                f64::from(*source),
                f64::from(*references),
                f64::from(*output),
            )
        })
}

/// The mean of shares over the n-grams with a total above zero.
#[derive(Default)]
struct MeanShare {
    sum: f64,
    number: usize,
}

impl MeanShare {
    fn add(&mut self, part: f64, whole: f64) {
        if whole > 0.0 {
            self.sum += part / whole;
            self.number += 1;
        }
    }

    fn get(&self) -> f64 {
        share(self.sum, self.number)
    }
}

fn share(part: f64, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}
