//! Written simplifications, one per row.

use std::io::Write;

use formats::CsvWriter;
use store::written_texts::WrittenText;

use super::{
    ExportContext, ExportFailure, OutputPages, groups,
    table_cell::{
        ColumnKind::{Number, Text, Time, Whole},
        TableCell, TableColumn,
    },
};
use crate::written_texts::TextFigures;

/// Writes one row per text.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let columns = COLUMNS.into_iter().chain(groups::column(context));
    let header = columns.map(|column| column.name);
    let mut writer = CsvWriter::new(out, header, context.request.cells)?;

    for text in pages.runtime.block_on(pages.export.written_texts())? {
        pages.written_texts += 1;
        let figures = TextFigures::new(&text.source_text, &text.text, &context.tools.word_ranks);
        let group = groups::cell(context, &text.rater);
        let row = cells(&text, &figures);
        writer.write(row.iter().chain(&group).map(TableCell::as_text))?;
    }

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// The columns of a text.
pub(super) const COLUMNS: [TableColumn; 9] = [
    TableColumn::required("source_id", Text),
    TableColumn::required("source", Text),
    TableColumn::required("rater", Text),
    TableColumn::required("text", Text),
    TableColumn::required("words", Whole),
    TableColumn::optional("compression", Number),
    TableColumn::optional("fkgl", Number),
    TableColumn::optional("word_rank", Number),
    TableColumn::required("recorded_at", Time),
];

fn cells<'a>(text: &'a WrittenText, figures: &TextFigures) -> Vec<TableCell<'a>> {
    vec![
        TableCell::text(&text.source_key),
        TableCell::text(&text.source_text),
        TableCell::text(&text.rater),
        TableCell::text(&text.text),
        TableCell::Whole(i64::try_from(figures.own.words).unwrap_or(i64::MAX)),
        TableCell::number_or_missing(figures.own.compression),
        TableCell::number_or_missing(figures.own.fkgl),
        TableCell::number_or_missing(figures.word_rank),
        TableCell::Time(text.recorded_at),
    ]
}
