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
    interval: Option<AlphaIntervalJson>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum AlphaIntervalJson {
    Defined(BootstrapInterval),
    Undefined { undefined: String },
}

impl EstimateJson {
    pub(super) fn new(
        alpha: Result<f64, UndefinedReason>,
        interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    ) -> Self {
        let interval = interval.map(|interval| match interval {
            Ok(interval) => AlphaIntervalJson::Defined(interval),
            Err(reason) => AlphaIntervalJson::Undefined {
                undefined: reason.to_string(),
            },
        });
        Self {
            alpha: alpha.into(),
            interval,
        }
    }
}

/// Rows under their headings, the first column left, all others right, two spaces apart.
pub(crate) fn columns<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> String {
    let width = |at: usize| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.fold(headings[at].chars().count(), usize::max)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |cells: [&str; N]| {
        let mut text = format!("{:<1$}", cells[0], widths[0]);
        for (cell, width) in cells.iter().zip(widths).skip(1) {
            text += &format!("  {cell:>width$}");
        }
        text + "\n"
    };
    let rows = rows
        .iter()
        .map(|row| line(row.each_ref().map(String::as_str)));
    line(headings) + &rows.collect::<String>()
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
