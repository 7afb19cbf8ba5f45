//! A first reading of all rows: what a file would bring, before anything is stored.

use std::collections::HashMap;

use domain::{
    dimensions::{RatedRange, dimension_name},
    study::SystemKind,
};

use crate::{
    error::{FatalReadError, ReadError},
    row::{FileRating, FileRow},
    row_reader::OpenedFile,
};

/// What a file would bring.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileSurvey {
    /// How many rows were read, bad ones included.
    pub rows: u64,
    /// How many of them are bad.
    pub bad_rows: u64,
    /// Whether the file was read to its end.
    pub complete: bool,
    /// What was rated by raters who are named, in the order of the file.
    pub dimensions: Vec<RatedRange>,
    /// Numbers without a rater, which enter no figure.
    pub without_rater: u64,
    /// Who wrote outputs, in the order of the file.
    pub systems: Vec<SurveyedSystem>,
}

/// A writer of outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyedSystem {
    /// Its name; `None` where the file names none.
    pub name: Option<String>,
    /// The kind that a column states, in the first row that does.
    pub kind: Option<SystemKind>,
}

/// Reads rows until the end, or until `go_on` says no. Bad rows are counted and left out.
///
/// # Errors
/// The [`Fatal`] that ends the rows; [`Fatal::NoRows`] where there is none.
pub fn survey(
    opened: OpenedFile<'_>,
    mut go_on: impl FnMut(&FileSurvey) -> bool,
) -> Result<FileSurvey, FatalReadError> {
    let mut found = FileSurvey::default();
    let (mut dimensions, mut systems) = (HashMap::new(), HashMap::new());
    for item in opened.rows {
        found.rows += 1;
        match item {
            Ok(row) => found.add(row, &mut dimensions, &mut systems),
            Err(ReadError::Row(_)) => found.bad_rows += 1,
            Err(ReadError::Fatal(fault)) => return Err(fault),
        }
        if !go_on(&found) {
            return Ok(found);
        }
    }
    if found.rows == 0 {
        return Err(FatalReadError::NoRows);
    }
    found.complete = true;
    Ok(found)
}

impl FileSurvey {
    /// Takes a row in; the maps hold the places of what is there.
    fn add(
        &mut self,
        row: FileRow,
        dimensions: &mut HashMap<String, usize>,
        systems: &mut HashMap<Option<String>, usize>,
    ) {
        let Some(output) = row.output else { return };
        let place = *systems.entry(output.system.clone()).or_insert_with(|| {
            self.systems.push(SurveyedSystem {
                name: output.system.clone(),
                kind: None,
            });
            self.systems.len() - 1
        });
        let kind = &mut self.systems[place].kind;
        *kind = kind.or(output.kind);
        for rating in &output.ratings {
            if rating.rater.is_none() {
                self.without_rater += 1;
                continue;
            }
            let name = dimension_name(&rating.dimension);
            let next = self.dimensions.len();
            let place = *dimensions.entry(name.clone()).or_insert(next);
            if place == next {
                self.dimensions.push(initial_range(name, rating));
            }
            let of = &mut self.dimensions[place];
            let value = rating.value.value();
            of.stated = of.stated.or(rating.scale);
            of.low = of.low.min(value);
            of.high = of.high.max(value);
            of.ratings += 1;
        }
    }
}

fn initial_range(name: String, rating: &FileRating) -> RatedRange {
    RatedRange {
        name,
        stated: rating.scale,
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        ratings: 0,
    }
}
