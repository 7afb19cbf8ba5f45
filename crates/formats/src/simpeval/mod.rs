//! SimpEval, past and 2022: one output a row, its ratings in numbered columns, each with a z-score.
//!
//! In the past shape a column is a rater. In the 2022 shape it is a mere slot (several people wrote
//! in each), so a companion file ([`Raters`]) names who is behind every rating; without it the
//! ratings are scores without raters.

mod raters;
mod write;

use std::sync::Arc;

use crate::{
    columns::{ColumnLayout, RaterNameOrigin, RatingColumn},
    error::FatalReadError,
    input::CsvHeader,
};
pub use raters::SlotRaters;
pub use write::{
    SimpEval2022Row, SimpEval2022Writer, SimpEvalPastRow, SimpEvalPastWriter, SlotRaterWriter,
    SlotRating,
};

/// The columns of the past shape before those of ratings.
pub(crate) const PAST_COLUMNS: [&str; 6] = [
    "id",
    "original",
    "generation",
    "processed_generation",
    "original_id",
    "system",
];

/// The columns of the 2022 shape before those of ratings.
pub(crate) const COLUMNS_2022: [&str; 5] = [
    "original_id",
    "original",
    "generation",
    "system",
    "sentence_type",
];

/// How the past shape ends the name of a column of z-scores.
const PAST_Z: &str = "_z_score";
/// How the 2022 shape does.
const Z_IN_2022: &str = "_zscore";

/// Of a past row `processed_generation` is what is shown.
pub(crate) fn past_columns(header: &CsvHeader) -> Result<ColumnLayout, FatalReadError> {
    let expected = format!("{},rating_1…,rating_1{PAST_Z}…", PAST_COLUMNS.join(","));
    let mut columns = common_columns(header, &expected, "processed_generation")?;
    for name in PAST_COLUMNS {
        ColumnLayout::require(header, name, &expected)?;
    }
    columns.rater = RaterNameOrigin::ColumnName;
    Ok(columns)
}

pub(crate) fn columns_2022(header: &CsvHeader) -> Result<ColumnLayout, FatalReadError> {
    let expected = format!("{},rating_1…,rating_1{Z_IN_2022}…", COLUMNS_2022.join(","));
    let mut columns = common_columns(header, &expected, "generation")?;
    columns.category = Some(ColumnLayout::require(header, "sentence_type", &expected)?);
    Ok(columns)
}

/// Replaces the raters of `columns` by those that a companion file names.
pub(crate) fn name_raters(columns: &mut ColumnLayout, raters: SlotRaters) {
    columns.rater = RaterNameOrigin::CompanionFile(Arc::new(raters));
}

fn common_columns(
    header: &CsvHeader,
    expected: &str,
    shown: &str,
) -> Result<ColumnLayout, FatalReadError> {
    let need = |name| ColumnLayout::require(header, name, expected);
    let source = need("original")?;
    Ok(ColumnLayout {
        key: Some(need("original_id")?),
        output: Some(need(shown)?),
        system: Some(need("system")?),
        ratings: rating_columns(header, expected)?,
        ..ColumnLayout::with_source(header, source)
    })
}

/// The columns `rating_N`, each with its z-scores where the file has them.
fn rating_columns(header: &CsvHeader, expected: &str) -> Result<Vec<RatingColumn>, FatalReadError> {
    let mut columns: Vec<RatingColumn> = Vec::new();
    for name in header.names() {
        if let Some(slot) = slot_number(name) {
            let place = ColumnLayout::require(header, name, expected)?;
            let past = header.find_column(&format!("{name}{PAST_Z}"))?;
            let z = past.or(header.find_column(&format!("{name}{Z_IN_2022}"))?);
            let column = RatingColumn::overall(place);
            columns.push(RatingColumn { slot, z, ..column });
        } else if let Some(rating) = rating_column_of_z(name)
            && !header.has(rating)
        {
            let advice = format!("“{name}” is there without “{rating}”: add or remove one");
            return Err(header.wrong_header(expected, &advice));
        }
    }
    Ok(columns)
}

/// The N of a column `rating_N`, at least 1; `None` where the column is called otherwise.
#[must_use]
pub fn slot_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("rating_")?;
    let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// The column of ratings that a column of z-scores belongs to.
fn rating_column_of_z(name: &str) -> Option<&str> {
    let rating = name.strip_suffix(PAST_Z).or(name.strip_suffix(Z_IN_2022))?;
    slot_number(rating).map(|_| rating)
}
