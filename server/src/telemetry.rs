//! Logs, on standard error: standard output belongs to what a command prints.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::{EnvFilter, fmt};

use crate::settings::{LogFormat, LogSettings};

/// Starts logging, once a process.
///
/// # Errors
/// Where the filter cannot be read.
pub(crate) fn start(settings: &LogSettings) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&settings.log).map_err(|error| {
        anyhow::anyhow!("the log filter {:?} is not one: {error}", settings.log)
    })?;
    let lines = fmt().with_env_filter(filter).with_writer(io::stderr);
    match settings.log_format {
        // Colours are for people at a terminal, not for files.
        LogFormat::Human => lines
            .with_target(false)
            .with_ansi(io::stderr().is_terminal())
            .init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    Ok(())
}
