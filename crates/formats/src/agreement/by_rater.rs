//! SimpEval files, in which a row is an output and a column of ratings is a rater.

use std::{collections::BTreeMap, sync::Arc};

use domain::statistics::{IndexedRating, RatingTable};
use rustc_hash::FxHashSet;

use super::{FileRatings, RatedOutput, RatingsWarning, SharedRating, constant_raters};
use crate::{
    columns::RaterNameOrigin,
    error::FatalReadError,
    format::{self, FileFormat, FormatFamily},
    input::CsvTable,
    mapping::ColumnMapping,
    row_view::RowView,
    simpeval::{self, SlotRaters},
    text_table::TextTable,
};

/// The largest distance of a z-score from the line that fits a rater best, in standard deviations: the
/// rounding to two decimals, with room to spare. Two raters in one column are far beyond.
const MAX_Z_DEVIATION: f64 = 0.02;

/// Reads a SimpEval file; without `raters` each column counts as a rater.
pub(super) fn read_simpeval(
    mut table: CsvTable<'_>,
    raters: Option<SlotRaters>,
) -> Result<FileRatings, FatalReadError> {
    let (format, mut columns) = format::detect_columns(
        &mut table,
        FormatFamily::SimpEval,
        &ColumnMapping::default(),
        false,
    )?;
    if !format.is_simpeval() {
        let advice = "import it into a study and compute the agreement there";
        return Err(table
            .header()
            .wrong_header("a SimpEval file, past or 2022", advice));
    }

    let warning = match raters {
        Some(_) => RatingsWarning::InconsistentZScores,
        None => RatingsWarning::SeveralRatersInColumn,
    };
    columns.rater = RaterNameOrigin::ColumnName;
    if let Some(raters) = raters {
        simpeval::name_raters(&mut columns, raters);
    }
    let remarks = columns.remarks.clone();
    let id_column = columns.verbatim_column("id");

    let mut collector = RaterCollector::default();
    let mut bad_rows = Vec::new();
    while let Some(record) = table.read_record()? {
        match columns.view_row(record) {
            Ok(row) => {
                let id = id_column.and_then(|place| record.cells.get(place));
                collector.add(&row, id);
            }
            Err(bad) => bad_rows.push(bad),
        }
    }

    if collector.outputs.is_empty() && !bad_rows.is_empty() {
        return Err(FatalReadError::NoUsableRow(bad_rows));
    }

    let file = collector.finish(format, warning)?;
    let remarks = remarks.list().into_iter().map(RatingsWarning::Remark);
    Ok(FileRatings {
        warnings: remarks.chain(file.warnings).collect(),
        bad_rows,
        ..file
    })
}

/// The ratings of a file with one unit a row.
#[derive(Default)]
struct RaterCollector {
    texts: TextTable,
    raters: TextTable,
    /// The lines of rated rows with their outputs; a place in the list is the index of the unit.
    outputs: Vec<(u64, RatedOutput)>,
    raw: Vec<IndexedRating>,
    z: Vec<IndexedRating>,
    /// Those that were given to an identical output, with the file's own z-scores.
    shared: Vec<(IndexedRating, Option<f64>)>,
    /// Raw rating and z-score, by rater.
    pairs: Vec<Vec<(f64, f64)>>,
}

impl RaterCollector {
    fn add(&mut self, row: &RowView<'_>, id: Option<&str>) {
        let Some(output) = row.output.as_ref().filter(|o| !o.ratings.is_empty()) else {
            return;
        };
        let unit = u32::try_from(self.outputs.len()).expect("memory holds fewer rows");

        for rating in &output.ratings {
            let rater = self.raters.id(rating.rater.as_deref().unwrap_or_default());
            let value = rating.value.value;
            if rating.shared {
                let z = rating.z.map(|z| z.value);
                self.shared.push((IndexedRating { rater, unit, value }, z));
                continue;
            }

            if let Some(z) = rating.z {
                let place = rater as usize;
                if self.pairs.len() <= place {
                    self.pairs.resize_with(place + 1, Vec::new);
                }
                self.pairs[place].push((value, z.value));
                let value = z.value;
                self.z.push(IndexedRating { rater, unit, value });
            }
            self.raw.push(IndexedRating { rater, unit, value });
        }

        let mut shared = |text: &str| {
            let id = self.texts.id(text);
            Arc::clone(self.texts.text(id))
        };
        let rated_output = RatedOutput {
            system: shared(output.system.as_deref().unwrap_or_default()),
            id: id.map(str::to_owned),
            source: shared(row.key.as_deref().unwrap_or(row.source)),
            category: output.category,
            source_text: shared(row.source),
            text: output.text.into(),
        };
        self.outputs.push((row.line, rated_output));
    }

    fn finish(
        self,
        format: FileFormat,
        warning: fn(String) -> RatingsWarning,
    ) -> Result<FileRatings, FatalReadError> {
        let raters = self.raters.to_strings();
        let lines: Vec<u64> = self.outputs.iter().map(|(line, _)| *line).collect();
        let table = |ratings: &[IndexedRating]| {
            RatingTable::from_indices(&raters, &lines, ratings).map_err(FatalReadError::Ratings)
        };
        let (raw, z) = (table(&self.raw)?, table(&self.z)?);

        let mut inconsistent: Vec<_> = self
            .pairs
            .iter()
            .zip(&raters)
            .filter(|(pairs, _)| has_inconsistent_z_scores(pairs))
            .map(|(_, rater)| rater.clone())
            .collect();
        inconsistent.sort_unstable();

        let shared = |(rating, z): (IndexedRating, Option<f64>)| {
            let (line, output) = &self.outputs[rating.unit as usize];
            SharedRating {
                rater: raters[rating.rater as usize].clone(),
                unit: *line,
                output: output.clone(),
                value: rating.value,
                z,
            }
        };
        let shared: Vec<_> = self.shared.into_iter().map(shared).collect();

        let mut outputs: BTreeMap<_, _> = self.outputs.into_iter().collect();
        // Outputs with nothing but shared ratings are not units of the tables.
        if !shared.is_empty() {
            let own: FxHashSet<u64> = (self.raw.iter())
                .map(|rating| lines[rating.unit as usize])
                .collect();
            outputs.retain(|line, _| own.contains(line));
        }

        let inconsistent = inconsistent.into_iter().map(warning);
        let warnings = inconsistent.chain(constant_raters(&raters, &self.raw));
        Ok(FileRatings {
            format,
            raw,
            z,
            shared,
            outputs,
            warnings: warnings.collect(),
            bad_rows: Vec::new(),
        })
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
