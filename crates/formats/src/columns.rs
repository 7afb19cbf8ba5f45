//! Turns the cells of a record into a [`FileRow`]: CSV formats differ only in the layout of their columns.

use std::{borrow::Cow, str::FromStr, sync::Arc};

use csv::StringRecord;
use domain::{score::RatingScale, study::OVERALL};

use crate::{
    assignment_status::{is_rejected, is_status_column},
    error::{BadRow, clip, clipped},
    input::{CsvHeader, CsvRecord},
    numbers::{DecimalMark, is_missing},
    row::{FileRow, NumberView},
    row_remarks::RowRemarks,
    row_view::{NameView, OutputView, RatingView, RowView},
    scales::StatedScales,
    slot_raters::SlotRaters,
    visible_form,
};

/// The places of the columns.
#[derive(Debug, Clone)]
pub(crate) struct ColumnLayout {
    pub(crate) header: CsvHeader,
    pub(crate) source: usize,
    pub(crate) key: Option<usize>,
    /// The text before and after the source.
    pub(crate) context: [Option<usize>; 2],
    pub(crate) output: Option<usize>,
    pub(crate) system: Option<usize>,
    pub(crate) kind: Option<usize>,
    pub(crate) category: Option<usize>,
    pub(crate) references: Vec<usize>,
    pub(crate) rater: RaterNameOrigin,
    pub(crate) dimension: Option<usize>,
    pub(crate) ratings: Vec<RatingColumn>,
    /// The column of an export that says which ratings were given to an identical output.
    pub(crate) shared: Option<usize>,
    /// The column of an export with the category that the row's rater gave.
    pub(crate) rater_category: Option<usize>,
    /// The scales that the user stated; they override the format's own.
    pub(crate) scales: StatedScales,
    /// The columns in which a platform states the outcome of an assignment.
    pub(crate) status: Vec<usize>,
    /// The remarks on the rows so far.
    pub(crate) remarks: RowRemarks,
}

/// Where the name of a rater is found.
#[derive(Debug, Clone)]
pub(crate) enum RaterNameOrigin {
    /// The file names no raters.
    Unnamed,
    /// In a cell of the same record.
    Cell(usize),
    /// The rating's column is named after the rater.
    ColumnName,
    /// In a companion file.
    CompanionFile(Arc<SlotRaters>),
}

/// A column of ratings.
#[derive(Debug, Clone)]
pub(crate) struct RatingColumn {
    pub(crate) index: usize,
    pub(crate) dimension: Arc<str>,
    /// The format's own scale; `None` where it has none.
    pub(crate) scale: Option<RatingScale>,
    /// The number in the column's name, which a companion file refers to.
    pub(crate) slot: u32,
    /// The decimal marks of this column and of its z-scores, as learned from the rows so far.
    pub(crate) marks: [DecimalMark; 2],
    /// The column of the file's z-scores.
    pub(crate) z: Option<usize>,
}

impl RatingColumn {
    /// The overall dimension, from 0 to 100, without z-scores.
    pub(crate) fn overall(place: usize) -> Self {
        Self {
            index: place,
            dimension: OVERALL.into(),
            scale: Some(RatingScale::PERCENT),
            slot: 0,
            marks: [DecimalMark::Unknown; 2],
            z: None,
        }
    }
}

impl ColumnLayout {
    /// A layout with only the source; the format fills in the rest.
    pub(crate) fn with_source(header: &CsvHeader, source: usize) -> Self {
        Self {
            header: header.clone(),
            source,
            key: None,
            context: [None, None],
            output: None,
            system: None,
            kind: None,
            category: None,
            references: Vec::new(),
            rater: RaterNameOrigin::Unnamed,
            dimension: None,
            ratings: Vec::new(),
            shared: None,
            rater_category: None,
            scales: StatedScales::default(),
            status: Vec::new(),
            remarks: RowRemarks::default(),
        }
    }

    /// Finds the columns that state the outcome of an assignment, among those that hold no field.
    pub(crate) fn find_status_columns(&mut self) {
        let names = self.header.names().iter().enumerate();
        let unused = names.filter(|(place, _)| !self.is_used(*place));
        let status = unused.filter(|(_, name)| is_status_column(name));
        self.status = status.map(|(place, _)| place).collect();
    }

    /// Learns from a record how the numbers of its columns are written.
    pub(crate) fn learn_decimal_marks(&mut self, record: &CsvRecord) {
        for column in &mut self.ratings {
            let places = [Some(column.index), column.z];
            for (place, mark) in places.into_iter().zip(&mut column.marks) {
                let cell = place.and_then(|place| record.cells.get(place));
                mark.learn(cell.unwrap_or_default());
            }
        }
    }

    /// The row of a record. Texts that are too large to compare are refused.
    pub(crate) fn read_row(&mut self, record: &CsvRecord) -> Result<FileRow, BadRow> {
        let verbatim = self.verbatim(&record.cells);
        let row = self.view_row(record)?.check_size()?;
        Ok(row.to_row(verbatim))
    }

