//! SimpEval's shape of 2022: slots of ratings, and a companion file that names who is behind each.

use std::io::Write;

use domain::study::OVERALL;
use formats::simpeval::{RaterWriter, Row2022, Slot, Writer2022, slot};
use store::export::{ExportedOutput, ExportedRating};

use super::{About, Facts, Failure, Pages, facts::value_in_table};
use crate::import::kept::{Kept, Score};

/// Columns that an imported rating goes back to have at most this number.
const MOST_SLOTS: usize = 100;

/// What stands in a slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum Given<'a> {
    /// A rating, whose rater the companion file names.
    Rating(&'a ExportedRating),
    /// A number of a file that names no rater.
    Score(&'a Score<'a>),
}

/// Writes a row an output.
pub(super) fn write(about: &About, pages: &mut Pages, out: &mut dyn Write) -> Result<(), Failure> {
    let facts = &about.facts;
    let mut writer = Writer2022::new(out, facts.slots, about.asked.cells)?;
    pages.each(|output, kept| {
        let mut cells: Vec<_> = arrange(facts, output, kept, &about.asked.dimension)
            .into_iter()
            .map(|given| given.map_or_else(Default::default, |given| texts(facts, given)))
            .collect();
        cells.resize_with(facts.slots, Default::default);
        let slots: Vec<_> = cells.iter().map(|(rating, z)| Slot { rating, z }).collect();
        let row = Row2022 {
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
    about: &About,
    pages: &mut Pages,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut writer = RaterWriter::new(out, about.asked.cells)?;
    pages.each(|output, kept| {
        let slots = arrange(&about.facts, output, kept, &about.asked.dimension);
        for (given, number) in slots.into_iter().zip(1..) {
            if let Some(Given::Rating(rating)) = given {
                let rater = about.facts.label(rating.rater);
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
pub(super) fn arrange<'a>(
    facts: &Facts,
    output: &'a ExportedOutput,
    kept: Option<&'a Kept<'_>>,
    dimension: &str,
) -> Vec<Option<Given<'a>>> {
    let mut slots: Vec<Option<Given<'a>>> = vec![];
    let mut others = vec![];
    let scores = kept.map(|kept| &kept.scores[..]).unwrap_or_default();
    // Numbers without a rater are of the one dimension that these files know.
    let scores = scores.iter().filter(|_| dimension == OVERALL);
    let scores = scores.filter_map(|score| Some((slot(&score.column)?, Given::Score(score))));
    let ratings = output.ratings.iter().filter(|it| it.dimension == dimension);
    let ratings = ratings.map(|rating| {
        let wanted = rating.verbatim.as_ref().and_then(|verbatim| {
            slot(
                verbatim
                    .column
                    .as_deref()
                    .unwrap_or_else(|| facts.label(rating.rater)),
            )
        });
        (wanted, Given::Rating(rating))
    });
    for (wanted, given) in scores
        .map(|(number, score)| (Some(number), score))
        .chain(ratings)
    {
        let at = wanted
            .map(|number| number as usize - 1)
            .filter(|at| *at < MOST_SLOTS)
            .filter(|at| slots.get(*at).is_none_or(Option::is_none));
        match at {
            Some(at) => put(&mut slots, at, given),
            None => others.push(given),
        }
    }
    for given in others {
        let free = slots.iter().position(Option::is_none);
        let at = free.unwrap_or(slots.len());
        put(&mut slots, at, given);
    }
    slots
}

fn put<'a>(slots: &mut Vec<Option<Given<'a>>>, at: usize, given: Given<'a>) {
    if slots.len() <= at {
        slots.resize(at + 1, None);
    }
    slots[at] = Some(given);
}

fn texts(facts: &Facts, given: Given<'_>) -> (String, String) {
    match given {
        Given::Rating(rating) => (value_in_table(rating), facts.z_in_table(rating)),
        Given::Score(score) => {
            let z = score.z.as_deref().unwrap_or_default();
            (score.value.to_string(), z.to_owned())
        }
    }
}
