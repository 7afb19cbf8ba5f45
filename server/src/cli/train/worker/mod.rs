//! Training in a process of its own, for the server; [`protocol`](crate::worker::protocol) describes input and output.

use std::{
    fs,
    io::{self, Read as _, Write},
    ops::ControlFlow::{Break, Continue},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use anyhow::Context as _;
use learn::{
    metric::fingerprint,
    training::{TrainingError, TrainingProgress},
};

use super::trainers::{RequestedTraining, open_trainer};
use crate::{
    settings::EncoderSettings,
    worker::protocol::{TrainingEvent, TrainingRequest, TrainingResult},
};

/// Trains what a file requests, for the server; people use `rankrate train`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TrainWorkerCommand {
    /// The request, as JSON.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl TrainWorkerCommand {
    /// Trains, and reports every step on standard output.
    pub(in crate::cli) fn run(self, encoder: &EncoderSettings) -> anyhow::Result<()> {
        lower_priority();
        let stop = stop_when_input_closes();
        let mut out = io::stdout();
        match run_request(&self.file, encoder, &stop, &mut out) {
            Ok(result) => Ok(TrainingEvent::Done(Box::new(result)).write(&mut out)?),
            Err(error) if is_stopped(&error) => Ok(TrainingEvent::Stopped.write(&mut out)?),
            Err(error) => {
                let why = format!("{error:#}");
                TrainingEvent::Failed { why }.write(&mut out)?;
                Err(error)
            }
        }
    }
}

fn is_stopped(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(TrainingError::is_stopped)
}

/// Trains what the file requests, until `stop` is set.
fn run_request(
    file: &Path,
    encoder: &EncoderSettings,
    stop: &AtomicBool,
    out: &mut (impl Write + Send),
) -> anyhow::Result<TrainingResult> {
    let unreadable = || format!("{} cannot be read", file.display());
    let text = fs::read_to_string(file).with_context(unreadable)?;
    let request: TrainingRequest = serde_json::from_str(&text).with_context(unreadable)?;
    fs::create_dir_all(&request.work)
        .with_context(|| format!("{} cannot be made", request.work.display()))?;

    let mut on_progress = |progress: TrainingProgress| {
        let event = TrainingEvent::from_progress(progress);
        let result = event.map_or(Ok(()), |event| event.write(out));
        match result {
            Ok(()) if !stop.load(Ordering::Relaxed) => Continue(()),
            _ => Break(()),
        }
    };

    let RequestedTraining {
        mut trainer,
        current,
    } = open_trainer(&request, fingerprint(&text), encoder)?;
    let model = trainer.train(&mut on_progress)?;
    model.save(&request.out)?;

    let (signature, trained_on) = (model.signature(), model.trained_on());
    let scale = model.scale();
    let evaluation = trainer.evaluate(model, &request.out, current, &mut on_progress)?;

    Ok(TrainingResult {
        model: request.out,
        signature,
        trained_on,
        held_out: evaluation.quality,
        comparison: evaluation.comparison,
        curve: evaluation.curve,
        scale,
    })
}

/// Lowers the priority of this process.
pub(in crate::cli) fn lower_priority() {
    // Not to the lowest priority, at which a training on a busy machine never ends.
    #[cfg(unix)]
    if let Err(error) = rustix::process::nice(10) {
        tracing::debug!(%error, "the priority was not lowered");
    }
}

/// Returns a flag that is set when the server closes this process's input.
pub(in crate::cli) fn stop_when_input_closes() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let closed = Arc::clone(&stop);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut unread = [0; 256];
        while matches!(input.read(&mut unread), Ok(1..)) {}
        closed.store(true, Ordering::Relaxed);
    });
    stop
}

#[cfg(test)]
mod tests;
