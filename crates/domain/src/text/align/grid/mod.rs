//! The input of the network: a tensor of features (channels × source words × output words) for
//! each pair of a source word and an output word.
//!
//! The features are those of the literature on monolingual alignment, measured in this project on
//! MultiMWA: the words as strings, their positions, the string grade's alignment, and, if there is
//! an encoder, the similarity of their vectors, also relative to neighbours and rivals.

mod anchors;
mod strings;
mod vectors;
mod words;

use serde::{Deserialize, Serialize};

use self::words::TextFeatures;
use super::{AlignerGrade, Alignment, AlignmentLink};
use crate::text::tokenised_text::TokenisedText;

/// The likelihood from which two words are linked. Links do not compete: a word may have
/// several, since phrases correspond to phrases.
pub const THRESHOLD: f32 = 0.55;

/// The likelihood from which a rejected link can be a near miss.
const NEAR_MISS_THRESHOLD: f32 = 0.1;

/// The annotation style of gold alignments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AlignmentStyle {
    /// Word by word, as in MultiMWA's Wiki; the style that the product shows.
    #[default]
    Word,
    /// Each word of a phrase with each word of the corresponding phrase, as in MultiMWA's MTRef.
    Phrasal,
}

/// The cosines of the word vectors of two texts: for each layer of the encoder, source word by source
/// word, one for each output word.
pub type LayerCosines = Vec<Vec<f32>>;

/// The number of encoder layers used by [`compute_features`]: the embeddings and the six layers after them.
pub const ENCODER_LAYERS: usize = 7;

/// The feature tensor of two texts.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTensor {
    /// The number of source words.
    pub rows: usize,
    /// The number of output words.
    pub columns: usize,
    /// The elements, plane by plane, each row by row.
    pub values: Vec<f32>,
}

impl FeatureTensor {
    /// The number of planes.
    #[must_use]
    pub const fn planes(&self) -> usize {
        match self.rows * self.columns {
            0 => 0,
            cells => self.values.len() / cells,
        }
    }

    fn add(&mut self, value: impl Fn(usize, usize) -> f32) {
        for row in 0..self.rows {
            self.values
                .extend((0..self.columns).map(|column| value(row, column)));
        }
    }

    /// The planes of the neighbours of a pair: before and after it on the diagonal, and the greater
    /// of both neighbours in its row and in its column.
    fn add_adjacent(&mut self, at: impl Fn(usize, usize) -> f32) {
        self.add(|i, j| at(i.wrapping_sub(1), j.wrapping_sub(1)));
        self.add(|i, j| at(i + 1, j + 1));
        self.add(|i, j| at(i, j.wrapping_sub(1)).max(at(i, j + 1)));
        self.add(|i, j| at(i.wrapping_sub(1), j).max(at(i + 1, j)));
    }

    fn add_flag(&mut self, value: impl Fn(usize, usize) -> bool) {
        self.add(|row, column| f32::from(u8::from(value(row, column))));
    }
}

/// The element of a plane for a pair, 0 for positions outside. A step back from 0 wraps to a position
/// outside.
fn zero_padded<'a>(
    plane: &'a [f32],
    grid: &FeatureTensor,
) -> impl Fn(usize, usize) -> f32 + Copy + use<'a> {
    let (rows, columns) = (grid.rows, grid.columns);
    move |row, column| {
        let inside = row < rows && column < columns;
        if inside {
            plane[row * columns + column]
        } else {
            0.0
        }
    }
}

/// Computes the feature tensor of two texts, with the vectors' planes if there are cosines.
///
/// `strings` is the string grade's alignment. It takes about 80 numbers for each pair of
/// words, so do not call it with more than [`super::MAX_CELLS`] pairs.
///
/// # Panics
/// If the cosines belong to other texts, or have fewer layers than [`ENCODER_LAYERS`].
#[must_use]
pub fn compute_features(
    source: &TokenisedText,
    output: &TokenisedText,
    strings: &Alignment,
    cosines: Option<&LayerCosines>,
    style: AlignmentStyle,
) -> FeatureTensor {
    let mut grid = FeatureTensor {
        rows: source.len(),
        columns: output.len(),
        values: Vec::new(),
    };

    let (sources, outputs) = (
        TextFeatures::new(source, output),
        TextFeatures::new(output, source),
    );

    strings::add(&mut grid, &sources, &outputs, strings);
    grid.add_flag(|_, _| style == AlignmentStyle::Phrasal);
    if let Some(cosines) = cosines {
        vectors::add(&mut grid, cosines);
    }
    grid
}

/// The alignment that follows from likelihoods, one for each pair of words, row by row.
#[must_use]
pub fn decode(likelihoods: &[f32], columns: usize, grade: AlignerGrade, version: u32) -> Alignment {
    let all = likelihoods.iter().enumerate();
    let (mut links, mut near) = (Vec::new(), Vec::new());

    for (cell, &likelihood) in all.filter(|(_, likelihood)| **likelihood >= NEAR_MISS_THRESHOLD) {
        let link = AlignmentLink {
            source: cell / columns,
            output: cell % columns,
            confidence: f64::from(likelihood),
        };
        if likelihood >= THRESHOLD {
            links.push(link);
        } else {
            near.push(link);
        }
    }

    // A rejected link between two words that are both linked says nothing about missing links.
    let sources = sorted_words(&links, |link| link.source);
    let outputs = sorted_words(&links, |link| link.output);
    near.retain(|link| {
        sources.binary_search(&link.source).is_err() || outputs.binary_search(&link.output).is_err()
    });

    Alignment {
        links,
        near_misses: near,
        grade,
        version,
        banded: false,
    }
}

/// The words on one side of the links, in ascending order.
fn sorted_words(links: &[AlignmentLink], side: fn(&AlignmentLink) -> usize) -> Vec<usize> {
    let mut words: Vec<_> = links.iter().map(side).collect();
    words.sort_unstable();
    words
}
