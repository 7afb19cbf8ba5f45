//! Features of an output's readability, alone and compared with its source.

use std::collections::{HashMap, HashSet};

use domain::{metrics::fkgl, statistics::describe::quantile, text::tokenise::TokenKind};

use super::{FeatureRow, text::FeatureText};

/// Words less frequent than one in some 30,000 are hard.
pub(super) const HARD_WORD_ZIPF: f64 = 4.5;

/// The names of the measures of a text.
pub(super) const MEASURES: [&str; 9] = [
    "words",
    "sentences",
    "longest sentence",
    "grade level",
    "letters a word",
    "frequency, mean",
    "frequency, first quartile",
    "frequency, rarest",
    "hard words",
];

/// Adds the readability of the output, of its source, and the difference.
pub(super) fn add(row: &mut FeatureRow, source: &FeatureText, output: &FeatureText) {
    for (name, (from, to)) in MEASURES
        .iter()
        .zip(source.measures().iter().zip(output.measures()))
    {
        row.add(format_args!("{name} of the source"), *from);
        row.add(name, *to);
        row.add(format_args!("{name}, difference"), to - from);
    }
    row.add("ratio of characters", ratio(output.chars(), source.chars()));
    row.add("ratio of words", ratio(output.words(), source.words()));
    add_faults(row, source, output);
}

/// Adds the difference in readability to another text.
pub(super) fn add_differences(row: &mut FeatureRow, other: &FeatureText, output: &FeatureText) {
    for (name, (from, to)) in MEASURES
        .iter()
        .zip(other.measures().iter().zip(output.measures()))
    {
        row.add(format_args!("{name}, difference"), to - from);
    }
    row.add("ratio of characters", ratio(output.chars(), other.chars()));
    row.add("ratio of words", ratio(output.words(), other.words()));
}

/// Computes [`MEASURES`] of a text.
pub(super) fn compute_measures(text: &FeatureText) -> [f64; MEASURES.len()] {
    let words = text.words();
    let mut zipf: Vec<f64> = text.zipf.iter().flatten().copied().collect();
    zipf.sort_by(f64::total_cmp);

    let mut last = 0;
    let longest = text.ends.iter().map(|&end| {
        let length = end - last;
        last = end;
        length
    });
    let longest = longest.max().unwrap_or(0);

    let letters: usize = text.folded.iter().map(|word| word.chars().count()).sum();
    [
        to_float(words),
        to_float(text.ends.len()),
        to_float(longest),
        fkgl(text.text()),
        ratio(letters, text.folded.len()),
        zipf.iter().sum::<f64>() / to_float(words.max(1)),
        find_quantile(&zipf, 0.25),
        find_quantile(&zipf, 0.0),
        ratio(
            zipf.iter().filter(|value| **value < HARD_WORD_ZIPF).count(),
            words,
        ),
    ]
}

/// The quantile of ascending values; 0 if there are none.
fn find_quantile(ascending: &[f64], p: f64) -> f64 {
    if ascending.is_empty() {
        0.0
    } else {
        quantile(ascending, p)
    }
}

/// Adds features of faults that no careful writer makes.
fn add_faults(row: &mut FeatureRow, source: &FeatureText, output: &FeatureText) {
    add_repetitions(row, source, output);
    add_signs(row, source, output);
    add_sentence_ends(row, output);
    add_names_and_numbers(row, source, output);
}

fn add_repetitions(row: &mut FeatureRow, source: &FeatureText, output: &FeatureText) {
    let twice = output
        .folded
        .windows(2)
        .filter(|two| two[0] == two[1])
        .count();
    row.add("words written twice", to_float(twice));
    row.add(
        "repeated words",
        compute_repeated_share(output, 1) - compute_repeated_share(source, 1),
    );
    row.add(
        "repeated threes",
        compute_repeated_share(output, 3) - compute_repeated_share(source, 3),
    );
}

