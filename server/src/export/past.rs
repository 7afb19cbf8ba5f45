//! SimpEval's past shape: one column a rater.

use std::io::Write;

use domain::ids::RaterId;
use formats::{
    Format,
    simpeval::{PastRow, PastWriter, Slot},
};
use store::export::ExportedOutput;

use super::{About, Failure, Pages, facts::value_in_table};
use crate::import::kept::Kept;

/// Writes a row an output.
pub(super) fn write(about: &About, pages: &mut Pages, out: &mut dyn Write) -> Result<(), Failure> {
    let raters = about.facts.raters(&about.asked.dimension);
    let columns: Vec<_> = raters.iter().map(|(rater, _)| rater.id).collect();
    let mut writer = PastWriter::new(out, columns.len(), about.asked.cells)?;
    let mut number = 0_u64;
    pages.each(|output, kept| {
        let cells = cells(about, &columns, output);
        let slots: Vec<_> = cells.iter().map(|(rating, z)| Slot { rating, z }).collect();
        let kept = kept.filter(|kept| kept.format == Format::SimpEvalPast.name());
        let running = number.to_string();
        writer.write(&PastRow {
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
fn cells(about: &About, columns: &[RaterId], output: &ExportedOutput) -> Vec<(String, String)> {
    let cell = |rater: &RaterId| {
        let mut ratings = output.ratings.iter();
        let rating = ratings.find(|it| it.rater == *rater && it.dimension == about.asked.dimension);
        rating.map_or_else(Default::default, |rating| {
            (value_in_table(rating), about.facts.z_in_table(rating))
        })
    };
    columns.iter().map(cell).collect()
}

fn column<'a>(kept: Option<&'a Kept<'_>>, name: &str) -> Option<&'a str> {
    kept?.columns.get(name).map(|text| &**text)
}
