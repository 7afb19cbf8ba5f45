use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use learn::{metric::fingerprint, tuning::TuningPlan};

use crate::cli::input_file::{read_text, shown};

/// The files of trainers that fine-tune an encoder.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Trainers lens and cross-encoder")]
pub(super) struct TuningFiles {
    /// A text file with a source a line: those by which the best epoch is chosen, in place of the random share of
    /// --held-out. A cross-validation does not use it.
    #[arg(long, value_name = "FILE", requires = "output")]
    split: Option<PathBuf>,
    /// Keep the training in this file after each epoch, and continue from it after an interruption.
    #[arg(long, value_name = "FILE", requires = "output")]
    pub(super) checkpoint: Option<PathBuf>,
}

impl TuningFiles {
    /// Reads the validation sources into a plan, if they are named.
    ///
    /// # Errors
    /// The file cannot be read, or names none.
    pub(super) fn read_split(&self, plan: &mut TuningPlan) -> anyhow::Result<()> {
        if let Some(path) = &self.split {
            let text = read_text(path).with_context(|| format!("{} was not read", shown(path)))?;
            let sources = text.lines().map(str::trim);
            let sources = sources.filter(|source| !source.is_empty());
            plan.validation_sources = sources.map(fingerprint).collect();
            ensure!(
                !plan.validation_sources.is_empty(),
                "{} names no source: write one a line",
                path.display()
            );
        }

        Ok(())
    }
}
