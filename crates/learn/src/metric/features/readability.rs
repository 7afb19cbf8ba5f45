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
    let at = |p: f64| {
        if zipf.is_empty() {
            0.0
        } else {
            quantile(&zipf, p)
        }
    };
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
        at(0.25),
        at(0.0),
        ratio(
            zipf.iter().filter(|value| **value < HARD_WORD_ZIPF).count(),
            words,
        ),
    ]
}

/// Adds features of faults that no careful writer makes.
fn add_faults(row: &mut FeatureRow, source: &FeatureText, output: &FeatureText) {
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
    let text = output.text();
    let balance = |open: char, close: char| {
        to_float(text.matches(open).count()) - to_float(text.matches(close).count())
    };
    row.add("brackets left open", balance('(', ')').abs());
    row.add("quotes left open", to_float(text.matches('"').count() % 2));
    let ends_well = text.trim_end().ends_with(['.', '!', '?', '"', '”', ')']);
    row.add("ends with a sign", f64::from(u8::from(ends_well)));
    let starts_well = text
        .trim_start()
        .chars()
        .next()
        .is_some_and(|c| !c.is_lowercase());
    row.add("starts with a capital", f64::from(u8::from(starts_well)));
    let signs = |text: &FeatureText| ratio(text.cut.len() - text.words(), text.cut.len());
    row.add("signs, difference", signs(output) - signs(source));
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
    let source_words: HashSet<&str> = source.folded.iter().map(String::as_str).collect();
    let share = |holds: &dyn Fn(usize) -> bool| {
        let indices = (0..output.cut.len()).filter(|at| output.zipf[*at].is_some());
        ratio(indices.filter(|at| holds(*at)).count(), output.words())
    };
    let new = |at: usize| !source_words.contains(output.folded[at].as_str());
    let unheard = |at: usize| output.zipf[at].is_some_and(|zipf| zipf < 1.0);
    row.add("new and unheard words", share(&|at| new(at) && unheard(at)));
    let names = |text: &FeatureText| -> HashSet<String> {
        let capital = |at: &usize| {
            let first = text.cut.word(*at).chars().next();
            let opens = *at == 0 || text.ends.contains(at);
            !opens && first.is_some_and(char::is_uppercase)
        };
        let indices = (0..text.cut.len()).filter(capital);
        indices.map(|at| text.folded[at].clone()).collect()
    };
    let numbers = |text: &FeatureText| -> HashSet<String> {
        let indices =
            (0..text.cut.len()).filter(|at| text.cut.tokens()[*at].kind == TokenKind::Number);
        indices.map(|at| text.folded[at].clone()).collect()
    };
    let all: HashSet<String> = output.folded.iter().cloned().collect();
    let (named, counted) = (names(source), numbers(source));
    row.add(
        "names kept",
        ratio(named.intersection(&all).count(), named.len()),
    );
    row.add(
        "numbers kept",
        ratio(counted.intersection(&all).count(), counted.len()),
    );
    let new_of = |words: HashSet<String>| {
        to_float(
            words
                .iter()
                .filter(|word| !source_words.contains(word.as_str()))
                .count(),
        )
    };
    row.add("new names", new_of(names(output)));
    row.add("new numbers", new_of(numbers(output)));
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

/// The ratio; 0 where `all` is 0.
pub(super) fn ratio(part: usize, all: usize) -> f64 {
    to_float(part) / to_float(all.max(1))
}
