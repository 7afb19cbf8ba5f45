//! A trained network with its description, and its file.

use std::collections::HashMap;

use burn::{
    module::{Module as _, Param},
    nn::conv::Conv2d,
    tensor::{Device, Shape, Tensor, TensorData, activation::sigmoid},
};
use domain::text::align::grid::FeatureTensor;
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};

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
    pub(super) device: Device,
}

/// The description of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlignerModelCard {
    /// The version, which rises with every network that is shipped or trained from one.
    pub version: u32,
    /// Its size.
    pub size: AlignerNetworkSize,
    /// The encoder whose vectors it was trained on; none where it sees strings only.
    pub encoder: Option<String>,
    /// The mean of each feature over the training pairs.
    pub mean: Vec<f32>,
    /// The standard deviation of each feature over the training pairs.
    pub sd: Vec<f32>,
}

/// Why a file is no network.
#[derive(Debug, thiserror::Error)]
pub enum AlignerModelError {
    /// The file is no safetensors file.
    #[error("this is no file of weights in the safetensors format ({0})")]
    Format(#[from] safetensors::SafeTensorError),
    /// Its description is missing or of another program.
    #[error("these weights are not those of a word aligner of this program: {0}")]
    Card(String),
    /// A weight is missing or has another shape.
    #[error("the weights “{0}” are missing or of another shape")]
    Weights(String),
}

impl AlignerModel {
    pub(super) fn new(network: AlignerNetwork, card: AlignerModelCard, device: Device) -> Self {
        Self {
            network,
            card,
            device,
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
        self.network.num_params()
    }

    /// The probability of a link for each pair of words of each grid, row by row.
    #[must_use]
    pub fn likelihoods(&self, grids: &[FeatureTensor]) -> Vec<Vec<f32>> {
        let mut all = vec![Vec::new(); grids.len()];
        for indices in make_batches(grids, MAX_BATCH_CELLS) {
            let chosen: Vec<&FeatureTensor> = indices.iter().map(|at| &grids[*at]).collect();
            let batch = GridBatch::new(&chosen, &self.card, &self.device);
            let odds = self.network.forward(batch.features, &batch.mask);
            let values = sigmoid(odds).into_data().try_to_vec::<f32>();
            let values = values.expect("the network computes with single precision");
            for (at, one) in indices
                .iter()
                .zip(values.chunks(batch.rows * batch.columns))
            {
                let grid = &grids[*at];
                let rows = one.chunks(batch.columns).take(grid.rows);
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
        let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = convolutions(&self.network)
            .into_iter()
            .flat_map(|(name, layer)| {
                let bias = layer.bias.as_ref().map(|bias| {
                    (
                        format!("{name}.bias"),
                        bias.dims().to_vec(),
                        to_bytes(bias.val()),
                    )
                });
                let weight = &layer.weight;
                let shape = weight.dims().to_vec();
                std::iter::once((format!("{name}.weight"), shape, to_bytes(weight.val())))
                    .chain(bias)
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
    /// The file is of another format, or damaged.
    pub fn read(file: &[u8]) -> Result<Self, AlignerModelError> {
        Self::read_on(file, Device::flex())
    }

    pub(super) fn read_on(file: &[u8], device: Device) -> Result<Self, AlignerModelError> {
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
        let mut network = AlignerNetwork::new(size, &device);
        let weights = SafeTensors::deserialize(file)?;
        for (name, layer) in convolutions_mut(&mut network) {
            // `dims` would draw the weights first, from the random numbers of a training that runs meanwhile.
            let load = |part: &str, shape: Shape| {
                let name = format!("{name}.{part}");
                load_tensor(&weights, &name, &shape.to_vec())
                    .ok_or(AlignerModelError::Weights(name))
            };
            let weight = load("weight", layer.weight.lazy_shape())?;
            layer.weight = Param::from_data(weight, &device);
            if let Some(bias) = &layer.bias {
                let bias = load("bias", bias.lazy_shape())?;
                layer.bias = Some(Param::from_data(bias, &device));
            }
        }
        Ok(Self::new(network, card, device))
    }
}

fn load_tensor(weights: &SafeTensors<'_>, name: &str, shape: &[usize]) -> Option<TensorData> {
    let view = weights.tensor(name).ok()?;
    let fits = view.dtype() == Dtype::F32 && view.shape() == shape;
    let (numbers, _) = view.data().as_chunks();
    let values: Vec<f32> = numbers.iter().copied().map(f32::from_le_bytes).collect();
    let finite = values.iter().all(|value| value.is_finite());
    (fits && finite).then(|| TensorData::new(values, shape.to_vec()))
}

fn to_bytes<const D: usize>(tensor: Tensor<D>) -> Vec<u8> {
    let values = tensor.into_data().try_to_vec::<f32>();
    let values = values.expect("the network computes with single precision");
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn convolutions(network: &AlignerNetwork) -> Vec<(String, &Conv2d)> {
    let mut all = vec![
        ("enter".to_owned(), &network.enter),
        ("narrow".to_owned(), &network.narrow),
    ];
    for (at, block) in network.blocks.iter().enumerate() {
        let name = |part: &str| format!("blocks.{at}.{part}");
        all.extend([
            (name("around"), &block.around),
            (name("here"), &block.here),
            (name("row"), &block.row),
            (name("column"), &block.column),
            (name("add"), &block.add),
        ]);
    }
    all.push(("leave".to_owned(), &network.leave));
    all
}

fn convolutions_mut(network: &mut AlignerNetwork) -> Vec<(String, &mut Conv2d)> {
    let mut all = vec![
        ("enter".to_owned(), &mut network.enter),
        ("narrow".to_owned(), &mut network.narrow),
    ];
    for (at, block) in network.blocks.iter_mut().enumerate() {
        let name = |part: &str| format!("blocks.{at}.{part}");
        all.extend([
            (name("around"), &mut block.around),
            (name("here"), &mut block.here),
            (name("row"), &mut block.row),
            (name("column"), &mut block.column),
            (name("add"), &mut block.add),
        ]);
    }
    all.push(("leave".to_owned(), &mut network.leave));
    all
}
