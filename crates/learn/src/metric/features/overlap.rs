//! Features of n-gram overlap with another text, in words and letters.

use domain::metrics::{
    BleuCounts, ChrfCounts, DeletionMeasure, LetterCase, SariCounts, levenshtein_ratio,
};

use super::{
    FeatureRow,
    compared_text::{ComparedReference, ComparedText},
    readability::{ratio, to_float},
    text::FeatureText,
};

/// Adds n-grams in common with `other`.
pub(super) fn add(row: &mut FeatureRow, other: &ComparedReference<'_>, output: &ComparedText<'_>) {
    let ComparedReference {
        text,
        side,
        letters,
    } = other;
    for (n, (from, to)) in (1..).zip(text.grams.iter().zip(&output.grams)) {
        let common = from.count_common(to);
        row.add(
            format_args!("{n}-grams, precision"),
            ratio(common, to.total),
        );
        row.add(format_args!("{n}-grams, recall"), ratio(common, from.total));
    }

    let (from, to) = (&text.content, &output.content);
    let common = from.count_common(to);
    row.add("content words, precision", ratio(common, to.total));
    row.add("content words, recall", ratio(common, from.total));

    let bleu = BleuCounts::count(side, &output.prepared, LetterCase::Lower);
    row.add("BLEU", bleu.sentence().score);
    row.add("chrF", ChrfCounts::count(side, &output.prepared).chrf());
    row.add(
        "Levenshtein ratio",
        letters.levenshtein_ratio(&output.lower),
    );
    row.add("edit distance", letters.edit_distance(&output.lower));

    row.add(
        "in order",
        ratio(
            count_in_order(&text.words, &output.words),
            output.words.len(),
        ),
    );
}

/// The likeness of a text to its source, by letters.
pub(super) fn compute_likeness(source: &FeatureText, output: &FeatureText) -> f64 {
    levenshtein_ratio(source.text(), output.text())
}

/// Adds the parts of SARI. `likeness` is that of the output to the source, then that of the reference.
pub(super) fn add_sari(
    row: &mut FeatureRow,
    other: &ComparedReference<'_>,
    output: &ComparedText<'_>,
    likeness: [f64; 2],
) {
    let side = &other.side;
    let sari = SariCounts::count(side, &output.prepared).sari(DeletionMeasure::F1);
    row.add("SARI", sari.score);
    row.add("SARI, add", sari.add);
    row.add("SARI, keep", sari.keep);
    row.add("SARI, delete", sari.delete);

    let (reference, source) = (&side.references()[0], side.source());
    row.add(
        "compression beside the reference's",
        compute_compression(output.text.text(), source) - compute_compression(reference, source),
    );

    let [of_output, of_reference] = likeness;
    row.add(
        "likeness to the source beside the reference's",
        of_output - of_reference,
    );
}

fn compute_compression(text: &str, source: &str) -> f64 {
    to_float(text.chars().count()) / to_float(source.chars().count().max(1))
}

/// The length of the longest common subsequence.
fn count_in_order(a: &[u32], b: &[u32]) -> usize {
    let mut last = vec![0; b.len() + 1];
    for word in a {
        let mut diagonal = 0;
        for (at, other) in b.iter().enumerate() {
            let above = last[at + 1];
            last[at + 1] = if word == other {
                diagonal + 1
            } else {
                above.max(last[at])
            };
            diagonal = above;
        }
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_order_may_have_others_between() {
        assert_eq!(count_in_order(&[1, 2, 3, 4], &[9, 1, 3, 2, 4]), 3);
        assert_eq!(count_in_order(&[], &[1]), 0);
    }
}
