//! The outputs that raters could not judge: one row per output and rater.

use std::io::Write;

use formats::CsvWriter;
use store::export::{ExportedOutput, ExportedUnjudged};

use super::{
    ExportContext, ExportFailure, OutputPages, groups,
    table_cell::{
        ColumnKind::{Text, Time, Truth},
        TableCell, TableColumn,
    },
};

/// The columns of the table.
pub(super) const COLUMNS: [TableColumn; 9] = [
    TableColumn::required("source_id", Text),
    TableColumn::required("output_id", Text),
    TableColumn::required("output", Text),
    TableColumn::required("system", Text),
    TableColumn::required("rater", Text),
    TableColumn::required("reason", Text),
    TableColumn::optional("note", Text),
    TableColumn::required("shared", Truth),
    TableColumn::required("recorded_at", Time),
];

/// The index of the note in a row.
const NOTE: usize = 6;

/// A row for dataset folders, without the note, which may name people.
pub(super) fn without_note<T>(row: [T; 9]) -> impl Iterator<Item = T> {
    let cells = row.into_iter().enumerate();
    cells.filter_map(|(place, cell)| (place != NOTE).then_some(cell))
}

/// Writes one row per output and rater.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let columns = COLUMNS.into_iter().chain(groups::column(context));
    let header = columns.map(|column| column.name);
    let mut writer = CsvWriter::new(out, header, context.request.cells)?;

    pages.for_each_output(|output, _| {
        for unjudged in &output.unjudged {
            let row = cells(context, output, unjudged);
            let group = groups::cell(context, context.summary.label(unjudged.rater));
            writer.write(row.iter().chain(&group).map(TableCell::as_text))?;
        }
        Ok(())
    })?;

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// The cells of a row, in the order of [`COLUMNS`].
pub(super) fn cells<'a>(
    context: &'a ExportContext,
    output: &'a ExportedOutput,
    unjudged: &ExportedUnjudged,
) -> [TableCell<'a>; 9] {
    let mut notes = output.notes.iter();
    let note = notes.find(|(rater, _)| *rater == unjudged.rater);

    [
        TableCell::text(&output.source.key),
        TableCell::text(output.output.to_string()),
        TableCell::text(&output.text),
        TableCell::text(&output.system),
        TableCell::text(context.summary.label(unjudged.rater)),
        TableCell::text(unjudged.reason.name()),
        TableCell::text_or_missing(note.map(|(_, note)| &**note)),
        TableCell::Truth(unjudged.shared),
        TableCell::Time(unjudged.recorded_at),
    ]
}