    /// The row of a record without its verbatim cells, in texts of the record itself.
    pub(crate) fn view_row<'a>(&'a mut self, record: &'a CsvRecord) -> Result<RowView<'a>, BadRow> {
        self.header.check_record(record)?;
        record.check_formulas(&self.header, |place| self.is_used(place))?;
        self.learn_decimal_marks(record);

        if has_swallowed_rows(record) {
            self.remarks.add_swallowing(record.line);
        }

        let cells = RecordCells {
            columns: self,
            record,
        };
        let output = cells.columns.output;
        let output = output.map(|place| cells.view_output(place)).transpose()?;

        Ok(RowView {
            line: record.line,
            key: cells.name(cells.columns.key)?,
            source: cells
                .non_empty_text(Some(cells.columns.source))?
                .unwrap_or_default(),
            context: cells.columns.context.map(|place| match place {
                Some(place) if !cells.text(place).trim().is_empty() => cells.text(place),
                _ => "",
            }),
            references: cells
                .columns
                .references
                .iter()
                .map(|place| cells.text(*place))
                .filter(|text| !text.is_empty())
                .collect(),
            output,
        })
    }

    /// The place of the first column of that name whose cells are verbatim.
    pub(crate) fn verbatim_column(&self, name: &str) -> Option<usize> {
        let mut names = self.header.names().iter().enumerate();
        let (place, _) =
            names.find(|(place, column)| ***column == *name && !self.is_used(*place))?;
        Some(place)
    }

    fn verbatim(&self, cells: &StringRecord) -> Vec<(Arc<str>, String)> {
        let named_cells = self.header.names().iter().zip(cells).enumerate();
        named_cells
            .filter(|(place, _)| !self.is_used(*place))
            .map(|(_, (name, text))| (name.clone(), text.to_owned()))
            .collect()
    }

    fn is_used(&self, place: usize) -> bool {
        let rater = match self.rater {
            RaterNameOrigin::Cell(place) => Some(place),
            _ => None,
        };

        let single_columns = [
            Some(self.source),
            self.key,
            self.output,
            self.system,
            self.kind,
            self.category,
            self.dimension,
            self.shared,
            self.rater_category,
            rater,
        ];

        single_columns.contains(&Some(place))
            || self.context.contains(&Some(place))
            || self.references.contains(&place)
            || self
                .ratings
                .iter()
                .any(|r| r.index == place || r.z == Some(place))
    }
}

/// One record under its columns.
struct RecordCells<'a> {
    columns: &'a ColumnLayout,
    record: &'a CsvRecord,
}

