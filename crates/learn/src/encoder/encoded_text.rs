//! The vectors of a text's words.

use std::ops::Range;

/// A vector for each word of a text, in each layer of the encoder.
///
/// A word's vector is the mean over its word pieces; a word without pieces has zeros.
#[derive(Debug, Clone, PartialEq)]
pub struct EncodedText {
    words: usize,
    width: usize,
    layers: usize,
    /// By layer, then word, then element.
    vectors: Box<[f32]>,
}

impl EncodedText {
    /// All zeros.
    pub(super) fn new(words: usize, width: usize, layers: usize) -> Self {
        Self {
            words,
            width,
            layers,
            vectors: vec![0.0; words * width * layers].into_boxed_slice(),
        }
    }

    /// The number of words of the text.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The number of elements of a vector.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of layers: the embeddings are layer 0, the last layer of attention is the last.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// The vector of the word numbered `word` in `layer`.
    ///
    /// # Panics
    /// If the layer or the word does not exist.
    #[must_use]
    pub fn vector(&self, layer: usize, word: usize) -> &[f32] {
        &self.vectors[self.range(layer, word)]
    }

    /// The memory that the vectors take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.vectors)
    }

    /// Sets the word's vector in that layer to the mean of its pieces' vectors, which follow each other in `pieces`.
    pub(super) fn set(&mut self, layer: usize, word: usize, pieces: &[f32]) {
        let range = self.range(layer, word);
        let vector = &mut self.vectors[range];
        #[expect(clippy::cast_precision_loss, reason = "some hundred pieces at most")]
        let share = self.width as f32 / pieces.len() as f32;
        for piece in pieces.chunks_exact(self.width) {
            for (sum, element) in vector.iter_mut().zip(piece) {
                *sum += element * share;
            }
        }
    }

    fn range(&self, layer: usize, word: usize) -> Range<usize> {
        assert!(
            layer < self.layers && word < self.words,
            "no word {word} in layer {layer}"
        );
        let start = (layer * self.words + word) * self.width;
        start..start + self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_words_vector_is_the_mean_of_its_pieces() {
        let mut encoded = EncodedText::new(3, 2, 2);
        encoded.set(1, 2, &[1.0, 2.0, 3.0, 6.0]);
        assert_eq!(encoded.vector(1, 2), [2.0, 4.0]);
        assert_eq!(encoded.vector(1, 1), [0.0, 0.0]);
        assert_eq!(encoded.bytes(), 3 * 2 * 2 * 4);
    }

    #[test]
    #[should_panic(expected = "no word 3 in layer 0")]
    fn there_is_no_word_beyond_the_last() {
        let _ = EncodedText::new(3, 2, 2).vector(0, 3);
    }
}
