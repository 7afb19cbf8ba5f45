//! One rating per row: the table that statistics programs read without conversion.

use std::io::Write;

use formats::CsvWriter;
use store::export::{ExportedOutput, ExportedRating};

use super::{
    ExportContext, ExportFailure, OutputPages, groups,
    table_cell::{
        ColumnKind::{Number, Text, Truth, Whole},
        TableCell, TableColumn,
    },
};

/// The columns. The ratings of a dataset folder have them, too.
pub(super) const COLUMNS: [TableColumn; 15] = [
    TableColumn::required("source_id", Text),
    TableColumn::required("output_id", Text),
    TableColumn::required("system", Text),
    TableColumn::required("kind", Text),
    TableColumn::optional("category", Text),
    TableColumn::required("automatic_category", Text),
    TableColumn::required("rater", Text),
    TableColumn::required("dimension", Text),
    TableColumn::required("value", Number),
    TableColumn::optional("z", Number),
    TableColumn::required("rank", Whole),
    TableColumn::optional("seconds", Number),
    TableColumn::required("shared", Truth),
    TableColumn::optional("final_value", Number),
    TableColumn::optional("final_category", Text),
];

/// Writes one row per rating.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let columns = COLUMNS.into_iter().chain(groups::column(context));
    let header = columns.map(|column| column.name);
    let mut writer = CsvWriter::new(out, header, context.request.cells)?;

    pages.for_each_output(|output, _| {
        for rating in &output.ratings {
            let row = cells(context, output, rating);
            let group = groups::cell(context, context.summary.label(rating.rater));
            writer.write(row.iter().chain(&group).map(TableCell::as_text))?;
        }
        Ok(())
    })?;

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// The cells of a rating, in the order of [`COLUMNS`].
pub(super) fn cells<'a>(
    context: &'a ExportContext,
    output: &'a ExportedOutput,
    rating: &'a ExportedRating,
) -> [TableCell<'a>; 15] {
    let summary = &context.summary;
    let rater = rating.rater;

    let mut categories = output.categories.iter();
    let category = categories.find(|(own, _)| *own == rater);
    let mut work = output.source.work.iter();
    let work = work.find(|work| work.rater == rater);
    let mut decided = output.final_values.iter();
    let decided = decided.find(|decided| decided.dimension == rating.dimension);
    let decided_category = output.final_category.as_ref();

    let rank = summary.rank(output.source.source, rating);

    [
        TableCell::text(&output.source.key),
        TableCell::text(output.output.to_string()),
        TableCell::text(&output.system),
        TableCell::text(output.kind.name()),
        TableCell::text_or_missing(category.map(|(_, category)| category.name())),
        TableCell::text(output.automatic.category.name()),
        TableCell::text(summary.label(rater)),
        TableCell::text(&rating.dimension),
        TableCell::Number(rating.value),
        summary
            .z(rating)
            .map_or(TableCell::Missing, TableCell::Millionths),
        TableCell::Whole(i64::try_from(rank).unwrap_or(i64::MAX)),
        work.map_or(TableCell::Missing, |work| {
            TableCell::Thousandths(seconds(work.active_ms))
        }),
        TableCell::Truth(rating.shared),
        TableCell::number_or_missing(decided.map(|decided| decided.value)),
        TableCell::text_or_missing(decided_category.map(|decided| decided.category.name())),
    ]
}

/// The active time of all steps in seconds.
fn seconds(active_ms: [u64; 5]) -> f64 {
    let total = active_ms.into_iter().fold(0, u64::saturating_add);
    total as f64 / 1000.0
}
