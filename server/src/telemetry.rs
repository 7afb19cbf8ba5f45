//! Logs, on standard error: standard output belongs to what a command prints.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::{EnvFilter, fmt};

use crate::settings::{LogFormat, LogSettings};

/// Starts logging, once a process, by `default_filter` unless the settings name one.
///
/// # Errors
/// Where the filter cannot be read.
pub(crate) fn start(settings: &LogSettings, default_filter: &str) -> anyhow::Result<()> {
    let text = settings.log.as_deref().unwrap_or(default_filter);
    let filter = EnvFilter::try_new(text)
        .map_err(|error| anyhow::anyhow!("the log filter {text:?} is not one: {error}"))?;
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
