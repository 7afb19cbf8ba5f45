//! Chores of the workspace that Cargo does not do.
//!
//! - `cargo xtask site` builds the interface into `target/site`: WebAssembly and its script, one style sheet and
//!   the public files, under names with hashes. With `--release` it is optimised for size and compressed.
//!   The server serves it, and a release build of the server embeds it.
//! - `cargo xtask size` prints what the annotation page transfers, first and later, and fails above a limit.
//! - `cargo xtask imports` fails if the browser's part depends on a crate that only the server may use.

mod compress;
mod import_names;
mod imports;
mod site;
mod size;
mod split;
mod styles;
mod unused;
mod unused_exports;

use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};

/// Chores of the workspace that Cargo does not do.
#[derive(Debug, Parser)]
enum XtaskCommand {
    /// Build the interface into `target/site`.
    Site {
        /// Optimise for size, and compress; needs Node.
        #[arg(long)]
        release: bool,
    },
    #[command(flatten)]
    Check(SiteCheck),
}

#[derive(Debug, Subcommand)]
enum SiteCheck {
    /// Print what the annotation page transfers, first and later; fail above a limit.
    Size,
    /// Fail where the browser's part depends on a crate that only the server may use.
    Imports,
}

fn main() -> anyhow::Result<()> {
    match XtaskCommand::parse() {
        XtaskCommand::Site { release } => site::build(release),
        XtaskCommand::Check(SiteCheck::Size) => size::check(),
        XtaskCommand::Check(SiteCheck::Imports) => imports::check(),
    }
}

/// The root folder of the workspace.
fn workspace_root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder
        .parent()
        .expect("xtask is in the workspace")
        .to_owned()
}

/// The folder of the built interface; the server's `rust-embed` names the same folder.
fn site_folder() -> PathBuf {
    workspace_root().join("target/site")
}
