//! SimpEval, past and 2022: one output a row, its ratings in numbered columns, each with a z-score.
//!
//! In the past shape each column of ratings is one rater's. In the 2022 shape it is only a slot that
//! several people wrote in, so a companion file ([`SlotRaters`]) names the rater of every rating; without
//! it the ratings are scores without raters.

mod write;

use std::sync::Arc;

pub use crate::slot_raters::SlotRaters;
use crate::{
    columns::{ColumnLayout, RaterNameOrigin, RatingColumn},
    error::FatalReadError,
    input::CsvHeader,
};
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

/// The column of an export that lists the columns of ratings given to an identical output, separated by spaces.
pub(crate) const SHARED_RATINGS: &str = "shared_ratings";

/// The end of the names of columns of z-scores, in the past shape.
const PAST_Z: &str = "_z_score";
/// The same in the 2022 shape.
const Z_IN_2022: &str = "_zscore";

/// The columns of the past shape. Its output is `processed_generation`.
pub(crate) fn past_columns(header: &CsvHeader) -> Result<ColumnLayout, FatalReadError> {
    let expected = format!("{},rating_1…,rating_1{PAST_Z}…", PAST_COLUMNS.join(","));
    let mut columns = common_columns(header, &expected, "processed_generation")?;
    for name in PAST_COLUMNS {
        header.require_column(name, &expected)?;
    }
    columns.rater = RaterNameOrigin::ColumnName;
    Ok(columns)
}

/// The columns of the 2022 shape.
pub(crate) fn columns_2022(header: &CsvHeader) -> Result<ColumnLayout, FatalReadError> {
    let expected = format!("{},rating_1…,rating_1{Z_IN_2022}…", COLUMNS_2022.join(","));
    let mut columns = common_columns(header, &expected, "generation")?;
    columns.category = Some(header.require_column("sentence_type", &expected)?);
    Ok(columns)
}

/// Takes the raters from a companion file instead of the columns.
pub(crate) fn name_raters(columns: &mut ColumnLayout, raters: SlotRaters) {
    columns.rater = RaterNameOrigin::CompanionFile(Arc::new(raters));
}

fn common_columns(
    header: &CsvHeader,
    expected: &str,
    output_column: &str,
) -> Result<ColumnLayout, FatalReadError> {
    let need = |name| header.require_column(name, expected);
    let source = need("original")?;
    Ok(ColumnLayout {
        key: Some(need("original_id")?),
        output: Some(need(output_column)?),
        system: Some(need("system")?),
        ratings: rating_columns(header, expected)?,
        shared: header.find_column(SHARED_RATINGS)?,
        ..ColumnLayout::with_source(header, source)
    })
}

/// The columns `rating_N`, each with its column of z-scores where the file has one.
fn rating_columns(header: &CsvHeader, expected: &str) -> Result<Vec<RatingColumn>, FatalReadError> {
    let mut columns: Vec<RatingColumn> = Vec::new();
    for name in header.names() {
        if let Some(slot) = slot_number(name) {
            let place = header.require_column(name, expected)?;
            let past = header.find_column(&format!("{name}{PAST_Z}"))?;
            let z = past.or(header.find_column(&format!("{name}{Z_IN_2022}"))?);
            let column = RatingColumn::overall(place);
            columns.push(RatingColumn { slot, z, ..column });
        } else if let Some(rating) = rating_column_of_z(name)
            && !header.has(rating)
        {
            let advice = format!("“{name}” is there without “{rating}”: add or remove one");
            return Err(header.wrong_header(expected, advice));
        }
    }
    Ok(columns)
}

/// The N of a column `rating_N`, at least 1; `None` for any other column.
#[must_use]
pub fn slot_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("rating_")?;
    let is_number = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The column of ratings that a column of z-scores belongs to.
fn rating_column_of_z(name: &str) -> Option<&str> {
    let rating = name.strip_suffix(PAST_Z).or(name.strip_suffix(Z_IN_2022))?;
    slot_number(rating).map(|_| rating)
}
