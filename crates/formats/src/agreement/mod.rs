//! The ratings of a file as tables, for agreement and scores of systems.

mod by_dimension;
mod by_rater;
mod pair_set;

use std::{collections::BTreeMap, fmt, sync::Arc};

use domain::{
    category::Category,
    dimensions::RatedRange,
    score::RatingScale,
    statistics::{IndexedRating, RatingTable},
    study::Dimension,
};

use self::by_dimension::DimensionCollector;
use crate::{
    error::{BadRow, FatalReadError, ReadError, clip},
    format::{self, FileFormat, FormatFamily},
    input::{CsvHeader, FileInput},
    mapping::ColumnMapping,
    row_reader::{FileReadOptions, OpenedFile, open},
    row_remarks::RowRemark,
    sheet_notes::SheetNote,
    simpeval::SlotRaters,
};

/// The ratings of one file. A unit is an output, identified by the line on which it first appears.
#[derive(Debug, Clone)]
pub struct FileRatings {
    /// The format of the file.
    pub format: FileFormat,
    /// The ratings as given, on the file's scale.
    pub raw: RatingTable<String, u64>,
    /// The file's own z-scores; empty where it has none.
    pub z: RatingTable<String, u64>,
    /// The outputs that carry a rating, by unit.
    pub outputs: BTreeMap<u64, RatedOutput>,
    /// The ratings of an exported study that were given to an identical output: they count for the systems of their own
    /// outputs, and nowhere else.
    pub shared: Vec<SharedRating>,
    /// Reasons to doubt the figures.
    pub warnings: Vec<RatingsWarning>,
    /// The rows that are left out.
    pub bad_rows: Vec<BadRow>,
}

/// A rating that counts for an output although it was given to an identical one.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedRating {
    /// The rater.
    pub rater: String,
    /// The unit, as in [`FileRatings::raw`].
    pub unit: u64,
    /// The output.
    pub output: RatedOutput,
    /// The rating.
    pub value: f64,
    /// The file's own z-score.
    pub z: Option<f64>,
}

/// An output that was rated. Outputs share texts that repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatedOutput {
    /// The system that wrote it; empty where the cell is.
    pub system: Arc<str>,
    /// The file's own name for the output, in its column `id`.
    pub id: Option<String>,
    /// The source's own name in the file, or its text where it has none.
    pub source: Arc<str>,
    /// The category, where the file has one.
    pub category: Option<Category>,
    /// The source's text.
    pub source_text: Arc<str>,
    /// The output's text.
    pub text: Arc<str>,
}

/// Something that makes the figures of a file doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RatingsWarning {
    /// The z-scores of a column that is named after a rater do not fit one linear function of its raw
    /// ratings, as those of one rater would.
    SeveralRatersInColumn(String),
    /// The same, for a rater that the file of raters names.
    InconsistentZScores(String),
    /// How the sheet of a workbook was read.
    Sheet(SheetNote),
    /// A rater gave every output the same rating.
    ConstantRater {
        /// The rater.
        rater: String,
        /// The number of ratings.
        ratings: usize,
    },
    /// Ratings whose rater the file does not name, though it names others.
    WithoutRater {
        /// Their number.
        ratings: u64,
        /// The line of the first.
        line: u64,
    },
    /// The file states no scale for a dimension, and the ratings stay below the top of the assumed one.
    AssumedScale {
        /// The dimension.
        dimension: String,
        /// The lowest and the highest rating, as whole numbers.
        range: [String; 2],
        /// The assumed scale.
        scale: RatingScale,
    },
    /// A remark on the rows.
    Remark(RowRemark),
}

impl RatingsWarning {
    /// Warns of an assumed scale; `None` where one is stated, the assumed one is longer than 10, or ratings
    /// reach its top.
    fn of_scale(range: &RatedRange, scale: RatingScale) -> Option<Self> {
        range.has_doubtful_scale(scale).then(|| Self::AssumedScale {
            dimension: range.name.clone(),
            range: [range.low.floor(), range.high.ceil()].map(|end| end.to_string()),
            scale,
        })
    }
}

/// Warns of each rater who gave the same rating to all of several outputs.
fn constant_raters(raters: &[String], ratings: &[IndexedRating]) -> Vec<RatingsWarning> {
    // The first rating of each rater, and the number of ratings while all are equal; 0 once they differ.
    let mut first = vec![(None, 0); raters.len()];

    for rating in ratings {
        let (value, count) = &mut first[rating.rater as usize];
        match *value {
            None => (*value, *count) = (Some(rating.value), 1),
            Some(value) if value.total_cmp(&rating.value).is_eq() && *count > 0 => *count += 1,
            Some(_) => *count = 0,
        }
    }

    let raters = raters.iter().zip(first);
    raters
        .filter(|(_, (_, count))| *count > 1)
        .map(|(rater, (_, ratings))| RatingsWarning::ConstantRater {
            rater: rater.clone(),
            ratings,
        })
        .collect()
}

