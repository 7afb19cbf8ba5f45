//! A queued training of an aligner: its data, its process and the resulting aligner.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use domain::ids::{ModelId, SourceId};
use learn::{
    aligner::{Aligner, AlignerModel},
    metric::fingerprint,
};
use service::{
    aligner_training::{AlignerReport, AlignerTrainingSet, REFUSED_IN_EXPERIMENT, adopted_aligner},
    import::RunningJobProgress,
    metric_training::TrainedModel,
};
use store::{
    Job, Store, Study,
    metrics::{ALIGNER_MODEL, NewModel, StudyModel},
};
use tokio::task::spawn_blocking;

use super::{
    TrainerSettings,
    aligner_protocol::{
        AlignerStepEvent, AlignerTrainingEvent, AlignerTrainingRequest, AlignerTrainingResult,
    },
    error::TrainingJobError,
    process::{PROGRESS_TOTAL, TrainingOutcome, count_tenths, run_process},
};
use crate::{
    clock, database,
    worker::study_aligners::{edits_version, model_edits_version},
};

/// The random seed of every training.
const SEED: u64 = 1;

/// Progress, in thousandths, once the words of all sources are aligned; the networks take most of the time.
const PREPARED_END: u64 = 100;

/// Trains on the study's checked edits, and stores the aligner with its report; returns `None` if the
/// training was stopped. The study uses the aligner once a lead adopts it.
pub(super) async fn run_training(
    store: &Store,
    (trainer, aligner): (&TrainerSettings, &Aligner),
    job: &Job,
    folder: &Path,
    progress: &RunningJobProgress,
) -> Result<Option<TrainedModel>, TrainingJobError> {
    let study = job.study.ok_or(TrainingJobError::NoStudy)?;
    let study = store.study(study).await?.ok_or(TrainingJobError::NoStudy)?;
    if store.experiment_of(study.id).await?.is_some() {
        return Err(TrainingJobError::Message(REFUSED_IN_EXPERIMENT.to_owned()));
    }

    let network = aligner.network().ok_or_else(|| {
        TrainingJobError::Message("the server aligns words without a network to train".to_owned())
    })?;

    progress.set_total(PROGRESS_TOTAL);
    let started_ms = clock::now_ms();
    database::make_folder(folder)?;

    let training_set = AlignerTrainingSet::load(store, study.id).await?;
    training_set
        .require_enough()
        .map_err(TrainingJobError::Message)?;
    progress.log_line(&describe(&training_set));

    let models = store.aligners(study.id).await?;
    let current = match adopted_aligner(&models) {
        Some(model) => write_current(store, &study, model, folder).await?,
        None => CurrentAligner {
            file: None,
            known: Vec::new(),
            name: "the aligner of the server".to_owned(),
            version: edits_version(aligner).to_string(),
        },
    };
    progress.log_line(&format!(
        "The new aligner is compared with {}.",
        current.name
    ));

    let learned_from = training_set
        .sources
        .iter()
        .map(|source| source.id)
        .collect();
    let (outputs, corrected) = (training_set.outputs(), training_set.corrected_outputs());
    let request = AlignerTrainingRequest {
        sources: training_set.sources,
        from: folder.join("from"),
        against: current.file,
        known: current.known,
        seed: SEED,
        work: folder.join("work"),
        out: folder.join("model"),
    };

    fs::write(&request.from, network.write())?;
    let path = folder.join("order.json");
    fs::write(&path, request.to_json()?)?;

    let mut log = AlignerProgressLog::default();
    let on_event = |event| log.on_event(event, progress);
    let command = "train-aligner-worker";
    let result = match run_process(trainer, command, &path, progress, on_event).await? {
        TrainingOutcome::Done(result) => result,
        TrainingOutcome::Stopped => return Ok(None),
        TrainingOutcome::Failed(why) => return Err(TrainingJobError::Message(why)),
    };

    let path = result.model.clone();
    let read = move || fs::read(path).map(|file| (fingerprint(&file), file));
    let (hash, file) = spawn_blocking(read).await.map_err(io::Error::from)??;
    let trained = AlignerModel::read(&file).map_err(|error| {
        TrainingJobError::Message(format!("the new aligner cannot be read: {error}"))
    })?;

    let report = AlignerReport {
        edits_version: model_edits_version(trained.card(), &hash).to_string(),
        learned_from,
        outputs,
        corrected,
        too_long: result.too_long,
        against: current.name,
        against_version: current.version,
        comparison: result.comparison,
        ms: clock::now_ms() - started_ms,
    };

    // A job trains one model, so the job's id can be the model's.
    let id = ModelId(job.id.0);
    let model = NewModel {
        id,
        name: ALIGNER_MODEL,
        hash: &hash,
        file: &file,
        report: &serde_json::to_value(&report)?,
        adopted: false,
    };
    let version = store.add_model(study.id, &model, clock::now_ms()).await?;

    Ok(Some(TrainedModel {
        model: id,
        version,
        adopted: false,
    }))
}

