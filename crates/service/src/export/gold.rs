//! Final values: one row per output and dimension that a lead decided on, with the mean of the ratings.

use std::io::Write;

use domain::statistics::describe::mean;
use formats::CsvWriter;
use store::export::{ExportedFinalValue, ExportedOutput};

use super::{
    ExportContext, ExportFailure, OutputPages,
    table_cell::{
        ColumnKind::{Number, Text, Truth, Whole},
        TableColumn,
    },
};

/// The columns.
pub(super) const COLUMNS: [TableColumn; 14] = [
    TableColumn::required("source_id", Text),
    TableColumn::required("output_id", Text),
    TableColumn::required("source", Text),
    TableColumn::required("output", Text),
    TableColumn::required("system", Text),
    TableColumn::required("kind", Text),
    TableColumn::required("category", Text),
    TableColumn::optional("final_category", Text),
    TableColumn::optional("dimension", Text),
    TableColumn::optional("final_value", Number),
    TableColumn::optional("mean", Number),
    TableColumn::required("n", Whole),
    TableColumn::optional("reason", Text),
    TableColumn::required("shared", Truth),
];

/// Writes one row per output and dimension with a final value, and one per output with a final category alone.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut writer = CsvWriter::new(
        out,
        COLUMNS.map(|column| column.name),
        context.request.cells,
    )?;

    pages.for_each_output(|output, _| {
        for decided in &output.final_values {
            writer.write(cells(output, Some(decided)))?;
        }

        if output.final_values.is_empty() && output.final_category.is_some() {
            writer.write(cells(output, None))?;
        }
        Ok(())
    })?;

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// The cells of a final value, in the order of [`COLUMNS`].
fn cells(output: &ExportedOutput, decided: Option<&ExportedFinalValue>) -> [String; 14] {
    let dimension = decided.map_or("", |decided| &decided.dimension);
    let ratings = output.ratings.iter();
    let ratings = ratings.filter(|rating| rating.dimension == dimension);
    let values: Vec<f64> = ratings.map(|rating| rating.value).collect();

    let category = output.final_category.as_ref();
    let reason = decided.map(|decided| &decided.reason);
    let reason = reason.or(category.map(|decided| &decided.reason));

    [
        output.source.key.clone(),
        output.output.to_string(),
        output.source.text.clone(),
        output.text.clone(),
        output.system.clone(),
        output.kind.name().to_owned(),
        output.category.name().to_owned(),
        category.map_or_else(String::new, |decided| decided.category.name().to_owned()),
        dimension.to_owned(),
        decided.map_or_else(String::new, |decided| decided.value.to_string()),
        if values.is_empty() {
            String::new()
        } else {
            mean(&values).to_string()
        },
        values.len().to_string(),
        reason.cloned().unwrap_or_default(),
        output.twin_of.is_some().to_string(),
    ]
}