impl<'a> RecordCells<'a> {
    fn text(&self, place: usize) -> &'a str {
        self.record.cells.get(place).unwrap_or_default()
    }

    fn bad_row(&self, place: usize, reason: impl ToString) -> BadRow {
        let column = self.columns.header.names().get(place);
        BadRow::new(self.record.line, column.map(|name| &**name), reason)
    }

    /// The text of a column that must not be empty; `None` if the file lacks the column.
    fn non_empty_text(&self, place: Option<usize>) -> Result<Option<&'a str>, BadRow> {
        match place.map(|place| (place, self.text(place))) {
            Some((place, text)) if text.trim_start().is_empty() => {
                Err(self.bad_row(place, "is empty: fill it in"))
            }
            cell => Ok(cell.map(|(_, text)| text)),
        }
    }

    /// The visible form of a name that must not be empty; `None` if the file lacks the column.
    fn name(&self, place: Option<usize>) -> Result<Option<Cow<'a, str>>, BadRow> {
        let Some(written) = self.non_empty_text(place)? else {
            return Ok(None);
        };

        let name = visible_form(written);
        match (&name, place) {
            (Cow::Borrowed(_), _) => {}
            (Cow::Owned(read), Some(place)) if read.is_empty() => {
                return Err(self.bad_row(place, "is empty: fill it in"));
            }
            (Cow::Owned(read), _) => self.columns.remarks.add_name(written, read),
        }

        Ok(Some(name))
    }

    /// The value of a cell; `None` where it is missing.
    fn parse_cell<T: FromStr<Err: ToString>>(
        &self,
        place: Option<usize>,
    ) -> Result<Option<T>, BadRow> {
        match place.map(|place| (place, self.text(place).trim())) {
            None => Ok(None),
            Some((_, text)) if is_missing(text) => Ok(None),
            Some((place, text)) => clipped(text)
                .parse()
                .map(Some)
                .map_err(|e: T::Err| self.bad_row(place, e)),
        }
    }

    fn parse_number(
        &self,
        place: usize,
        mark: DecimalMark,
    ) -> Result<Option<NumberView<'a>>, BadRow> {
        let number = mark.parse(self.text(place));
        number.map_err(|reason| self.bad_row(place, reason))
    }

    /// The column that says that the assignment of the record was rejected.
    fn rejecting_column(&self) -> Option<&'a Arc<str>> {
        let names = self.columns.header.names();
        let columns = self
            .columns
            .status
            .iter()
            .map(|place| (*place, &names[*place]));
        let mut rejecting = columns.filter(|(place, name)| is_rejected(name, self.text(*place)));
        rejecting.next().map(|(_, name)| name)
    }

    fn view_output(&self, place: usize) -> Result<OutputView<'a>, BadRow> {
        let columns = self.columns;
        let mut output = OutputView {
            text: self.text(place),
            system: self.name(columns.system)?,
            kind: self.parse_cell(columns.kind)?,
            category: self.parse_cell(columns.category)?,
            ratings: Vec::with_capacity(columns.ratings.len()),
            archived: None,
        };

        if let Some(column) = self.rejecting_column() {
            columns.remarks.add_rejected(column);
            return Ok(output);
        }

        for column in &columns.ratings {
            output.ratings.extend(self.view_rating(column)?);
        }
        Ok(output)
    }

    fn view_rating(&self, column: &'a RatingColumn) -> Result<Option<RatingView<'a>>, BadRow> {
        let [mark, z_mark] = column.marks;
        let z = column
            .z
            .map(|place| self.parse_number(place, z_mark))
            .transpose()?
            .flatten();

        let Some(value) = self.parse_number(column.index, mark)? else {
            return match (z, column.z) {
                (Some(_), Some(place)) => Err(self.bad_row(
                    place,
                    "is the z-score of no rating: add the rating or empty this",
                )),
                _ => Ok(None),
            };
        };

        let dimension = match self.non_empty_text(self.columns.dimension)? {
            Some(name) => NameView::Cell(name),
            None => NameView::Shared(&column.dimension),
        };
        let scale = self.columns.scales.scale_for(&dimension).or(column.scale);
        check_scale(scale, value.value, value.text)
            .map_err(|reason| self.bad_row(column.index, reason))?;

        Ok(Some(RatingView {
            rater: self.rater_name(column)?,
            column: NameView::Shared(&self.columns.header.names()[column.index]),
            dimension,
            scale,
            value,
            z,
            shared: self.is_shared(column),
            recorded_at: None,
            category: self.parse_cell(self.columns.rater_category)?,
        }))
    }

    /// Whether the cell about shared ratings is true or names the rating's column, as exports write it.
    fn is_shared(&self, column: &RatingColumn) -> bool {
        let Some(place) = self.columns.shared else {
            return false;
        };
        let name = &*self.columns.header.names()[column.index];
        let cell = self.text(place).trim();
        cell.eq_ignore_ascii_case("true") || cell.split(' ').any(|shared| shared == name)
    }

    fn rater_name(&self, column: &RatingColumn) -> Result<Option<Cow<'a, str>>, BadRow> {
        match &self.columns.rater {
            RaterNameOrigin::Unnamed => Ok(None),
            RaterNameOrigin::Cell(place) => self.name(Some(*place)),
            RaterNameOrigin::ColumnName => {
                let name: &'a str = &self.columns.header.names()[column.index];
                Ok(Some(visible_form(name)))
            }
            RaterNameOrigin::CompanionFile(raters) => {
                let text = |place: Option<usize>| place.map_or("", |place| self.text(place));
                let (key, system) = (text(self.columns.key), text(self.columns.system));
                match raters.rater_of(key, system, column.slot) {
                    Some(name) => Ok(Some(name.into())),
                    None => {
                        Err(self.bad_row(column.index, unknown_rater(key, system, column.slot)))
                    }
                }
            }
        }
    }
}

/// Whether a cell looks like the end of a row, whole rows, and the beginning of another one: the effect of a quotation
/// mark that opens a text and is closed only by that of a later text.
fn has_swallowed_rows(record: &CsvRecord) -> bool {
    let columns = record.cells.len();
    if record.in_sheet || columns < 3 || !record.cells.as_slice().contains('\n') {
        return false;
    }

    let has_rows = |(place, cell): (usize, &str)| {
        let lines: Vec<&str> = cell.lines().collect();
        let [end, rows @ .., beginning] = &lines[..] else {
            return false;
        };
        [',', ';'].into_iter().any(|separator| {
            let separators = |line: &&str| line.matches(separator).count();
            separators(end) == columns - 1 - place
                && separators(beginning) == place
                && rows.iter().all(|row| separators(row) == columns - 1)
        })
    };

    record.cells.iter().enumerate().any(has_rows)
}

/// `Err` with the reason where a number, which the file writes as `text`, is outside the stated scale.
pub(crate) fn check_scale(
    scale: Option<RatingScale>,
    value: f64,
    text: &str,
) -> Result<(), String> {
    match scale.filter(|scale| !scale.contains(value)) {
        None => Ok(()),
        Some(scale) => Err(format!("{} is outside the scale from {scale}", text.trim())),
    }
}

fn unknown_rater(key: &str, system: &str, slot: u32) -> String {
    format!(
        "is a rating whose rater is not in the file of raters: add the row {},{},{slot},… there",
        clip(key),
        clip(system)
    )
}
