//! Trains a model on rated outputs, or several to see how good they are.

use std::{path::PathBuf, sync::PoisonError};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{
    TunedModel, TuningAgreement, TuningError, TuningObjective, TuningPlan, TuningProgress,
    TuningSplit,
    base_encoder::BaseEncoder,
    checkpoint::Checkpoint,
    cross::CrossTask,
    fit::{FitRequest, FitResult, fit, prefix_names, score_sources},
    lens::LensTask,
    model::new_card,
    network::{named_weights, named_weights::NamedWeights},
    pooled_texts::PooledTexts,
    progress::TuningCallback,
    split::{deal_folds, hash_sources, split_sources},
    task::TuningTask,
};
use crate::{aligner::TRAINING_LOCK, encoder::EncoderOptions, metric::TrainingSource};

/// What a training may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuningResources {
    /// The encoder to begin with, ONNX Runtime, and how many threads compute.
    pub encoder: EncoderOptions,
    /// The file in which the training is kept after each epoch; one that is there of the same training
    /// is gone on with. It can be removed when the training is done.
    pub checkpoint: Option<PathBuf>,
}

/// How well a plan does on sources that it has not seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuningCrossValidation {
    /// The figures of all scores together, each from the model that had not seen its source.
    pub figures: TuningAgreement,
    /// For each source in its order, the score of each output.
    pub scores: Vec<Vec<f64>>,
}

/// Trains a model. `tell` hears of each step and stops the training by answering false. The same
/// sources, plan and threads give the same model on the same machine, whether it was broken off or not.
///
/// # Errors
/// The plan, the sources or the encoder do not allow it, or it was stopped.
pub fn train(
    sources: &[TrainingSource],
    plan: &TuningPlan,
    means: &TuningResources,
    tell: &mut TuningCallback<'_>,
) -> Result<TunedModel, TuningError> {
    with_threads(means.encoder.threads, || {
        let base = open_base_encoder(sources, plan, means)?;
        let all: Vec<usize> = (0..sources.len()).collect();
        match plan.objective {
            TuningObjective::Lens { .. } => {
                let mut task = LensTask::new(&base, sources, plan)?;
                precompute_vectors(task.texts(), &base, plan, means, tell)?;
                train_task(&task, "lens", base, sources, &all, plan, means, tell)
            }
            TuningObjective::Cross { .. } => {
                let mut task = CrossTask::new(&base, sources, plan)?;
                precompute_vectors(task.texts(), &base, plan, means, tell)?;
                train_task(&task, "cross", base, sources, &all, plan, means, tell)
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
    sources: &[TrainingSource],
    plan: &TuningPlan,
    means: &TuningResources,
    (count, seed): (usize, u64),
    tell: &mut (dyn FnMut(usize, TuningProgress) -> bool + Send),
) -> Result<TuningCrossValidation, TuningError> {
    if count < 2 || count > sources.len() {
        return Err(TuningError::Plan(format!(
            "{} sources cannot be parted into {count} folds",
            sources.len()
        )));
    }
    with_threads(means.encoder.threads, || {
        let base = open_base_encoder(sources, plan, means)?;
        let parts = deal_folds(sources.len(), count, seed);
        match plan.objective {
            TuningObjective::Lens { .. } => {
                let mut task = LensTask::new(&base, sources, plan)?;
                precompute_vectors(task.texts(), &base, plan, means, &mut |it| tell(0, it))?;
                cross_validate_task(&task, &base, plan, &parts, tell)
            }
            TuningObjective::Cross { .. } => {
                let mut task = CrossTask::new(&base, sources, plan)?;
                precompute_vectors(task.texts(), &base, plan, means, &mut |it| tell(0, it))?;
                cross_validate_task(&task, &base, plan, &parts, tell)
            }
        }
    })
}

fn open_base_encoder(
    sources: &[TrainingSource],
    plan: &TuningPlan,
    means: &TuningResources,
) -> Result<BaseEncoder, TuningError> {
    plan.check()?;
    if sources.iter().all(|source| source.outputs.is_empty()) {
        let reason = "there are no rated outputs to learn from";
        return Err(TuningError::Data(reason.to_owned()));
    }
    BaseEncoder::read(&means.encoder.folder)
}

/// Has everything computed of the texts that need not be computed in every step.
fn precompute_vectors(
    texts: &mut PooledTexts,
    base: &BaseEncoder,
    plan: &TuningPlan,
    means: &TuningResources,
    tell: &mut TuningCallback<'_>,
) -> Result<(), TuningError> {
    let steps = texts.pieces.len();
    let mut heard = |step| {
        tell(TuningProgress {
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
fn train_task<T: TuningTask>(
    task: &T,
    name: &str,
    base: BaseEncoder,
    sources: &[TrainingSource],
    all: &[usize],
    plan: &TuningPlan,
    means: &TuningResources,
    tell: &mut TuningCallback<'_>,
) -> Result<TunedModel, TuningError> {
    let mut card = new_card(&base, plan, hash_sources(sources))?;
    let (training, validation) = split_sources(all, plan.validation, plan.seed);
    let hashes = |of: &[usize]| of.iter().map(|at| sources[*at].fingerprint()).collect();
    card.split = TuningSplit {
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
    let fitting = FitRequest {
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
    Ok(TunedModel {
        card,
        weights: collect_weights(&fitted, name),
        base,
    })
}

/// All weights by their names in the file.
fn collect_weights<H: burn::module::Module>(fitted: &FitResult<H>, name: &str) -> NamedWeights {
    let mut all = prefix_names(name, named_weights::read_weights(&fitted.head, false));
    if let Some(encoder) = &fitted.encoder {
        all.extend(named_weights::read_weights(encoder, false));
    }
    all
}

fn cross_validate_task<T: TuningTask>(
    task: &T,
    base: &BaseEncoder,
    plan: &TuningPlan,
    parts: &[Vec<usize>],
    tell: &mut (dyn FnMut(usize, TuningProgress) -> bool + Send),
) -> Result<TuningCrossValidation, TuningError> {
    let mut all = vec![Vec::new(); parts.iter().map(Vec::len).sum()];
    for (number, part) in parts.iter().enumerate() {
        let rest: Vec<usize> = (0..all.len()).filter(|at| !part.contains(at)).collect();
        let (training, validation) = split_sources(&rest, plan.validation, plan.seed);
        let fitting = FitRequest {
            task,
            base,
            plan,
            training: &training,
            validation: &validation,
        };
        let mut heard = |progress| tell(number, progress);
        let fitted = fit(&fitting, Checkpoint::default(), &mut heard, &mut |_| Ok(()))?;
        let encoder = fitted.encoder.as_ref();
        for (source, scored) in part
            .iter()
            .zip(score_sources(task, encoder, &fitted.head, part))
        {
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
    Ok(TuningCrossValidation {
        figures: TuningAgreement::from_scores(&pairs.collect::<Vec<_>>()),
        scores: all,
    })
}

/// Does the work with as many threads as were set, and no other training beside it: burn draws by lot
/// from one source for the whole process.
pub(super) fn with_threads<R: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<R, TuningError> + Send,
) -> Result<R, TuningError> {
    let _turn = TRAINING_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool
        .build()
        .map_err(|error| TuningError::Threads(error.to_string()))?;
    pool.install(work)
}
