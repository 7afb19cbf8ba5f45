//! Features of sentence structure, counted from words and punctuation: clauses, subordination, passives.

use super::{
    FeatureRow,
    readability::{ratio, to_float},
    text::FeatureText,
};

const SUBORDINATORS: [&str; 20] = [
    "which", "who", "whom", "whose", "that", "although", "though", "because", "while", "whereas",
    "since", "unless", "if", "when", "where", "after", "before", "until", "as", "whether",
];
const CONJUNCTIONS: [&str; 5] = ["and", "or", "but", "so", "yet"];
const FORMS_OF_BE: [&str; 7] = ["is", "are", "was", "were", "be", "been", "being"];
const NEGATIONS: [&str; 13] = [
    "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "without", "n't",
    "cannot", "hardly", "unable",
];
const SEPARATORS: [&str; 8] = [",", ";", ":", "(", ")", "–", "—", "-"];

/// Words more frequent than this are function words.
const FUNCTION_WORD_ZIPF: f64 = 6.0;
/// Words less frequent than this may belong to a chain of nouns and their adjectives.
const NOUN_ZIPF: f64 = 5.5;

/// Adds the structure of the output's sentences, and its difference from that of the source.
pub(super) fn add(row: &mut FeatureRow, source: &FeatureText, output: &FeatureText) {
    let (from, to) = (find_clauses(source), find_clauses(output));
    row.add("words a clause", compute_mean(&to));
    row.add(
        "words a clause, difference",
        compute_mean(&to) - compute_mean(&from),
    );
    row.add(
        "longest clause, difference",
        find_largest(&to) - find_largest(&from),
    );
    row.add(
        "clauses, difference",
        to_float(to.len()) - to_float(from.len()),
    );

    row.add(
        "commas, difference",
        count_difference(source, output, |text| count_words(text, &SEPARATORS)),
    );
    row.add(
        "commas a sentence",
        ratio(count_words(output, &SEPARATORS), output.ends.len()),
    );
    row.add(
        "subordinators, difference",
        count_difference(source, output, |text| count_words(text, &SUBORDINATORS)),
    );
    row.add(
        "subordinators a sentence",
        ratio(count_words(output, &SUBORDINATORS), output.ends.len()),
    );
    row.add(
        "conjunctions, difference",
        count_difference(source, output, |text| count_words(text, &CONJUNCTIONS)),
    );
    row.add(
        "passives, difference",
        count_difference(source, output, count_passives),
    );

    row.add(
        "words a sentence, difference",
        compute_sentence_length(output) - compute_sentence_length(source),
    );
    row.add(
        "longest noun chain, difference",
        count_difference(source, output, find_longest_noun_chain),
    );
    row.add("function words", compute_function_word_share(output));
    row.add(
        "function words, difference",
        compute_function_word_share(output) - compute_function_word_share(source),
    );

    let negations = count_difference(source, output, count_negations);
    row.add("negations, difference", negations);
    row.add("negations, changed", negations.abs());
}

fn compute_mean(lengths: &[usize]) -> f64 {
    ratio(lengths.iter().sum(), lengths.len())
}

fn find_largest(lengths: &[usize]) -> f64 {
    to_float(lengths.iter().copied().max().unwrap_or(0))
}

/// The count in the output less that in the source.
fn count_difference(
    source: &FeatureText,
    output: &FeatureText,
    count: impl Fn(&FeatureText) -> usize,
) -> f64 {
    to_float(count(output)) - to_float(count(source))
}

fn compute_sentence_length(text: &FeatureText) -> f64 {
    ratio(text.cut.len(), text.ends.len())
}

fn compute_function_word_share(text: &FeatureText) -> f64 {
    let zipf = text.zipf.iter().flatten();
    ratio(
        zipf.filter(|zipf| **zipf > FUNCTION_WORD_ZIPF).count(),
        text.words(),
    )
}

/// The numbers of words of the clauses. A clause ends at a sign and before a conjunction or subordinator, which opens
/// the next.
fn find_clauses(text: &FeatureText) -> Vec<usize> {
    let (mut clauses, mut words) = (Vec::new(), 0);
    for (word, zipf) in text.folded.iter().zip(&text.zipf) {
        let opens = SUBORDINATORS.contains(&word.as_str()) || CONJUNCTIONS.contains(&word.as_str());
        if (zipf.is_none() || opens) && words > 0 {
            clauses.push(words);
            words = 0;
        }
        words += usize::from(zipf.is_some());
    }
    if words > 0 {
        clauses.push(words);
    }
    clauses
}

fn count_words(text: &FeatureText, list: &[&str]) -> usize {
    let words = text.folded.iter();
    words.filter(|word| list.contains(&word.as_str())).count()
}

/// The number of forms of *be* before a word that ends like a participle.
fn count_passives(text: &FeatureText) -> usize {
    text.folded
        .windows(2)
        .filter(|two| FORMS_OF_BE.contains(&two[0].as_str()) && two[1].ends_with("ed"))
        .count()
}

fn count_negations(text: &FeatureText) -> usize {
    text.folded
        .iter()
        .filter(|word| NEGATIONS.contains(&word.as_str()) || word.ends_with("n't"))
        .count()
}

/// The length of the longest run of words of which none is frequent.
fn find_longest_noun_chain(text: &FeatureText) -> usize {
    let (mut longest, mut length) = (0, 0);
    for zipf in &text.zipf {
        let is_rare = zipf.is_some_and(|zipf| zipf < NOUN_ZIPF);
        length = if is_rare { length + 1 } else { 0 };
        longest = longest.max(length);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::{super::tests::text, *};

    #[test]
    fn clauses_end_at_signs_and_before_words_that_open_one() {
        let source = text("The mill, which was burned, fell because it rained.", &[]);
        // The mill | which was burned | fell | because it rained
        assert_eq!(find_clauses(&source), [2, 3, 1, 3]);
        assert_eq!(find_clauses(&text("...", &[])), [0_usize; 0]);
    }

    #[test]
    fn structure_is_compared_with_the_source() {
        let source = text("The mill, which was burned, fell because it rained.", &[]);
        let output = text("The mill was not burned. It fell.", &[]);
        let mut row = FeatureRow::named();
        add(&mut row, &source, &output);
        let value = |name: &str| row.value(name);
        assert_eq!(value("clauses, difference").to_bits(), (-2.0_f32).to_bits());
        assert_eq!(value("commas, difference").to_bits(), (-2.0_f32).to_bits());
        assert_eq!(
            value("subordinators, difference").to_bits(),
            (-2.0_f32).to_bits()
        );
        // A negation stands between both words of the passive.
        assert_eq!(
            value("passives, difference").to_bits(),
            (-1.0_f32).to_bits()
        );
        assert_eq!(value("negations, changed").to_bits(), 1.0_f32.to_bits());
        assert!(value("words a sentence, difference") < -4.0);
    }

    #[test]
    fn the_longest_chain_of_rare_words_is_found() {
        let zipf = [("the", 7.7), ("fell", 4.0), ("old", 5.6)];
        assert_eq!(
            find_longest_noun_chain(&text("The steel mill gate fell, old gate.", &zipf)),
            4
        );
    }
}
