use std::{io, path::Path, process::Stdio, time::Duration};

use app::imports::Progress;
use domain::metrics::learned::CurvePoint;
use serde::Deserialize;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
    time::Instant,
};

use super::{GRACE, Trainer};
use crate::cli::Trained;

/// What a whole training counts for, in parts.
pub(super) const WHOLE: u64 = 1_000;
/// Where features end and trees begin; these end with [`TREES`].
const FEATURES: u64 = 500;
/// Where texts were looked at and epochs begin, which take most of the time; they end with [`TREES`].
const TEXTS: u64 = 50;
const TREES: u64 = 900;

/// How often it looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(250);

/// How a training came to its end.
#[derive(Debug)]
pub(super) enum Came {
    Done(Box<Trained>),
    Stopped,
    Failed(String),
}

/// A line of the process; `rankrate train-worker` says what each means.
#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line {
    Features { done: u64, of: u64 },
    Tree { tree: u64, of: u64, loss: f64 },
    Epoch(Epoch),
    Curve(CurvePoint),
    Done(Box<Trained>),
    Stopped,
    Failed { why: String },
}

/// Where a training is whose encoder learns.
#[derive(Debug, Deserialize)]
struct Epoch {
    epoch: u64,
    of: u64,
    step: u64,
    steps: u64,
    tuned: bool,
    loss: f64,
    ended: bool,
}

/// Trains in a process of its own and tells how far it is.
pub(super) async fn train(
    trainer: &Trainer,
    order: &Path,
    encoder_learns: bool,
    progress: &Progress,
) -> io::Result<Came> {
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
    let mut told = Told {
        first: if encoder_learns { TEXTS } else { FEATURES },
        features: 0,
        trees: 0,
    };
    let mut stopping: Option<Instant> = None;
    let mut looks = tokio::time::interval(LOOK);
    let mut came = None;
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Some(line) = line? else { break };
                came = told.hear(&line, progress).or(came);
            }
            _ = looks.tick() => {
                if progress.stops() && stopping.is_none() {
                    // It sees its input close, and stops by itself.
                    input = None;
                    stopping = Some(Instant::now());
                }
                if stopping.is_some_and(|since| since.elapsed() > GRACE) {
                    child.start_kill()?;
                }
            }
        }
    }
    drop(input);
    let status = child.wait().await?;
    Ok(match came {
        Some(came) => came,
        None if stopping.is_some() => Came::Stopped,
        None => Came::Failed(format!(
            "the training broke off ({status}); what it had made is gone on from next time"
        )),
    })
}

/// What was said last, so that the log has a line a step and not one a source.
#[derive(Debug)]
struct Told {
    /// The part that looking at texts counts for.
    first: u64,
    features: u64,
    trees: u64,
}

impl Told {
    fn hear(&mut self, line: &str, progress: &Progress) -> Option<Came> {
        let heard = match serde_json::from_str(line) {
            Ok(heard) => heard,
            Err(error) => {
                tracing::debug!(%error, line, "a line of a training was not understood");
                return None;
            }
        };
        match heard {
            Line::Features { done, of } => {
                progress.set(self.first * done / of.max(1));
                if tenths(done, of) > self.features {
                    self.features = tenths(done, of);
                    progress.say(&format!("Looked at the texts: {done} of {of}."));
                }
            }
            Line::Tree { tree, of, loss } => {
                progress.set(self.first + (TREES - self.first) * tree / of.max(1));
                if tenths(tree, of) > self.trees {
                    self.trees = tenths(tree, of);
                    progress.say(&format!("Grew tree {tree} of {of}; loss {loss:.3}."));
                }
            }
            Line::Epoch(at) => {
                let (done, all) = (at.epoch * at.steps + at.step, at.of * at.steps);
                progress.set(self.first + (TREES - self.first) * done / all.max(1));
                if at.ended {
                    let learns = if at.tuned {
                        "the encoder learns as well"
                    } else {
                        "the encoder stays as it is"
                    };
                    let (epoch, of, loss) = (at.epoch + 1, at.of, at.loss);
                    progress.say(&format!("Epoch {epoch} of {of}, {learns}; loss {loss:.3}."));
                }
            }
            Line::Curve(CurvePoint { outputs, figures }) => {
                progress.set(TREES);
                let tau = figures
                    .tau
                    .map_or("none".to_owned(), |tau| format!("{tau:.3}"));
                progress.say(&format!(
                    "With {outputs} rated outputs of the study: τ {tau} on sources held out."
                ));
            }
            Line::Done(trained) => {
                progress.set(WHOLE);
                return Some(Came::Done(trained));
            }
            Line::Stopped => return Some(Came::Stopped),
            Line::Failed { why } => return Some(Came::Failed(why)),
        }
        None
    }
}

fn tenths(done: u64, of: u64) -> u64 {
    10 * done / of.max(1)
}
