//! The ratio of word ranks, one of those that control how strongly a system rewrites (Martin et al. 2020,
//! *ACCESS*; paper 004). Length and similarity are [`compression`](super::compression()) and
//! [`levenshtein_ratio`](super::levenshtein_ratio()).
//!
//! The depth of the dependency tree is left out: Rust has no well-maintained parser.

use super::signature::{LetterCase, MetricSignature, ReferenceCount};
use crate::text::{align::is_function_word, tokenise::split_words};

/// The rarity of the output's words divided by that of the source's: below 1, the output's are more
/// frequent. `rank` gives a lower-cased word's index in a list of words by frequency, 0 for the most
/// frequent one, and `None` for words that are not in the list.
///
/// A text's rarity is the third quartile of ln(1 + rank) over its words, function words and unknown ones
/// left out. `None` if either text has no such word, or the source's rarity is 0.
#[must_use]
pub fn word_rank_ratio(
    source: &str,
    output: &str,
    rank: impl Fn(&str) -> Option<usize>,
) -> Option<f64> {
    let source = rarity(source, &rank).filter(|rarity| *rarity > 0.0)?;
    Some(rarity(output, &rank)? / source)
}

/// The signature of [`word_rank_ratio`] with the word list of that name.
#[must_use]
pub fn word_rank_signature(list: &str) -> MetricSignature {
    let variant = format!("third-quartile-to-source-{list}");
    let references = ReferenceCount::Each(0);
    MetricSignature::new(
        "word-rank",
        variant,
        "rankrate",
        LetterCase::Lower,
        references,
    )
}

fn rarity(text: &str, rank: impl Fn(&str) -> Option<usize>) -> Option<f64> {
    let words = split_words(text).into_iter().map(str::to_lowercase);
    let ranks = words
        .filter(|word| !is_function_word(word))
        .filter_map(|word| rank(&word));
    let mut logs: Vec<f64> = ranks.map(|rank| (1.0 + rank as f64).ln()).collect();
    logs.sort_unstable_by(f64::total_cmp);
    (!logs.is_empty()).then(|| crate::statistics::describe::quantile(&logs, 0.75))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_words_for_rare_ones_lower_the_ratio() {
        let list = ["boat", "sank", "vessel", "foundered"];
        let rank = |word: &str| list.iter().position(|listed| *listed == word);
        let ratio = word_rank_ratio("The vessel foundered.", "The boat sank.", rank);
        // Third quartiles of (ln 3, ln 4) and (ln 1, ln 2).
        let (hard, easy) = (0.25 * 3f64.ln() + 0.75 * 4f64.ln(), 0.75 * 2f64.ln());
        let actual = ratio.expect("both have ranked words");
        assert!((actual - easy / hard).abs() < 1e-12, "{actual}");
        assert_eq!(word_rank_ratio("The vessel.", "It is.", rank), None);
        assert_eq!(word_rank_ratio("The boat.", "A vessel.", rank), None);
    }
}
