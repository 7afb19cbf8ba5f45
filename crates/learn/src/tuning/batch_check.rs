//! Exports one batch for comparison with another program: inputs, loss and gradients.

use std::{collections::HashMap, path::Path};

use tensor::Tensor;

use super::{
    TextPooling, TuningError, TuningObjective, TuningPlan,
    base_encoder::BaseEncoder,
    checkpoint::Checkpoint,
    cross::CrossTask,
    fit::{FitRequest, TuningLoop},
    lens::LensTask,
    network::TokenBatch,
    pooled_texts::pad_batch,
    pretraining::SignalTask,
    task::TuningTask,
    train::with_threads,
    weights_file::write_weights_file,
};
use crate::{
    encoder::{
        EncoderOptions,
        graph::{self, TokenTypes},
        session::OnnxSession,
    },
    metric::TrainingSource,
};

/// Writes the first step on a source to the safetensors file at `path`: the `loss`, and for each weight of the networks
/// `weight.NAME` and, if it is trainable, `gradient.NAME`. The header's text `batch` has the texts as word pieces. All
/// layers of the encoder are trained, its embedding tables are not, and nothing is dropped out. Then more steps are
/// made, and `again` receives the loss of each, until it returns false. `threads` is the number of threads.
///
/// # Errors
/// The plan, the source or the encoder cannot be trained with.
pub fn export_batch(
    (folder, threads): (&Path, usize),
    source: &TrainingSource,
    plan: &TuningPlan,
    path: &Path,
    again: &mut (dyn FnMut(f64) -> bool + Send),
) -> Result<(), TuningError> {
    with_threads(threads, || {
        let base = BaseEncoder::read(folder)?;
        let plan = simplify_plan(plan, &base);
        plan.check()?;

        let sources = std::slice::from_ref(source);
        match plan.objective {
            TuningObjective::Lens { .. } => {
                let task = LensTask::new(&base, sources, &plan)?;
                run_steps(&task, &base, &plan, path, again)
            }
            TuningObjective::Cross { .. } => {
                let task = CrossTask::new(&base, sources, &plan)?;
                run_steps(&task, &base, &plan, path, again)
            }
        }
    })
}

/// Does the same as [`export_batch`] for pre-training, on the source's outputs and the signals that need no embeddings.
///
/// # Errors
/// As for [`export_batch`].
pub fn export_signal_batch(
    (folder, threads): (&Path, usize),
    source: &TrainingSource,
    plan: &TuningPlan,
    path: &Path,
    again: &mut (dyn FnMut(f64) -> bool + Send),
) -> Result<(), TuningError> {
    with_threads(threads, || {
        let base = BaseEncoder::read(folder)?;
        let plan = simplify_plan(plan, &base);
        plan.check()?;
        let task = SignalTask::for_source(&base, TextPooling::Mean, source)?;
        run_steps(&task, &base, &plan, path, again)
    })
}

/// The plan without dropout, with all layers trained from the beginning.
fn simplify_plan(plan: &TuningPlan, base: &BaseEncoder) -> TuningPlan {
    TuningPlan {
        dropout: 0.0,
        encoder_dropout: 0.0,
        frozen_epochs: 0,
        tuned_epochs: 1,
        tuned_layers: base.config.layers,
        ..plan.clone()
    }
}

/// The largest difference between an element of any vector, of any layer, that training computes for the
/// texts, and the same element computed by ONNX Runtime.
///
/// # Errors
/// The encoder cannot be read, or ONNX Runtime is missing.
pub fn find_largest_difference(
    settings: &EncoderOptions,
    texts: &[&str],
) -> Result<f32, TuningError> {
    let base = BaseEncoder::read(&settings.folder)?;
    let encoder = base.network()?;
    let pieces = texts
        .iter()
        .map(|text| Ok((base.tokenizer.encode_text(text)?, Vec::new())))
        .collect::<Result<Vec<_>, TuningError>>()?;
    let tokens = TokenBatch::new(pieces.iter(), &base.config);
    let ours = encoder.forward(&tokens, &base.config, None);

    let graph = graph::build_encoder_graph(&base.config, &base.weights, TokenTypes::First)?;
    let session = OnnxSession::open(&graph, &base.weights, settings)?;

    let width = base.config.width;
    let mut largest = 0.0_f32;
    let batch = pad_batch(&base, pieces.iter(), false);
    let length = batch.length;
    session.run(batch, |layer, theirs| {
        for (text, range) in tokens.ranges.iter().enumerate() {
            // Their vectors include padding, ours do not.
            let theirs = &theirs[text * length * width..][..range.len() * width];
            let ours = &ours[layer].values()[range.start * width..];
            for (ours, theirs) in ours.iter().zip(theirs) {
                largest = largest.max((ours - theirs).abs());
            }
        }
    })?;

    Ok(largest)
}

fn run_steps<T: TuningTask>(
    task: &T,
    base: &BaseEncoder,
    plan: &TuningPlan,
    path: &Path,
    again: &mut dyn FnMut(f64) -> bool,
) -> Result<(), TuningError> {
    let fitting = FitRequest {
        task,
        base,
        plan,
        training: &[0],
        validation: &[],
    };

    let mut learner = TuningLoop::new(&fitting, Checkpoint::default())?;
    learner.unfreeze()?;
    let (loss, weights, gradients) = learner.compute_gradients(0);

    let mut tensors = weights.prefixed("weight");
    tensors.extend(gradients.prefixed("gradient"));
    tensors.insert("loss".to_owned(), Tensor::new([1], vec![loss]));
    let texts = HashMap::from([("batch".to_owned(), task.describe_batch(0).to_string())]);
    write_weights_file(path, &tensors, texts)?;

    while again(learner.step(&[0], 1.0)) {}
    Ok(())
}
