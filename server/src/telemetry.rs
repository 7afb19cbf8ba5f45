//! Logs, on standard error: standard output is for what commands print.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::{EnvFilter, fmt};

use crate::settings::{LogFormat, LogSettings};

/// Starts logging, once in a process, with `default_filter` unless the settings name a filter.
///
/// # Errors
/// If the filter cannot be parsed.
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
