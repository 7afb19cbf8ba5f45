//! The settings for LENS.
//!
//! Maddela et al. 2023, “LENS: A Learnable Evaluation Metric for Text Simplification”, section 4: the
//! squared error is taken over those `top` references of an output for which the prediction is
//! greatest, so that an output is not punished for another style of simplification than some of them.

use std::collections::HashMap;

use burn::tensor::{Device, Int, Tensor, TensorData};

use super::{
    FeatureBlocks, TuningError,
    base_encoder::BaseEncoder,
    network::{LensNetwork, LensSize},
    plan::{TuningObjective, TuningPlan},
    pooled_texts::PooledTexts,
    task::{
        OutputPrediction, RatedTask, TaskNetworks, TuningTask, ValidationResult, into_values,
        validate_scores,
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
    /// Which references count for each output: not identical ones, unless all are.
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
            return Err(TuningError::Plan("this is no plan for LENS".to_owned()));
        };
        let mut text_numbers = HashMap::new();
        let mut texts = Vec::new();
        let mut number = |text: &str| -> Result<usize, TuningError> {
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
            let mut numbers = vec![number(&source.text)?];
            for output in &source.outputs {
                numbers.push(number(&output.text)?);
            }
            for reference in &source.references {
                numbers.push(number(reference)?);
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

    /// Predictions `[outputs, references]`.
    fn predict(&self, source: &LensSource, networks: TaskNetworks<'_, LensNetwork>) -> Tensor<2> {
        let TaskNetworks { head, device, .. } = networks;
        let layers = match networks.encoder {
            Some(encoder) => {
                let texts = &source.texts;
                self.texts
                    .encode_means(encoder, texts, &self.config, device)
            }
            None => (0..self.size.layers)
                .map(|layer| self.texts.means(&source.texts, layer, device))
                .collect(),
        };
        let all = head.mix.forward(layers);
        let outputs = source.z.len();
        head.forward(
            self.size.features,
            all.clone().slice(0..1),
            all.clone().slice(1..=outputs),
            all.slice(outputs + 1..source.texts.len()),
        )
    }
}

impl TuningTask for LensTask {
    type Head = LensNetwork;

    fn init_head(&self, device: &Device) -> LensNetwork {
        LensNetwork::new(self.size, self.dropout, device)
    }

    fn loss(&self, source: usize, networks: TaskNetworks<'_, LensNetwork>) -> Tensor<1> {
        let source = &self.sources[source];
        let device = networks.device;
        let predictions = self.predict(source, networks);
        let chosen = choose_references(&predictions, &source.counts, self.top);
        compute_error(predictions, &chosen, &source.z, device)
    }

    fn validate(
        &self,
        sources: &[usize],
        networks: TaskNetworks<'_, LensNetwork>,
    ) -> ValidationResult {
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
    fn scores(
        &self,
        source: usize,
        networks: TaskNetworks<'_, LensNetwork>,
    ) -> Vec<OutputPrediction> {
        let source = &self.sources[source];
        let predictions = self.predict(source, networks);
        let [_, references] = predictions.dims();
        let best = |(row, counts): (&[f32], &Vec<bool>)| {
            let counting = row.iter().zip(counts).filter(|(_, counts)| **counts);
            let best = counting.map(|(value, _)| f64::from(*value));
            OutputPrediction {
                quality: best.fold(f64::NEG_INFINITY, f64::max),
                order: 0.0,
            }
        };
        into_values(predictions)
            .chunks(references)
            .zip(&source.counts)
            .map(best)
            .collect()
    }

    fn sources(&self) -> usize {
        self.sources.len()
    }

    fn z(&self, source: usize) -> &[f64] {
        &self.sources[source].z
    }
}

/// Which references count for an output: those that differ from it, or all if none does or
/// `identical` ones count.
pub(super) fn select_references(output: &str, references: &[String], identical: bool) -> Vec<bool> {
    let other: Vec<bool> = references
        .iter()
        .map(|reference| identical || reference.trim() != output.trim())
        .collect();
    if other.contains(&true) {
        other
    } else {
        vec![true; references.len()]
    }
}

/// For each output the indices of those `top` references that count and have the greatest predictions.
fn choose_references(predictions: &Tensor<2>, counts: &[Vec<bool>], top: usize) -> Vec<Vec<usize>> {
    let [_, references] = predictions.dims();
    let values = into_values(predictions.clone());
    let best = |(row, counts): (&[f32], &Vec<bool>)| {
        let mut order: Vec<usize> = (0..references).filter(|at| counts[*at]).collect();
        order.sort_by(|a, b| row[*b].total_cmp(&row[*a]));
        order.truncate(top);
        order
    };
    values.chunks(references).zip(counts).map(best).collect()
}

/// The mean over outputs of the mean squared error over the chosen references.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    reason = "networks compute with single precision; references are some dozens"
)]
fn compute_error(
    predictions: Tensor<2>,
    chosen: &[Vec<usize>],
    z: &[f64],
    device: &Device,
) -> Tensor<1> {
    let outputs = chosen.len();
    let columns = chosen.iter().map(Vec::len).max().unwrap_or(0);
    let mut places = vec![0_i64; outputs * columns];
    let mut shares = vec![0.0_f32; outputs * columns];
    for (row, references) in chosen.iter().enumerate() {
        for (column, reference) in references.iter().enumerate() {
            places[row * columns + column] = *reference as i64;
            shares[row * columns + column] = 1.0 / (references.len() * outputs) as f32;
        }
    }
    let places = Tensor::<2, Int>::from_data(TensorData::new(places, [outputs, columns]), device);
    let shares = Tensor::<2>::from_data(TensorData::new(shares, [outputs, columns]), device);
    let z: Vec<f32> = z.iter().map(|z| *z as f32).collect();
    let z = Tensor::<2>::from_data(TensorData::new(z, [outputs, 1]), device);
    let off = predictions.gather(1, places) - z;
    (off.clone() * off * shares).sum()
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
