//! Marked spans, one per row.

use domain::{
    span::Span,
    span_marks::{SpanMark, taxonomy::SpanTaxonomy},
};
use store::export::{ExportedMarks, ExportedOutput};

use crate::export::{
    ExportContext, ExportFailure, OutputPages, groups,
    spans::{character_ranges, taxonomy, words},
    table_cell::{
        ColumnKind::{Number, Text, Texts, Time, Truth, Whole, Wholes},
        TableCell, TableColumn,
    },
};

/// The columns of marked spans. A mark may consist of several stretches of a text.
pub(super) const COLUMNS: [TableColumn; 19] = [
    TableColumn::required("source_id", Text),
    TableColumn::required("source", Text),
    TableColumn::required("output_id", Text),
    TableColumn::required("output", Text),
    TableColumn::required("system", Text),
    TableColumn::required("kind", Text),
    TableColumn::required("rater", Text),
    TableColumn::optional("mark", Whole),
    TableColumn::optional("type", Text),
    TableColumn::optional("level", Text),
    TableColumn::optional("value", Number),
    TableColumn::required("source_starts", Wholes),
    TableColumn::required("source_ends", Wholes),
    TableColumn::required("source_words", Texts),
    TableColumn::required("output_starts", Wholes),
    TableColumn::required("output_ends", Wholes),
    TableColumn::required("output_words", Texts),
    TableColumn::required("shared", Truth),
    TableColumn::required("recorded_at", Time),
];

/// Calls `take` with the cells of each mark, and with one row for each judgement that found nothing to mark. Returns
/// the number of judgements.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    mut take: impl FnMut(Vec<TableCell<'_>>) -> Result<(), ExportFailure>,
) -> Result<u64, ExportFailure> {
    let taxonomy = taxonomy(context);
    let mut judgements = 0;

    pages.for_each_output(|output, _| {
        for of in &output.marks {
            judgements += 1;
            let row = |mark| {
                let mut row = cells(context, output, of, mark);
                row.extend(groups::cell(context, context.summary.label(of.rater)));
                row
            };

            if of.marks.is_empty() {
                take(row(nothing_marked()))?;
            }
            for (mark, number) in of.marks.iter().zip(1..) {
                take(row(mark_cells(&taxonomy, output, mark, number)))?;
            }
        }
        Ok(())
    })?;

    Ok(judgements)
}

/// The cells of a row, in the order of [`COLUMNS`].
fn cells<'a>(
    context: &'a ExportContext,
    output: &'a ExportedOutput,
    of: &'a ExportedMarks,
    mark: [TableCell<'a>; 10],
) -> Vec<TableCell<'a>> {
    let before = [
        TableCell::text(&output.source.key),
        TableCell::text(&output.source.text),
        TableCell::text(output.output.to_string()),
        TableCell::text(&output.text),
        TableCell::text(&output.system),
        TableCell::text(output.kind.name()),
        TableCell::text(context.summary.label(of.rater)),
    ];
    let after = [TableCell::Truth(of.shared), TableCell::Time(of.recorded_at)];
    before.into_iter().chain(mark).chain(after).collect()
}

/// The cells from `mark` to `output_words`.
fn mark_cells<'a>(
    taxonomy: &SpanTaxonomy,
    output: &'a ExportedOutput,
    mark: &'a SpanMark,
    number: i64,
) -> [TableCell<'a>; 10] {
    let level = mark.level.as_deref();
    let known = level.and_then(|name| taxonomy.find_level(name));
    let [source_starts, source_ends, source_words] = place_cells(&output.source.text, &mark.source);
    let [output_starts, output_ends, output_words] = place_cells(&output.text, &mark.output);

    [
        TableCell::Whole(number),
        TableCell::text(&mark.kind),
        TableCell::text_or_missing(level),
        TableCell::number_or_missing(known.map(|level| level.value)),
        source_starts,
        source_ends,
        source_words,
        output_starts,
        output_ends,
        output_words,
    ]
}

/// The cells from `mark` to `output_words` of a judgement that found nothing to mark.
fn nothing_marked<'a>() -> [TableCell<'a>; 10] {
    let missing = [(); 4].map(|()| TableCell::Missing);
    let [no_starts, no_ends, no_words] = place_cells("", &[]);

    let [number, kind, level, value] = missing;
    [
        number,
        kind,
        level,
        value,
        no_starts.clone(),
        no_ends.clone(),
        no_words.clone(),
        no_starts,
        no_ends,
        no_words,
    ]
}

/// The start of each marked stretch of a text, the character after its end, and its words.
fn place_cells<'a>(text: &'a str, spans: &[Span]) -> [TableCell<'a>; 3] {
    let count = |characters: usize| i64::try_from(characters).unwrap_or(i64::MAX);
    let ranges = character_ranges(text, spans);
    let starts = ranges.iter().map(|(start, _)| count(*start)).collect();
    let ends = ranges.iter().map(|(_, end)| count(*end)).collect();

    [
        TableCell::Wholes(starts),
        TableCell::Wholes(ends),
        TableCell::Texts(words(text, spans)),
    ]
}
