//! Weights of the two parts, encoder and head, by name.

use burn::tensor::Device;

use crate::tuning::{
    TuningError,
    network::{
        named_weights,
        named_weights::{NamedWeights, WeightTensor},
    },
};

/// The number of the head's first parameter; the encoder's begin with 1.
pub(super) const FIRST_HEAD_PARAMETER: u64 = 1 << 32;

/// The head with numbered parameters, so that restored optimisers find theirs.
pub(super) fn number_parameters<H: burn::module::Module>(
    head: H,
    device: &Device,
) -> Result<H, TuningError> {
    let weights = named_weights::read_weights(&head, false);
    load_parameters(head, FIRST_HEAD_PARAMETER, device, &weights)
}

pub(super) fn load_parameters<H: burn::module::Module>(
    network: H,
    first: u64,
    device: &Device,
    weights: &NamedWeights,
) -> Result<H, TuningError> {
    let find = |name: &str| weights.get(name).cloned();
    named_weights::load_weights(network, first, device, &find).map_err(TuningError::Weight)
}

/// The weights with the name of their part as a prefix.
pub(in super::super) fn prefix_names(part: &str, weights: NamedWeights) -> NamedWeights {
    let named = weights.into_iter();
    named
        .map(|(name, weight)| (format!("{part}.{name}"), weight))
        .collect()
}

/// The weights of one part, without its prefix.
pub(super) fn select_part(weights: &NamedWeights, part: &str) -> NamedWeights {
    let own = |(name, weight): (&String, &WeightTensor)| {
        let own = name.strip_prefix(part)?.strip_prefix('.')?;
        Some((own.to_owned(), weight.clone()))
    };
    weights.iter().filter_map(own).collect()
}
