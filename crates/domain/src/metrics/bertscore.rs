//! BERTScore's matching and the similarity of embeddings, over vectors from an encoder.

use serde::{Deserialize, Serialize};

use super::sari::harmonic;

/// The vectors of a text's words, normalised to unit length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WordVectors {
    width: usize,
    /// Word by word.
    elements: Vec<f32>,
}

/// How well the words of two texts match; cosines, so from −1 to 1, mostly above 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BertScore {
    /// The mean over the output's words of the cosine to the word of the reference that is nearest.
    pub precision: f64,
    /// The same the other way round.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

impl WordVectors {
    /// Normalises the vectors, which have the same dimension. A vector of zeros stays zero; its cosine
    /// to any other is 0.
    #[must_use]
    pub fn new<'a>(vectors: impl IntoIterator<Item = &'a [f32]>) -> Self {
        let mut words = Self::default();
        for vector in vectors {
            words.width = vector.len();
            let length = dot(vector, vector).sqrt();
            let scale = if length > 0.0 { length.recip() } else { 0.0 };
            words
                .elements
                .extend(vector.iter().map(|element| element * scale));
        }
        words
    }

    fn words(&self) -> impl Iterator<Item = &[f32]> + Clone {
        self.elements.chunks_exact(self.width.max(1))
    }
}

/// BERTScore (Zhang et al. 2020) of an output and one reference, or its source: every word is matched
/// with the nearest of the other text, all words weigh the same, no rescaling. If either text has no
/// word, all scores are 0.
#[must_use]
pub fn bertscore(output: &WordVectors, reference: &WordVectors) -> BertScore {
    let rows = output.words().count();
    let columns = reference.words().count();
    if rows == 0 || columns == 0 {
        return BertScore::default();
    }

    let mut best_of_row = vec![f32::NEG_INFINITY; rows];
    let mut best_of_column = vec![f32::NEG_INFINITY; columns];
    for (a, row) in output.words().zip(&mut best_of_row) {
        for (b, column) in reference.words().zip(&mut best_of_column) {
            let cosine = dot(a, b);
            *row = row.max(cosine);
            *column = column.max(cosine);
        }
    }

    let (precision, recall) = (mean(&best_of_row), mean(&best_of_column));
    BertScore {
        precision,
        recall,
        f1: harmonic(precision, recall),
    }
}

fn mean(cosines: &[f32]) -> f64 {
    cosines.iter().map(|x| f64::from(*x)).sum::<f64>() / cosines.len() as f64
}

/// The cosine of two embeddings of the same length, from −1 to 1; 0 where one is all zeros.
#[must_use]
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let lengths = f64::from(dot(a, a)).sqrt() * f64::from(dot(b, b)).sqrt();
    if lengths > 0.0 {
        f64::from(dot(a, b)) / lengths
    } else {
        0.0
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Eight sums let the compiler compute eight products at once.
    let (a, rest_a) = a.as_chunks::<8>();
    let (b, rest_b) = b.as_chunks::<8>();
    let mut sums = [0.0f32; 8];
    for (a, b) in a.iter().zip(b) {
        for at in 0..8 {
            sums[at] += a[at] * b[at];
        }
    }
    let rest: f32 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_word_is_matched_with_the_nearest() {
        let output = WordVectors::new([[2.0, 0.0].as_slice(), &[0.0, 1.0]]);
        let reference = WordVectors::new([[3.0, 4.0].as_slice()]);
        let score = bertscore(&output, &reference);
        assert!((score.precision - 0.7).abs() < 1e-6 && (score.recall - 0.8).abs() < 1e-6);
        assert!((score.f1 - 1.12 / 1.5).abs() < 1e-6);
        assert_eq!(
            bertscore(&output, &WordVectors::default()),
            BertScore::default()
        );
        assert!((bertscore(&output, &output).f1 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_cosine_knows_no_length() {
        assert!((cosine(&[3.0; 20], &[0.5; 20]) - 1.0).abs() < 1e-6);
        assert!(cosine(&[1.0, 0.0], &[0.0, 2.0]).abs() < 1e-6);
        assert_eq!(cosine(&[0.0], &[1.0]).to_bits(), 0);
    }

    proptest! {
        #[test]
        fn the_other_way_round_precision_is_recall(
            a in prop::collection::vec(prop::array::uniform9(-1.0f32..1.0), 1..5),
            b in prop::collection::vec(prop::array::uniform9(-1.0f32..1.0), 1..5),
        ) {
            let vectors = |rows: &[[f32; 9]]| WordVectors::new(rows.iter().map(<[f32; 9]>::as_slice));
            let (a, b) = (vectors(&a), vectors(&b));
            let (one, other) = (bertscore(&a, &b), bertscore(&b, &a));
            prop_assert!((one.precision - other.recall).abs() < 1e-6);
            prop_assert!(one.precision <= 1.0 + 1e-5 && one.precision >= -1.0 - 1e-5);
        }
    }
}
