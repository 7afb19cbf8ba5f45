//! What a network sees of two texts: a picture whose pixels are the pairs of a source word and an
//! output word, in one plane for each feature.
//!
//! The features are those of the literature on monolingual alignment, measured in this project on
//! MultiMWA: the words as strings, where they stand, what the string grade says, and, where there is
//! an encoder, how close their vectors are and how that compares with their neighbours and rivals.

mod anchors;
mod strings;
mod vectors;
mod words;

use serde::{Deserialize, Serialize};

use self::words::TextFeatures;
use super::{AlignerGrade, Alignment, AlignmentLink};
use crate::text::tokenised_text::TokenisedText;

/// The likelihood from which two words are linked. Links compete with nothing: a word may have
/// several, since phrases stand for phrases.
pub const THRESHOLD: f32 = 0.55;

/// Links less likely than this are no near misses either.
const NEAR_MISS_THRESHOLD: f32 = 0.1;

/// What people who made gold alignments held for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AlignmentStyle {
    /// Word by word, as in MultiMWA's Wiki: what the product shows.
    #[default]
    Word,
    /// Each word of a phrase with each of the phrase that it stands for, as in MultiMWA's MTRef.
    Phrasal,
}

/// The cosines of the word vectors of two texts: for each layer of the encoder, source word by source
/// word, one for each output word.
pub type LayerCosines = Vec<Vec<f32>>;

/// How many layers of an encoder [`features`] looks at: the embeddings and the six after them.
pub const ENCODER_LAYERS: usize = 7;

/// A picture of two texts.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTensor {
    /// Source words.
    pub rows: usize,
    /// Output words.
    pub columns: usize,
    /// One plane after the other, each row by row.
    pub values: Vec<f32>,
}

impl FeatureTensor {
    /// How many planes it has.
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

    /// The planes of what stands next to a pair: before and after it on the diagonal, and the greater
    /// of both sides in its row and in its column.
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

/// What a plane of the grid's measures has for a pair, 0 for places outside. A step back from 0 wraps
/// to a place outside.
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

/// The picture of two texts, with the vectors' planes where there are cosines.
///
/// `strings` is what the string grade says of them. Memory is some 80 numbers for each pair of
/// words; beyond [`super::MAX_CELLS`] pairs nobody should ask.
///
/// # Panics
/// Where the cosines are of other texts, or fewer layers than [`LAYERS`].
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

/// The alignment that likelihoods stand for: one for each pair of words, row by row.
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
    let linked = |of: fn(&AlignmentLink) -> usize| -> Vec<usize> {
        let mut words: Vec<_> = links.iter().map(of).collect();
        words.sort_unstable();
        words
    };
    let (sources, outputs) = (linked(|link| link.source), linked(|link| link.output));
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