impl fmt::Display for RatingsWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sheet(note) => note.fmt(f),
            Self::SeveralRatersInColumn(column) => write!(
                f,
                "The z-scores in the column of “{column}” are not one linear function of its \
                 ratings: several people wrote in it, so it is no rater. Add the file of raters."
            ),
            Self::InconsistentZScores(rater) => write!(
                f,
                "The z-scores of “{rater}” are not one linear function of the ratings: the file \
                 of raters may name the wrong one, or they were computed in parts."
            ),
            Self::ConstantRater { rater, ratings } => write!(
                f,
                "“{}” gave all of {ratings} outputs the same rating: these ratings do not tell outputs apart, and no \
                 z-scores can be computed from them.",
                clip(rater)
            ),
            Self::WithoutRater { ratings, line } => {
                let ratings = match ratings {
                    1 => "One rating names no rater and is".to_owned(),
                    count => format!("{count} ratings name no rater and are"),
                };
                write!(
                    f,
                    "{ratings} in no figure, the first on line {line}: add the rater."
                )
            }
            Self::AssumedScale {
                dimension,
                range: [low, high],
                scale,
            } => write!(
                f,
                "Ratings on {dimension} go from {low} to {high}, and the file states no scale, so they are taken as \
                 {scale}: state it, as in --scale {low}..{high}, where it is another."
            ),
            Self::Remark(remark) => write!(f, "{remark}"),
        }
    }
}

/// Reads a SimpEval file, past or 2022, for its agreement. Without `raters` each column counts as a
/// rater.
///
/// # Errors
/// [`FatalReadError`] where the file cannot be read to its end or is of another format.
pub fn read_ratings<'r>(
    input: impl Into<FileInput<'r>>,
    raters: Option<SlotRaters>,
) -> Result<FileRatings, FatalReadError> {
    let is_simpeval = |header: &CsvHeader| {
        format::has_columns(header, FormatFamily::SimpEval, &ColumnMapping::default())
    };

    let input = input.into().open_fitting(is_simpeval)?;
    let notes = input.description.sheet_notes.clone();
    let mut file = by_rater::read_simpeval(input.into_table()?, raters)?;
    add_notes(&mut file, &notes);
    Ok(file)
}

/// Puts remarks on the sheet of a workbook before the other warnings.
fn add_notes(file: &mut FileRatings, notes: &[SheetNote]) {
    let notes = notes.iter().cloned().map(RatingsWarning::Sheet);
    file.warnings.splice(..0, notes);
}

/// Reads the ratings of a file of any format, each dimension on its own, in the order of the file. A
/// SimpEval file is read as [`read_ratings`] does. Elsewhere a unit is an output (a source, a system and
/// a text), identified by the line on which it first appears, and ratings without a named rater do not count.
///
/// # Errors
/// [`FatalReadError`] where the file cannot be read to its end or has no such rating.
pub fn read_dimensions<'r>(
    input: impl Into<FileInput<'r>>,
    reading: FileReadOptions,
) -> Result<Vec<(Dimension, FileRatings)>, FatalReadError> {
    read(input.into(), reading, OutputUse::Listed)
}

/// As [`read_dimensions`], without [`FileRatings::outputs`], which take much of the time for a large file.
///
/// # Errors
/// As for [`read_dimensions`].
pub fn read_dimensions_without_outputs<'r>(
    input: impl Into<FileInput<'r>>,
    reading: FileReadOptions,
) -> Result<Vec<(Dimension, FileRatings)>, FatalReadError> {
    let mut dimensions = read(input.into(), reading, OutputUse::LeftOut)?;
    for (_, ratings) in &mut dimensions {
        ratings.outputs.clear();
    }
    Ok(dimensions)
}

/// Whether outputs are listed with their ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputUse {
    Listed,
    LeftOut,
}

fn read(
    input: FileInput<'_>,
    reading: FileReadOptions,
    outputs: OutputUse,
) -> Result<Vec<(Dimension, FileRatings)>, FatalReadError> {
    let shows_format = reading.family == FormatFamily::Any && reading.mapping.fields.is_empty();
    if reading.family == FormatFamily::SimpEval || shows_format && reading.raters.is_some() {
        let file = read_ratings(input, reading.raters)?;
        return Ok(vec![(Dimension::default(), file)]);
    }

    let OpenedFile {
        format,
        input,
        mut rows,
        remarks,
        ..
    } = open(input, reading)?;

    if shows_format && format.is_simpeval() {
        let table = rows.into_table().expect("a SimpEval file is a table");
        let mut file = by_rater::read_simpeval(table, None)?;
        add_notes(&mut file, &input.sheet_notes);
        return Ok(vec![(Dimension::default(), file)]);
    }

    let mut collector = DimensionCollector::default();
    while let Some(added) = rows.view_next(|row| collector.add(&row)) {
        match added {
            Ok(()) => {}
            Err(ReadError::Row(bad)) => collector.leave_out(bad),
            Err(ReadError::Fatal(fault)) => return Err(fault),
        }
    }

    let mut dimensions = collector.finish(format, outputs, &remarks)?;
    for (_, file) in &mut dimensions {
        add_notes(file, &input.sheet_notes);
    }
    Ok(dimensions)
}
