//! Embeddings of texts and words, which metrics of meaning compare.

use domain::{metrics::WordVectors, text::tokenised_text::TokenisedText};

use crate::encoder::{EncodedText, Encoder, EncoderError};

/// The vectors of a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextEmbedding {
    /// One per word, for BERTScore's matching: of the last layer but one, as the last is tuned to make
    /// whole sentences comparable.
    pub words: WordVectors,
    /// One for the whole text: the mean of its words' in the last layer; zeros for an empty text.
    pub embedding: Vec<f32>,
}

/// The texts of a batch, whose vectors are all in memory at once.
const BATCH_SIZE: usize = 256;

/// The embeddings of each text, tokenised by `domain`. `done` receives the number of texts of each finished batch.
///
/// # Errors
/// The encoder fails on a text.
pub fn embed_texts(
    encoder: &Encoder,
    texts: &[&str],
    done: impl Fn(usize),
) -> Result<Vec<TextEmbedding>, EncoderError> {
    let mut embeddings = Vec::with_capacity(texts.len());
    for texts in texts.chunks(BATCH_SIZE) {
        let texts: Vec<TokenisedText> = texts.iter().map(|text| TokenisedText::new(text)).collect();
        let words: Vec<Vec<&str>> = texts.iter().map(|text| text.words().collect()).collect();
        let words: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
        let encoded = encoder.encode(&words)?;
        embeddings.extend(encoded.iter().map(|encoded| embed_text(encoded)));
        done(texts.len());
    }
    Ok(embeddings)
}

/// The layers in which words, and texts, are compared.
#[must_use]
pub fn embedding_layers(encoder: &Encoder) -> (usize, usize) {
    let last = encoder.layers() - 1;
    (last.saturating_sub(1), last)
}

fn embed_text(encoded: &EncodedText) -> TextEmbedding {
    let last = encoded.layers() - 1;
    let mut embedding = vec![0.0; encoded.width()];
    for word in 0..encoded.words() {
        for (sum, element) in embedding.iter_mut().zip(encoded.vector(last, word)) {
            *sum += element;
        }
    }

    let words = encoded.words().max(1) as f32;
    embedding.iter_mut().for_each(|sum| *sum /= words);

    let matched = last.saturating_sub(1);
    TextEmbedding {
        words: WordVectors::new((0..encoded.words()).map(|word| encoded.vector(matched, word))),
        embedding,
    }
}
