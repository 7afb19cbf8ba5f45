//! Help that shells and `man` show, made from the definitions of the commands.

use std::{fs, path::PathBuf};

use anyhow::Context as _;
use clap::Command;
use clap_complete::Shell;

use super::{output::CommandOutput, whole_file::file_place};

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
    #[arg(short, long, value_name = "DIR", value_parser = file_place(), required_unless_present = "folder")]
    output: Option<PathBuf>,
    /// The same, as the command took it before.
    #[arg(hide = true, conflicts_with = "output")]
    folder: Option<PathBuf>,
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
        let path = self
            .output
            .or(self.folder)
            .context("name a folder with -o")?;
        let folder = path.display();
        fs::create_dir_all(&path)
            .and_then(|()| clap_mangen::generate_to(command, &path))
            .with_context(|| format!("the manual pages were not written to {folder}"))?;

        Ok(writeln!(
            output.writer(),
            "the manual pages are in {folder}: try `man -l {folder}/rankrate.1`"
        )?)
    }
}
