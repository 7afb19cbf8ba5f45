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