fn add_signs(row: &mut FeatureRow, source: &FeatureText, output: &FeatureText) {
    let text = output.text();
    let brackets = to_float(text.matches('(').count()) - to_float(text.matches(')').count());
    row.add("brackets left open", brackets.abs());
    row.add("quotes left open", to_float(text.matches('"').count() % 2));

    let ends_well = text.trim_end().ends_with(['.', '!', '?', '"', '”', ')']);
    row.add("ends with a sign", f64::from(u8::from(ends_well)));
    let starts_well = text
        .trim_start()
        .chars()
        .next()
        .is_some_and(|c| !c.is_lowercase());
    row.add("starts with a capital", f64::from(u8::from(starts_well)));

    row.add(
        "signs, difference",
        compute_sign_share(output) - compute_sign_share(source),
    );
}

fn compute_sign_share(text: &FeatureText) -> f64 {
    ratio(text.cut.len() - text.words(), text.cut.len())
}

fn add_sentence_ends(row: &mut FeatureRow, output: &FeatureText) {
    let mut last = 0;
    let mut shortest = usize::MAX;
    let mut function_ends = 0;
    for &end in &output.ends {
        shortest = shortest.min(end - last);
        last = end;
        let word = (0..end)
            .rev()
            .find(|at| output.cut.tokens()[*at].kind != TokenKind::Sign);
        let frequent = word
            .and_then(|at| output.zipf[at])
            .is_some_and(|zipf| zipf > 6.3);
        function_ends += usize::from(frequent);
    }

    row.add(
        "shortest sentence",
        to_float(if output.ends.is_empty() { 0 } else { shortest }),
    );
    row.add(
        "sentences that end in a very frequent word",
        to_float(function_ends),
    );
}

fn add_names_and_numbers(row: &mut FeatureRow, source: &FeatureText, output: &FeatureText) {
    let source_words: HashSet<&str> = source.folded.iter().map(String::as_str).collect();
    let unheard = (0..output.cut.len()).filter(|at| {
        output.zipf[*at].is_some_and(|zipf| zipf < 1.0)
            && !source_words.contains(output.folded[*at].as_str())
    });
    row.add(
        "new and unheard words",
        ratio(unheard.count(), output.words()),
    );

    let output_words: HashSet<String> = output.folded.iter().cloned().collect();
    let (source_names, source_numbers) = (collect_names(source), collect_numbers(source));
    row.add(
        "names kept",
        ratio(
            source_names.intersection(&output_words).count(),
            source_names.len(),
        ),
    );
    row.add(
        "numbers kept",
        ratio(
            source_numbers.intersection(&output_words).count(),
            source_numbers.len(),
        ),
    );

    let new_names = count_new(&collect_names(output), &source_words);
    row.add("new names", to_float(new_names));
    let new_numbers = count_new(&collect_numbers(output), &source_words);
    row.add("new numbers", to_float(new_numbers));
}

/// The words of a text with a capital that do not open a sentence.
fn collect_names(text: &FeatureText) -> HashSet<String> {
    let names = (0..text.cut.len()).filter(|at| {
        let first = text.cut.word(*at).chars().next();
        let opens = *at == 0 || text.ends.contains(at);
        !opens && first.is_some_and(char::is_uppercase)
    });
    names.map(|at| text.folded[at].clone()).collect()
}

fn collect_numbers(text: &FeatureText) -> HashSet<String> {
    let numbers = (0..text.cut.len()).filter(|at| text.cut.tokens()[*at].kind == TokenKind::Number);
    numbers.map(|at| text.folded[at].clone()).collect()
}

fn count_new(words: &HashSet<String>, source_words: &HashSet<&str>) -> usize {
    words
        .iter()
        .filter(|word| !source_words.contains(word.as_str()))
        .count()
}

/// The share of n-grams that repeat an earlier one, punctuation included.
fn compute_repeated_share(text: &FeatureText, n: usize) -> f64 {
    let mut counts = HashMap::<&[String], usize>::new();
    for gram in text.folded.windows(n) {
        *counts.entry(gram).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    ratio(all - counts.len(), all)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of words stay far under 2⁵³"
)]
pub(super) fn to_float(count: usize) -> f64 {
    count as f64
}

/// The ratio; 0 if `all` is 0.
pub(super) fn ratio(part: usize, all: usize) -> f64 {
    to_float(part) / to_float(all.max(1))
}
