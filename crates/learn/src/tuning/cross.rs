//! The settings for the cross-encoder without references.
//!
//! Source and output are encoded as one text. One head predicts the z-score (squared error). The other learns to rank
//! the good outputs of a source, pair by pair, weighted by the difference in their ratings (logistic loss): regression
//! alone learns what distinguishes bad outputs, and modern systems produce few of them.

use tensor::{Tensor, WeightSpec};

use super::{
    TuningError,
    base_encoder::BaseEncoder,
    network::cross,
    plan::{TextPooling, TuningObjective, TuningPlan},
    pooled_texts::PooledTexts,
    task::{
        OutputPrediction, RatedTask, TaskNetworks, TuningTask, ValidationResult, validate_scores,
    },
};
use crate::{encoder::config::EncoderConfig, metric::TrainingSource};

/// Outputs with a mean z-score above this are good.
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
            let reason = "this is not a plan for a cross-encoder";
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

    /// Both predictions for each output, `[outputs, 1]`.
    fn predict(&self, source: &CrossSource, networks: TaskNetworks<'_>) -> [Tensor; 2] {
        let (pairs, config) = (&source.pairs, &self.config);
        let vectors = self
            .pairs
            .encode_last(networks, pairs, self.pooling, config);
        cross::predict(networks.head, &vectors)
    }
}

impl TuningTask for CrossTask {
    fn head_weights(&self) -> Vec<WeightSpec> {
        cross::weights(self.config.width)
    }

    fn loss(&self, source: usize, networks: TaskNetworks<'_>) -> Tensor {
        let source = &self.sources[source];
        let [quality, order] = self.predict(source, networks);
        let z: Vec<f32> = source.z.iter().copied().map(to_single).collect();
        let off = &quality - &Tensor::new(quality.shape(), z);
        let error = (&off * &off).mean();
        if source.order.is_empty() {
            return error;
        }

        let better: Vec<usize> = source.order.iter().map(|pair| pair.0).collect();
        let lower: Vec<usize> = source.order.iter().map(|pair| pair.1).collect();
        let differences: Vec<f32> = source.order.iter().map(|pair| to_single(pair.2)).collect();
        let wrong = &order.select_rows(&lower) - &order.select_rows(&better);
        let wrong = wrong.softplus().scale_rows(&differences).sum();
        &error + &(&wrong * (1.0 / differences.iter().sum::<f32>()))
    }

    fn validate(&self, sources: &[usize], networks: TaskNetworks<'_>) -> ValidationResult {
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
    fn scores(&self, source: usize, networks: TaskNetworks<'_>) -> Vec<OutputPrediction> {
        let [quality, order] = self.predict(&self.sources[source], networks);
        let predictions = quality.values().iter().zip(order.values());
        predictions
            .map(|(quality, order)| OutputPrediction {
                quality: f64::from(*quality),
                order: f64::from(*order),
            })
            .collect()
    }

    fn sources(&self) -> usize {
        self.sources.len()
    }

    fn z(&self, source: usize) -> &[f64] {
        &self.sources[source].z
    }

    /// The weight at which the standard deviation of the ranking scores is the plan's share.
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
const fn to_single(value: f64) -> f32 {
    value as f32
}
