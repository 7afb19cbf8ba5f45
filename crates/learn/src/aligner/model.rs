//! A trained network with its description, and its file.

use std::collections::HashMap;

use domain::text::align::grid::FeatureTensor;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};
use tensor::{Tensor, Weights};

use super::{
    batch::{GridBatch, make_batches},
    network::{AlignerNetwork, AlignerNetworkSize},
};

/// The most pairs of words of a batch, padding included.
const MAX_BATCH_CELLS: usize = 40_000;

/// The key of the description in a file's header.
const CARD_KEY: &str = "rankrate-aligner";

/// A trained network.
#[derive(Debug, Clone)]
pub struct AlignerModel {
    pub(super) network: AlignerNetwork,
    pub(super) card: AlignerModelCard,
}

/// The description of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlignerModelCard {
    /// The version, which rises with every network that is shipped or trained from one.
    pub version: u32,
    /// Its size.
    pub size: AlignerNetworkSize,
    /// The encoder whose vectors it was trained on; `None` if it sees strings only.
    pub encoder: Option<String>,
    /// The mean of each feature over the training pairs.
    pub mean: Vec<f32>,
    /// The standard deviation of each feature over the training pairs.
    pub sd: Vec<f32>,
}

/// Reasons why a file does not hold a network.
#[derive(Debug, thiserror::Error)]
pub enum AlignerModelError {
    /// The file is not in the safetensors format.
    #[error("this is not a file of weights in the safetensors format ({0})")]
    Format(#[from] safetensors::SafeTensorError),
    /// Its description is missing or of another program.
    #[error("these weights are not those of a word aligner of this program: {0}")]
    Card(String),
    /// A weight is missing or has another shape.
    #[error("the weights “{0}” are missing or of another shape")]
    Weights(String),
}

impl AlignerModel {
    pub(super) const fn new(weights: Weights, card: AlignerModelCard) -> Self {
        Self {
            network: AlignerNetwork::new(weights, card.size),
            card,
        }
    }

    /// Its description.
    #[must_use]
    pub const fn card(&self) -> &AlignerModelCard {
        &self.card
    }

    /// The number of its weights.
    #[must_use]
    pub fn weights(&self) -> usize {
        let weights = self.network.weights.iter();
        weights.map(|(_, weight)| weight.values().len()).sum()
    }

    /// The probability of a link for each pair of words of each grid, row by row.
    #[must_use]
    pub fn likelihoods(&self, grids: &[FeatureTensor]) -> Vec<Vec<f32>> {
        let mut all = vec![Vec::new(); grids.len()];
        for indices in make_batches(grids, MAX_BATCH_CELLS) {
            let batch_grids: Vec<&FeatureTensor> = indices.iter().map(|at| &grids[*at]).collect();
            let batch = GridBatch::new(&batch_grids, &self.card);
            let layout = batch.grids;
            let odds = self
                .network
                .forward(&batch.features, &batch.inside, layout, None);

            let likelihoods = odds.sigmoid();
            let by_grid = likelihoods.values().chunks(layout.rows * layout.columns);
            for (at, one) in indices.iter().zip(by_grid) {
                let grid = &grids[*at];
                let rows = one.chunks(layout.columns).take(grid.rows);
                all[*at] = rows.flat_map(|row| &row[..grid.columns]).copied().collect();
            }
        }
        all
    }

    /// The model as a file, which [`Self::read`] reads.
    ///
    /// # Panics
    /// Never: names and shapes are the program's own.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let weights = self.network.weights.iter();
        let tensors: Vec<_> = weights
            .map(|(name, weight)| {
                let bytes = weight.values().iter().copied().flat_map(f32::to_le_bytes);
                (name, weight.shape().to_vec(), bytes.collect::<Vec<u8>>())
            })
            .collect();

        let views = tensors.iter().map(|(name, shape, data)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), data);
            (name, view.expect("the shape is the data's"))
        });

        let card = serde_json::to_string(&self.card).expect("a card is plain data");
        let text = HashMap::from([(CARD_KEY.to_owned(), card)]);
        safetensors::serialize(views, Some(text)).expect("the names are the program's own")
    }

    /// Reads what [`Self::write`] wrote.
    ///
    /// # Errors
    /// The file has another format or is damaged.
    pub fn read(file: &[u8]) -> Result<Self, AlignerModelError> {
        let (_, header) = SafeTensors::read_metadata(file)?;
        let text = header
            .metadata()
            .as_ref()
            .and_then(|text| text.get(CARD_KEY));
        let text =
            text.ok_or_else(|| AlignerModelError::Card("their description is missing".into()))?;
        let card: AlignerModelCard = serde_json::from_str(text)
            .map_err(|error| AlignerModelError::Card(error.to_string()))?;

        let size = card.size;
        let plausible = card.mean.len() == size.features
            && card.sd.len() == size.features
            && (1..=4_096).contains(&size.features)
            && (1..=1_024).contains(&size.entry)
            && (1..=1_024).contains(&size.hidden)
            && size.blocks <= 64
            && size.groups > 0
            && size.hidden.is_multiple_of(size.groups);
        if !plausible {
            return Err(AlignerModelError::Card("their measures do not fit".into()));
        }

        let file = SafeTensors::deserialize(file)?;
        let weights = Weights::find(size.weights(), |name| read_tensor(&file, name));
        let weights = weights.map_err(AlignerModelError::Weights)?;
        Ok(Self::new(weights, card))
    }
}

fn read_tensor(file: &SafeTensors<'_>, name: &str) -> Option<Tensor> {
    let view = file.tensor(name).ok()?;
    if view.dtype() != Dtype::F32 {
        return None;
    }
    let (numbers, _) = view.data().as_chunks();
    let values: Vec<f32> = numbers.iter().copied().map(f32::from_le_bytes).collect();
    let finite = values.iter().all(|value| value.is_finite());
    finite.then(|| Tensor::new(view.shape(), values))
}
