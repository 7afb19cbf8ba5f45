//! Training a network on alignments made by people.

use std::{borrow::Borrow, f64::consts::PI};

use domain::{random::SeededRandom, text::align::grid::FeatureTensor};
use tensor::{AdamW, DropoutMasks, Random, Tensor, Weights};

use super::{
    batch::GridBatch,
    model::{AlignerModel, AlignerModelCard},
    network::{AlignerNetwork, AlignerNetworkSize},
};

/// Two texts and the links that people made, as one grid for either order of the texts. Training uses one of the two at
/// random, because which text is the source does not matter.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignerExample(pub [LabelledGrid; 2]);

/// A feature grid of two texts and the links that people made.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledGrid {
    /// The feature grid.
    pub grid: FeatureTensor,
    /// 1 for each pair of words that is linked, otherwise 0; row by row.
    pub links: Vec<f32>,
}

/// The training settings.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignerTrainingOptions {
    /// The size of the network, except for its features, which follow from the examples.
    pub size: AlignerNetworkSize,
    /// The number of epochs.
    pub epochs: usize,
    /// The batch size.
    pub batch: usize,
    /// The peak learning rate, with warm-up and decay.
    pub learning_rate: f64,
    /// The random seed.
    pub seed: u64,
    /// The encoder of the examples' vectors, if they have any.
    pub encoder: Option<String>,
}

impl AlignerTrainingOptions {
    /// The options for continuing to train a network on a study's corrections: few and small steps, so that it keeps
    /// what it knows.
    #[must_use]
    pub fn for_corrections(network: &AlignerModel, seed: u64) -> Self {
        Self {
            size: network.card().size,
            epochs: 3,
            batch: 12,
            learning_rate: 1e-3,
            seed,
            encoder: network.card().encoder.clone(),
        }
    }
}

/// The progress of a training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlignerProgress {
    /// Steps done.
    pub step: usize,
    /// The number of all steps.
    pub steps: usize,
    /// The mean loss per pair of words since the last report, in nats.
    pub loss: f64,
}

/// Trains a network. `on_progress` is called about ten times an epoch; if it returns false, training stops with the
/// network so far. The same examples and seed give the same network on the same machine.
///
/// # Panics
/// If no example has a pair of words.
#[must_use]
pub fn train(
    examples: &[AlignerExample],
    training: &AlignerTrainingOptions,
    on_progress: impl FnMut(AlignerProgress) -> bool,
) -> AlignerModel {
    let card = build_card(examples, training);
    let weights = Weights::draw(card.size.weights(), &mut Random::new(training.seed));
    run_training(
        AlignerModel::new(weights, card),
        examples,
        training,
        on_progress,
    )
}

/// Continues to train a network, as [`train`] does; its size and its encoder stay
/// the same, and its version rises by one.
///
/// # Panics
/// If no example has a pair of words.
#[must_use]
pub fn continue_training<E: Borrow<AlignerExample>>(
    trained: &AlignerModel,
    examples: &[E],
    training: &AlignerTrainingOptions,
    on_progress: impl FnMut(AlignerProgress) -> bool,
) -> AlignerModel {
    let mut start = trained.clone();
    start.card.version += 1;
    run_training(start, examples, training, on_progress)
}

fn run_training<E: Borrow<AlignerExample>>(
    start: AlignerModel,
    examples: &[E],
    training: &AlignerTrainingOptions,
    mut on_progress: impl FnMut(AlignerProgress) -> bool,
) -> AlignerModel {
    let AlignerModel { mut network, card } = start;
    network.weights = network.weights.tracked(|_| true);
    let mut random = SeededRandom::new(training.seed);
    let masks = DropoutMasks::new(training.seed);
    let mut optimizer = AdamW::new(1e-5, 0.01);
    let steps = training.epochs * make_batches(examples, training.batch, &mut random).len();
    let every = (steps / training.epochs.max(1) / 10).max(1);

    let (mut step, mut loss_since) = (0, 0.0);
    'all: for _ in 0..training.epochs {
        for batch in make_batches(examples, training.batch, &mut random) {
            let loss = compute_loss(&network, &batch, &card, &masks);
            loss_since += f64::from(loss.scalar());
            let rate = compute_learning_rate(training.learning_rate, step, steps);
            optimizer.step(&loss.backward(), &mut network.weights, rate);
            step += 1;
            if step.is_multiple_of(every) {
                #[expect(clippy::cast_precision_loss, reason = "steps stay far under 2⁵³")]
                let loss = loss_since / every as f64;
                loss_since = 0.0;
                if !on_progress(AlignerProgress { step, steps, loss }) {
                    break 'all;
                }
            }
        }
    }

    AlignerModel::new(network.weights.untracked(), card)
}

