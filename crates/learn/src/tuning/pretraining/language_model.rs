//! A trigram language model from which a text can be removed.

use std::collections::{BTreeSet, HashMap};

use domain::text::{
    tokenise::{TokenKind, fold_token},
    tokenised_text::TokenisedText,
};

/// The number of words of an n-gram.
const ORDER: usize = 3;
/// Not a word: pads n-grams of fewer words, and precedes a text.
const NONE: u32 = u32::MAX;
/// Endings that distinguish words outside the vocabulary, each with its number; the first that matches counts.
const ENDINGS: [(&str, u32); 5] = [("ing", 3), ("ed", 4), ("ly", 5), ("s", 6), ("", 7)];

/// A text as numbers of words.
pub(super) type WordSequence = Vec<u32>;

/// The words that a model knows. Others are known by their kind alone: signs, numbers, and words by their ending.
#[derive(Debug)]
pub(super) struct WordVocabulary {
    words: HashMap<String, u32>,
}

/// A trigram model of texts, interpolated by the method of Witten and Bell (1991). If `c` words followed a context, `k`
/// of them different, a word that followed it `n` times has the probability (n + k p) / (c + k), where p is its
/// probability in the context without its first word. In the shortest context, p is the same for all words of the
/// vocabulary. The probabilities of all words after a context add up to 1.
#[derive(Debug)]
pub(super) struct LanguageModel {
    /// The number of words, kinds of others and the end of a text among them.
    words: usize,
    /// Counts of n-grams of one to three words.
    grams: HashMap<[u32; ORDER], u32>,
    /// Counts of what follows a context of up to two words.
    contexts: HashMap<[u32; ORDER - 1], ContextCounts>,
}

/// Counts of the words that followed a context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ContextCounts {
    /// The number of words.
    total: u32,
    /// The number of different words.
    kinds: u32,
}

impl WordVocabulary {
    /// The number of the end of a text.
    const END: u32 = 0;
    /// The number of signs outside the vocabulary.
    const SIGN: u32 = 1;
    /// The number of numbers outside the vocabulary.
    const NUMBER: u32 = 2;
    /// The first number of a word in the vocabulary.
    const WORDS: u32 = 8;

    /// A vocabulary of distinct words in lower case.
    pub(super) fn new(words: impl IntoIterator<Item = String>) -> Self {
        Self {
            words: words.into_iter().zip(Self::WORDS..).collect(),
        }
    }

    /// The number of words, kinds of others and the end of a text among them.
    pub(super) fn len(&self) -> usize {
        self.words.len() + Self::WORDS as usize
    }

    /// The number of a word in lower case, if it is in the vocabulary.
    pub(super) fn number(&self, word: &str) -> Option<u32> {
        self.words.get(word).copied()
    }

    /// The numbers of a text's words, as if the words of `unknown` were not in the vocabulary.
    pub(super) fn number_words(&self, text: &str, unknown: &BTreeSet<u32>) -> WordSequence {
        let text = TokenisedText::new(text);
        let numbers = text.tokens().iter().zip(text.words()).map(|(token, word)| {
            let word = fold_token(word);
            let number = self
                .number(&word)
                .filter(|number| !unknown.contains(number));
            number.unwrap_or_else(|| match token.kind {
                TokenKind::Sign => Self::SIGN,
                TokenKind::Number => Self::NUMBER,
                TokenKind::Word => {
                    let mut endings = ENDINGS.iter();
                    let ending = endings.find(|(ending, _)| word.ends_with(ending));
                    ending.expect("the last fits all").1
                }
            })
        });
        numbers.collect()
    }
}

impl LanguageModel {
    /// A model without texts: all words of a vocabulary of that size have the same probability.
    pub(super) fn new(words: usize) -> Self {
        Self {
            words,
            grams: HashMap::new(),
            contexts: HashMap::new(),
        }
    }

    /// Sets the number of words of the vocabulary, kinds of others and the end of a text among them.
    pub(super) const fn set_vocabulary(&mut self, words: usize) {
        self.words = words;
    }

    /// Counts a text.
    pub(super) fn add(&mut self, text: &[u32]) {
        for_each_gram(text, |gram, context| {
            let count = self.grams.entry(gram).or_default();
            *count += 1;
            let counts = self.contexts.entry(context).or_default();
            counts.total += 1;
            counts.kinds += u32::from(*count == 1);
        });
    }

    /// Removes a counted text: the model is then as if the text had never been counted.
    ///
    /// # Panics
    /// If it was not counted.
    pub(super) fn remove(&mut self, text: &[u32]) {
        for_each_gram(text, |gram, context| {
            let count = self.grams.get_mut(&gram).expect("it was counted");
            *count -= 1;
            let is_gone = *count == 0;
            let counts = self.contexts.get_mut(&context).expect("it was counted");
            counts.total -= 1;
            counts.kinds -= u32::from(is_gone);
            if counts.total == 0 {
                self.contexts.remove(&context);
            }
            if is_gone {
                self.grams.remove(&gram);
            }
        });
    }

    /// The natural logarithm of the perplexity of a text: the mean of −ln p over its words and its end.
    #[expect(clippy::cast_precision_loss, reason = "a text has few words")]
    pub(super) fn log_perplexity(&self, text: &[u32]) -> f64 {
        let mut sum = 0.0;
        for_each_window(text, |window| sum -= self.probability(window).ln());
        sum / (text.len() + 1) as f64
    }

