//! The standard output of commands: lines for people, or one JSON object.

use std::{
    array,
    collections::HashMap,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use domain::statistics::{UndefinedReason, bootstrap::BootstrapInterval};

use super::schemas::{PrintedReport, TaggedReport};
use crate::progress::ProgressDisplay;

/// The destination and form of a command's result.
pub(crate) struct CommandOutput {
    json: bool,
    out: WatchedWriter,
    progress: ProgressDisplay<'static>,
}

/// The reader of what a command prints: a terminal, or another program.
#[derive(Debug, Clone, Default)]
pub(crate) struct OutputReader(Arc<AtomicBool>);

impl OutputReader {
    /// Whether the reader has closed the pipe.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// A writer that notices when its reader closes the pipe.
struct WatchedWriter {
    out: Box<dyn Write + Send>,
    reader: OutputReader,
}

impl WatchedWriter {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                self.reader.0.store(true, Relaxed);
            }
        })
    }
}

impl Write for WatchedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.note(flushed)
    }
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
            out: WatchedWriter {
                out: Box::new(out),
                reader: OutputReader::default(),
            },
            progress: ProgressDisplay::Terminal,
        }
    }

    /// The same, with progress as JSON on standard error.
    pub(crate) fn with_progress_lines(self) -> Self {
        Self {
            progress: ProgressDisplay::LINES,
            ..self
        }
    }

    /// Whether the result is one JSON object.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Prints `report` as one JSON object if `--json` is set, otherwise the lines for people.
    ///
    /// # Errors
    /// The output is closed, or the report cannot be serialised.
    pub(crate) fn print(
        &mut self,
        report: &impl PrintedReport,
        lines: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        let text = if self.json {
            serde_json::to_string(&TaggedReport::new(report))?
        } else {
            lines()
        };

        writeln!(self.out, "{}", text.trim_end())?;
        Ok(self.out.flush()?)
    }

    /// The display for the command's progress.
    pub(crate) const fn progress(&self) -> ProgressDisplay<'static> {
        self.progress
    }

    /// The reader of the output.
    pub(crate) fn reader(&self) -> OutputReader {
        self.out.reader.clone()
    }

    /// The output itself, for commands that write piece by piece.
    pub(crate) fn writer(&mut self) -> &mut (dyn Write + Send) {
        &mut self.out
    }
}

/// The most warnings of one kind that are printed.
const MAX_OF_A_KIND: usize = 5;

/// Warnings for people, one a line, with repeats of one kind folded.
pub(super) fn warning_lines(warnings: &[String]) -> String {
    let lines = fold_repeats(warnings).into_iter();
    lines.map(|line| format!("! {line}\n")).collect()
}

/// Prints warnings on standard error, for results that have no field for them.
pub(super) fn print_warnings(warnings: &[String]) {
    // A closed standard error must not fail the command.
    let _ = write!(io::stderr(), "{}", warning_lines(warnings));
}

/// Groups sentences by kind, in the order in which kinds first appear. Of a kind with many sentences, keeps the first
/// `MAX_OF_A_KIND` and a line that counts the rest.
pub(super) fn fold_repeats(sentences: &[String]) -> Vec<String> {
    let mut kinds: Vec<(String, Vec<&String>)> = Vec::new();
    let mut places = HashMap::new();
    for sentence in sentences {
        let kind = sentence_kind(sentence);
        let place = *places.entry(kind.clone()).or_insert(kinds.len());
        if place == kinds.len() {
            kinds.push((kind, Vec::new()));
        }
        kinds[place].1.push(sentence);
    }

    let mut lines = Vec::new();
    for (_, sentences) in kinds {
        lines.extend(sentences.iter().take(MAX_OF_A_KIND).copied().cloned());
        let more = sentences.len().saturating_sub(MAX_OF_A_KIND);
        lines.extend((more > 0).then(|| format!("and {more} more of this kind")));
    }
    lines
}

/// The words that sentences of one kind share: all but numbers and quoted values. A quoted name before a colon is the
/// column at fault, and is kept.
fn sentence_kind(sentence: &str) -> String {
    let pieces: Vec<_> = sentence.split(['“', '”']).collect();
    let is_quoted = |at: usize| at % 2 == 1;
    let is_column = |at: usize| pieces.get(at + 1).is_some_and(|rest| rest.starts_with(':'));
    let kept = (0..pieces.len()).filter(|at| !is_quoted(*at) || is_column(*at));

    let letters = kept.flat_map(|at| pieces[at].chars());
    letters
        .filter(|letter| !letter.is_numeric() && !letter.is_ascii_punctuation())
        .collect()
}

/// The text for an undefined figure.
pub(super) const UNDEFINED: &str = "–";

/// The figure as text, or the sign for an undefined one.
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

/// Lays out rows of equal length, two spaces between columns: the first column left-aligned, the others right-aligned.
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

/// Lays out rows in columns, text left-aligned and figures right-aligned. Leaves out columns that are empty in all
/// rows.
pub(super) fn aligned<const COLUMNS: usize>(
    rows: &[[String; COLUMNS]],
    is_text: impl Fn(usize) -> bool,
) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; COLUMNS] = array::from_fn(|column| width(column).unwrap_or(0));

    let mut text = String::new();
    for row in rows {
        for (column, (cell, wide)) in row.iter().zip(widths).enumerate() {
            match (wide, is_text(column)) {
                (0, _) => {}
                (_, true) => text += &format!("{cell:<wide$}  "),
                (_, false) => text += &format!("{cell:>wide$}  "),
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }

    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_one_kind_are_folded() {
        let mut warnings = vec!["One sheet was read.".to_owned()];
        let bad = |line| format!("Left out: line {line}, “rating”: “{line}.5” is above 100.");
        warnings.extend((2..102).map(bad));
        warnings.push("Left out: line 7, “rater”: “x” is above 100.".to_owned());

        let lines = warning_lines(&warnings);
        let lines: Vec<_> = lines.lines().collect();
        assert_eq!(lines.len(), 8);
        assert_eq!(lines[0], "! One sheet was read.");
        assert_eq!(
            lines[5..],
            [
                "! Left out: line 6, “rating”: “6.5” is above 100.",
                "! and 95 more of this kind",
                "! Left out: line 7, “rater”: “x” is above 100."
            ]
        );
    }

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
