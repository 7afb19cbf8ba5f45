//! Features of a system's edits, by the alignment of words.

use domain::{
    edit::EditKind,
    metrics::word_rank_ratio,
    text::{
        align::{Alignment, align},
        edits::{TokenChange, find_changes},
    },
};

use super::{
    super::WordFrequencies,
    FeatureRow,
    readability::{ratio, to_float},
    text::FeatureText,
};

/// Adds counts of edits, and the frequency of deleted, inserted and replaced words. Words are aligned by strings, so
/// that features do not depend on a network.
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

    let deleted: Vec<usize> = changes
        .iter()
        .filter(|change| is_deletion(change))
        .flat_map(|change| change.source.clone())
        .collect();
    let inserted: Vec<usize> = changes
        .iter()
        .filter(|change| is_insertion(change))
        .flat_map(|change| change.output.clone())
        .collect();
    let replaced: Vec<usize> = changes
        .iter()
        .filter(|change| is_replacement(change))
        .flat_map(|change| change.source.clone())
        .collect();
    let replacing: Vec<usize> = changes
        .iter()
        .filter(|change| is_replacement(change))
        .flat_map(|change| change.output.clone())
        .collect();

    row.add("deleted words", ratio(deleted.len(), source.cut.len()));
    row.add("inserted words", ratio(inserted.len(), output.cut.len()));
    row.add("replaced words", ratio(replaced.len(), source.cut.len()));
    row.add("replacing words", ratio(replacing.len(), output.cut.len()));

    let longest = changes
        .iter()
        .filter(|change| is_deletion(change))
        .map(|change| change.source.len())
        .max();
    row.add(
        "longest deletion",
        ratio(longest.unwrap_or(0), source.cut.len()),
    );
    row.add(
        "frequency of deleted words",
        compute_mean_frequency(source, &deleted),
    );
    row.add(
        "rarest deleted word",
        find_lowest_frequency(source, &deleted),
    );
    row.add(
        "frequency of inserted words",
        compute_mean_frequency(output, &inserted),
    );
    let gain =
        compute_mean_frequency(output, &replacing) - compute_mean_frequency(source, &replaced);
    let has_replacements = !replaced.is_empty() && !replacing.is_empty();
    row.add(
        "frequency gained by replacing",
        if has_replacements { gain } else { 0.0 },
    );
    row.add(
        "rarest new word",
        find_lowest_frequency(output, &[inserted, replacing].concat()),
    );

    let sure: f64 = changes.iter().map(|change| change.confidence).sum();
    row.add("sureness of edits", sure / to_float(changes.len().max(1)));

    add_link_order(row, &alignment, output);
    let ratio = word_rank_ratio(source.text(), output.text(), |word| frequencies.rank(word));
    row.add("word rank ratio", ratio.unwrap_or(1.0));
}

/// Adds how far the alignment keeps the order of words.
fn add_link_order(row: &mut FeatureRow, alignment: &Alignment, output: &FeatureText) {
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
}

fn is_deletion(change: &TokenChange) -> bool {
    change.kind == EditKind::Deletion
}

fn is_insertion(change: &TokenChange) -> bool {
    change.kind == EditKind::Paraphrase && change.source.is_empty()
}

fn is_replacement(change: &TokenChange) -> bool {
    change.kind == EditKind::Paraphrase && !change.source.is_empty()
}

/// The mean Zipf value; that of ordinary text if there are no words.
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
