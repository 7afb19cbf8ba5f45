//! The learned word aligner: a network over a feature grid of two texts, in three grades.
//!
//! The *string* grade is `domain`'s own and needs no network. The *grid* grade sees strings and positions;
//! the *encoder* grade sees word vectors as well. The networks that are shipped are in the folder
//! `models`, whose README says what they were trained on and how good they are.

mod batch;
pub(crate) mod cosines;
mod gold;
mod model;
mod network;
mod retraining;
mod train;

use domain::text::{
    align::{
        self, AlignerGrade, Alignment, MAX_CELLS,
        gold::GoldPair,
        grid::{self, AlignmentStyle, FeatureTensor, LayerCosines},
    },
    tokenised_text::TokenisedText,
};

pub use self::{
    model::{AlignerModel, AlignerModelCard, AlignerModelError},
    network::AlignerNetworkSize,
    retraining::{AlignerRetraining, CheckedTexts, RetrainingError, RetrainingProgress},
    train::{
        AlignerExample, AlignerProgress, AlignerTrainingOptions, LabelledGrid, continue_training,
        train,
    },
};
use crate::encoder::{Encoder, EncoderError};

/// The pairs of texts of a batch: some 10 MB of feature grids.
const BATCH_SIZE: usize = 32;

/// Aligns texts with its network and its encoder, if it has them.
#[derive(Debug, Clone, Default)]
pub struct Aligner {
    network: Option<AlignerModel>,
    encoder: Option<Encoder>,
}

/// Why a network and an encoder cannot be combined.
#[derive(Debug, thiserror::Error)]
pub enum AlignerError {
    /// The network was trained with another encoder than the available one; either can be absent.
    #[error(
        "this network was trained with {}, and cannot be used with {}: train one with `rankrate \
         align train`", named(.trained.as_deref()), named(.given.as_deref())
    )]
    Encoder {
        /// The encoder that the network knows.
        trained: Option<String>,
        /// The encoder that is available.
        given: Option<String>,
    },
}

fn named(encoder: Option<&str>) -> String {
    encoder.map_or("no encoder".to_owned(), |name| {
        format!("the encoder {name}")
    })
}

impl Aligner {
    /// An aligner of the string grade.
    #[must_use]
    pub fn strings() -> Self {
        Self::default()
    }

    /// An aligner of the grid grade, with the network that is shipped.
    ///
    /// # Panics
    /// Never: a test reads the network.
    #[must_use]
    pub fn grid() -> Self {
        let file = include_bytes!("../../models/grid.safetensors");
        let network = AlignerModel::read(file).expect("the shipped network is whole");
        Self {
            network: Some(network),
            encoder: None,
        }
    }

    /// Its encoder, if any.
    #[must_use]
    pub const fn open_encoder(&self) -> Option<&Encoder> {
        self.encoder.as_ref()
    }

    /// An aligner of the encoder grade, with the network that is shipped for the default encoder.
    ///
    /// # Errors
    /// The encoder is another one.
    ///
    /// # Panics
    /// Never: a test reads the network.
    pub fn with_encoder(encoder: Encoder) -> Result<Self, AlignerError> {
        let file = include_bytes!("../../models/encoder.safetensors");
        let network = AlignerModel::read(file).expect("the shipped network is whole");
        Self::new(network, Some(encoder))
    }

    /// An aligner with the user's own network: of the grid grade without an encoder, of the encoder grade with
    /// the one that it was trained with.
    ///
    /// # Errors
    /// The network was trained with another encoder.
    pub fn new(network: AlignerModel, encoder: Option<Encoder>) -> Result<Self, AlignerError> {
        let available = encoder.as_ref().map(|encoder| encoder.name().to_owned());
        let trained = network.card().encoder.clone();
        if trained != available {
            return Err(AlignerError::Encoder {
                trained,
                given: available,
            });
        }
        Ok(Self {
            network: Some(network),
            encoder,
        })
    }

    /// An aligner without a network: what [`Aligner::examples`] needs to train one.
    #[must_use]
    pub const fn untrained(encoder: Option<Encoder>) -> Self {
        Self {
            network: None,
            encoder,
        }
    }

    /// Its grade.
    #[must_use]
    pub const fn grade(&self) -> AlignerGrade {
        match (&self.network, &self.encoder) {
            (None, _) => AlignerGrade::String,
            (Some(_), None) => AlignerGrade::Grid,
            (Some(_), Some(_)) => AlignerGrade::Encoder,
        }
    }

    /// Its network, if any.
    #[must_use]
    pub const fn network(&self) -> Option<&AlignerModel> {
        self.network.as_ref()
    }

    /// The name of its encoder.
    #[must_use]
    pub fn encoder(&self) -> Option<&str> {
        self.encoder.as_ref().map(Encoder::name)
    }

