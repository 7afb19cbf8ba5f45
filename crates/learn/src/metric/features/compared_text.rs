//! A text prepared to be compared with many others of its group, word by word and letter by letter.

use std::collections::HashMap;

use domain::metrics::{IndexedCharacters, PreparedOutput, PreparedSource};

use super::text::FeatureText;

/// The orders of n-grams that are compared.
pub(super) const ORDERS: usize = 4;

/// Numbers of words, the same for the same word in all texts of a group. Most features test words for equality, and
/// numbers are compared many times faster than letters.
#[derive(Debug, Default)]
pub(super) struct WordNumbers(HashMap<String, u32>);

/// A text with all that depends on it alone. Only texts numbered by the same [`WordNumbers`] can be compared.
pub(super) struct ComparedText<'a> {
    pub(super) text: &'a FeatureText,
    /// The number of each token.
    pub(super) words: Vec<u32>,
    /// The n-grams of each order, from 1.
    pub(super) grams: [GramCounts; ORDERS],
    /// The tokens that carry content.
    pub(super) content: GramCounts,
    /// The text in lower case.
    pub(super) lower: String,
    pub(super) prepared: PreparedOutput,
    /// Whether the word of each number is in the text; numbers beyond the end are not in it.
    contained: Vec<bool>,
}

/// A text that others are compared with.
pub(super) struct ComparedReference<'a> {
    pub(super) text: &'a ComparedText<'a>,
    /// The text as the only reference of the source.
    pub(super) side: PreparedSource,
    /// The letters of the text in lower case.
    pub(super) letters: IndexedCharacters,
}

/// N-grams with their counts, in order. A gram of four numbers has 32 bits for each.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GramCounts {
    counts: Vec<(u128, u32)>,
    /// The number of n-grams.
    pub(super) total: usize,
}

impl WordNumbers {
    /// The number of a word; a new one gets the next.
    pub(super) fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.0.get(word) {
            return *number;
        }
        let next = u32::try_from(self.0.len()).expect("a group has few words");
        self.0.insert(word.to_owned(), next);
        next
    }
}

impl<'a> ComparedText<'a> {
    pub(super) fn new(text: &'a FeatureText, numbers: &mut WordNumbers) -> Self {
        let words: Vec<u32> = text
            .folded
            .iter()
            .map(|word| numbers.number(word))
            .collect();
        let content: Vec<u32> = (0..words.len())
            .filter(|at| text.zipf[*at].is_some_and(|zipf| zipf < 5.5))
            .map(|at| words[at])
            .collect();

        let mut contained = Vec::new();
        for word in &words {
            let word = *word as usize;
            contained.resize(contained.len().max(word + 1), false);
            contained[word] = true;
        }

        Self {
            text,
            grams: std::array::from_fn(|order| GramCounts::new(&words, order + 1)),
            content: GramCounts::new(&content, 1),
            words,
            lower: text.text().to_lowercase(),
            prepared: PreparedOutput::new(text.text()),
            contained,
        }
    }

    /// Whether the word of that number is in the text.
    pub(super) fn contains(&self, word: u32) -> bool {
        self.contained.get(word as usize) == Some(&true)
    }
}

impl<'a> ComparedReference<'a> {
    pub(super) fn new(source: &FeatureText, text: &'a ComparedText<'a>) -> Self {
        Self {
            text,
            side: PreparedSource::new(source.text(), &[text.text.text()]),
            letters: IndexedCharacters::new(&text.lower),
        }
    }
}

impl GramCounts {
    /// The n-grams of the words; `n` is at most four.
    pub(super) fn new(words: &[u32], n: usize) -> Self {
        let mut grams: Vec<u128> = words.windows(n).map(pack_gram).collect();
        grams.sort_unstable();
        let runs = grams.chunk_by(|a, b| a == b);

        Self {
            counts: runs
                .map(|run| {
                    let count = u32::try_from(run.len()).expect("a text has few words");
                    (run[0], count)
                })
                .collect(),
            total: grams.len(),
        }
    }

    /// The number of n-grams in common, each counted as often as in the text with fewer of it.
    pub(super) fn count_common(&self, other: &Self) -> usize {
        let mut other_counts = other.counts.iter().peekable();
        let mut common = 0;
        for (gram, count) in &self.counts {
            while other_counts.next_if(|(next, _)| next < gram).is_some() {}
            if let Some((_, in_other)) = other_counts.next_if(|(next, _)| next == gram) {
                common += *count.min(in_other) as usize;
            }
        }
        common
    }
}

fn pack_gram(words: &[u32]) -> u128 {
    let words = words.iter().map(|word| u128::from(*word));
    words.fold(0, |gram, word| gram << 32 | word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::tests::text, *};

    #[test]
    fn n_grams_count_as_often_as_both_have_them() {
        let mut numbers = WordNumbers::default();
        let mut words =
            |text: &str| -> Vec<u32> { text.split(' ').map(|word| numbers.number(word)).collect() };
        let (a, b) = (words("a b a b c"), words("a b a a"));
        let common = |n| GramCounts::new(&a, n).count_common(&GramCounts::new(&b, n));
        assert_eq!((common(1), common(2), common(4)), (3, 2, 0));
        assert_eq!(GramCounts::new(&b, 2).total, 3);
        assert_eq!(GramCounts::new(&b[..1], 2).total, 0);
    }

    #[test]
    fn texts_of_a_group_share_numbers() {
        let mut numbers = WordNumbers::default();
        let (one, other) = (text("The ship sank", &[]), text("A ship", &[]));
        let one = ComparedText::new(&one, &mut numbers);
        let other = ComparedText::new(&other, &mut numbers);
        assert_eq!(
            (&one.words[..], &other.words[..]),
            (&[0, 1, 2][..], &[3, 1][..])
        );
        let shared = |text: &ComparedText<'_>| (0..5).map(|word| text.contains(word)).collect();
        let (in_one, in_other): (Vec<bool>, Vec<bool>) = (shared(&one), shared(&other));
        assert_eq!(in_one, [true, true, true, false, false]);
        assert_eq!(in_other, [false, true, false, true, false]);
    }

    proptest! {
        #[test]
        fn common_n_grams_are_those_of_a_count_by_hand(
            a in prop::collection::vec(0..4_u32, 0..12), b in prop::collection::vec(0..4_u32, 0..12), n in 1..5_usize,
        ) {
            let mut left: Vec<&[u32]> = a.windows(n).collect();
            let mut common = 0;
            for gram in b.windows(n) {
                if let Some(at) = left.iter().position(|other| *other == gram) {
                    left.swap_remove(at);
                    common += 1;
                }
            }
            prop_assert_eq!(GramCounts::new(&a, n).count_common(&GramCounts::new(&b, n)), common);
        }
    }
}
