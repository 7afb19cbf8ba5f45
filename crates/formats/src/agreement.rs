//! The ratings of a file as tables, for agreement and scores of systems.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    io::Read as _,
};

use domain::{
    category::Category,
    dimensions::{RatedRange, dimension_name},
    score::RatingScale,
    statistics::RatingTable,
    study::Dimension,
};

use crate::{
    columns::{RaterNameOrigin, check_scale},
    error::{BadRow, FatalReadError, ReadError, clip},
    format::{self, FileFormat, FormatFamily},
    input::FileInput,
    mapping::ColumnMapping,
    row::{FileOutput, FileRow},
    row_reader::{FileReadOptions, open},
    simpeval::{self, SlotRaters},
    survey::survey,
};

/// The ratings of one file. A unit is an output, named by the line of its row, or of its first one.
#[derive(Debug, Clone)]
pub struct FileRatings {
    /// The format of the file.
    pub format: FileFormat,
    /// As given, on the scale of the file.
    pub raw: RatingTable<String, u64>,
    /// The file's own z-scores; empty where it has none.
    pub z: RatingTable<String, u64>,
    /// The outputs that carry a rating, by unit.
    pub outputs: BTreeMap<u64, RatedOutput>,
    /// Reasons to doubt the figures.
    pub warnings: Vec<RatingsWarning>,
    /// The rows that are left out.
    pub bad_rows: Vec<BadRow>,
}

/// An output that was rated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatedOutput {
    /// The system that wrote it; empty where the cell is.
    pub system: String,
    /// The file's own name for the output, in its column `id`.
    pub id: Option<String>,
    /// The source's own name in the file, or its text where it has none.
    pub source: String,
    /// The group that the file puts it in, where it does.
    pub category: Option<Category>,
    /// The source's text.
    pub source_text: String,
    /// The output's text.
    pub text: String,
}

/// Something that makes the figures of a file doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RatingsWarning {
    /// The z-scores of a column that is named after a rater are no single linear function of its raw
    /// ratings, as those of one rater would be.
    SeveralRatersInColumn(String),
    /// The same of a rater that the file of raters names.
    InconsistentZScores(String),
}

impl fmt::Display for RatingsWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SeveralRatersInColumn(column) => write!(
                f,
                "The z-scores in the column of “{column}” are no single straight line of its \
                 ratings: several people wrote in it, so it is no rater. Add the file of raters."
            ),
            Self::InconsistentZScores(rater) => write!(
                f,
                "The z-scores of “{rater}” are no single straight line of the ratings: the file \
                 of raters may name the wrong one, or they were computed in parts."
            ),
        }
    }
}

/// The largest distance of a z-score from the line that fits a rater best, in standard deviations: the
/// rounding to two decimals, with room to spare. Two raters in one column are far beyond.
const MAX_Z_DEVIATION: f64 = 0.02;

/// Reads a SimpEval file, past or 2022, for its agreement. Without `raters` each column counts as a
/// rater.
///
/// # Errors
/// [`FatalReadError`] where the file cannot be read to its end or is of another format.
pub fn read_ratings<'r>(
    input: impl Into<FileInput<'r>>,
    raters: Option<SlotRaters>,
) -> Result<FileRatings, FatalReadError> {
    let mut table = input.into().open()?.into_table()?;
    let (format, mut columns) = format::detect_columns(
        &mut table,
        FormatFamily::SimpEval,
        &ColumnMapping::default(),
    )?;
    if !format.is_simpeval() {
        let advice = "import it into a study and compute the agreement there";
        return Err(table
            .header()
            .wrong_header("a SimpEval file, past or 2022", advice));
    }
    let has_raters_file = raters.is_some();
    columns.rater = RaterNameOrigin::ColumnName;
    if let Some(raters) = raters {
        simpeval::name_raters(&mut columns, raters);
    }
    let mut ratings = DimensionRatings::default();
    while let Some(record) = table.read_record()? {
        match columns.read_row(&record) {
            Ok(row) => ratings.add(row),
            Err(bad) => ratings.bad_rows.push(bad),
        }
    }
    let warning = if has_raters_file {
        RatingsWarning::InconsistentZScores
    } else {
        RatingsWarning::SeveralRatersInColumn
    };
    let inconsistent = ratings
        .by_rater
        .into_iter()
        .filter(|(_, pairs)| has_inconsistent_z_scores(pairs));
    Ok(FileRatings {
        format,
        raw: RatingTable::new(ratings.raw).map_err(FatalReadError::Ratings)?,
        z: RatingTable::new(ratings.z).map_err(FatalReadError::Ratings)?,
        outputs: ratings.outputs,
        warnings: inconsistent.map(|(rater, _)| warning(rater)).collect(),
        bad_rows: ratings.bad_rows,
    })
}

