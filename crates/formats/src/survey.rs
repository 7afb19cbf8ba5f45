//! A first reading of all rows, for a summary before anything is stored.

use std::collections::HashMap;

use domain::{dimensions::RatedRange, study::SystemKind};

use crate::{
    dimension_places::DimensionPlaces,
    error::{FatalReadError, ReadError},
    row_reader::OpenedFile,
    row_remarks::RowRemark,
    row_view::RowView,
    sheet_notes::SheetNote,
};

/// A summary of what an import would store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileSurvey {
    /// The number of rows that were read, bad ones included.
    pub rows: u64,
    /// The number of bad rows.
    pub bad_rows: u64,
    /// The number of lines that were read.
    pub lines: u64,
    /// Whether the file was read to its end.
    pub complete: bool,
    /// The dimensions of ratings with named raters, in the order of the file.
    pub dimensions: Vec<RatedRange>,
    /// The number of ratings without a rater, which enter no figure.
    pub without_rater: u64,
    /// The number of outputs without a word.
    pub empty_outputs: u64,
    /// The systems, in the order of the file.
    pub systems: Vec<SurveyedSystem>,
    /// Remarks on the sheet of a workbook.
    pub sheet_notes: Vec<SheetNote>,
    /// Remarks on the rows.
    pub remarks: Vec<RowRemark>,
}

/// A system that wrote outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyedSystem {
    /// Its name; `None` where the file names none.
    pub name: Option<String>,
    /// The kind, from the first row that states one.
    pub kind: Option<SystemKind>,
}

/// Reads rows to the end, or until `go_on` returns false. Bad rows are counted and left out.
///
/// # Errors
/// The [`FatalReadError`] that ends the rows; [`FatalReadError::NoRows`] if there are none.
pub fn survey(
    mut opened: OpenedFile<'_>,
    mut go_on: impl FnMut(&FileSurvey) -> bool,
) -> Result<FileSurvey, FatalReadError> {
    let mut survey = FileSurvey {
        sheet_notes: opened.input.sheet_notes,
        ..FileSurvey::default()
    };
    let (mut dimensions, mut systems) = (DimensionPlaces::default(), HashMap::new());
    let lines = opened.lines;

    loop {
        let add = |row: RowView<'_>| survey.add(&row, &mut dimensions, &mut systems);
        let Some(added) = opened.rows.view_next(add) else {
            break;
        };
        survey.rows += 1;
        match added {
            Ok(()) => {}
            Err(ReadError::Row(_)) => survey.bad_rows += 1,
            Err(ReadError::Fatal(fault)) => return Err(fault),
        }
        if !go_on(&survey) {
            survey.lines = lines.get();
            survey.remarks = opened.remarks.list();
            return Ok(survey);
        }
    }

    if survey.rows == 0 {
        return Err(FatalReadError::NoRows);
    }

    survey.lines = lines.get();
    survey.remarks = opened.remarks.list();
    survey.complete = true;
    Ok(survey)
}

impl FileSurvey {
    /// Adds a row; `dimensions` and `systems` hold the places of the known ones.
    fn add(
        &mut self,
        row: &RowView<'_>,
        dimensions: &mut DimensionPlaces,
        systems: &mut HashMap<Option<String>, usize>,
    ) {
        let Some(output) = &row.output else { return };
        self.empty_outputs += u64::from(output.text.trim().is_empty());

        let name = output.system.as_deref().map(str::to_owned);
        let place = *systems.entry(name.clone()).or_insert_with(|| {
            self.systems.push(SurveyedSystem { name, kind: None });
            self.systems.len() - 1
        });
        let kind = &mut self.systems[place].kind;
        *kind = kind.or(output.kind);

        for rating in output.ratings.iter().filter(|rating| !rating.shared) {
            match &rating.rater {
                Some(_) => {
                    dimensions.count(rating, &mut self.dimensions);
                }
                None => self.without_rater += 1,
            }
        }
    }
}
