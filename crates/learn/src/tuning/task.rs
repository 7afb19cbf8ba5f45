//! The interface of the objectives: a head on an encoder, a loss, scores.

use tensor::{DropoutMasks, Tensor, WeightSpec, Weights};

use super::{TuningAgreement, network::Bert};

/// An objective with its sources, which are identified by their indices.
pub(super) trait TuningTask: Sync + Sized {
    /// The weights of the head on the encoder.
    fn head_weights(&self) -> Vec<WeightSpec>;

    /// The loss on the outputs of a source. Without an encoder, precomputed vectors are used.
    fn loss(&self, source: usize, networks: TaskNetworks<'_>) -> Tensor;

    /// The result of the networks on validation sources, of which there may be none.
    fn validate(&self, sources: &[usize], networks: TaskNetworks<'_>) -> ValidationResult;

    /// The inputs of the networks for a source, for comparison with another program.
    fn describe_batch(&self, source: usize) -> serde_json::Value;
}

/// An objective whose sources have rated outputs.
pub(super) trait RatedTask: TuningTask {
    /// The predictions for the outputs of a source.
    fn scores(&self, source: usize, networks: TaskNetworks<'_>) -> Vec<OutputPrediction>;

    /// The number of sources.
    fn sources(&self) -> usize;

    /// The mean z-scores of the outputs of a source.
    fn z(&self, source: usize) -> &[f64];

    /// The weight of the ranking head in the score, given the predictions for the validation sources.
    fn order_share(&self, _: &[OutputPrediction]) -> f64 {
        0.0
    }
}

/// The networks, and the masks of a training step.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskNetworks<'a> {
    /// The encoder; `None` while it is frozen.
    pub encoder: Option<&'a Bert>,
    /// The head on it.
    pub head: &'a Weights,
    /// The masks of a training step; `None` if nothing is left out.
    pub masks: Option<&'a DropoutMasks>,
}

/// The result of networks on validation sources.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ValidationResult {
    /// The agreement with people; all figures are `None` for outputs that nobody rated.
    pub agreement: TuningAgreement,
    /// The loss, if epochs are chosen by it.
    pub loss: Option<f64>,
    /// The weight of the ranking head in its score.
    pub order_share: f64,
    /// The figure by which the best epoch is chosen, larger for better; `None` without validation sources.
    pub selection: Option<f64>,
}

/// The predictions for an output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OutputPrediction {
    /// The predicted z-score.
    pub quality: f64,
    /// The ranking score among good outputs of one source; 0 if the network lacks a ranking head.
    pub order: f64,
}

impl OutputPrediction {
    /// The weighted sum of both.
    pub(super) fn score(self, order_share: f64) -> f64 {
        self.quality + order_share * self.order
    }
}

/// The predictions for the outputs of `sources`.
pub(super) fn score_sources<T: RatedTask>(
    task: &T,
    sources: &[usize],
    networks: TaskNetworks<'_>,
) -> Vec<Vec<OutputPrediction>> {
    sources
        .iter()
        .map(|source| task.scores(*source, networks))
        .collect()
}

/// The agreement of scores with people on validation sources.
pub(super) fn validate_scores<T: RatedTask>(
    task: &T,
    sources: &[usize],
    networks: TaskNetworks<'_>,
) -> ValidationResult {
    let predictions = score_sources(task, sources, networks);
    let order_share = task.order_share(&predictions.concat());

    let pairs = sources
        .iter()
        .zip(&predictions)
        .map(|(source, predictions)| {
            let scores = predictions.iter().map(|one| one.score(order_share));
            scores.zip(task.z(*source).iter().copied()).collect()
        });
    let agreement = TuningAgreement::from_scores(&pairs.collect::<Vec<_>>());

    ValidationResult {
        agreement,
        loss: None,
        order_share,
        selection: (agreement.outputs > 0).then(|| agreement.selection_score()),
    }
}