    /// The probability of the last word of a trigram after the others.
    #[expect(clippy::cast_precision_loss, reason = "a vocabulary is far under 2⁵³")]
    fn probability(&self, window: [u32; ORDER]) -> f64 {
        let mut probability = 1.0 / self.words as f64;
        for (gram, context) in shorten(window) {
            let Some(ContextCounts { total, kinds }) = self.contexts.get(&context) else {
                break;
            };
            let count = f64::from(self.grams.get(&gram).copied().unwrap_or(0));
            let (total, kinds) = (f64::from(*total), f64::from(*kinds));
            probability = (count + kinds * probability) / (total + kinds);
        }
        probability
    }
}

/// The n-grams at the end of a trigram, from one word to three, each with its context.
fn shorten(window: [u32; ORDER]) -> [([u32; ORDER], [u32; ORDER - 1]); ORDER] {
    let [first, second, last] = window;
    // The padding before a text counts as a word of the context. It needs a mark of its own, different from the padding
    // of shorter n-grams.
    let [first, second] = [first, second].map(|word| if word == NONE { NONE - 1 } else { word });
    [
        ([NONE, NONE, last], [NONE, NONE]),
        ([NONE, second, last], [NONE, second]),
        ([first, second, last], [first, second]),
    ]
}

fn for_each_gram(text: &[u32], mut take: impl FnMut([u32; ORDER], [u32; ORDER - 1])) {
    for_each_window(text, |window| {
        for (gram, context) in shorten(window) {
            take(gram, context);
        }
    });
}

/// Calls `take` with every word of a text and its end, each after the two words before it.
fn for_each_window(text: &[u32], mut take: impl FnMut([u32; ORDER])) {
    let (mut first, mut second) = (NONE, NONE);
    for &word in text.iter().chain(&[WordVocabulary::END]) {
        take([first, second, word]);
        (first, second) = (second, word);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value}, not {expected}");
    }

    /// The texts “a b” and “a a” of a vocabulary of a, b and the end: 6 words were seen, 3 of them different.
    #[test]
    fn probabilities_by_hand() {
        let (a, b, end) = (1, 2, WordVocabulary::END);
        let mut model = LanguageModel::new(3);
        model.add(&[a, b]);
        model.add(&[a, a]);
        let alone = |count: f64| (count + 3.0 / 3.0) / (6.0 + 3.0);
        // After nothing that was seen, the shorter context decides.
        assert_near(model.probability([b, b, a]), {
            // b was followed by the end alone, once.
            (0.0 + 1.0 * alone(3.0)) / (1.0 + 1.0)
        });
        // “a” was followed by b, a and the end once each.
        let after_a = |count: f64, seen: f64| (count + 3.0 * alone(seen)) / (3.0 + 3.0);
        assert_near(model.probability([end, a, b]), after_a(1.0, 1.0));
        // “a” at the start was followed by b and a.
        let at_start = |count: f64, shorter: f64| (count + 2.0 * shorter) / (2.0 + 2.0);
        let second = [
            at_start(1.0, after_a(1.0, 3.0)),
            at_start(1.0, after_a(1.0, 1.0)),
            at_start(0.0, after_a(1.0, 2.0)),
        ];
        for (word, expected) in [a, b, end].into_iter().zip(second) {
            assert_near(model.probability([NONE, a, word]), expected);
        }
        // Both texts begin with “a”, after both contexts of the start.
        let first = (2.0 + (2.0 + alone(3.0)) / 3.0) / 3.0;
        assert_near(model.probability([NONE, NONE, a]), first);
        let last = (1.0 + (1.0 + alone(2.0)) / 2.0) / 2.0;
        let logs = [first, second[1], last].map(f64::ln);
        let expected = -logs.iter().sum::<f64>() / 3.0;
        assert_near(model.log_perplexity(&[a, b]), expected);
    }

    #[test]
    fn without_texts_all_words_are_as_likely() {
        let model = LanguageModel::new(40);
        assert_near(model.log_perplexity(&[3, 2]), 40.0_f64.ln());
        assert_near(model.log_perplexity(&[]), 40.0_f64.ln());
    }

    #[test]
    fn words_outside_the_vocabulary_have_their_kind() {
        let vocabulary = WordVocabulary::new(["the", "ship"].map(str::to_owned));
        assert_eq!(vocabulary.len(), 10);
        let text = "The ship sailed slowly, carrying 12 vessels of oil";
        let numbers = |unknown: &[u32]| {
            let unknown = unknown.iter().copied().collect();
            vocabulary.number_words(text, &unknown)
        };
        assert_eq!(numbers(&[]), [8, 9, 4, 5, 1, 3, 2, 6, 7, 7]);
        assert_eq!(numbers(&[9]), [8, 7, 4, 5, 1, 3, 2, 6, 7, 7]);
    }

    proptest! {
        #[test]
        fn probabilities_add_up_to_one_and_texts_can_be_taken_back(
            texts in prop::collection::vec(prop::collection::vec(1..6_u32, 0..8), 0..6),
            context in prop::array::uniform2(prop_oneof![Just(NONE), 0..6_u32]),
            own in prop::collection::vec(1..6_u32, 0..8),
        ) {
            let mut model = LanguageModel::new(6);
            texts.iter().for_each(|text| model.add(text));
            let sum: f64 = (0..6).map(|word| model.probability([context[0], context[1], word])).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12, "{sum}");
            let (grams, contexts) = (model.grams.clone(), model.contexts.clone());
            model.add(&own);
            model.remove(&own);
            prop_assert_eq!(model.grams, grams);
            prop_assert_eq!(model.contexts, contexts);
        }
    }
}