/// Reads the ratings of a file of any format, each dimension on its own, in the order of the file. A
/// SimpEval file is read as [`read_ratings`] does. Elsewhere a unit is an output (a source, a system and
/// a text), named by the line on which it comes first, and only ratings of raters who are named count.
///
/// # Errors
/// [`FatalReadError`] where the file cannot be read to its end or has no such rating.
pub fn read_dimensions<'r>(
    input: impl Into<FileInput<'r>>,
    reading: FileReadOptions,
) -> Result<Vec<(Dimension, FileRatings)>, FatalReadError> {
    let (mut reader, options) = input.into().into_parts();
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let input = || FileInput::new(&bytes[..], options.clone());
    if is_simpeval(input(), &reading)? {
        let file = read_ratings(input(), reading.raters)?;
        return Ok(vec![(Dimension::default(), file)]);
    }
    let opened = open(input(), reading.clone())?;
    let ranges = survey(opened, |_| true)?.dimensions;
    if ranges.is_empty() {
        return Err(FatalReadError::NoRatings);
    }
    let scale = |range: &RatedRange| {
        let inferred = || RatingScale::infer(&range.name, range.low, range.high);
        range.stated.unwrap_or_else(inferred)
    };
    let scales: BTreeMap<_, _> = ranges
        .iter()
        .map(|range| (range.name.clone(), scale(range)))
        .collect();
    let opened = open(input(), reading)?;
    let format = opened.format;
    let mut parts = RatingsByDimension::default();
    for item in opened.rows {
        match item {
            Ok(row) => parts.add(row, &scales),
            Err(ReadError::Row(bad)) => parts.bad_rows.push(bad),
            Err(ReadError::Fatal(fault)) => return Err(fault),
        }
    }
    let mut files = Vec::new();
    for RatedRange { name, .. } in ranges {
        let ratings = parts.by_dimension.remove(&name).unwrap_or_default();
        let file = FileRatings {
            format,
            raw: RatingTable::new(ratings.raw).map_err(FatalReadError::Ratings)?,
            z: RatingTable::new(ratings.z).map_err(FatalReadError::Ratings)?,
            outputs: ratings.outputs,
            warnings: vec![],
            bad_rows: parts.bad_rows.clone(),
        };
        let scale = scales[&name];
        files.push((Dimension::new(name, scale), file));
    }
    Ok(files)
}

/// Whether the file is a SimpEval file, by its content or by the options.
fn is_simpeval(input: FileInput<'_>, reading: &FileReadOptions) -> Result<bool, FatalReadError> {
    let reading = reading.clone();
    match (reading.family, reading.mapping.fields.is_empty()) {
        (FormatFamily::SimpEval, _) => Ok(true),
        (FormatFamily::Any, true) if reading.raters.is_some() => Ok(true),
        (FormatFamily::Any, true) => Ok(open(input, reading)?.format.is_simpeval()),
        _ => Ok(false),
    }
}

/// The ratings of a file, dimension by dimension.
#[derive(Default)]
struct RatingsByDimension {
    /// The line of the first row of each output: by source, system and text.
    units: BTreeMap<(String, String, String), u64>,
    by_dimension: BTreeMap<String, DimensionRatings>,
    bad_rows: Vec<BadRow>,
}