/// The aligner that the study uses while the new one is trained.
struct CurrentAligner {
    /// The file, if it is the study's own aligner.
    file: Option<PathBuf>,
    /// The sources that it learned from.
    known: Vec<SourceId>,
    /// Its name for people.
    name: String,
    /// The version of edits that it makes.
    version: String,
}

/// Writes the study's own aligner to a file.
async fn write_current(
    store: &Store,
    study: &Study,
    model: &StudyModel,
    folder: &Path,
) -> Result<CurrentAligner, TrainingJobError> {
    let gone = || TrainingJobError::Message("the aligner in use no longer exists".to_owned());
    let file = store
        .model_file(study.id, model.id)
        .await?
        .ok_or_else(gone)?;
    let path = folder.join("against");
    tokio::fs::write(&path, file).await?;

    let report = AlignerReport::from_model(model).ok_or_else(|| {
        TrainingJobError::Message(
            "another version of the program trained the aligner in use: stop using it first"
                .to_owned(),
        )
    })?;

    Ok(CurrentAligner {
        file: Some(path),
        known: report.learned_from,
        name: format!("version {}", model.version),
        version: report.edits_version,
    })
}

/// A sentence for the job's log.
fn describe(training_set: &AlignerTrainingSet) -> String {
    let left_out = match training_set.left_out {
        0 => String::new(),
        left_out => format!(" {left_out} more sources are left out: these are enough."),
    };
    format!(
        "Annotators checked {} outputs of {} sources, and corrected {} of these outputs.{left_out}",
        training_set.outputs(),
        training_set.sources.len(),
        training_set.corrected_outputs(),
    )
}

/// Progress that was logged: a line for every tenth of the sources, then for every half of a network.
#[derive(Debug, Default)]
struct AlignerProgressLog {
    prepared_tenths: u64,
    network_halves: u64,
}

impl AlignerProgressLog {
    fn on_event(
        &mut self,
        event: AlignerTrainingEvent,
        progress: &RunningJobProgress,
    ) -> Option<TrainingOutcome<Box<AlignerTrainingResult>>> {
        match event {
            AlignerTrainingEvent::Prepared { done, of } => {
                progress.set(PREPARED_END * done / of.max(1));
                if count_tenths(done, of) > self.prepared_tenths {
                    self.prepared_tenths = count_tenths(done, of);
                    progress.log_line(&format!("Aligned the words of {done} of {of} sources."));
                }
            }
            AlignerTrainingEvent::Step(at) => {
                let AlignerStepEvent {
                    network,
                    networks,
                    step,
                    steps,
                    loss,
                } = at;

                let (done, all) = (network * steps + step, networks * steps);
                let rest = PROGRESS_TOTAL - PREPARED_END;
                progress.set(PREPARED_END + rest * done / all.max(1));

                let halves = 2 * network + 2 * step / steps.max(1);
                if halves > self.network_halves {
                    self.network_halves = halves;
                    let purpose = match network + 1 == networks {
                        true => "from all sources",
                        false => "without a fifth of the sources",
                    };
                    progress.log_line(&format!(
                        "Network {} of {networks}, {purpose}: step {step} of {steps}, loss {loss:.4}.",
                        network + 1
                    ));
                }
            }
            AlignerTrainingEvent::Done(result) => {
                progress.set(PROGRESS_TOTAL);
                return Some(TrainingOutcome::Done(result));
            }
            AlignerTrainingEvent::Stopped => return Some(TrainingOutcome::Stopped),
            AlignerTrainingEvent::Failed { why } => return Some(TrainingOutcome::Failed(why)),
        }
        None
    }
}
