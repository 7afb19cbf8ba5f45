//! The settings for LENS.
//!
//! Maddela et al. 2023, “LENS: A Learnable Evaluation Metric for Text Simplification”, section 4: the squared error is
//! taken over the `top` references of an output with the greatest predictions, so that an output is not punished for
//! another style of simplification than that of some references.

use std::collections::HashMap;

use tensor::{Dropout, Tensor, WeightSpec};

use super::{
    FeatureBlocks, TuningError,
    base_encoder::BaseEncoder,
    network::{LensNetwork, LensSize},
    plan::{TuningObjective, TuningPlan},
    pooled_texts::PooledTexts,
    task::{
        OutputPrediction, RatedTask, TaskNetworks, TuningTask, ValidationResult, validate_scores,
    },
};
use crate::{encoder::config::EncoderConfig, metric::TrainingSource};

/// Sources with the inputs of their networks.
pub(super) struct LensTask {
    config: EncoderConfig,
    size: LensSize,
    top: usize,
    dropout: f64,
    texts: PooledTexts,
    sources: Vec<LensSource>,
}

struct LensSource {
    /// Indices of texts: the source, then its outputs, then its references.
    texts: Vec<usize>,
    /// For each output, whether each reference counts: identical ones do not, unless all are.
    counts: Vec<Vec<bool>>,
    z: Vec<f64>,
}

impl LensTask {
    /// Tokenises the texts. [`PooledTexts::compute`] computes their vectors.
    ///
    /// # Errors
    /// A source has no references, or the tokenizer fails.
    pub(super) fn new(
        base: &BaseEncoder,
        sources: &[TrainingSource],
        plan: &TuningPlan,
    ) -> Result<Self, TuningError> {
        let TuningObjective::Lens {
            features,
            hidden,
            top,
            identical,
        } = plan.objective
        else {
            return Err(TuningError::Plan("this is not a plan for LENS".to_owned()));
        };

        let mut text_numbers = HashMap::new();
        let mut texts = Vec::new();
        let mut number_text = |text: &str| -> Result<usize, TuningError> {
            if let Some(number) = text_numbers.get(text) {
                return Ok(*number);
            }
            texts.push((base.tokenizer.encode_text(text)?, Vec::new()));
            text_numbers.insert(text.to_owned(), texts.len() - 1);
            Ok(texts.len() - 1)
        };

        let mut prepared = Vec::new();
        for source in sources {
            if source.references.is_empty() {
                return Err(TuningError::Data(format!(
                    "the source “{}” has no references, which LENS learns from: add some, leave it \
                     out, or train without references",
                    source.text
                )));
            }

            let mut numbers = vec![number_text(&source.text)?];
            for output in &source.outputs {
                numbers.push(number_text(&output.text)?);
            }
            for reference in &source.references {
                numbers.push(number_text(reference)?);
            }

            let counts = source.outputs.iter();
            let counts =
                counts.map(|output| select_references(&output.text, &source.references, identical));
            prepared.push(LensSource {
                texts: numbers,
                counts: counts.collect(),
                z: source.outputs.iter().map(|output| output.z).collect(),
            });
        }

        Ok(Self {
            size: LensSize::new(base, features, hidden),
            config: base.config.clone(),
            top,
            dropout: plan.dropout,
            texts: PooledTexts::for_all_layers(texts),
            sources: prepared,
        })
    }

    /// The texts, to compute their vectors.
    pub(super) const fn texts(&mut self) -> &mut PooledTexts {
        &mut self.texts
    }

    /// Predictions `[outputs · references, 1]`, those of an output together.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "networks compute with single precision"
    )]
    fn predict(&self, source: &LensSource, networks: TaskNetworks<'_>) -> Tensor {
        let layers = if networks.encoder.is_some() {
            self.texts
                .encode_means(networks, &source.texts, &self.config)
        } else {
            let layers = 0..self.size.layers;
            layers
                .map(|layer| self.texts.means(&source.texts, layer))
                .collect()
        };
        let head = LensNetwork {
            weights: networks.head,
            features: self.size.features,
            dropout: Dropout {
                share: self.dropout as f32,
                masks: networks.masks,
            },
        };

        // The source is the first text; its outputs and its references follow.
        let all = head.mix(&layers);
        let places: Vec<usize> = (0..source.texts.len()).collect();
        let (outputs, references) = places[1..].split_at(source.z.len());
        head.predict(
            &all.select_rows(&[0]),
            &all.select_rows(outputs),
            &all.select_rows(references),
        )
    }
}

