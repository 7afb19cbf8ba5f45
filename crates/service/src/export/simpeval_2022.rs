//! SimpEval's format of 2022: slots of ratings, and a companion file that names the rater of each.

use std::io::Write;

use domain::study::OVERALL;
use formats::simpeval::{
    SimpEval2022Row, SimpEval2022Writer, SlotRaterWriter, SlotRating, slot_number,
};
use store::export::{ExportedOutput, ExportedRating};

use super::{
    ExportContext, ExportFailure, ExportSummary, OutputPages, simpeval_past::list_shared,
    summary::value_in_table,
};
use crate::import::row_extras::{AnonymousScore, RowExtras};

/// The largest column number that an imported rating keeps.
const MAX_SLOTS: usize = 100;

/// The content of a slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum SlotValue<'a> {
    /// A rating, whose rater the companion file names.
    Rating(&'a ExportedRating),
    /// A score from a file that does not name raters.
    Score(&'a AnonymousScore<'a>),
}

/// Writes one row per output.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let summary = &context.summary;
    let lists_shared = summary.shared > 0;
    let open = match lists_shared {
        true => SimpEval2022Writer::listing_shared,
        false => SimpEval2022Writer::new,
    };
    let mut writer = open(out, summary.slots, context.request.cells)?;

    pages.for_each_output(|output, extras| {
        let arranged = arrange_slots(summary, output, extras, &context.request.dimension);

        let shared = list_shared(arranged.iter().map(|slot| match slot {
            Some(SlotValue::Rating(rating)) => Some(*rating),
            _ => None,
        }));

        let mut cells: Vec<_> = arranged
            .into_iter()
            .map(|slot| slot.map_or_else(Default::default, |value| slot_cells(summary, value)))
            .collect();
        cells.resize_with(summary.slots, Default::default);
        let slots: Vec<_> = cells
            .iter()
            .map(|(rating, z)| SlotRating { rating, z })
            .collect();

        let row = SimpEval2022Row {
            original_id: &output.source.key,
            original: &output.source.text,
            generation: &output.text,
            system: &output.system,
            sentence_type: output.category.sentence_type(),
            slots: &slots,
            shared_ratings: lists_shared.then_some(&shared),
        };
        Ok(writer.write(&row)?)
    })?;

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// Writes one row per rating, with its rater.
pub(super) fn write_raters(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut writer = SlotRaterWriter::new(out, context.request.cells)?;

    pages.for_each_output(|output, extras| {
        let slots = arrange_slots(&context.summary, output, extras, &context.request.dimension);
        for (slot, number) in slots.into_iter().zip(1..) {
            if let Some(SlotValue::Rating(rating)) = slot {
                let rater = context.summary.label(rating.rater);
                writer.write(&output.source.key, &output.system, number, rater)?;
            }
        }
        Ok(())
    })?;

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// The slots of an output. Imported ratings are in the slots that they had; the others fill the first free slots, in
/// the order of raters.
pub(super) fn arrange_slots<'a>(
    summary: &ExportSummary,
    output: &'a ExportedOutput,
    extras: Option<&'a RowExtras<'_>>,
    dimension: &str,
) -> Vec<Option<SlotValue<'a>>> {
    let mut slots: Vec<Option<SlotValue<'a>>> = vec![];
    let mut others = vec![];
    let scores = extras.map(|extras| &extras.scores[..]).unwrap_or_default();

    // Scores without a rater belong to the one dimension that these files have.
    let scores = scores.iter().filter(|_| dimension == OVERALL);
    let scores =
        scores.filter_map(|score| Some((slot_number(&score.column)?, SlotValue::Score(score))));

    let ratings = output
        .ratings
        .iter()
        .filter(|rating| rating.dimension == dimension);
    let ratings = ratings.map(|rating| {
        let number = rating.verbatim.as_ref().and_then(|verbatim| {
            slot_number(
                verbatim
                    .column
                    .as_deref()
                    .unwrap_or_else(|| summary.label(rating.rater)),
            )
        });
        (number, SlotValue::Rating(rating))
    });

    for (number, value) in scores
        .map(|(number, score)| (Some(number), score))
        .chain(ratings)
    {
        let index = number
            .map(|number| number as usize - 1)
            .filter(|index| *index < MAX_SLOTS)
            .filter(|index| slots.get(*index).is_none_or(Option::is_none));
        match index {
            Some(index) => fill_slot(&mut slots, index, value),
            None => others.push(value),
        }
    }

    for value in others {
        let free = slots.iter().position(Option::is_none);
        let index = free.unwrap_or(slots.len());
        fill_slot(&mut slots, index, value);
    }

    slots
}

fn fill_slot<'a>(slots: &mut Vec<Option<SlotValue<'a>>>, index: usize, value: SlotValue<'a>) {
    if slots.len() <= index {
        slots.resize(index + 1, None);
    }
    slots[index] = Some(value);
}

/// The cells of a slot: the rating and its z-score.
fn slot_cells(summary: &ExportSummary, value: SlotValue<'_>) -> (String, String) {
    match value {
        SlotValue::Rating(rating) => (value_in_table(rating), summary.z_in_table(rating)),
        SlotValue::Score(score) => {
            let z = score.z.as_deref().unwrap_or_default();
            (score.value.to_string(), z.to_owned())
        }
    }
}
