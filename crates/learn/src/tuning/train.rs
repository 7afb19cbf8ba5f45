//! Training of a model on rated outputs, and cross-validation.

use std::{collections::BTreeSet, path::PathBuf};

use serde::Serialize;

use super::{
    TunedModel, TunedModelCard, TuningAgreement, TuningError, TuningObjective, TuningPlan,
    TuningProgress, TuningSplit,
    base_encoder::BaseEncoder,
    checkpoint::Checkpoint,
    cross::CrossTask,
    fit::{FitRequest, fit},
    lens::LensTask,
    model::new_card,
    pooled_texts::PooledTexts,
    progress::TuningCallback,
    split::{count_different, deal_folds, hash_sources, split_sources},
    task::{RatedTask, TaskNetworks, TuningTask, score_sources},
};
use crate::{
    encoder::EncoderOptions,
    metric::{TrainingSource, fingerprint},
};

/// The resources of a training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuningResources {
    /// The encoder to start from, ONNX Runtime, and the number of threads.
    pub encoder: EncoderOptions,
    /// The checkpoint, which is written after each epoch; training resumes from an existing one of the same training.
    /// It can be removed after the training.
    pub checkpoint: Option<PathBuf>,
}

/// The result of a cross-validation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuningCrossValidation {
    /// The figures of all scores together, each by the model that was not trained on its source.
    pub figures: TuningAgreement,
    /// For each source in its order, the score of each output.
    pub scores: Vec<Vec<f64>>,
}

/// Trains a model. `on_progress` receives each step and stops the training by returning false. The same
/// sources, plan and threads give the same model on the same machine, whether it was interrupted or not.
///
/// # Errors
/// The plan, the sources or the encoder cannot be trained with, or the training was stopped.
pub fn train(
    sources: &[TrainingSource],
    plan: &TuningPlan,
    resources: &TuningResources,
    on_progress: &mut TuningCallback<'_>,
) -> Result<TunedModel, TuningError> {
    with_threads(resources.encoder.threads, || {
        let base = open_base_encoder(sources, plan, resources)?;
        let all: Vec<usize> = (0..sources.len()).collect();
        match plan.objective {
            TuningObjective::Lens { .. } => {
                let mut task = LensTask::new(&base, sources, plan)?;
                precompute_vectors(task.texts(), &base, plan, resources, on_progress)?;
                train_task(
                    &task,
                    "lens",
                    base,
                    sources,
                    &all,
                    plan,
                    resources,
                    on_progress,
                )
            }
            TuningObjective::Cross { .. } => {
                let mut task = CrossTask::new(&base, sources, plan)?;
                precompute_vectors(task.texts(), &base, plan, resources, on_progress)?;
                train_task(
                    &task,
                    "cross",
                    base,
                    sources,
                    &all,
                    plan,
                    resources,
                    on_progress,
                )
            }
        }
    })
}

/// For each of `count` folds of the sources, dealt out by `seed`, trains a model on all others and
/// scores the fold with it. The checkpoint is not used. `on_progress` receives the fold's number as well.
///
/// # Errors
/// As for [`train`].
pub fn cross_validate(
    sources: &[TrainingSource],
    plan: &TuningPlan,
    resources: &TuningResources,
    (count, seed): (usize, u64),
    on_progress: &mut (dyn FnMut(usize, TuningProgress) -> bool + Send),
) -> Result<TuningCrossValidation, TuningError> {
    let different = count_different(sources);
    if count < 2 || count > different {
        return Err(TuningError::Plan(format!(
            "{different} sources cannot be parted into {count} folds"
        )));
    }

    let parts = deal_folds(sources, count, seed);
    with_threads(resources.encoder.threads, || {
        let base = open_base_encoder(sources, plan, resources)?;
        match plan.objective {
            TuningObjective::Lens { .. } => {
                let mut task = LensTask::new(&base, sources, plan)?;
                precompute_vectors(task.texts(), &base, plan, resources, &mut |progress| {
                    on_progress(0, progress)
                })?;
                cross_validate_task(&task, &base, sources, plan, &parts, on_progress)
            }
            TuningObjective::Cross { .. } => {
                let mut task = CrossTask::new(&base, sources, plan)?;
                precompute_vectors(task.texts(), &base, plan, resources, &mut |progress| {
                    on_progress(0, progress)
                })?;
                cross_validate_task(&task, &base, sources, plan, &parts, on_progress)
            }
        }
    })
}

fn open_base_encoder(
    sources: &[TrainingSource],
    plan: &TuningPlan,
    resources: &TuningResources,
) -> Result<BaseEncoder, TuningError> {
    plan.check()?;
    if sources.iter().all(|source| source.outputs.is_empty()) {
        let reason = "there are no rated outputs to learn from";
        return Err(TuningError::Data(reason.to_owned()));
    }
    BaseEncoder::read(&resources.encoder.folder)
}

