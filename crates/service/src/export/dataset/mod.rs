//! A folder that `datasets.load_dataset` reads: Parquet files, and a dataset card, which is a README with a header for
//! the Hugging Face Hub.
//!
//! - [`write_table`] writes one of the files, with the columns of the export's table of that name if there is one.
//! - `parquet_table` writes Parquet row by row.
//! - [`parquet_as_csv`] reads such a file back.
//! - `card` writes the card, with the figures of `agreement`.

mod agreement;
mod card;
mod options;
mod parquet_table;
mod read_table;
mod span_rows;

use std::{borrow::Cow, io::Write};

use store::export::{ExportedOutput, ExportedRating};

pub use self::options::{
    BadLanguages, BadLicense, DatasetLanguages, DatasetLicense, DatasetOptions,
};
use self::parquet_table::ParquetTable;
pub use self::read_table::{PARQUET_MAGIC, ParquetFault, parquet_as_csv};
pub(super) use self::{agreement::DatasetAgreement, card::write as write_card};
use super::{
    ExportContext, ExportFailure, ExportFile, OutputPages, answers, comparisons, groups,
    jsonl::parse_scale,
    metric_scores,
    table_cell::{
        ColumnKind::{Number, Text, Texts, Time, Whole},
        TableCell, TableColumn,
    },
    tidy, unjudged,
};

/// The columns of ratings after those of the tidy table.
const RATING_COLUMNS: [TableColumn; 5] = [
    TableColumn::required("source", Text),
    TableColumn::required("output", Text),
    TableColumn::optional("scale_low", Whole),
    TableColumn::optional("scale_high", Whole),
    TableColumn::required("recorded_at", Time),
];

/// The columns of outputs before those of metrics.
const OUTPUT_COLUMNS: [TableColumn; 13] = [
    TableColumn::required("source_id", Text),
    TableColumn::required("source", Text),
    TableColumn::optional("context_before", Text),
    TableColumn::optional("context_after", Text),
    TableColumn::required("references", Texts),
    TableColumn::required("output_id", Text),
    TableColumn::required("output", Text),
    TableColumn::required("system", Text),
    TableColumn::required("kind", Text),
    TableColumn::optional("twin_of", Text),
    TableColumn::required("category", Text),
    TableColumn::required("automatic_category", Text),
    TableColumn::optional("final_category", Text),
];

/// The prefix of the columns with metric scores.
const SCORE_PREFIX: &str = "score_";

/// Writes one of the Parquet files.
pub(super) fn write_table(
    file: ExportFile,
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut (dyn Write + Send),
) -> Result<(), ExportFailure> {
    let mut table = ParquetTable::new(out, columns(file, context), facts(context))?;
    match file {
        ExportFile::Ratings => pages.for_each_output(|output, _| {
            let mut ratings = output.ratings.iter();
            ratings.try_for_each(|rating| {
                let group = groups::cell(context, context.summary.label(rating.rater));
                table.push(rating_cells(context, output, rating).chain(group))
            })
        })?,
        ExportFile::Comparisons => {
            comparisons::for_each_row(context, pages, |row| table.push(row))?
        }
        ExportFile::Answers => answers::for_each_row(context, pages, |row| table.push(row))?,
        ExportFile::Spans => {
            let marked = span_rows::write(context, pages, |row| table.push(row))?;
            pages.marked_outputs += marked;
        }
        ExportFile::Unjudged => pages.for_each_output(|output, _| {
            output.unjudged.iter().try_for_each(|of| {
                let row = unjudged::cells(context, output, of);
                let group = groups::cell(context, context.summary.label(of.rater));
                table.push(unjudged::without_note(row).chain(group))
            })
        })?,
        _ => {
            let metrics = metric_scores::columns(&context.metrics);
            pages.for_each_output(|output, _| {
                let scores = metrics.iter().map(|column| {
                    TableCell::number_or_missing(metric_scores::score(output, column.metric.id))
                });
                table.push(output_cells(output).into_iter().chain(scores))
            })?;
        }
    }

    table.finish()
}

/// The columns of a file.
fn columns(file: ExportFile, context: &ExportContext) -> Vec<TableColumn> {
    let mut columns: Vec<_> = match file {
        ExportFile::Ratings => tidy::COLUMNS.into_iter().chain(RATING_COLUMNS).collect(),
        ExportFile::Comparisons => comparisons::columns(),
        ExportFile::Answers => answers::columns(),
        ExportFile::Spans => span_rows::COLUMNS.into(),
        ExportFile::Unjudged => unjudged::without_note(unjudged::COLUMNS).collect(),
        _ => {
            let metrics = metric_scores::columns(&context.metrics).into_iter();
            let metrics = metrics.map(|column| TableColumn {
                name: Cow::Owned(format!("{SCORE_PREFIX}{}", column.name)),
                kind: Number,
                is_optional: true,
            });
            return OUTPUT_COLUMNS.into_iter().chain(metrics).collect();
        }
    };

    columns.extend(groups::column(context));
    columns
}

/// The metadata of each file: its study, schema and event.
fn facts(context: &ExportContext) -> Vec<(&'static str, String)> {
    vec![
        (
            "rankrate.schema",
            context.request.format.schema_version().to_string(),
        ),
        ("rankrate.study", context.study.slug.to_string()),
        ("rankrate.event", context.event.to_string()),
        ("rankrate.version", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

/// The cells of a rating: those of the tidy table, then those of [`RATING_COLUMNS`].
fn rating_cells<'a>(
    context: &'a ExportContext,
    output: &'a ExportedOutput,
    rating: &'a ExportedRating,
) -> impl Iterator<Item = TableCell<'a>> {
    let scale = parse_scale(&rating.scale);
    let [low, high] = [scale.map(|scale| scale.low), scale.map(|scale| scale.high)]
        .map(|end| end.map_or(TableCell::Missing, |end| TableCell::Whole(end.into())));

    let cells = tidy::cells(context, output, rating).into_iter();
    cells.chain([
        TableCell::text(&output.source.text),
        TableCell::text(&output.text),
        low,
        high,
        TableCell::Time(rating.recorded_at),
    ])
}

/// The cells of an output, in the order of [`OUTPUT_COLUMNS`].
fn output_cells(output: &ExportedOutput) -> [TableCell<'_>; 13] {
    let source = &*output.source;
    let references = source.references.iter().map(String::as_str).collect();
    let twin_of = output.twin_of.map(|twin| twin.to_string());

    let decided = output.final_category.as_ref();
    [
        TableCell::text(&source.key),
        TableCell::text(&source.text),
        TableCell::text_or_missing(Some(&source.context.before)),
        TableCell::text_or_missing(Some(&source.context.after)),
        TableCell::Texts(references),
        TableCell::text(output.output.to_string()),
        TableCell::text(&output.text),
        TableCell::text(&output.system),
        TableCell::text(output.kind.name()),
        twin_of.map_or(TableCell::Missing, TableCell::text),
        TableCell::text(output.category.name()),
        TableCell::text(output.automatic.category.name()),
        TableCell::text_or_missing(decided.map(|decided| decided.category.name())),
    ]
}