impl RatingsByDimension {
    /// Adds the ratings of a row to their dimensions.
    fn add(&mut self, row: FileRow, scales: &BTreeMap<String, RatingScale>) {
        let Some(mut output) = row.output else { return };
        let line = row.line;
        let source = row.source.key.clone();
        let key = (
            source.unwrap_or_else(|| row.source.text.clone()),
            output.system.clone().unwrap_or_default(),
            output.text.clone(),
        );
        let unit = *self.units.entry(key).or_insert(line);
        for rating in std::mem::take(&mut output.ratings) {
            let Some(rater) = rating.rater.clone() else {
                continue;
            };
            let name = dimension_name(&rating.dimension);
            let part = self.by_dimension.entry(name.clone()).or_default();
            let fault = check_scale(scales.get(&name).copied(), &rating.value).err();
            let repetition =
                (fault.is_none() && !part.seen.insert((rater.clone(), unit))).then(|| {
                    let rater = clip(&rater);
                    format!("“{rater}” rated this output before: one rater gives one rating")
                });
            if let Some(reason) = fault.or(repetition) {
                let bad = BadRow::new(line, Some(&rating.column), reason);
                self.bad_rows.push(bad);
                continue;
            }
            part.add(FileRow {
                line: unit,
                source: row.source.clone(),
                output: Some(FileOutput {
                    ratings: vec![rating],
                    ..output.clone()
                }),
                verbatim: vec![],
            });
        }
    }
}

#[derive(Default)]
struct DimensionRatings {
    /// The pairs of rater and unit so far, where rows of several lines are one unit.
    seen: HashSet<(String, u64)>,
    raw: Vec<(String, u64, f64)>,
    z: Vec<(String, u64, f64)>,
    /// Raw rating and z-score, by rater.
    by_rater: BTreeMap<String, Vec<(f64, f64)>>,
    outputs: BTreeMap<u64, RatedOutput>,
    bad_rows: Vec<BadRow>,
}

impl DimensionRatings {
    fn add(&mut self, row: FileRow) {
        let Some(output) = row.output.filter(|output| !output.ratings.is_empty()) else {
            return;
        };
        let id = row.verbatim.iter().find(|(name, _)| **name == *"id");
        let rated_output = RatedOutput {
            system: output.system.unwrap_or_default(),
            id: id.map(|(_, id)| id.clone()),
            source: row.source.key.unwrap_or_else(|| row.source.text.clone()),
            category: output.category,
            source_text: row.source.text,
            text: output.text,
        };
        self.outputs.insert(row.line, rated_output);
        for rating in output.ratings {
            let rater = rating.rater.unwrap_or_default();
            if let Some(z) = rating.z {
                let pairs = self.by_rater.entry(rater.clone()).or_default();
                pairs.push((rating.value.value(), z.value()));
                self.z.push((rater.clone(), row.line, z.value()));
            }
            self.raw.push((rater, row.line, rating.value.value()));
        }
    }
}

/// Whether some pair (raw, z) is off the least-squares line through all pairs.
fn has_inconsistent_z_scores(pairs: &[(f64, f64)]) -> bool {
    let n = pairs.len() as f64;
    let mean = |coordinate: fn(&(f64, f64)) -> f64| pairs.iter().map(coordinate).sum::<f64>() / n;
    let (mean_raw, mean_z) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let products = pairs
        .iter()
        .map(|pair| (pair.0 - mean_raw) * (pair.1 - mean_z))
        .sum::<f64>();
    let squares = pairs
        .iter()
        .map(|pair| (pair.0 - mean_raw).powi(2))
        .sum::<f64>();
    let slope = if squares > 0.0 {
        products / squares
    } else {
        0.0
    };
    let residual = |pair: &(f64, f64)| (pair.1 - mean_z - slope * (pair.0 - mean_raw)).abs();
    pairs.iter().any(|pair| residual(pair) > MAX_Z_DEVIATION)
}
