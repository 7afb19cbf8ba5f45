//! The settings for the cross-encoder without references.
//!
//! Source and output are encoded as one text. One head predicts the z-score (squared error); the other
//! learns to rank the good outputs of a source, pair by pair, weighted by how much better people
//! rate the one (logistic loss). A regression alone learns what distinguishes bad outputs, and modern
//! systems produce few of them.

use burn::tensor::{Device, Int, Tensor, TensorData, activation::softplus};

use super::{
    TuningError,
    base_encoder::BaseEncoder,
    network::CrossHead,
    plan::{TextPooling, TuningObjective, TuningPlan},
    pooled_texts::PooledTexts,
    task::{
        OutputPrediction, RatedTask, TaskNetworks, TuningTask, ValidationResult, into_values,
        validate_scores,
    },
};
use crate::{encoder::config::EncoderConfig, metric::TrainingSource};

/// An output is among the good ones above this mean z-score.
const MIN_GOOD_Z: f64 = -0.25;
/// Two outputs differ if their mean z-scores are further apart than this.
const MIN_Z_DIFFERENCE: f64 = 0.2;

/// Sources with the inputs of their networks.
pub(super) struct CrossTask {
    config: EncoderConfig,
    order_share: f64,
    pooling: TextPooling,
    /// Outputs, each with its source.
    pairs: PooledTexts,
    sources: Vec<CrossSource>,
}

struct CrossSource {
    /// Indices of its pairs of texts.
    pairs: Vec<usize>,
    z: Vec<f64>,
    /// Pairs of good outputs that differ: the better, the worse, and the difference in mean z.
    order: Vec<(usize, usize, f64)>,
}

impl CrossTask {
    /// Tokenises the texts.
    ///
    /// # Errors
    /// The tokenizer fails.
    pub(super) fn new(
        base: &BaseEncoder,
        sources: &[TrainingSource],
        plan: &TuningPlan,
    ) -> Result<Self, TuningError> {
        let TuningObjective::Cross {
            order_share,
            pooling,
        } = plan.objective
        else {
            let reason = "this is no plan for a cross-encoder";
            return Err(TuningError::Plan(reason.to_owned()));
        };
        let mut pairs = Vec::new();
        let mut prepared = Vec::new();
        for source in sources {
            let first = pairs.len();
            for output in &source.outputs {
                pairs.push(base.tokenizer.encode_pair(&source.text, &output.text)?);
            }
            let z: Vec<f64> = source.outputs.iter().map(|output| output.z).collect();
            prepared.push(CrossSource {
                pairs: (first..pairs.len()).collect(),
                order: find_ordered_pairs(&z),
                z,
            });
        }
        Ok(Self {
            config: base.config.clone(),
            order_share,
            pooling,
            pairs: PooledTexts::for_last_layer(pairs),
            sources: prepared,
        })
    }

    /// The pairs of texts, to compute their vectors.
    pub(super) const fn texts(&mut self) -> &mut PooledTexts {
        &mut self.pairs
    }

    fn predict(
        &self,
        source: &CrossSource,
        networks: &TaskNetworks<'_, CrossHead>,
    ) -> [Tensor<1>; 2] {
        let TaskNetworks { device, head, .. } = networks;
        let encoder = networks.encoder.expect("the plan has no frozen epochs");
        head.forward(self.pairs.encode_last(
            encoder,
            &source.pairs,
            self.pooling,
            &self.config,
            device,
        ))
    }
}

impl TuningTask for CrossTask {
    type Head = CrossHead;

    fn init_head(&self, device: &Device) -> CrossHead {
        CrossHead::new(self.config.width, device)
    }

    fn loss(&self, source: usize, networks: TaskNetworks<'_, CrossHead>) -> Tensor<1> {
        let source = &self.sources[source];
        let [quality, order] = self.predict(source, &networks);
        let off = quality - to_tensor(&source.z, networks.device);
        let error = (off.clone() * off).mean();
        if source.order.is_empty() {
            return error;
        }
        let numbers = |field: fn(&(usize, usize, f64)) -> usize| {
            #[expect(clippy::cast_possible_wrap, reason = "outputs are some dozens")]
            let numbers: Vec<i64> = source.order.iter().map(|pair| field(pair) as i64).collect();
            let count = numbers.len();
            Tensor::<1, Int>::from_data(TensorData::new(numbers, [count]), networks.device)
        };
        let better = order.clone().select(0, numbers(|pair| pair.0));
        let lower = order.select(0, numbers(|pair| pair.1));
        let by: Vec<f64> = source.order.iter().map(|pair| pair.2).collect();
        let by = to_tensor(&by, networks.device);
        let wrong = softplus(lower - better, 1.0) * by.clone();
        error + wrong.sum() / by.sum()
    }

    fn validate(
        &self,
        sources: &[usize],
        networks: TaskNetworks<'_, CrossHead>,
    ) -> ValidationResult {
        validate_scores(self, sources, networks)
    }

    fn describe_batch(&self, source: usize) -> serde_json::Value {
        let source = &self.sources[source];
        let pairs = source.pairs.iter().map(|&pair| &self.pairs.pieces[pair]);
        serde_json::json!({
            "pairs": pairs.collect::<Vec<_>>(),
            "z": source.z,
            "good": MIN_GOOD_Z,
            "apart": MIN_Z_DIFFERENCE,
        })
    }
}

impl RatedTask for CrossTask {
    fn scores(
        &self,
        source: usize,
        networks: TaskNetworks<'_, CrossHead>,
    ) -> Vec<OutputPrediction> {
        let [quality, order] = self
            .predict(&self.sources[source], &networks)
            .map(into_values);
        let both = quality.into_iter().zip(order);
        both.map(|(quality, order)| OutputPrediction {
            quality: quality.into(),
            order: order.into(),
        })
        .collect()
    }

    fn sources(&self) -> usize {
        self.sources.len()
    }

    fn z(&self, source: usize) -> &[f64] {
        &self.sources[source].z
    }

    /// The weight that makes the standard deviation of the ranking scores the plan's share.
    #[expect(clippy::cast_precision_loss, reason = "outputs stay far under 2⁵³")]
    fn order_share(&self, scored: &[OutputPrediction]) -> f64 {
        let count = scored.len() as f64;
        let mean = scored.iter().map(|one| one.order).sum::<f64>() / count;
        let squares: f64 = scored.iter().map(|one| (one.order - mean).powi(2)).sum();
        let deviation = (squares / count).sqrt();
        if deviation > 1e-9 {
            self.order_share / deviation
        } else {
            0.0
        }
    }
}

fn find_ordered_pairs(z: &[f64]) -> Vec<(usize, usize, f64)> {
    let good = |at: &usize| z[*at] > MIN_GOOD_Z;
    let pairs = (0..z.len())
        .filter(good)
        .flat_map(|a| (0..z.len()).filter(good).map(move |b| (a, b, z[a] - z[b])));
    pairs.filter(|(_, _, by)| *by > MIN_Z_DIFFERENCE).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "networks compute with single precision"
)]
fn to_tensor(values: &[f64], device: &Device) -> Tensor<1> {
    let values: Vec<f32> = values.iter().map(|value| *value as f32).collect();
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}
