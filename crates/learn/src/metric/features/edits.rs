//! Features of a system's edits, by the alignment of words.

use domain::{
    edit::EditKind,
    metrics::word_rank_ratio,
    text::{align::align, edits::find_changes},
};

use super::{
    super::WordFrequencies,
    FeatureRow,
    readability::{ratio, to_float},
    text::FeatureText,
};

/// Adds counts of edits, and how frequent the words are that went, came and were changed. Words are
/// aligned by strings, so that features do not depend on a network.
pub(super) fn add(
    row: &mut FeatureRow,
    source: &FeatureText,
    output: &FeatureText,
    frequencies: &WordFrequencies,
) {
    let alignment = align(&source.cut, &output.cut);
    let changes = find_changes(&source.cut, &output.cut, &alignment);
    for kind in EditKind::ALL {
        let edits = changes.iter().filter(|change| change.kind == kind).count();
        row.add(format_args!("{} edits", kind.title()), to_float(edits));
    }
    let replaced = |change: &&domain::text::edits::TokenChange| {
        change.kind == EditKind::Paraphrase && !change.source.is_empty()
    };
    let inserted = |change: &&domain::text::edits::TokenChange| {
        change.kind == EditKind::Paraphrase && change.source.is_empty()
    };
    let deleted = |change: &&domain::text::edits::TokenChange| change.kind == EditKind::Deletion;
    let gone: Vec<usize> = changes
        .iter()
        .filter(deleted)
        .flat_map(|change| change.source.clone())
        .collect();
    let come: Vec<usize> = changes
        .iter()
        .filter(inserted)
        .flat_map(|change| change.output.clone())
        .collect();
    let old: Vec<usize> = changes
        .iter()
        .filter(replaced)
        .flat_map(|change| change.source.clone())
        .collect();
    let new: Vec<usize> = changes
        .iter()
        .filter(replaced)
        .flat_map(|change| change.output.clone())
        .collect();
    row.add("deleted words", ratio(gone.len(), source.cut.len()));
    row.add("inserted words", ratio(come.len(), output.cut.len()));
    row.add("replaced words", ratio(old.len(), source.cut.len()));
    row.add("replacing words", ratio(new.len(), output.cut.len()));
    let longest = changes
        .iter()
        .filter(deleted)
        .map(|change| change.source.len())
        .max();
    row.add(
        "longest deletion",
        ratio(longest.unwrap_or(0), source.cut.len()),
    );
    row.add(
        "frequency of deleted words",
        compute_mean_frequency(source, &gone),
    );
    row.add("rarest deleted word", find_lowest_frequency(source, &gone));
    row.add(
        "frequency of inserted words",
        compute_mean_frequency(output, &come),
    );
    let gain = compute_mean_frequency(output, &new) - compute_mean_frequency(source, &old);
    let both = !old.is_empty() && !new.is_empty();
    row.add(
        "frequency gained by replacing",
        if both { gain } else { 0.0 },
    );
    row.add(
        "rarest new word",
        find_lowest_frequency(output, &[come, new].concat()),
    );
    let sure: f64 = changes.iter().map(|change| change.confidence).sum();
    row.add("sureness of edits", sure / to_float(changes.len().max(1)));
    let links = &alignment.links;
    let together = links
        .windows(2)
        .filter(|two| two[0].source + 1 == two[1].source && two[0].output + 1 == two[1].output);
    row.add(
        "links side by side",
        ratio(together.count(), output.cut.len()),
    );
    let crossed = links.windows(2).filter(|two| two[1].output < two[0].output);
    row.add("crossing links", ratio(crossed.count(), links.len()));
    let rank = |word: &str| frequencies.rank(word);
    let ratio = word_rank_ratio(source.text(), output.text(), rank);
    row.add("word rank ratio", ratio.unwrap_or(1.0));
}

/// The mean Zipf value; that of ordinary text where there is no word.
fn compute_mean_frequency(text: &FeatureText, tokens: &[usize]) -> f64 {
    let zipf: Vec<f64> = tokens.iter().filter_map(|at| text.zipf[*at]).collect();
    if zipf.is_empty() {
        return 6.0;
    }
    zipf.iter().sum::<f64>() / to_float(zipf.len())
}

fn find_lowest_frequency(text: &FeatureText, tokens: &[usize]) -> f64 {
    let words = tokens.iter().filter(|at| text.is_word(**at));
    words.filter_map(|at| text.zipf[*at]).fold(8.0, f64::min)
}
