//! The objective of pre-training: the mean squared error of each standardised signal, summed over signals.

use tensor::{Tensor, WeightSpec};

use super::{
    PretrainingSignal,
    candidates::{CandidatePair, CandidateSet},
    signals::{compute_texts, standardise_signals},
};
use crate::{
    encoder::config::EncoderConfig,
    metric::TrainingSource,
    tuning::{
        TextPooling, TuningAgreement, TuningError,
        base_encoder::BaseEncoder,
        network::signals,
        pooled_texts::PooledTexts,
        task::{TaskNetworks, TuningTask, ValidationResult},
    },
};

/// Sources with the inputs of their networks, and the targets.
pub(in crate::tuning) struct SignalTask {
    config: EncoderConfig,
    pooling: TextPooling,
    signals: usize,
    /// Outputs, each with its source.
    pairs: PooledTexts,
    sources: Vec<SignalSource>,
}

struct SignalSource {
    /// Indices of its pairs of texts.
    pairs: Vec<usize>,
    /// The standardised signals of each pair, `[pairs × signals]`.
    targets: Vec<f32>,
}

impl SignalTask {
    /// Tokenises the texts. `targets` are the standardised signals of each candidate of each source.
    ///
    /// # Errors
    /// The tokenizer fails.
    pub(super) fn new(
        base: &BaseEncoder,
        pooling: TextPooling,
        sets: &[CandidateSet],
        targets: &[Vec<Vec<f64>>],
        signals: usize,
    ) -> Result<Self, TuningError> {
        let mut pairs = Vec::new();
        let mut sources = Vec::new();
        for (set, targets) in sets.iter().zip(targets) {
            let first = pairs.len();
            for candidate in &set.candidates {
                let pieces = base
                    .tokenizer
                    .encode_pair(&candidate.source, &candidate.output)?;
                pairs.push(pieces);
            }

            #[expect(
                clippy::cast_possible_truncation,
                reason = "networks compute with single precision"
            )]
            let targets = targets.iter().flatten().map(|target| *target as f32);
            sources.push(SignalSource {
                pairs: (first..pairs.len()).collect(),
                targets: targets.collect(),
            });
        }

        Ok(Self {
            config: base.config.clone(),
            pooling,
            signals,
            pairs: PooledTexts::for_last_layer(pairs),
            sources,
        })
    }

    /// The outputs of one rated source, with the signals that do not need a model, standardised over them.
    ///
    /// # Errors
    /// The tokenizer fails.
    pub(in crate::tuning) fn for_source(
        base: &BaseEncoder,
        pooling: TextPooling,
        source: &TrainingSource,
    ) -> Result<Self, TuningError> {
        let set = CandidateSet {
            candidates: source
                .outputs
                .iter()
                .map(|output| CandidatePair {
                    source: source.text.clone(),
                    output: output.text.clone(),
                    own_reference: None,
                })
                .collect(),
            references: source.references.clone(),
        };
        let signals: Vec<_> = PretrainingSignal::ALL
            .into_iter()
            .filter(|signal| !(signal.needs_encoder() || signal.needs_language_model()))
            .collect();

        let values = compute_texts(&set, &signals);
        let targets = standardise_signals(&[values], &[0]).1;
        Self::new(base, pooling, &[set], &targets, signals.len())
    }

    /// The pairs of texts, to compute their vectors.
    pub(super) const fn texts(&mut self) -> &mut PooledTexts {
        &mut self.pairs
    }

    /// The predicted and the true values of a signal, for all candidates of some sources.
    pub(super) fn compare(
        &self,
        sources: &[usize],
        networks: TaskNetworks<'_>,
    ) -> Vec<Vec<(f64, f64)>> {
        let mut all = vec![Vec::new(); self.signals];
        for source in sources {
            let predicted = self.predict(*source, networks);
            let pairs = predicted
                .values()
                .iter()
                .zip(&self.sources[*source].targets);
            for (at, (predicted, target)) in pairs.enumerate() {
                all[at % self.signals].push((f64::from(*predicted), f64::from(*target)));
            }
        }
        all
    }

    /// Predictions `[pairs, signals]`.
    fn predict(&self, source: usize, networks: TaskNetworks<'_>) -> Tensor {
        let pairs = &self.sources[source].pairs;
        let vectors = self
            .pairs
            .encode_last(networks, pairs, self.pooling, &self.config);
        signals::predict(networks.head, &vectors)
    }
}

impl TuningTask for SignalTask {
    fn head_weights(&self) -> Vec<WeightSpec> {
        signals::weights(self.config.width, self.signals)
    }

    #[expect(clippy::cast_precision_loss, reason = "signals are few")]
    fn loss(&self, source: usize, networks: TaskNetworks<'_>) -> Tensor {
        let SignalSource { pairs, targets } = &self.sources[source];
        let targets = Tensor::new([pairs.len(), self.signals], targets.clone());
        let off = &self.predict(source, networks) - &targets;
        // The mean over pairs of each signal, and the sum over signals.
        &(&off * &off).mean() * self.signals as f32
    }

    #[expect(clippy::cast_precision_loss, reason = "sources stay far under 2²⁴")]
    fn validate(&self, sources: &[usize], networks: TaskNetworks<'_>) -> ValidationResult {
        let losses = sources
            .iter()
            .map(|source| f64::from(self.loss(*source, networks).scalar()));
        let loss = losses.sum::<f64>() / sources.len() as f64;
        let loss = (!sources.is_empty()).then_some(loss);
        ValidationResult {
            agreement: TuningAgreement::default(),
            loss,
            order_share: 0.0,
            selection: loss.map(|loss| -loss),
        }
    }

    fn describe_batch(&self, source: usize) -> serde_json::Value {
        let SignalSource { pairs, targets } = &self.sources[source];
        let pairs = pairs.iter().map(|&pair| &self.pairs.pieces[pair]);
        serde_json::json!({
            "pairs": pairs.collect::<Vec<_>>(),
            "targets": targets.chunks(self.signals).collect::<Vec<_>>(),
        })
    }
}
