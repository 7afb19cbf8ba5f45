//! Messages between the server and a process that trains an aligner, like those of [`super::protocol`] for
//! metrics: `rankrate train-aligner-worker FILE` reads a request as JSON and prints one
//! [`AlignerTrainingEvent`] per line.
//!
//! Started again with the same file, the process continues after the last network that it finished.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use domain::{aligner_comparison::AlignerComparison, ids::SourceId};
use serde::{Deserialize, Serialize};
use service::aligner_training::CheckedSource;

/// A training to run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AlignerTrainingRequest {
    /// The sources with checked edits.
    pub(crate) sources: Vec<CheckedSource>,
    /// The server's network, with which training begins, and which links the words that edits leave open.
    pub(crate) from: PathBuf,
    /// The study's own aligner, if it uses one; otherwise the new one is compared with `from`.
    pub(crate) against: Option<PathBuf>,
    /// The sources that the aligner in use learned from, which are left out of the comparison.
    pub(crate) known: Vec<SourceId>,
    /// The random seed.
    pub(crate) seed: u64,
    /// A folder for finished work, made if it is missing.
    pub(crate) work: PathBuf,
    /// The path to write the network to.
    pub(crate) out: PathBuf,
}

/// A line that the process prints.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum AlignerTrainingEvent {
    /// The words of `done` of `of` sources are aligned.
    Prepared { done: u64, of: u64 },
    /// A step of a network is done.
    Step(AlignerStepEvent),
    /// The network is written.
    Done(Box<AlignerTrainingResult>),
    /// Standard input was closed; the exit code is 0.
    Stopped,
    /// The reason, as a sentence; the exit code is 1.
    Failed { why: String },
}

/// Progress of the networks' training.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AlignerStepEvent {
    /// The network, counted from 0.
    pub(crate) network: u64,
    /// The number of networks.
    pub(crate) networks: u64,
    /// The number of finished steps.
    pub(crate) step: u64,
    /// The number of steps of the network.
    pub(crate) steps: u64,
    /// The mean loss of the last steps, in nats.
    pub(crate) loss: f64,
}

/// The result of a training.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AlignerTrainingResult {
    /// The path of the network.
    pub(crate) model: PathBuf,
    /// The number of outputs that were too long to learn from.
    pub(crate) too_long: usize,
    /// The comparison with the aligner in use, or the reason why there isn't one.
    pub(crate) comparison: Result<AlignerComparison, String>,
}

impl AlignerTrainingRequest {
    /// The file's text, which is the same for the same request, so that it identifies the contents of the
    /// `work` folder.
    pub(crate) fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_value(self)?.to_string())
    }
}

impl AlignerTrainingEvent {
    /// Writes the event as a line; fails if the pipe is closed.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", serde_json::to_value(self)?)?;
        out.flush()
    }
}
