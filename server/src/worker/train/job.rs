//! A queued training of a metric: its data, its process and the resulting model.

use std::{fs, io, path::Path, sync::Arc};

use domain::{
    ids::{MetricId, ModelId},
    metrics::{LearnedMetricKind, ScoreDirection},
};
use learn::aligner::Aligner;
use service::{
    import::RunningJobProgress,
    metric_training::{
        ModelReport, TrainJob, TrainedModel, count_training_ratings, training_dimensions,
    },
    metrics,
};
use store::{
    Job, JobKind, JobOutcome, Store, Study,
    audit::{AuditKind, AuditSubject},
    metrics::{MetricOrigin, NewMetric, NewModel},
};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::{
    TrainerSettings, aligner_job,
    error::TrainingJobError,
    model_files::ModelFiles,
    process::{self, TrainingOutcome, train_metric},
    protocol::{TrainingRequest, TrainingResult},
    training_plan::{make_plan, summarise_split},
    training_set::TrainingSet,
};
use crate::{audit::server_entry, clock, database, worker::JobEnd};

pub(super) async fn run_job(
    store: Store,
    (trainer, aligner): (Arc<TrainerSettings>, Arc<Aligner>),
    job: Job,
    progress: Arc<RunningJobProgress>,
    stop: CancellationToken,
) -> JobEnd {
    let folder = trainer.folder.join(job.id.to_string());
    let to_json = |trained: TrainedModel| serde_json::to_value(trained).expect("plain data");
    let result = match job.kind {
        JobKind::TrainAligner => {
            aligner_job::run_training(&store, (&trainer, &aligner), &job, &folder, &progress).await
        }
        _ => run_training(&store, &trainer, &job, &folder, &progress).await,
    };

    let end = match result {
        Ok(Some(trained)) => JobEnd::Finished(JobOutcome::Done(to_json(trained)), Vec::new()),
        Ok(None) => JobEnd::Stopped,
        Err(TrainingJobError::Store(error)) if error.may_pass() => JobEnd::Unavailable(error),
        Err(error) => {
            tracing::error!(job = %job.id, %error, "a training failed");
            JobEnd::Finished(
                JobOutcome::Failed(service::wording::sentence(&error.to_string())),
                Vec::new(),
            )
        }
    };

    // After a shutdown, or once the database can be used again, the next run continues from these files.
    let is_over = match end {
        JobEnd::Finished(..) => true,
        JobEnd::Stopped => !stop.is_cancelled(),
        JobEnd::Unavailable(_) => false,
    };

    if is_over
        && let Err(error) = fs::remove_dir_all(&folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, folder = %folder.display(), "a training's files were not deleted");
    }

    end
}

/// Trains on the study's ratings, and stores the model, its report and its metric; returns `None` if the
/// training was stopped.
async fn run_training(
    store: &Store,
    trainer: &TrainerSettings,
    job: &Job,
    folder: &Path,
    progress: &RunningJobProgress,
) -> Result<Option<TrainedModel>, TrainingJobError> {
    let study = job.study.ok_or(TrainingJobError::NoStudy)?;
    let study = store.study(study).await?.ok_or(TrainingJobError::NoStudy)?;
    let TrainJob {
        kind,
        start,
        dimensions,
        settings,
    } = serde_json::from_value(job.input.clone())?;

    progress.set_total(process::PROGRESS_TOTAL);
    let started_ms = clock::now_ms();
    database::make_folder(folder)?;

    let dimensions = training_dimensions(&study.settings, &dimensions);
    let ratings = count_training_ratings(store, study.id, &dimensions).await?;
    let training_set = TrainingSet::load(store, &study, kind, &dimensions).await?;
    progress.log_line(&training_set.summary());

    let models = store.models(study.id).await?;
    let model_files = ModelFiles {
        store,
        study: study.id,
        models: &models,
        folder,
    };
    let (from, from_name) = model_files.start(kind, start).await?;
    progress.log_line(&format!("Training continues from {from_name}."));
    let (against, against_name) = model_files.in_use(kind).await?.unzip();

    let (sources, outputs) = (training_set.sources.len(), training_set.outputs());
    let without_references = training_set.without_references;
    let plan = make_plan(kind, &settings).map_err(TrainingJobError::Settings)?;
    if let Some(line) = summarise_split(&plan, &training_set.sources) {
        progress.log_line(&line);
    }

    let request = TrainingRequest {
        sources: training_set.sources,
        plan,
        from,
        against,
        without_encoder: trainer.without_encoder,
        work: folder.join("work"),
        out: folder.join("model"),
    };

    let path = folder.join("order.json");
    fs::write(&path, request.to_json()?)?;

    let encoder_learns = kind.trainer().tunes_encoder();
    let result = match train_metric(trainer, &path, encoder_learns, progress).await? {
        TrainingOutcome::Done(result) => result,
        TrainingOutcome::Stopped => return Ok(None),
        TrainingOutcome::Failed(why) => return Err(TrainingJobError::Message(why)),
    };

    let report = ModelReport {
        start,
        dimensions: dimensions.into_iter().map(str::to_owned).collect(),
        settings,
        sources,
        outputs,
        ratings,
        without_references,
        held_out: result.held_out,
        against: against_name,
        comparison: result.comparison.clone(),
        curve: result.curve.clone(),
        scale: result.scale.clone(),
        ms: clock::now_ms() - started_ms,
    };

    // A job trains one model, so the job's id can be the model's.
    let trained = store_model(store, &study, kind, ModelId(job.id.0), &result, &report).await?;
    metrics::enqueue(store, study.id, clock::CONTEXT).await?;
    Ok(Some(trained))
}

/// Stores a trained model, and declares the metric that scores by it.
async fn store_model(
    store: &Store,
    study: &Study,
    kind: LearnedMetricKind,
    id: ModelId,
    result: &TrainingResult,
    report: &ModelReport,
) -> Result<TrainedModel, TrainingJobError> {
    let path = result.model.clone();
    let read = move || fs::read(path).map(|file| (learn::metric::fingerprint(&file), file));
    let (hash, file) = spawn_blocking(read).await.map_err(io::Error::from)??;

    let adopted = report.is_adopted();
    let now = clock::now_ms();
    let model = NewModel {
        id,
        name: kind.name(),
        hash: &hash,
        file: &file,
        report: &serde_json::to_value(report)?,
        adopted,
    };

    // An adoption goes into the log of changes.
    let store_of_model = match adopted {
        true => store.audited(server_entry(
            AuditKind::ModelAdopted,
            Some(study.id),
            AuditSubject::Model(id),
        )),
        false => store.clone(),
    };
    let version = store_of_model.add_model(study.id, &model, now).await?;

    let metric = NewMetric {
        id: MetricId(clock::new_id()),
        name: kind.name(),
        signature: &result.signature,
        origin: MetricOrigin::Learned,
        direction: ScoreDirection::HigherIsBetter,
        uses_references: kind.needs_references(),
        trained_on: &result.trained_on,
        model: Some(id),
    };
    store.declare_metric(study.id, &metric, now).await?;

    Ok(TrainedModel {
        model: id,
        version,
        adopted,
    })
}
