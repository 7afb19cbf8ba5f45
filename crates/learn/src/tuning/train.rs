//! Trains a model on rated outputs, or several to see how good they are.

use std::{path::PathBuf, sync::PoisonError};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{
    Figures, Objective, Plan, Progress, Split, Tuned, TuningError,
    base::Base,
    checkpoint::Checkpoint,
    cross::CrossTask,
    data::{data_hash, folds, split},
    fit::{Fitted, Fitting, fit, named, scores},
    lens::LensTask,
    model::card,
    network::{names, names::Weights},
    pooled::Texts,
    progress::Tell,
    task::Task,
};
use crate::{aligner::ONE_AT_A_TIME, encoder::Settings, metric::Source};

/// What a training may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Means {
    /// The encoder to begin with, ONNX Runtime, and how many threads compute.
    pub encoder: Settings,
    /// The file in which the training is kept after each epoch; one that is there of the same training
    /// is gone on with. It can be removed when the training is done.
    pub checkpoint: Option<PathBuf>,
}

/// How well a plan does on sources that it has not seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Validated {
    /// The figures of all scores together, each from the model that had not seen its source.
    pub figures: Figures,
    /// For each source in its order, the score of each output.
    pub scores: Vec<Vec<f64>>,
}

/// Trains a model. `tell` hears of each step and stops the training by answering false. The same
/// sources, plan and threads give the same model on the same machine, whether it was broken off or not.
///
/// # Errors
/// The plan, the sources or the encoder do not allow it, or it was stopped.
pub fn train(
    sources: &[Source],
    plan: &Plan,
    means: &Means,
    tell: &mut Tell<'_>,
) -> Result<Tuned, TuningError> {
    with_threads(means.encoder.threads, || {
        let base = opened(sources, plan, means)?;
        let all: Vec<usize> = (0..sources.len()).collect();
        match plan.objective {
            Objective::Lens { .. } => {
                let mut task = LensTask::new(&base, sources, plan)?;
                prepare(task.texts(), &base, plan, means, tell)?;
                trained(&task, "lens", base, sources, &all, plan, means, tell)
            }
            Objective::Cross { .. } => {
                let mut task = CrossTask::new(&base, sources, plan)?;
                prepare(task.texts(), &base, plan, means, tell)?;
                trained(&task, "cross", base, sources, &all, plan, means, tell)
            }
        }
    })
}

/// Trains a model for each of `count` parts of the sources, dealt out by `seed`, on all others, and
/// scores the part with it. The checkpoint is not used. `tell` hears of each part's number as well.
///
/// # Errors
/// As for [`train`].
pub fn cross_validate(
    sources: &[Source],
    plan: &Plan,
    means: &Means,
    (count, seed): (usize, u64),
    tell: &mut (dyn FnMut(usize, Progress) -> bool + Send),
) -> Result<Validated, TuningError> {
    if count < 2 || count > sources.len() {
        return Err(TuningError::Plan(format!(
            "{} sources cannot be parted into {count} folds",
            sources.len()
        )));
    }
    with_threads(means.encoder.threads, || {
        let base = opened(sources, plan, means)?;
        let parts = folds(sources.len(), count, seed);
        match plan.objective {
            Objective::Lens { .. } => {
                let mut task = LensTask::new(&base, sources, plan)?;
                prepare(task.texts(), &base, plan, means, &mut |it| tell(0, it))?;
                validated(&task, &base, plan, &parts, tell)
            }
            Objective::Cross { .. } => {
                let mut task = CrossTask::new(&base, sources, plan)?;
                prepare(task.texts(), &base, plan, means, &mut |it| tell(0, it))?;
                validated(&task, &base, plan, &parts, tell)
            }
        }
    })
}

fn opened(sources: &[Source], plan: &Plan, means: &Means) -> Result<Base, TuningError> {
    plan.check()?;
    if sources.iter().all(|source| source.outputs.is_empty()) {
        let reason = "there are no rated outputs to learn from";
        return Err(TuningError::Data(reason.to_owned()));
    }
    Base::read(&means.encoder.folder)
}

