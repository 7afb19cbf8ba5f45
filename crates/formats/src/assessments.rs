//! Files with one worker's ratings a row: direct assessment, Likert, and the ratings of ASSET.

use domain::score::RatingScale;

use crate::{
    columns::{ColumnLayout, RaterNameOrigin, RatingColumn},
    error::FatalReadError,
    input::{CsvHeader, CsvRecord},
    numbers::number_in_cell,
};

/// The required columns of direct assessment and Likert files, ratings aside.
pub(crate) const ASSESSMENT_COLUMNS: [&str; 4] = [
    "WorkerId",
    "Input.original",
    "Input.simplified",
    "Input.system",
];
/// The columns of ASSET's ratings.
pub(crate) const ASSET_COLUMNS: [&str; 6] = [
    "original",
    "simplification",
    "original_sentence_id",
    "aspect",
    "worker_id",
    "rating",
];
/// The prefix of the names of columns of ratings; the rest is the dimension.
const ANSWER_PREFIX: &str = "Answer.";

/// The columns of a file with one row per worker and output, and one column per dimension. `Input.id` stays verbatim:
/// some files number sources with it and some number pairs, so a source is identified by its text. The numbers show
/// which files are Likert, and on what scales: adequacy and fluency are rated from 1 to 5 where
/// simplicity goes from −2 to 2 (Sulem et al. 2018).
pub(crate) fn assessment_columns(
    header: &CsvHeader,
    likert: bool,
) -> Result<ColumnLayout, FatalReadError> {
    let expected = format!("{},{ANSWER_PREFIX}adequacy…", ASSESSMENT_COLUMNS.join(","));
    let need = |name| header.require_column(name, &expected);
    let mut columns = ColumnLayout::with_source(header, need("Input.original")?);
    columns.output = Some(need("Input.simplified")?);
    columns.system = Some(need("Input.system")?);
    columns.rater = RaterNameOrigin::Cell(need("WorkerId")?);

    for name in header.names() {
        let Some(dimension) = name.strip_prefix(ANSWER_PREFIX) else {
            continue;
        };
        columns.ratings.push(RatingColumn {
            dimension: dimension.into(),
            scale: (!likert).then_some(RatingScale::PERCENT),
            ..RatingColumn::overall(need(name)?)
        });
    }

    if columns.ratings.is_empty() {
        let advice = format!("begin the names of the columns of ratings with “{ANSWER_PREFIX}”");
        return Err(header.wrong_header(&expected, advice));
    }
    Ok(columns)
}

/// Whether the first rows of a file with the header of direct assessment are Likert ratings: one is
/// below 0, or none above 5.
pub(crate) fn are_likert<'r>(
    header: &CsvHeader,
    rows: impl Iterator<Item = &'r CsvRecord>,
) -> bool {
    let is_rating = |place: &usize| header.names()[*place].starts_with(ANSWER_PREFIX);
    let places: Vec<usize> = (0..header.names().len()).filter(is_rating).collect();

    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for record in rows {
        let cells = places.iter().filter_map(|place| record.cells.get(*place));
        for value in cells.filter_map(number_in_cell) {
            lowest = lowest.min(value);
            highest = highest.max(value);
        }
    }

    lowest < 0.0 || highest.is_finite() && highest <= 5.0
}

/// The columns of a file with one row per worker, output and aspect, rated from 0 to 100. The file names no systems.
pub(crate) fn asset_columns(header: &CsvHeader) -> Result<ColumnLayout, FatalReadError> {
    let need = |name| header.require_column(name, &ASSET_COLUMNS.join(","));
    Ok(ColumnLayout {
        key: Some(need("original_sentence_id")?),
        output: Some(need("simplification")?),
        dimension: Some(need("aspect")?),
        rater: RaterNameOrigin::Cell(need("worker_id")?),
        ratings: vec![RatingColumn::overall(need("rating")?)],
        ..ColumnLayout::with_source(header, need("original")?)
    })
}
