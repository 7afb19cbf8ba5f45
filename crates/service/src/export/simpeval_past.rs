//! SimpEval's past shape: one column a rater.

use std::io::Write;

use domain::ids::RaterId;
use formats::{
    FileFormat,
    simpeval::{SimpEvalPastRow, SimpEvalPastWriter, SlotRating},
};
use store::export::ExportedOutput;

use super::{ExportContext, ExportFailure, OutputPages, summary::value_in_table};
use crate::import::row_extras::RowExtras;

/// Writes a row an output.
pub(super) fn write(
    about: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let raters = about.summary.raters(&about.request.dimension);
    let columns: Vec<_> = raters.iter().map(|(rater, _)| rater.id).collect();
    let mut writer = SimpEvalPastWriter::new(out, columns.len(), about.request.cells)?;
    let mut number = 0_u64;
    pages.for_each_output(|output, kept| {
        let cells = cells(about, &columns, output);
        let slots: Vec<_> = cells
            .iter()
            .map(|(rating, z)| SlotRating { rating, z })
            .collect();
        let kept = kept.filter(|kept| kept.format == FileFormat::SimpEvalPast.name());
        let running = number.to_string();
        writer.write(&SimpEvalPastRow {
            id: column(kept, "id").unwrap_or(&running),
            original: &output.source.text,
            generation: column(kept, "generation").unwrap_or(&output.text),
            processed_generation: &output.text,
            original_id: &output.source.key,
            system: &output.system,
            slots: &slots,
        })?;
        number += 1;
        Ok(())
    })?;
    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// What each rater of a column gave, with the z-score; empty where they gave nothing.
fn cells(
    about: &ExportContext,
    columns: &[RaterId],
    output: &ExportedOutput,
) -> Vec<(String, String)> {
    let cell = |rater: &RaterId| {
        let mut ratings = output.ratings.iter();
        let rating =
            ratings.find(|it| it.rater == *rater && it.dimension == about.request.dimension);
        rating.map_or_else(Default::default, |rating| {
            (value_in_table(rating), about.summary.z_in_table(rating))
        })
    };
    columns.iter().map(cell).collect()
}

fn column<'a>(kept: Option<&'a RowExtras<'_>>, name: &str) -> Option<&'a str> {
    kept?.columns.get(name).map(|text| &**text)
}
