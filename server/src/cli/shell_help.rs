//! Help that shells and `man` show, made from the definitions of the commands.

use std::{fs, path::PathBuf};

use anyhow::Context as _;
use clap::Command;
use clap_complete::Shell;

use super::output::CommandOutput;

/// Prints a shell's completions.
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Writes manual pages.
#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// The folder, which is made where it is missing.
    folder: PathBuf,
}

impl CompletionsArgs {
    pub(super) fn run(self, mut output: CommandOutput, mut command: Command) -> anyhow::Result<()> {
        // Not to the output itself, since the generator panics where that is closed.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "rankrate", &mut script);

        Ok(output.writer().write_all(&script)?)
    }
}

impl ManArgs {
    pub(super) fn run(self, mut output: CommandOutput, command: Command) -> anyhow::Result<()> {
        let folder = self.folder.display();
        fs::create_dir_all(&self.folder)
            .and_then(|()| clap_mangen::generate_to(command, &self.folder))
            .with_context(|| format!("the manual pages were not written to {folder}"))?;

        Ok(writeln!(
            output.writer(),
            "the manual pages are in {folder}: try `man -l {folder}/rankrate.1`"
        )?)
    }
}
