//! Features of n-gram overlap with another text, in words and letters.

use std::collections::HashMap;

use domain::metrics::{
    DeletionMeasure, LetterCase, PreparedSource, bleu, chrf, edit_distance, levenshtein_ratio, sari,
};

use super::{
    FeatureRow,
    readability::{ratio, to_float},
    text::FeatureText,
};

/// Adds n-grams in common with `other`, the only reference of `side`.
pub(super) fn add(
    row: &mut FeatureRow,
    side: &PreparedSource,
    other: &FeatureText,
    output: &FeatureText,
) {
    for n in 1..=4 {
        let common = count_common(&other.folded, &output.folded, n);
        let grams = |text: &FeatureText| (text.folded.len() + 1).saturating_sub(n);
        row.add(
            &format!("{n}-grams, precision"),
            ratio(common, grams(output)),
        );
        row.add(&format!("{n}-grams, recall"), ratio(common, grams(other)));
    }
    let content = |text: &FeatureText| -> Vec<String> {
        let indices =
            (0..text.cut.len()).filter(|at| text.zipf[*at].is_some_and(|zipf| zipf < 5.5));
        indices.map(|at| text.folded[at].clone()).collect()
    };
    let (from, to) = (content(other), content(output));
    let both = count_common(&from, &to, 1);
    row.add("content words, precision", ratio(both, to.len()));
    row.add("content words, recall", ratio(both, from.len()));
    row.add("BLEU", bleu(side, output.text(), LetterCase::Lower).score);
    row.add("chrF", chrf(side, output.text()));
    let (from, to) = (other.text().to_lowercase(), output.text().to_lowercase());
    row.add("Levenshtein ratio", levenshtein_ratio(&from, &to));
    row.add("edit distance", edit_distance(&from, &to));
    row.add(
        "in order",
        ratio(
            count_in_order(&other.folded, &output.folded),
            output.folded.len(),
        ),
    );
}

/// Adds the parts of SARI.
pub(super) fn add_sari(row: &mut FeatureRow, side: &PreparedSource, output: &FeatureText) {
    let sari = sari(side, output.text(), DeletionMeasure::F1);
    row.add("SARI", sari.score);
    row.add("SARI, add", sari.add);
    row.add("SARI, keep", sari.keep);
    row.add("SARI, delete", sari.delete);
    let (reference, source) = (&side.references()[0], side.source());
    let moved =
        |text: &str| to_float(text.chars().count()) / to_float(source.chars().count().max(1));
    row.add(
        "compression beside the reference's",
        moved(output.text()) - moved(reference),
    );
    let likeness = levenshtein_ratio(source, output.text()) - levenshtein_ratio(source, reference);
    row.add("likeness to the source beside the reference's", likeness);
}

/// The number of n-grams in common, each counted as often as in the text that has it less often.
fn count_common(a: &[String], b: &[String], n: usize) -> usize {
    let mut left = HashMap::<&[String], usize>::new();
    for gram in a.windows(n) {
        *left.entry(gram).or_default() += 1;
    }
    let common = b.windows(n).filter(|gram| {
        left.get_mut(gram)
            .filter(|count| **count > 0)
            .map(|count| *count -= 1)
            .is_some()
    });
    common.count()
}

/// The length of the longest common subsequence.
fn count_in_order(a: &[String], b: &[String]) -> usize {
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

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn n_grams_count_as_often_as_both_have_them() {
        let (a, b) = (words("a b a b c"), words("a b a a"));
        assert_eq!(count_common(&a, &b, 1), 3);
        assert_eq!(count_common(&a, &b, 2), 2);
        assert_eq!(count_common(&a, &b, 5), 0);
    }

    #[test]
    fn words_in_order_may_have_others_between() {
        assert_eq!(count_in_order(&words("a b c d"), &words("x a c b d")), 3);
        assert_eq!(count_in_order(&[], &words("a")), 0);
    }
}