    /// The version of its alignments.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.network
            .as_ref()
            .map_or(align::VERSION, |network| network.card().version)
    }

    /// The links of each pair of source and output, in their order.
    ///
    /// Texts of more than [`MAX_CELLS`] pairs of words get the string grade in windows, and say so. Swapping source and
    /// output only mirrors the links. Computation takes a while: call it from a blocking thread.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn align(
        &self,
        pairs: &[(&TokenisedText, &TokenisedText)],
        style: AlignmentStyle,
    ) -> Result<Vec<Alignment>, EncoderError> {
        self.align_with_progress(pairs, style, |_| ())
    }

    /// The same; `on_progress` receives how many more pairs are done.
    ///
    /// # Errors
    /// When the encoder fails.
    pub fn align_with_progress(
        &self,
        pairs: &[(&TokenisedText, &TokenisedText)],
        style: AlignmentStyle,
        on_progress: impl Fn(usize),
    ) -> Result<Vec<Alignment>, EncoderError> {
        let mut all = Vec::with_capacity(pairs.len());
        for batch in pairs.chunks(BATCH_SIZE) {
            all.extend(self.align_batch(batch, style)?);
            on_progress(batch.len());
        }
        Ok(all)
    }

    fn align_batch(
        &self,
        pairs: &[(&TokenisedText, &TokenisedText)],
        style: AlignmentStyle,
    ) -> Result<Vec<Alignment>, EncoderError> {
        let strings: Vec<_> = pairs
            .iter()
            .map(|(source, output)| align::align(source, output))
            .collect();
        let Some(network) = &self.network else {
            return Ok(strings);
        };

        let alignable: Vec<usize> = (0..pairs.len())
            .filter(|at| is_alignable(pairs[*at]))
            .collect();
        let oriented: Vec<OrientedPair<'_>> = alignable
            .iter()
            .map(|&at| OrientedPair::new(pairs[at], &strings[at]))
            .collect();
        let grids = self.make_grids(&oriented, style)?;
        let likelihoods = network.likelihoods(&grids);

        let mut all = strings;
        for (((at, pair), grid), likelihoods) in alignable
            .into_iter()
            .zip(&oriented)
            .zip(&grids)
            .zip(likelihoods)
        {
            let alignment = grid::decode(&likelihoods, grid.columns, self.grade(), self.version());
            all[at] = if pair.swapped {
                alignment.mirrored()
            } else {
                alignment
            };
        }
        Ok(all)
    }

    /// Training examples for a network of its grade from alignments made by people.
    ///
    /// # Errors
    /// If the encoder fails.
    pub fn examples(
        &self,
        gold: &[GoldPair],
        style: AlignmentStyle,
    ) -> Result<Vec<AlignerExample>, EncoderError> {
        let mut all = Vec::with_capacity(gold.len());
        for batch in gold.chunks(BATCH_SIZE) {
            let texts: Vec<_> = batch.iter().map(GoldPair::texts).collect();
            let forward = self.make_views(batch, &texts, false, style)?;
            let back = self.make_views(batch, &texts, true, style)?;
            all.extend(
                forward
                    .into_iter()
                    .zip(back)
                    .map(|(a, b)| AlignerExample([a, b])),
            );
        }
        Ok(all)
    }

    fn make_views(
        &self,
        gold: &[GoldPair],
        texts: &[(TokenisedText, TokenisedText)],
        turned: bool,
        style: AlignmentStyle,
    ) -> Result<Vec<LabelledGrid>, EncoderError> {
        let pairs: Vec<_> = texts
            .iter()
            .map(|(source, output)| {
                let strings = align::align(source, output);
                OrientedPair::oriented((source, output), &strings, turned)
            })
            .collect();

        let gold_grids = gold.iter().zip(self.make_grids(&pairs, style)?);
        Ok(gold_grids
            .map(|(gold, grid)| gold::label_grid(gold, turned, grid))
            .collect())
    }

    fn make_grids(
        &self,
        pairs: &[OrientedPair<'_>],
        style: AlignmentStyle,
    ) -> Result<Vec<FeatureTensor>, EncoderError> {
        let cosines = self.compute_cosines(pairs)?;
        Ok(pairs
            .iter()
            .enumerate()
            .map(|(at, pair)| {
                let cosines = cosines.as_ref().map(|all| &all[at]);
                grid::compute_features(pair.source, pair.output, &pair.strings, cosines, style)
            })
            .collect())
    }

    fn compute_cosines(
        &self,
        pairs: &[OrientedPair<'_>],
    ) -> Result<Option<Vec<LayerCosines>>, EncoderError> {
        let Some(encoder) = &self.encoder else {
            return Ok(None);
        };

        let sides = pairs.iter().flat_map(|pair| [pair.source, pair.output]);
        let words: Vec<Vec<&str>> = sides.map(|text| text.words().collect()).collect();
        let texts: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
        let encoded = encoder.encode(&texts)?;
        let (encoded_pairs, _) = encoded.as_chunks();
        Ok(Some(
            encoded_pairs
                .iter()
                .map(|[source, output]| cosines::compute_cosines(source, output))
                .collect(),
        ))
    }
}

/// Two texts in the order in which the network sees them. It does not depend on which one is the source, so that
/// swapping the texts gives the same links, mirrored.
struct OrientedPair<'a> {
    source: &'a TokenisedText,
    output: &'a TokenisedText,
    strings: Alignment,
    swapped: bool,
}

impl<'a> OrientedPair<'a> {
    fn new((source, output): (&'a TokenisedText, &'a TokenisedText), strings: &Alignment) -> Self {
        let turned = source.words().gt(output.words());
        Self::oriented((source, output), strings, turned)
    }

    /// The pair with source and output swapped if `turned`.
    fn oriented(
        (source, output): (&'a TokenisedText, &'a TokenisedText),
        strings: &Alignment,
        turned: bool,
    ) -> Self {
        let strings = strings.clone();
        if turned {
            Self {
                source: output,
                output: source,
                strings: strings.mirrored(),
                swapped: turned,
            }
        } else {
            Self {
                source,
                output,
                strings,
                swapped: turned,
            }
        }
    }
}

/// Whether both texts have words, and not too many.
fn is_alignable((source, output): (&TokenisedText, &TokenisedText)) -> bool {
    (1..=MAX_CELLS).contains(&source.len().saturating_mul(output.len()))
}