/// Has everything computed of the texts that need not be computed in every step.
fn prepare(
    texts: &mut Texts,
    base: &Base,
    plan: &Plan,
    means: &Means,
    tell: &mut Tell<'_>,
) -> Result<(), TuningError> {
    let steps = texts.pieces.len();
    let mut heard = |step| {
        tell(Progress {
            epoch: 0,
            epochs: plan.epochs(),
            step,
            steps,
            tuned: false,
            loss: None,
            validation: None,
        })
    };
    texts.compute(base, plan, &means.encoder, &mut heard)
}

#[expect(clippy::too_many_arguments, reason = "the parts of one training")]
fn trained<T: Task>(
    task: &T,
    name: &str,
    base: Base,
    sources: &[Source],
    all: &[usize],
    plan: &Plan,
    means: &Means,
    tell: &mut Tell<'_>,
) -> Result<Tuned, TuningError> {
    let mut card = card(&base, plan, data_hash(sources))?;
    let (training, validation) = split(all, plan.validation, plan.seed);
    let hashes = |of: &[usize]| of.iter().map(|at| sources[*at].fingerprint()).collect();
    card.split = Split {
        training: hashes(&training),
        validation: hashes(&validation),
    };
    let signature = format!(
        "{:x?}",
        Sha256::digest(serde_json::to_vec(&card).unwrap_or_default())
    );
    let mut begin = Checkpoint::default();
    if let Some(path) = &means.checkpoint {
        begin = Checkpoint::read(path, &signature)?.unwrap_or_default();
    }
    begin.state.signature = signature;
    let fitting = Fitting {
        task,
        base: &base,
        plan,
        training: &training,
        validation: &validation,
    };
    let fitted = fit(&fitting, begin, tell, &mut |checkpoint| {
        means
            .checkpoint
            .as_ref()
            .map_or(Ok(()), |path| checkpoint.write(path))
    })?;
    card.epoch = fitted.epoch;
    card.order_share = fitted.order_share;
    card.history.clone_from(&fitted.history);
    Ok(Tuned {
        card,
        weights: weights(&fitted, name),
        base,
    })
}

/// All weights by their names in the file.
fn weights<H: burn::module::Module>(fitted: &Fitted<H>, name: &str) -> Weights {
    let mut all = named(name, names::weights(&fitted.head, false));
    if let Some(encoder) = &fitted.encoder {
        all.extend(names::weights(encoder, false));
    }
    all
}

fn validated<T: Task>(
    task: &T,
    base: &Base,
    plan: &Plan,
    parts: &[Vec<usize>],
    tell: &mut (dyn FnMut(usize, Progress) -> bool + Send),
) -> Result<Validated, TuningError> {
    let mut all = vec![Vec::new(); parts.iter().map(Vec::len).sum()];
    for (number, part) in parts.iter().enumerate() {
        let rest: Vec<usize> = (0..all.len()).filter(|at| !part.contains(at)).collect();
        let (training, validation) = split(&rest, plan.validation, plan.seed);
        let fitting = Fitting {
            task,
            base,
            plan,
            training: &training,
            validation: &validation,
        };
        let mut heard = |progress| tell(number, progress);
        let fitted = fit(&fitting, Checkpoint::default(), &mut heard, &mut |_| Ok(()))?;
        let encoder = fitted.encoder.as_ref();
        for (source, scored) in part.iter().zip(scores(task, encoder, &fitted.head, part)) {
            let scores = scored.iter().map(|one| one.score(fitted.order_share));
            all[*source] = scores.collect();
        }
    }
    let pairs = all
        .iter()
        .enumerate()
        .map(|(source, scores): (_, &Vec<f64>)| {
            let z = task.z(source).iter().copied();
            scores.iter().copied().zip(z).collect()
        });
    Ok(Validated {
        figures: Figures::of(&pairs.collect::<Vec<_>>()),
        scores: all,
    })
}

/// Does the work with as many threads as were set, and no other training beside it: burn draws by lot
/// from one source for the whole process.
pub(super) fn with_threads<R: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<R, TuningError> + Send,
) -> Result<R, TuningError> {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool
        .build()
        .map_err(|error| TuningError::Threads(error.to_string()))?;
    pool.install(work)
}
