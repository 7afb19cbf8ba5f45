//! SimpEval's shape of 2022: slots of ratings, and a companion file that names who is behind each.

use std::io::Write;

use domain::study::OVERALL;
use formats::simpeval::{
    SimpEval2022Row, SimpEval2022Writer, SlotRaterWriter, SlotRating, slot_number,
};
use store::export::{ExportedOutput, ExportedRating};

use super::{ExportContext, ExportFailure, ExportSummary, OutputPages, summary::value_in_table};
use crate::import::row_extras::{AnonymousScore, RowExtras};

/// Columns that an imported rating goes back to have at most this number.
const MAX_SLOTS: usize = 100;

/// What stands in a slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum SlotValue<'a> {
    /// A rating, whose rater the companion file names.
    Rating(&'a ExportedRating),
    /// A number of a file that names no rater.
    Score(&'a AnonymousScore<'a>),
}

/// Writes a row an output.
pub(super) fn write(
    about: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let facts = &about.summary;
    let mut writer = SimpEval2022Writer::new(out, facts.slots, about.request.cells)?;
    pages.for_each_output(|output, kept| {
        let mut cells: Vec<_> = arrange_slots(facts, output, kept, &about.request.dimension)
            .into_iter()
            .map(|given| given.map_or_else(Default::default, |given| slot_cells(facts, given)))
            .collect();
        cells.resize_with(facts.slots, Default::default);
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
        };
        Ok(writer.write(&row)?)
    })?;
    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// Writes a row a rating: who gave it.
pub(super) fn write_raters(
    about: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut writer = SlotRaterWriter::new(out, about.request.cells)?;
    pages.for_each_output(|output, kept| {
        let slots = arrange_slots(&about.summary, output, kept, &about.request.dimension);
        for (given, number) in slots.into_iter().zip(1..) {
            if let Some(SlotValue::Rating(rating)) = given {
                let rater = about.summary.label(rating.rater);
                writer.write(&output.source.key, &output.system, number, rater)?;
            }
        }
        Ok(())
    })?;
    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// What stands in each slot of an output: imported ratings in the one that they had, others in the
/// first that is free, by the order of raters.
pub(super) fn arrange_slots<'a>(
    facts: &ExportSummary,
    output: &'a ExportedOutput,
    kept: Option<&'a RowExtras<'_>>,
    dimension: &str,
) -> Vec<Option<SlotValue<'a>>> {
    let mut slots: Vec<Option<SlotValue<'a>>> = vec![];
    let mut others = vec![];
    let scores = kept.map(|kept| &kept.scores[..]).unwrap_or_default();
    // Numbers without a rater are of the one dimension that these files know.
    let scores = scores.iter().filter(|_| dimension == OVERALL);
    let scores =
        scores.filter_map(|score| Some((slot_number(&score.column)?, SlotValue::Score(score))));
    let ratings = output.ratings.iter().filter(|it| it.dimension == dimension);
    let ratings = ratings.map(|rating| {
        let wanted = rating.verbatim.as_ref().and_then(|verbatim| {
            slot_number(
                verbatim
                    .column
                    .as_deref()
                    .unwrap_or_else(|| facts.label(rating.rater)),
            )
        });
        (wanted, SlotValue::Rating(rating))
    });
    for (wanted, given) in scores
        .map(|(number, score)| (Some(number), score))
        .chain(ratings)
    {
        let at = wanted
            .map(|number| number as usize - 1)
            .filter(|at| *at < MAX_SLOTS)
            .filter(|at| slots.get(*at).is_none_or(Option::is_none));
        match at {
            Some(at) => fill_slot(&mut slots, at, given),
            None => others.push(given),
        }
    }
    for given in others {
        let free = slots.iter().position(Option::is_none);
        let at = free.unwrap_or(slots.len());
        fill_slot(&mut slots, at, given);
    }
    slots
}

fn fill_slot<'a>(slots: &mut Vec<Option<SlotValue<'a>>>, at: usize, given: SlotValue<'a>) {
    if slots.len() <= at {
        slots.resize(at + 1, None);
    }
    slots[at] = Some(given);
}

fn slot_cells(facts: &ExportSummary, given: SlotValue<'_>) -> (String, String) {
    match given {
        SlotValue::Rating(rating) => (value_in_table(rating), facts.z_in_table(rating)),
        SlotValue::Score(score) => {
            let z = score.z.as_deref().unwrap_or_default();
            (score.value.to_string(), z.to_owned())
        }
    }
}
