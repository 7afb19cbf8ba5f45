//! One rating per row: the table that statistics programs read without conversion.

use std::io::Write;

use formats::CsvWriter;
use store::export::{ExportedOutput, ExportedRating};

use super::{ExportContext, ExportFailure, OutputPages};

const COLUMNS: [&str; 15] = [
    "source_id",
    "output_id",
    "system",
    "kind",
    "category",
    "automatic_category",
    "rater",
    "dimension",
    "value",
    "z",
    "rank",
    "seconds",
    "shared",
    "final_value",
    "final_category",
];

/// Writes one row per rating.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut writer = CsvWriter::new(out, COLUMNS, context.request.cells)?;
    pages.for_each_output(|output, _| {
        for rating in &output.ratings {
            writer.write(cells(context, output, rating))?;
        }
        Ok(())
    })?;
    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// The cells of a rating, in the order of [`COLUMNS`].
fn cells(
    context: &ExportContext,
    output: &ExportedOutput,
    rating: &ExportedRating,
) -> [String; 15] {
    let summary = &context.summary;
    let rater = rating.rater;
    let mut categories = output.categories.iter();
    let category = categories.find(|(own, _)| *own == rater);
    let mut work = output.source.work.iter();
    let work = work.find(|work| work.rater == rater);
    let z = summary.z(rating).map(|z| format!("{z:.6}"));
    let seconds = work.map(|work| seconds(work.active_ms));
    let mut decided = output.final_values.iter();
    let decided = decided.find(|decided| decided.dimension == rating.dimension);
    [
        output.source.key.clone(),
        output.output.to_string(),
        output.system.clone(),
        output.kind.name().to_owned(),
        category.map_or_else(String::new, |(_, category)| category.name().to_owned()),
        output.automatic.category.name().to_owned(),
        summary.label(rater).to_owned(),
        rating.dimension.clone(),
        rating.value.to_string(),
        z.unwrap_or_default(),
        summary.rank(output.source.source, rating).to_string(),
        seconds.unwrap_or_default(),
        rating.shared.to_string(),
        decided.map_or_else(String::new, |decided| decided.value.to_string()),
        output
            .final_category
            .as_ref()
            .map_or_else(String::new, |decided| decided.category.name().to_owned()),
    ]
}

/// The active time of all three steps in seconds, to the millisecond.
fn seconds(active_ms: [u64; 3]) -> String {
    let total = active_ms.into_iter().fold(0, u64::saturating_add);
    format!("{}.{:03}", total / 1000, total % 1000)
}