/// Binary cross-entropy in nats, averaged over all pairs of words.
fn compute_loss(
    network: &AlignerNetwork,
    examples: &[&LabelledGrid],
    card: &AlignerModelCard,
    masks: &DropoutMasks,
) -> Tensor {
    let grids: Vec<&FeatureTensor> = examples.iter().map(|example| &example.grid).collect();
    let batch = GridBatch::new(&grids, card);
    let layout = batch.grids;

    let mut linked = vec![0.0_f32; layout.cells()];
    for (at, example) in examples.iter().enumerate() {
        for (row, values) in example.links.chunks(example.grid.columns).enumerate() {
            let first = (at * layout.rows + row) * layout.columns;
            linked[first..][..values.len()].copy_from_slice(values);
        }
    }

    let odds = network.forward(&batch.features, &batch.inside, layout, Some(masks));
    let cell_losses = &odds.softplus() - &odds.scale_rows(&linked);
    let cells: f32 = batch.inside.iter().sum();
    &cell_losses.scale_rows(&batch.inside).sum() * (1.0 / cells)
}

/// All examples in random order, each from a random side. Those of a batch have similar sizes.
fn make_batches<'a, E: Borrow<AlignerExample>>(
    examples: &'a [E],
    batch: usize,
    random: &mut SeededRandom,
) -> Vec<Vec<&'a LabelledGrid>> {
    let mut order: Vec<&LabelledGrid> = examples
        .iter()
        .map(|example| {
            let AlignerExample(views) = example.borrow();
            &views[random.below(2)]
        })
        .filter(|view| !view.links.is_empty())
        .collect();
    random.shuffle(&mut order);

    let mut batches = Vec::new();
    for part in order.chunks_mut(batch * 50) {
        part.sort_by_key(|view| (view.grid.rows, view.grid.columns));
        batches.extend(part.chunks(batch).map(<[_]>::to_vec));
    }

    random.shuffle(&mut batches);
    batches
}

/// The learning rate of a step: warm-up over the first three tenths of the steps, then decay to almost 0.
#[expect(clippy::cast_precision_loss, reason = "steps stay far under 2⁵³")]
fn compute_learning_rate(greatest: f64, step: usize, steps: usize) -> f64 {
    const WARMUP_FRACTION: f64 = 0.3;
    let at = step as f64 / steps as f64;
    if at < WARMUP_FRACTION {
        cosine_between(greatest / 25.0, greatest, at / WARMUP_FRACTION)
    } else {
        cosine_between(
            greatest,
            greatest / 1e4,
            (at - WARMUP_FRACTION) / (1.0 - WARMUP_FRACTION),
        )
    }
}

/// The value after a share of the way along half a cosine wave.
fn cosine_between(from: f64, to: f64, share: f64) -> f64 {
    to + (from - to) * (1.0 + (PI * share).cos()) / 2.0
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "features have single precision"
)]
fn build_card(examples: &[AlignerExample], training: &AlignerTrainingOptions) -> AlignerModelCard {
    let grids: Vec<&FeatureTensor> = examples
        .iter()
        .flat_map(|AlignerExample(views)| views)
        .map(|view| &view.grid)
        .collect();
    let features = grids.iter().map(|grid| grid.planes()).max().unwrap_or(0);

    let (mut mean, mut sd) = (Vec::new(), Vec::new());
    for feature in 0..features {
        let centre = mean_over_cells(&grids, feature, |value| value);
        let spread = mean_over_cells(&grids, feature, |value| (value - centre).powi(2)).sqrt();
        mean.push(centre as f32);
        // A constant feature gets no weight: dividing it by infinity gives 0.
        sd.push(if spread > 1e-6 { spread as f32 } else { 1.0 });
    }

    AlignerModelCard {
        version: 1,
        size: AlignerNetworkSize {
            features,
            ..training.size
        },
        encoder: training.encoder.clone(),
        mean,
        sd,
    }
}

/// The mean of `value` of a feature over the cells of all grids.
#[expect(clippy::cast_precision_loss, reason = "cells stay far under 2⁵³")]
fn mean_over_cells(grids: &[&FeatureTensor], feature: usize, value: impl Fn(f64) -> f64) -> f64 {
    let cells: usize = grids.iter().map(|grid| grid.rows * grid.columns).sum();
    let sum: f64 = grids
        .iter()
        .filter(|grid| grid.planes() > 0)
        .flat_map(|grid| {
            let cells = grid.rows * grid.columns;
            &grid.values[feature * cells..(feature + 1) * cells]
        })
        .map(|&cell| value(f64::from(cell)))
        .sum();
    sum / cells as f64
}
