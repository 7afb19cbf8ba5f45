//! Comparisons, one per row, as `rankrate pairwise` reads them.

use std::{borrow::Cow, io::Write};

use domain::{
    comparison::{ComparisonAnswer, PairOutcome},
    protocol::CompareStep,
};
use formats::CsvWriter;
use store::comparisons::ComparisonRecord;

use super::{
    ExportContext, ExportFailure, OutputPages, groups,
    table_cell::{
        ColumnKind::{Text, Time},
        TableCell, TableColumn,
    },
};
use crate::figures::comparisons::{answers_of_systems, systems_by_output};

/// The most outputs in a comparison, each of which has a column.
const MOST: u32 = *CompareStep::TOGETHER.end();

/// Writes one row for each comparison of systems.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let columns = columns().into_iter().chain(groups::column(context));
    let header = columns.map(|column| column.name);
    let mut writer = CsvWriter::new(out, header, context.request.cells)?;

    for_each_row(context, pages, |row| {
        Ok(writer.write(row.iter().map(TableCell::as_text))?)
    })?;

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// The columns of a comparison. The system columns after the last output shown are empty.
pub(super) fn columns() -> Vec<TableColumn> {
    let first = ["source_id", "rater", "dimension"];
    let mut columns: Vec<_> = first
        .into_iter()
        .map(|name| TableColumn::required(name, Text))
        .collect();

    columns.extend((1..=MOST).map(|number| TableColumn {
        name: Cow::Owned(format!("system_{number}")),
        kind: Text,
        is_optional: number > *CompareStep::TOGETHER.start(),
    }));
    columns.extend(["outcome", "best", "worst"].map(|name| TableColumn::optional(name, Text)));
    columns.push(TableColumn::required("recorded_at", Time));
    columns
}

/// Calls `take` with the cells of each comparison of systems: those of [`columns`], and the rater's group in studies
/// that have groups.
pub(super) fn for_each_row(
    context: &ExportContext,
    pages: &mut OutputPages,
    mut take: impl FnMut(Vec<TableCell<'_>>) -> Result<(), ExportFailure>,
) -> Result<(), ExportFailure> {
    let study = pages.runtime.block_on(pages.export.comparisons())?;
    let names = systems_by_output(&study.outputs);

    for comparison in &study.comparisons {
        pages.comparisons += 1;
        for answer in answers_of_systems(&comparison.answer, &names) {
            let mut row = cells(comparison, &answer);
            row.extend(groups::cell(context, &comparison.rater));
            take(row)?;
        }
    }
    Ok(())
}

/// The cells of an answer. The better of two is given as the name of its column, which cannot be mistaken for the
/// name of a system.
fn cells<'a>(of: &'a ComparisonRecord, answer: &'a ComparisonAnswer<String>) -> Vec<TableCell<'a>> {
    let mut cells: Vec<_> = [&of.source, &of.rater, &of.dimension]
        .map(TableCell::text)
        .into();

    let shown = answer.shown().into_iter().map(TableCell::text);
    let empty = std::iter::repeat(TableCell::Missing);
    cells.extend(shown.chain(empty).take(MOST as usize));

    let [outcome, best, worst] = match answer {
        ComparisonAnswer::Pair(pair) => {
            let outcome = match pair.outcome() {
                PairOutcome::A => "system_1",
                PairOutcome::B => "system_2",
                PairOutcome::Tie => "tie",
            };
            [Some(outcome), None, None]
        }
        ComparisonAnswer::BestWorst(choice) => {
            [None, Some(&**choice.best()), Some(&**choice.worst())]
        }
    };

    cells.extend([outcome, best, worst].map(TableCell::text_or_missing));
    cells.push(TableCell::Time(of.recorded_at));
    cells
}
