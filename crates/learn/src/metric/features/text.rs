//! A text prepared for features.

use std::sync::OnceLock;

use domain::text::{
    tokenise::{TokenKind, fold_token},
    tokenised_text::TokenisedText,
};

use super::{
    super::{WordFrequencies, collect_letters},
    readability::{MEASURES, compute_measures},
};
use crate::{
    aligner::cosines::{dot, nearest_layer, unit_vectors},
    encoder::EncodedText,
};

/// The layers in which words are matched, numbered as in the default encoder.
pub(super) const WORD_LAYERS: [usize; 2] = [3, 5];
/// The layers in which whole texts are compared.
pub(super) const TEXT_LAYERS: [usize; 3] = [1, 3, 6];

pub(super) struct FeatureText {
    pub(super) cut: TokenisedText,
    /// Each token, with case and typography normalised.
    pub(super) folded: Vec<String>,
    /// The Zipf value of each token; `None` for signs.
    pub(super) zipf: Vec<Option<f64>>,
    /// The number of the token after each sentence.
    pub(super) ends: Vec<usize>,
    pub(super) vectors: Option<TextVectors>,
    letters: String,
    measures: OnceLock<[f64; MEASURES.len()]>,
}

/// The encoder's vectors of a text.
pub(super) struct TextVectors {
    /// The words' vectors at length 1, by [`WORD_LAYERS`].
    pub(super) words: Vec<Vec<Vec<f32>>>,
    /// The mean of the words' vectors, at length 1, by [`TEXT_LAYERS`].
    pub(super) whole: Vec<Vec<f32>>,
}

impl FeatureText {
    pub(super) fn new(
        cut: TokenisedText,
        frequencies: &WordFrequencies,
        encoded: Option<&EncodedText>,
    ) -> Self {
        let folded: Vec<String> = cut.words().map(fold_token).collect();
        let zipf = cut.tokens().iter().zip(&folded).map(|(token, word)| {
            (token.kind != TokenKind::Sign).then(|| f64::from(frequencies.zipf(word)))
        });
        Self {
            zipf: zipf.collect(),
            ends: cut.sentence_ends(),
            vectors: encoded.map(TextVectors::new),
            letters: collect_letters(cut.text()),
            folded,
            cut,
            measures: OnceLock::new(),
        }
    }

    pub(super) fn text(&self) -> &str {
        self.cut.text()
    }

    pub(super) fn is_word(&self, token: usize) -> bool {
        self.cut.tokens()[token].kind == TokenKind::Word
    }

    /// The number of tokens that are not signs.
    pub(super) fn words(&self) -> usize {
        self.zipf.iter().flatten().count()
    }

    /// Its letters and digits, lower-case. Texts that differ only in signs and spaces have the same ones.
    pub(super) fn letters(&self) -> &str {
        &self.letters
    }

    /// Its readability, by the measures of that name.
    pub(super) fn measures(&self) -> &[f64; MEASURES.len()] {
        self.measures.get_or_init(|| compute_measures(self))
    }

    pub(super) fn chars(&self) -> usize {
        self.text().chars().count()
    }
}

impl TextVectors {
    fn new(encoded: &EncodedText) -> Self {
        Self {
            words: WORD_LAYERS
                .map(|at| unit_vectors(encoded, nearest_layer(encoded, at)))
                .into(),
            whole: TEXT_LAYERS
                .iter()
                .map(|at| compute_mean_vector(encoded, *at))
                .collect(),
        }
    }
}

/// The mean of the words' vectors in a layer, at length 1.
fn compute_mean_vector(encoded: &EncodedText, at: usize) -> Vec<f32> {
    let layer = nearest_layer(encoded, at);
    let mut sum = vec![0.0; encoded.width()];
    for word in 0..encoded.words() {
        for (sum, value) in sum.iter_mut().zip(encoded.vector(layer, word)) {
            *sum += value;
        }
    }

    let length = dot(&sum, &sum).sqrt().max(f32::MIN_POSITIVE);
    sum.iter().map(|value| value / length).collect()
}
