//! What a command prints on standard output: lines for people, or one JSON object.

use std::io::Write as _;

use serde::Serialize;

/// Prints `value` as one JSON object where that is asked for, else the lines for people.
///
/// # Errors
/// Where standard output is closed.
pub(crate) fn print(
    json: bool,
    value: &impl Serialize,
    lines: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    let text = if json {
        serde_json::to_string(value)?
    } else {
        lines()
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", text.trim_end())?;
    Ok(out.flush()?)
}
