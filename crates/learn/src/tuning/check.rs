//! One batch, for comparison with another program: what it was computed of, the loss, the gradients.

use std::{collections::HashMap, path::Path};

use burn::tensor::Device;

use super::{
    Objective, Plan, TuningError,
    base::Base,
    checkpoint::Checkpoint,
    cross::CrossTask,
    file::{Content, write},
    fit::{Fitting, Learner},
    lens::LensTask,
    network::{Tokens, names::Weight},
    pooled::batch,
    task::{Task, numbers},
    train::with_threads,
};
use crate::{
    encoder::{
        Settings,
        graph::{self, Types},
        session::Session,
    },
    metric::Source,
};

/// Writes what the first step on a source is made of to the safetensors file at `path`: the `loss`, and
/// of each of the networks' weights `weight.NAME` and, where it learns, `gradient.NAME`. The header's
/// text `batch` has the texts as word pieces. All layers of the encoder learn, its tables do not, and
/// nothing is left out at random. Then steps are made, each told to `again` with its loss, until that
/// answers false; `threads` compute.
///
/// # Errors
/// The plan, the source or the encoder do not allow it.
pub fn one_batch(
    (folder, threads): (&Path, usize),
    source: &Source,
    plan: &Plan,
    path: &Path,
    again: &mut (dyn FnMut(f64) -> bool + Send),
) -> Result<(), TuningError> {
    with_threads(threads, || {
        let base = Base::read(folder)?;
        let plan = Plan {
            dropout: 0.0,
            encoder_dropout: 0.0,
            frozen_epochs: 0,
            tuned_epochs: 1,
            tuned_layers: base.config.layers,
            ..plan.clone()
        };
        plan.check()?;
        let sources = std::slice::from_ref(source);
        match plan.objective {
            Objective::Lens { .. } => {
                let task = LensTask::new(&base, sources, &plan)?;
                steps(&task, &base, &plan, path, again)
            }
            Objective::Cross { .. } => {
                let task = CrossTask::new(&base, sources, &plan)?;
                steps(&task, &base, &plan, path, again)
            }
        }
    })
}

/// The largest difference between an element of any vector, of any layer, that training computes of the
/// texts, and what ONNX Runtime does.
///
/// # Errors
/// The encoder cannot be read, or there is no ONNX Runtime.
pub fn largest_difference(settings: &Settings, texts: &[&str]) -> Result<f32, TuningError> {
    let base = Base::read(&settings.folder)?;
    let device = Device::flex();
    let encoder = base.network(&device)?;
    let whole = |text: &&str| Ok((base.pieces.text(text)?, Vec::new()));
    let pieces = texts
        .iter()
        .map(whole)
        .collect::<Result<Vec<_>, TuningError>>()?;
    let tokens = Tokens::new(pieces.iter(), &base.config, &device);
    let ours = encoder.forward(&tokens, &base.config);
    let ours: Vec<Vec<f32>> = ours.into_iter().map(numbers).collect();
    let graph = graph::build(&base.config, &base.weights, Types::First)?;
    let session = Session::open(&graph, &base.weights, settings)?;
    let (length, width) = (tokens.length(), base.config.width);
    let mut largest = 0.0_f32;
    session.run(batch(&base, pieces.iter(), false), |layer, theirs| {
        for (row, (text, _)) in pieces.iter().enumerate() {
            // What stands in the place of padding is of no use to anybody.
            let of = row * length * width..(row * length + text.len()) * width;
            for (ours, theirs) in ours[layer][of.clone()].iter().zip(&theirs[of]) {
                largest = largest.max((ours - theirs).abs());
            }
        }
    })?;
    Ok(largest)
}

fn steps<T: Task>(
    task: &T,
    base: &Base,
    plan: &Plan,
    path: &Path,
    again: &mut dyn FnMut(f64) -> bool,
) -> Result<(), TuningError> {
    let fitting = Fitting {
        task,
        base,
        plan,
        training: &[0],
        validation: &[],
    };
    let mut learner = Learner::new(&fitting, Checkpoint::default())?;
    learner.unfreeze()?;
    let (loss, weights, gradients) = learner.gradients(0);
    let loss = Weight {
        shape: vec![1],
        values: vec![loss],
    };
    let mut tensors = vec![("loss".to_owned(), Content::numbers(&loss))];
    for (kind, named) in [("weight", &weights), ("gradient", &gradients)] {
        let named = named.iter();
        tensors.extend(named.map(|(name, it)| (format!("{kind}.{name}"), Content::numbers(it))));
    }
    let texts = HashMap::from([("batch".to_owned(), task.batch(0).to_string())]);
    write(path, tensors, texts)?;
    while again(learner.step(&[0], 1.0)) {}
    Ok(())
}
