//! Messages between the server and a training process: a file in, lines of JSON out.
//!
//! The server writes a [`TrainingRequest`] to a file, and starts `rankrate train-worker FILE` with its own
//! settings of encoder and word frequencies. The process opens no database, and writes one [`TrainingEvent`]
//! per line to standard output. The last one is `done`, `stopped` or `failed`; a process that ended without
//! one was killed.
//!
//! The server keeps the process's standard input open, and writes nothing to it. When it closes, because the
//! server wants the training to stop or has died, the process ends after its current tree, step, sources or
//! point of the curve.
//!
//! Started again with the same file, the process takes from the request's `work` folder the features for
//! trees, if all were computed, and the trees or epochs up to the last one reported. The model is the same to
//! the byte. Files of another request in the folder are ignored.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use domain::metrics::{
    ScoreScale,
    learned_quality::{LearnedMetricComparison, LearnedMetricQuality, LearningCurvePoint},
};
use learn::{
    metric::TrainingSource,
    training::{TrainingPlan, TrainingProgress},
};
use serde::{Deserialize, Serialize};

/// A training to run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TrainingRequest {
    /// The rated outputs, as [`TrainingSource::group_ratings`] groups them.
    pub(crate) sources: Vec<TrainingSource>,
    /// The metric, and how to train it.
    #[serde(flatten)]
    pub(crate) plan: TrainingPlan,
    /// `shipped` (the model for the process's encoder), or the path of a model to continue from; without it,
    /// training starts from these sources alone.
    pub(crate) from: Option<PathBuf>,
    /// `shipped`, or the path of the model in use, to compare the new one with.
    pub(crate) against: Option<PathBuf>,
    /// Whether the metric uses only letters and words.
    #[serde(default)]
    pub(crate) without_encoder: bool,
    /// A folder for finished work, made if it is missing.
    pub(crate) work: PathBuf,
    /// The path to write the model to.
    pub(crate) out: PathBuf,
}

/// A line that the process prints.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum TrainingEvent {
    /// The texts of `done` of `of` sources are prepared.
    Features { done: u64, of: u64 },
    /// `tree` of `of` trees are grown; `loss` is the mean squared error that remains on the training data.
    Tree { tree: u64, of: u64, loss: f64 },
    /// A step of an epoch is done.
    Epoch(EpochEvent),
    /// Agreement with people, on the held-out sources, of a metric that learned from fewer outputs.
    Curve(LearningCurvePoint),
    /// The model is written.
    Done(Box<TrainingResult>),
    /// Standard input was closed; the exit code is 0.
    Stopped,
    /// The reason, as a sentence; the exit code is 1.
    Failed { why: String },
}

/// Progress of an encoder's training.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EpochEvent {
    /// The epoch, counted from 0.
    pub(crate) epoch: u64,
    /// The number of epochs.
    pub(crate) of: u64,
    /// The number of finished steps of the epoch.
    pub(crate) step: u64,
    /// The number of steps of the epoch.
    pub(crate) steps: u64,
    /// Whether the encoder learns, and not only the head.
    pub(crate) tuned: bool,
    /// The loss of the step, or the mean of all steps if the epoch has ended.
    pub(crate) loss: f64,
    /// Whether this was the epoch's last step.
    pub(crate) ended: bool,
}

/// The result of a training.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TrainingResult {
    /// The path of the model.
    pub(crate) model: PathBuf,
    /// The signature of its scores.
    pub(crate) signature: String,
    /// The fingerprints of the sources that it learned from: those of the request, and those of the model
    /// that it continued from.
    pub(crate) trained_on: Vec<String>,
    /// Its agreement with people on the request's held-out sources; all `None` if there are none.
    pub(crate) held_out: LearnedMetricQuality,
    /// The comparison with the model in use on those sources, or the reason why there isn't one.
    pub(crate) comparison: Option<Result<LearnedMetricComparison, String>>,
    /// Its agreement with people by the number of outputs that it learned from.
    pub(crate) curve: Vec<LearningCurvePoint>,
    /// The meaning of its scores; empty if unknown.
    #[serde(default)]
    pub(crate) scale: ScoreScale,
}

impl TrainingRequest {
    /// The file's text. Keys are sorted, so that the same request always gives the same text, which
    /// identifies the contents of the `work` folder.
    pub(crate) fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_value(self)?.to_string())
    }
}

impl TrainingEvent {
    /// The event that reports this progress, if there is one.
    pub(crate) fn from_progress(progress: TrainingProgress) -> Option<Self> {
        Some(match progress {
            TrainingProgress::Features { done, total } => Self::Features {
                done: done as u64,
                of: total as u64,
            },
            TrainingProgress::Tree { done, total, loss } => Self::Tree {
                tree: done as u64,
                of: total as u64,
                loss,
            },
            TrainingProgress::Step { step, .. } => match step.loss {
                // Texts are prepared before the first epoch.
                None => Self::Features {
                    done: step.step as u64,
                    of: step.steps as u64,
                },
                Some(loss) => Self::Epoch(EpochEvent {
                    epoch: step.epoch as u64,
                    of: step.epochs as u64,
                    step: step.step as u64,
                    steps: step.steps as u64,
                    tuned: step.tuned,
                    loss,
                    ended: step.validation.is_some(),
                }),
            },
            TrainingProgress::CurvePoint(point) => Self::Curve(point),
            TrainingProgress::DegenerateFeatures { .. } | TrainingProgress::Fold { .. } => {
                return None;
            }
        })
    }

    /// Writes the event as a line; fails if the pipe is closed.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", serde_json::to_value(self)?)?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use domain::metrics::LearnedMetricKind;

    use super::*;

    #[test]
    fn a_request_is_read_as_it_was_written() {
        for kind in LearnedMetricKind::ALL.iter().copied() {
            let request = TrainingRequest {
                sources: Vec::new(),
                plan: TrainingPlan::new(kind, 1, 0.2),
                from: None,
                against: Some("shipped".into()),
                without_encoder: true,
                work: "work".into(),
                out: "model".into(),
            };
            let text = request.to_json().expect("plain data");
            let read: TrainingRequest = serde_json::from_str(&text).expect("a request");
            assert_eq!(read.plan, request.plan);
            assert_eq!(read.to_json().expect("plain data"), text);
        }
    }

    #[test]
    fn events_are_lines_with_their_name() {
        let event = TrainingEvent::Tree {
            tree: 17,
            of: 40,
            loss: 0.5,
        };
        let mut line = Vec::new();
        event.write(&mut line).expect("written");
        let expected = "{\"event\":\"tree\",\"loss\":0.5,\"of\":40,\"tree\":17}\n";
        assert_eq!(String::from_utf8_lossy(&line), expected);

        let stopped = serde_json::json!(TrainingEvent::Stopped);
        assert_eq!(stopped, serde_json::json!({"event": "stopped"}));
    }
}
