//! The standard output of commands: lines for people, or one JSON object.

use std::io::{self, Write};

use domain::statistics::{UndefinedReason, bootstrap::BootstrapInterval};
use serde::Serialize;

/// Where a command's result goes, and in which form.
pub(crate) struct CommandOutput {
    json: bool,
    out: Box<dyn Write + Send>,
}

impl CommandOutput {
    /// Standard output.
    pub(crate) fn stdout(json: bool) -> Self {
        Self::to_writer(json, io::stdout())
    }

    /// Any other output.
    pub(crate) fn to_writer(json: bool, out: impl Write + Send + 'static) -> Self {
        Self {
            json,
            out: Box::new(out),
        }
    }

    /// Whether the result is one JSON object.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Prints `report` as one JSON object where `--json` is set, else the lines for people.
    ///
    /// # Errors
    /// Where the output is closed.
    pub(crate) fn print(
        &mut self,
        report: &impl Serialize,
        lines: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        let text = if self.json {
            serde_json::to_string(report)?
        } else {
            lines()
        };
        writeln!(self.out, "{}", text.trim_end())?;
        Ok(self.out.flush()?)
    }

    /// The output itself, for what a command writes piece by piece.
    pub(crate) fn writer(&mut self) -> &mut (dyn Write + Send) {
        &mut *self.out
    }
}

/// A figure's value, or null with the reason beside it.
pub(super) fn value_and_reason<T>(
    figure: Result<T, UndefinedReason>,
) -> (Option<T>, Option<String>) {
    match figure {
        Ok(value) => (Some(value), None),
        Err(reason) => (None, Some(reason.to_string())),
    }
}

/// Krippendorff's alpha as JSON.
#[derive(Debug, Serialize)]
pub(super) struct AlphaJson {
    alpha: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

impl From<Result<f64, UndefinedReason>> for AlphaJson {
    fn from(figure: Result<f64, UndefinedReason>) -> Self {
        let (alpha, undefined) = value_and_reason(figure);
        Self { alpha, undefined }
    }
}

/// Alpha with its interval, where one was resampled.
#[derive(Debug, Serialize)]
pub(super) struct EstimateJson {
    #[serde(flatten)]
    alpha: AlphaJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<BootstrapIntervalJson>,
}

impl EstimateJson {
    pub(super) fn new(
        alpha: Result<f64, UndefinedReason>,
        interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    ) -> Self {
        Self {
            alpha: alpha.into(),
            interval: interval.map(Into::into),
        }
    }
}

/// A figure with its interval, where one was resampled.
#[derive(Debug, Serialize)]
pub(super) struct FigureJson {
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<BootstrapIntervalJson>,
}

impl FigureJson {
    pub(super) fn new(
        figure: Result<f64, UndefinedReason>,
        interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    ) -> Self {
        let (value, undefined) = value_and_reason(figure);
        Self {
            value,
            undefined,
            interval: interval.map(Into::into),
        }
    }
}

/// A bootstrap interval as JSON, or the reason why it has none.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum BootstrapIntervalJson {
    Defined(BootstrapInterval),
    Undefined { undefined: String },
}

impl From<Result<BootstrapInterval, UndefinedReason>> for BootstrapIntervalJson {
    fn from(interval: Result<BootstrapInterval, UndefinedReason>) -> Self {
        match interval {
            Ok(interval) => Self::Defined(interval),
            Err(reason) => Self::Undefined {
                undefined: reason.to_string(),
            },
        }
    }
}

/// A figure that is undefined.
pub(super) const UNDEFINED: &str = "–";

/// A figure as text, or the sign for an undefined one.
pub(super) fn or_undefined(figure: Option<String>) -> String {
    figure.unwrap_or_else(|| UNDEFINED.to_owned())
}

/// A bootstrap interval as text.
pub(super) fn format_interval(interval: Result<BootstrapInterval, UndefinedReason>) -> String {
    match interval {
        Ok(BootstrapInterval { low, high, .. }) => format!("[{low:.3}, {high:.3}]"),
        Err(_) => UNDEFINED.to_owned(),
    }
}

/// Rows under their headings, laid out as [`table_lines`] does.
pub(crate) fn columns<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> String {
    let headings = headings.map(str::to_owned);
    let lines: Vec<_> = std::iter::once(&headings)
        .chain(rows)
        .map(|row| row.to_vec())
        .collect();
    table_lines(&lines)
}

/// Rows of the same number of cells, the first column left, all others right, two spaces apart.
pub(super) fn table_lines(rows: &[Vec<String>]) -> String {
    let width = |at: usize| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let line = |row: &Vec<String>| {
        let mut text = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match at {
                0 => text += &format!("{cell:<width$}"),
                _ => text += &format!("  {cell:>width$}"),
            }
        }
        text + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [
            ["annotator 1".into(), "7".into()],
            ["β".into(), "1,000".into()],
        ];
        assert_eq!(
            columns(["rater", "n"], &rows),
            "rater            n\nannotator 1      7\nβ            1,000\n"
        );
    }
}