/// Computes the vectors that can be computed before training.
fn precompute_vectors(
    texts: &mut PooledTexts,
    base: &BaseEncoder,
    plan: &TuningPlan,
    resources: &TuningResources,
    on_progress: &mut TuningCallback<'_>,
) -> Result<(), TuningError> {
    let steps = texts.pieces.len();
    let mut on_text = |step| {
        on_progress(TuningProgress {
            epoch: 0,
            epochs: plan.epochs(),
            step,
            steps,
            tuned: false,
            loss: None,
            validation: None,
        })
    };
    texts.compute(base, plan, &resources.encoder, &mut on_text)
}

#[expect(clippy::too_many_arguments, reason = "the parts of one training")]
fn train_task<T: TuningTask>(
    task: &T,
    name: &str,
    base: BaseEncoder,
    sources: &[TrainingSource],
    all: &[usize],
    plan: &TuningPlan,
    resources: &TuningResources,
    on_progress: &mut TuningCallback<'_>,
) -> Result<TunedModel, TuningError> {
    let mut card = new_card(&base, plan, hash_sources(sources))?;
    let (training, validation) = if plan.validation_sources.is_empty() {
        split_sources(sources, all, plan.validation, plan.seed)
    } else {
        split_by_fingerprint(sources, plan)?
    };
    card.split = TuningSplit {
        training: collect_fingerprints(sources, &training),
        validation: collect_fingerprints(sources, &validation),
    };

    // Only the same training is resumed; settings that are not used do not make it another one.
    let identity = TunedModelCard {
        plan: plan.without_unused(),
        ..card.clone()
    };
    let identity = serde_json::to_string(&identity).expect("a card is plain data");
    let signature = fingerprint(identity);
    let mut begin = Checkpoint::default();
    if let Some(path) = &resources.checkpoint {
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
    let fitted = fit(&fitting, begin, on_progress, &mut |checkpoint| {
        resources
            .checkpoint
            .as_ref()
            .map_or(Ok(()), |path| checkpoint.write(path))
    })?;

    card.epoch = fitted.epoch;
    card.order_share = fitted.order_share;
    card.history.clone_from(&fitted.history);
    Ok(TunedModel {
        card,
        weights: fitted.into_weights(name),
        base,
    })
}

fn collect_fingerprints(sources: &[TrainingSource], indices: &[usize]) -> BTreeSet<String> {
    indices
        .iter()
        .map(|at| sources[*at].fingerprint())
        .collect()
}

/// Splits the sources into those to train on and those that the plan names.
fn split_by_fingerprint(
    sources: &[TrainingSource],
    plan: &TuningPlan,
) -> Result<(Vec<usize>, Vec<usize>), TuningError> {
    let (validation, training): (Vec<usize>, Vec<usize>) = (0..sources.len()).partition(|at| {
        plan.validation_sources
            .contains(&sources[*at].fingerprint())
    });
    for (part, reason) in [
        (&validation, "none of the validation sources is rated"),
        (&training, "all rated sources are validation sources"),
    ] {
        if part.is_empty() {
            return Err(TuningError::Data(reason.to_owned()));
        }
    }
    Ok((training, validation))
}

fn cross_validate_task<T: RatedTask>(
    task: &T,
    base: &BaseEncoder,
    sources: &[TrainingSource],
    plan: &TuningPlan,
    parts: &[Vec<usize>],
    on_progress: &mut (dyn FnMut(usize, TuningProgress) -> bool + Send),
) -> Result<TuningCrossValidation, TuningError> {
    let mut all = vec![Vec::new(); parts.iter().map(Vec::len).sum()];
    for (number, part) in parts.iter().enumerate() {
        let rest: Vec<usize> = (0..all.len()).filter(|at| !part.contains(at)).collect();
        let (training, validation) = split_sources(sources, &rest, plan.validation, plan.seed);

        let fitting = FitRequest {
            task,
            base,
            plan,
            training: &training,
            validation: &validation,
        };
        let mut on_step = |progress| on_progress(number, progress);
        let fitted = fit(&fitting, Checkpoint::default(), &mut on_step, &mut |_| {
            Ok(())
        })?;

        let networks = TaskNetworks {
            encoder: fitted.encoder.as_ref(),
            head: &fitted.head,
            masks: None,
        };
        for (source, predictions) in part.iter().zip(score_sources(task, part, networks)) {
            let scores = predictions.iter().map(|one| one.score(fitted.order_share));
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

/// Runs the work with the given number of threads.
pub(crate) fn with_threads<R: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<R, TuningError> + Send,
) -> Result<R, TuningError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool
        .build()
        .map_err(|error| TuningError::Threads(error.to_string()))?;
    pool.install(work)
}