impl TuningTask for LensTask {
    fn head_weights(&self) -> Vec<WeightSpec> {
        self.size.weights()
    }

    fn loss(&self, source: usize, networks: TaskNetworks<'_>) -> Tensor {
        let source = &self.sources[source];
        let predictions = self.predict(source, networks);
        let references = choose_references(&predictions, &source.counts, self.top);
        compute_error(&predictions, &references, &source.z)
    }

    fn validate(&self, sources: &[usize], networks: TaskNetworks<'_>) -> ValidationResult {
        validate_scores(self, sources, networks)
    }

    fn describe_batch(&self, source: usize) -> serde_json::Value {
        let source = &self.sources[source];
        let texts = source.texts.iter().map(|&text| &self.texts.pieces[text].0);
        serde_json::json!({
            "texts": texts.collect::<Vec<_>>(),
            "counts": source.counts,
            "z": source.z,
            "top": self.top,
        })
    }
}

impl RatedTask for LensTask {
    fn scores(&self, source: usize, networks: TaskNetworks<'_>) -> Vec<OutputPrediction> {
        let source = &self.sources[source];
        let predictions = self.predict(source, networks);
        split_by_output(&predictions, &source.counts)
            .map(|(row, counts)| {
                let counting = row.iter().zip(counts).filter(|(_, counts)| **counts);
                let counting = counting.map(|(value, _)| f64::from(*value));
                OutputPrediction {
                    quality: counting.fold(f64::NEG_INFINITY, f64::max),
                    order: 0.0,
                }
            })
            .collect()
    }

    fn sources(&self) -> usize {
        self.sources.len()
    }

    fn z(&self, source: usize) -> &[f64] {
        &self.sources[source].z
    }
}

/// Whether each reference counts for an output: those that differ from it do; all do if none differs or `identical` is
/// set.
pub(super) fn select_references(output: &str, references: &[String], identical: bool) -> Vec<bool> {
    let differing: Vec<bool> = references
        .iter()
        .map(|reference| identical || reference.trim() != output.trim())
        .collect();
    if differing.contains(&true) {
        differing
    } else {
        vec![true; references.len()]
    }
}

/// The predictions for each output, and whether each reference counts for it.
fn split_by_output<'a>(
    predictions: &'a Tensor,
    counts: &'a [Vec<bool>],
) -> impl Iterator<Item = (&'a [f32], &'a Vec<bool>)> {
    let references = counts.first().map_or(1, Vec::len);
    predictions.values().chunks(references).zip(counts)
}

/// For each output, the indices of the `top` counting references with the greatest predictions.
fn choose_references(predictions: &Tensor, counts: &[Vec<bool>], top: usize) -> Vec<Vec<usize>> {
    split_by_output(predictions, counts)
        .map(|(row, counts)| {
            let mut order: Vec<usize> = (0..row.len()).filter(|at| counts[*at]).collect();
            order.sort_by(|a, b| row[*b].total_cmp(&row[*a]));
            order.truncate(top);
            order
        })
        .collect()
}

/// The mean over outputs of the mean squared error over the chosen references.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "networks compute with single precision; references are some dozens"
)]
fn compute_error(predictions: &Tensor, chosen: &[Vec<usize>], z: &[f64]) -> Tensor {
    let outputs = chosen.len();
    let references_per_output = predictions.rows() / outputs.max(1);

    let (mut places, mut targets, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for (output, (references, z)) in chosen.iter().zip(z).enumerate() {
        for reference in references {
            places.push(output * references_per_output + reference);
            targets.push(*z as f32);
            shares.push(1.0 / (references.len() * outputs) as f32);
        }
    }

    let off = &predictions.select_rows(&places) - &Tensor::new([places.len(), 1], targets);
    (&off * &off).scale_rows(&shares).sum()
}

impl LensSize {
    /// The sizes of a head on that encoder.
    pub(super) const fn new(
        base: &BaseEncoder,
        features: FeatureBlocks,
        hidden: [usize; 2],
    ) -> Self {
        Self {
            layers: base.config.layers + 1,
            width: base.config.width,
            hidden,
            features,
        }
    }

    /// The input width of the regressor's first map for output and source.
    pub(crate) const fn output_block_width(&self) -> usize {
        FeatureBlocks::output_blocks(self.features) * self.width
    }
}
