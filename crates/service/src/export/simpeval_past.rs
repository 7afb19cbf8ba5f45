//! SimpEval's format before 2022: one column per rater.

use std::io::Write;

use domain::ids::RaterId;
use formats::{
    FileFormat,
    simpeval::{SimpEvalPastRow, SimpEvalPastWriter, SlotRating},
};
use store::export::{ExportedOutput, ExportedRating};

use super::{ExportContext, ExportFailure, OutputPages, summary::value_in_table};
use crate::import::row_extras::RowExtras;

/// Writes one row per output.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let raters = context.summary.raters(&context.request.dimension);
    let columns: Vec<_> = raters.iter().map(|(rater, _)| rater.id).collect();
    let lists_shared = context.summary.shared > 0;
    let open = match lists_shared {
        true => SimpEvalPastWriter::listing_shared,
        false => SimpEvalPastWriter::new,
    };
    let mut writer = open(out, columns.len(), context.request.cells)?;
    let mut number = 0_u64;

    pages.for_each_output(|output, extras| {
        let cells = cells(context, &columns, output);
        let slots: Vec<_> = cells
            .iter()
            .map(|(rating, z)| SlotRating { rating, z })
            .collect();

        let extras = extras.filter(|extras| extras.format == FileFormat::SimpEvalPast.name());
        let row_number = number.to_string();
        let ratings = columns
            .iter()
            .map(|rater| find_rating(context, *rater, output));
        let shared = list_shared(ratings);

        writer.write(&SimpEvalPastRow {
            id: column(extras, "id").unwrap_or(&row_number),
            original: &output.source.text,
            generation: column(extras, "generation").unwrap_or(&output.text),
            processed_generation: &output.text,
            original_id: &output.source.key,
            system: &output.system,
            slots: &slots,
            shared_ratings: lists_shared.then_some(&shared),
        })?;

        number += 1;
        Ok(())
    })?;

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// The rating of each column's rater with its z-score; both are empty if the rater gave none.
fn cells(
    context: &ExportContext,
    columns: &[RaterId],
    output: &ExportedOutput,
) -> Vec<(String, String)> {
    let cell = |rater: &RaterId| {
        find_rating(context, *rater, output).map_or_else(Default::default, |rating| {
            (value_in_table(rating), context.summary.z_in_table(rating))
        })
    };
    columns.iter().map(cell).collect()
}

/// The rater's rating of an output.
fn find_rating<'a>(
    context: &ExportContext,
    rater: RaterId,
    output: &'a ExportedOutput,
) -> Option<&'a ExportedRating> {
    let mut ratings = output.ratings.iter();
    ratings.find(|own| own.rater == rater && own.dimension == context.request.dimension)
}

/// The names of the columns `rating_N` whose rating was given to an identical output, for a column of a SimpEval file.
pub(super) fn list_shared<'a>(columns: impl Iterator<Item = Option<&'a ExportedRating>>) -> String {
    let shared = columns
        .zip(1..)
        .filter(|(rating, _)| rating.is_some_and(|own| own.shared));

    let names: Vec<_> = shared
        .map(|(_, number)| format!("rating_{number}"))
        .collect();
    names.join(" ")
}

/// A further cell of the imported row.
fn column<'a>(extras: Option<&'a RowExtras<'_>>, name: &str) -> Option<&'a str> {
    extras?.columns.get(name).map(|text| &**text)
}
