use std::{io, path::Path, process::Stdio, time::Duration};

use domain::metrics::learned_quality::LearningCurvePoint;
use serde::de::DeserializeOwned;
use service::import::RunningJobProgress;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
    time::Instant,
};

use super::{
    TrainerSettings,
    protocol::{TrainingEvent, TrainingResult},
};

/// The progress of a whole training, in thousandths.
pub(super) const PROGRESS_TOTAL: u64 = 1_000;
/// The progress after the features, if trees are grown.
const FEATURES_END: u64 = 500;
/// The progress after the texts are prepared, if an encoder learns: epochs take most of the time.
const TEXTS_END: u64 = 50;
/// The progress after the last tree or epoch.
const TRAINING_END: u64 = 900;

/// Interval between checks whether the training was cancelled.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// The time that a training gets to stop before its process is killed.
const STOP_GRACE_PERIOD: Duration = Duration::from_secs(60);

/// The end of a training.
#[derive(Debug)]
pub(super) enum TrainingOutcome<T> {
    Done(T),
    Stopped,
    Failed(String),
}

/// Trains a metric in a process of its own, and logs its progress.
pub(super) async fn train_metric(
    trainer: &TrainerSettings,
    request: &Path,
    encoder_learns: bool,
    progress: &RunningJobProgress,
) -> io::Result<TrainingOutcome<Box<TrainingResult>>> {
    let mut log = ProgressLog {
        features_end: if encoder_learns {
            TEXTS_END
        } else {
            FEATURES_END
        },
        feature_tenths: 0,
        tree_tenths: 0,
    };

    let on_event = |event| log.on_event(event, progress);
    run_process(trainer, "train-worker", request, progress, on_event).await
}

/// Runs one of the program's commands with a request until it ends. `on_event` gets the event of each line of
/// its output, and returns the outcome if the event is the last one.
pub(super) async fn run_process<E: DeserializeOwned, T>(
    trainer: &TrainerSettings,
    command: &str,
    request: &Path,
    progress: &RunningJobProgress,
    mut on_event: impl FnMut(E) -> Option<TrainingOutcome<T>>,
) -> io::Result<TrainingOutcome<T>> {
    let mut child = Command::new(&trainer.program)
        .args(&trainer.arguments)
        .arg(command)
        .arg(request)
        // It opens no database, so it needs no password for one.
        .env_remove("DATABASE_URL")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;

    let mut input = child.stdin.take();
    let output = child.stdout.take().expect("standard output is piped");
    let mut lines = BufReader::new(output).lines();
    let mut stop_requested_at: Option<Instant> = None;
    let mut stop_checks = tokio::time::interval(STOP_CHECK_INTERVAL);
    let mut outcome = None;

    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Some(line) = line? else { break };
                match serde_json::from_str(&line) {
                    Ok(event) => outcome = on_event(event).or(outcome),
                    Err(error) => {
                        tracing::debug!(%error, line, "a line of a training was not understood");
                    }
                }
            }
            _ = stop_checks.tick() => {
                if progress.stop_requested() && stop_requested_at.is_none() {
                    // The process sees its input close, and stops by itself.
                    input = None;
                    stop_requested_at = Some(Instant::now());
                }
                if stop_requested_at.is_some_and(|since| since.elapsed() > STOP_GRACE_PERIOD) {
                    child.start_kill()?;
                }
            }
        }
    }

    drop(input);
    let status = child.wait().await?;

    Ok(match outcome {
        Some(outcome) => outcome,
        None if stop_requested_at.is_some() => TrainingOutcome::Stopped,
        None => TrainingOutcome::Failed(format!(
            "the training’s process ended early ({status}); start the training again"
        )),
    })
}

/// Progress that was logged: a line for each tenth of a stage, not for each source or tree.
#[derive(Debug)]
struct ProgressLog {
    /// The progress after the texts are prepared, in thousandths.
    features_end: u64,
    feature_tenths: u64,
    tree_tenths: u64,
}

impl ProgressLog {
    fn on_event(
        &mut self,
        event: TrainingEvent,
        progress: &RunningJobProgress,
    ) -> Option<TrainingOutcome<Box<TrainingResult>>> {
        match event {
            TrainingEvent::Features { done, of } => {
                progress.set(self.features_end * done / of.max(1));

                if count_tenths(done, of) > self.feature_tenths {
                    self.feature_tenths = count_tenths(done, of);
                    progress.log_line(&format!("Looked at the texts: {done} of {of}."));
                }
            }
            TrainingEvent::Tree { tree, of, loss } => {
                progress
                    .set(self.features_end + (TRAINING_END - self.features_end) * tree / of.max(1));

                if count_tenths(tree, of) > self.tree_tenths {
                    self.tree_tenths = count_tenths(tree, of);
                    progress.log_line(&format!("Grew tree {tree} of {of}; loss {loss:.3}."));
                }
            }
            TrainingEvent::Epoch(at) => {
                let (done, all) = (at.epoch * at.steps + at.step, at.of * at.steps);
                progress.set(
                    self.features_end + (TRAINING_END - self.features_end) * done / all.max(1),
                );

                if at.ended {
                    let learns = if at.tuned {
                        "the encoder learns as well"
                    } else {
                        "the encoder stays as it is"
                    };
                    let (epoch, of, loss) = (at.epoch + 1, at.of, at.loss);
                    progress.log_line(&format!("Epoch {epoch} of {of}, {learns}; loss {loss:.3}."));
                }
            }
            TrainingEvent::Curve(LearningCurvePoint { outputs, figures }) => {
                progress.set(TRAINING_END);
                let tau = figures
                    .tau
                    .map_or("none".to_owned(), |tau| format!("{tau:.3}"));
                progress.log_line(&format!(
                    "With {outputs} rated outputs of the study: τ {tau} on sources held out."
                ));
            }
            TrainingEvent::Done(result) => {
                progress.set(PROGRESS_TOTAL);
                return Some(TrainingOutcome::Done(result));
            }
            TrainingEvent::Stopped => return Some(TrainingOutcome::Stopped),
            TrainingEvent::Failed { why } => return Some(TrainingOutcome::Failed(why)),
        }
        None
    }
}

pub(super) fn count_tenths(done: u64, of: u64) -> u64 {
    10 * done / of.max(1)
}
