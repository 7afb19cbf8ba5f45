//! Builds the interface that the server serves and, in a release, carries inside.

mod compress;
mod imports;
mod site;
mod size;
mod styles;
mod unused;

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};

/// Chores of the workspace that Cargo does not do.
#[derive(Debug, Parser)]
enum XtaskCommand {
    /// Build the interface into `target/site`.
    Site {
        /// As small as it gets, and compressed; needs Node.
        #[arg(long)]
        release: bool,
    },
    #[command(flatten)]
    Check(SiteCheck),
}

#[derive(Debug, Subcommand)]
enum SiteCheck {
    /// Print what the annotation page transfers at first load; fail above the limit.
    Size,
    /// Fail where the browser's part imports what only the server may.
    Imports,
}

fn main() -> anyhow::Result<()> {
    match XtaskCommand::parse() {
        XtaskCommand::Site { release } => site::build(release),
        XtaskCommand::Check(SiteCheck::Size) => size::check(),
        XtaskCommand::Check(SiteCheck::Imports) => imports::check(),
    }
}

/// The folder of the workspace.
fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent()
        .expect("xtask lies in the workspace")
        .to_owned()
}

/// Where the built interface lies; the server's `rust-embed` names the same folder.
fn site_folder() -> PathBuf {
    workspace_root().join("target/site")
}
