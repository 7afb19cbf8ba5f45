use std::{io, path::Path, process::Stdio, time::Duration};

use domain::metrics::learned_quality::LearningCurvePoint;
use serde::Deserialize;
use service::import::RunningJobProgress;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
    time::Instant,
};

use super::{STOP_GRACE_PERIOD, TrainerSettings};
use crate::cli::TrainingResult;

/// What a whole training counts for, in parts.
pub(super) const PROGRESS_TOTAL: u64 = 1_000;
/// Where features end and trees begin; these end with [`TREES`].
const FEATURES_END: u64 = 500;
/// Where texts were looked at and epochs begin, which take most of the time; they end with [`TREES`].
const TEXTS_END: u64 = 50;
const TRAINING_END: u64 = 900;

/// How often it looks whether it is to stop.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// How a training came to its end.
#[derive(Debug)]
pub(super) enum TrainingOutcome {
    Done(Box<TrainingResult>),
    Stopped,
    Failed(String),
}

/// A line of the process; `rankrate train-worker` says what each means.
#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum TrainingEvent {
    Features { done: u64, of: u64 },
    Tree { tree: u64, of: u64, loss: f64 },
    Epoch(EpochEvent),
    Curve(LearningCurvePoint),
    Done(Box<TrainingResult>),
    Stopped,
    Failed { why: String },
}

/// Where a training is whose encoder learns.
#[derive(Debug, Deserialize)]
struct EpochEvent {
    epoch: u64,
    of: u64,
    step: u64,
    steps: u64,
    tuned: bool,
    loss: f64,
    ended: bool,
}

/// Trains in a process of its own and tells how far it is.
pub(super) async fn run_process(
    trainer: &TrainerSettings,
    order: &Path,
    encoder_learns: bool,
    progress: &RunningJobProgress,
) -> io::Result<TrainingOutcome> {
    let mut child = Command::new(&trainer.program)
        .args(&trainer.arguments)
        .arg("train-worker")
        .arg(order)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut input = child.stdin.take();
    let output = child.stdout.take().expect("it was asked for");
    let mut lines = BufReader::new(output).lines();
    let mut told = ProgressLog {
        first: if encoder_learns {
            TEXTS_END
        } else {
            FEATURES_END
        },
        features: 0,
        trees: 0,
    };
    let mut stopping: Option<Instant> = None;
    let mut looks = tokio::time::interval(STOP_CHECK_INTERVAL);
    let mut came = None;
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Some(line) = line? else { break };
                came = told.on_line(&line, progress).or(came);
            }
            _ = looks.tick() => {
                if progress.stop_requested() && stopping.is_none() {
                    // It sees its input close, and stops by itself.
                    input = None;
                    stopping = Some(Instant::now());
                }
                if stopping.is_some_and(|since| since.elapsed() > STOP_GRACE_PERIOD) {
                    child.start_kill()?;
                }
            }
        }
    }
    drop(input);
    let status = child.wait().await?;
    Ok(match came {
        Some(came) => came,
        None if stopping.is_some() => TrainingOutcome::Stopped,
        None => TrainingOutcome::Failed(format!(
            "the training broke off ({status}); what it had made is gone on from next time"
        )),
    })
}

/// What was said last, so that the log has a line a step and not one a source.
#[derive(Debug)]
struct ProgressLog {
    /// The part that looking at texts counts for.
    first: u64,
    features: u64,
    trees: u64,
}

impl ProgressLog {
    fn on_line(&mut self, line: &str, progress: &RunningJobProgress) -> Option<TrainingOutcome> {
        let heard = match serde_json::from_str(line) {
            Ok(heard) => heard,
            Err(error) => {
                tracing::debug!(%error, line, "a line of a training was not understood");
                return None;
            }
        };
        match heard {
            TrainingEvent::Features { done, of } => {
                progress.set(self.first * done / of.max(1));
                if count_tenths(done, of) > self.features {
                    self.features = count_tenths(done, of);
                    progress.log_line(&format!("Looked at the texts: {done} of {of}."));
                }
            }
            TrainingEvent::Tree { tree, of, loss } => {
                progress.set(self.first + (TRAINING_END - self.first) * tree / of.max(1));
                if count_tenths(tree, of) > self.trees {
                    self.trees = count_tenths(tree, of);
                    progress.log_line(&format!("Grew tree {tree} of {of}; loss {loss:.3}."));
                }
            }
            TrainingEvent::Epoch(at) => {
                let (done, all) = (at.epoch * at.steps + at.step, at.of * at.steps);
                progress.set(self.first + (TRAINING_END - self.first) * done / all.max(1));
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
            TrainingEvent::Done(trained) => {
                progress.set(PROGRESS_TOTAL);
                return Some(TrainingOutcome::Done(trained));
            }
            TrainingEvent::Stopped => return Some(TrainingOutcome::Stopped),
            TrainingEvent::Failed { why } => return Some(TrainingOutcome::Failed(why)),
        }
        None
    }
}

fn count_tenths(done: u64, of: u64) -> u64 {
    10 * done / of.max(1)
}
