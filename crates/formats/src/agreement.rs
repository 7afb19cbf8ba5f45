//! The ratings of a SimpEval file as tables that agreement and scores of systems are computed from.

use std::{collections::BTreeMap, fmt, io::Read};

use domain::{category::Category, statistics::Ratings};

use crate::{
    columns::RaterFrom,
    fault::{BadRow, Fatal},
    format::{self, Family, Format},
    input::{Guarded, Table},
    mapping::Mapping,
    row::Row,
    simpeval::{self, Raters},
};

/// The ratings of one file. A unit is a row, named by its line.
#[derive(Debug, Clone)]
pub struct RatedFile {
    /// Which of SimpEval's formats it is.
    pub format: Format,
    /// As given, on 0 to 100.
    pub raw: Ratings<String, u64>,
    /// The file's own z-scores; empty where it has none.
    pub z: Ratings<String, u64>,
    /// The outputs that carry a rating, by unit.
    pub outputs: BTreeMap<u64, RatedOutput>,
    /// What speaks against taking the figures as they are.
    pub warnings: Vec<Warning>,
    /// The rows that are left out.
    pub bad_rows: Vec<BadRow>,
}

/// What was rated, and who wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatedOutput {
    /// Who wrote it; empty where the cell is.
    pub system: String,
    /// The file's own name for the output, in its column `id`.
    pub id: Option<String>,
    /// The source's own name in the file, or its text where it has none.
    pub source: String,
    /// The group that the file puts it in, where it does.
    pub category: Option<Category>,
    /// The text that was simplified.
    pub source_text: String,
    /// What became of it.
    pub text: String,
}

/// Something that makes the figures of a file doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A column that stands for a rater has z-scores that are no single straight line of its raw
    /// ratings, as those of one rater would be.
    SeveralRatersInColumn(String),
    /// The same of a rater that the file of raters names.
    CrookedRater(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SeveralRatersInColumn(column) => write!(
                f,
                "The z-scores in the column of “{column}” are no single straight line of its \
                 ratings: several people wrote in it, so it is no rater. Add the file of raters."
            ),
            Self::CrookedRater(rater) => write!(
                f,
                "The z-scores of “{rater}” are no single straight line of the ratings: the file \
                 of raters may name the wrong one, or they were computed in parts."
            ),
        }
    }
}

/// How far a z-score may lie from the line that fits a rater best, in standard deviations: what two
/// decimals round off, with room to spare. Two raters in one column are far beyond.
const CROOKED: f64 = 0.02;

/// Reads a SimpEval file, past or 2022, for its agreement. Without `raters` its columns stand for
/// them.
///
/// # Errors
/// [`Fatal`] where the file cannot be read to its end or is of another format.
pub fn read_ratings(input: impl Read, raters: Option<Raters>) -> Result<RatedFile, Fatal> {
    let mut table = Table::open(Guarded::open(input)?)?;
    let (format, mut columns) = format::columns(&mut table, Family::SimpEval, &Mapping::default())?;
    if !format.is_simpeval() {
        let advice = "import it into a study and compute the agreement there";
        return Err(table
            .header()
            .wrong("a SimpEval file, past or 2022", advice));
    }
    let named = raters.is_some();
    columns.rater = RaterFrom::ColumnName;
    if let Some(raters) = raters {
        simpeval::name_raters(&mut columns, raters);
    }
    let mut found = Found::default();
    while let Some(record) = table.read()? {
        match columns.row(&record) {
            Ok(row) => found.add(row),
            Err(bad) => found.bad_rows.push(bad),
        }
    }
    let warning = if named {
        Warning::CrookedRater
    } else {
        Warning::SeveralRatersInColumn
    };
    let crooked = found
        .of_rater
        .into_iter()
        .filter(|(_, pairs)| is_crooked(pairs));
    Ok(RatedFile {
        format,
        raw: Ratings::new(found.raw).map_err(Fatal::Ratings)?,
        z: Ratings::new(found.z).map_err(Fatal::Ratings)?,
        outputs: found.outputs,
        warnings: crooked.map(|(rater, _)| warning(rater)).collect(),
        bad_rows: found.bad_rows,
    })
}

#[derive(Default)]
struct Found {
    raw: Vec<(String, u64, f64)>,
    z: Vec<(String, u64, f64)>,
    /// Raw rating and z-score, by rater.
    of_rater: BTreeMap<String, Vec<(f64, f64)>>,
    outputs: BTreeMap<u64, RatedOutput>,
    bad_rows: Vec<BadRow>,
}

impl Found {
    fn add(&mut self, row: Row) {
        let Some(output) = row.output.filter(|output| !output.ratings.is_empty()) else {
            return;
        };
        let id = row.verbatim.iter().find(|(name, _)| **name == *"id");
        let rated = RatedOutput {
            system: output.system.unwrap_or_default(),
            id: id.map(|(_, id)| id.clone()),
            source: row.source.key.unwrap_or_else(|| row.source.text.clone()),
            category: output.category,
            source_text: row.source.text,
            text: output.text,
        };
        self.outputs.insert(row.line, rated);
        for rating in output.ratings {
            let rater = rating.rater.unwrap_or_default();
            if let Some(z) = rating.z {
                let pairs = self.of_rater.entry(rater.clone()).or_default();
                pairs.push((rating.value.get(), z.get()));
                self.z.push((rater.clone(), row.line, z.get()));
            }
            self.raw.push((rater, row.line, rating.value.get()));
        }
    }
}

/// Whether some (raw, z) is off the least-squares line through all.
fn is_crooked(pairs: &[(f64, f64)]) -> bool {
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let products = pairs
        .iter()
        .map(|pair| (pair.0 - x) * (pair.1 - y))
        .sum::<f64>();
    let squares = pairs.iter().map(|pair| (pair.0 - x).powi(2)).sum::<f64>();
    let slope = if squares > 0.0 {
        products / squares
    } else {
        0.0
    };
    let off = |pair: &(f64, f64)| (pair.1 - y - slope * (pair.0 - x)).abs();
    pairs.iter().any(|pair| off(pair) > CROOKED)
}
