//! From the cells of a record to a [`Row`]: all CSV formats differ only in which column is what.

use std::{str::FromStr, sync::Arc};

use csv::StringRecord;
use domain::{score::Scale, study::OVERALL};

use crate::{
    fault::{BadRow, Fatal, clip},
    input::{Header, Record},
    mapping::StatedScales,
    row::{Number, Output, Rating, Row, Source},
    simpeval::Raters,
};

/// Which column is what, each by its place.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    pub(crate) header: Header,
    pub(crate) source: usize,
    pub(crate) key: Option<usize>,
    pub(crate) output: Option<usize>,
    pub(crate) system: Option<usize>,
    pub(crate) kind: Option<usize>,
    pub(crate) category: Option<usize>,
    pub(crate) references: Vec<usize>,
    pub(crate) rater: RaterFrom,
    pub(crate) dimension: Option<usize>,
    pub(crate) ratings: Vec<RatingColumn>,
    /// What a person stated, which comes before the format's own scales.
    pub(crate) scales: StatedScales,
}

/// Where the name of a rater stands.
#[derive(Debug, Clone)]
pub(crate) enum RaterFrom {
    /// Nowhere.
    Nowhere,
    /// In a cell of the same record.
    Cell(usize),
    /// The rating's column stands for the rater.
    ColumnName,
    /// In a companion file.
    Companion(Arc<Raters>),
}

/// A column of ratings.
#[derive(Debug, Clone)]
pub(crate) struct RatingColumn {
    pub(crate) place: usize,
    pub(crate) dimension: Arc<str>,
    /// The format's own scale; `None` where it has none.
    pub(crate) scale: Option<Scale>,
    /// The number in its name, which a companion file refers to.
    pub(crate) slot: u32,
    /// The column of the file's z-scores.
    pub(crate) z: Option<usize>,
}

impl RatingColumn {
    /// Overall, 0 to 100, without z.
    pub(crate) fn overall(place: usize) -> Self {
        Self {
            place,
            dimension: OVERALL.into(),
            scale: Some(Scale::PERCENT),
            slot: 0,
            z: None,
        }
    }
}

impl Columns {
    /// Nothing but sources; the rest is filled in by the format.
    pub(crate) fn of_sources(header: &Header, source: usize) -> Self {
        Self {
            header: header.clone(),
            source,
            key: None,
            output: None,
            system: None,
            kind: None,
            category: None,
            references: Vec::new(),
            rater: RaterFrom::Nowhere,
            dimension: None,
            ratings: Vec::new(),
            scales: StatedScales::default(),
        }
    }

    /// Finds a column or fails with what the whole header should have been.
    pub(crate) fn need(header: &Header, name: &str, expected: &str) -> Result<usize, Fatal> {
        header.find(name)?.ok_or_else(|| {
            header.wrong(
                expected,
                &format!("add the column “{name}”, or read the file as CSV and map its columns"),
            )
        })
    }

    pub(crate) fn row(&self, record: &Record) -> Result<Row, BadRow> {
        self.header.check(record)?;
        let cells = Cells {
            columns: self,
            record,
        };
        let output = self.output.map(|place| cells.output(place)).transpose()?;
        Ok(Row {
            line: record.line,
            source: Source {
                key: cells.filled(self.key)?,
                text: cells.filled(Some(self.source))?.unwrap_or_default(),
                references: self
                    .references
                    .iter()
                    .map(|place| cells.text(*place).to_owned())
                    .filter(|text| !text.is_empty())
                    .collect(),
            },
            output,
            verbatim: self.verbatim(&record.cells),
        })
    }

    fn verbatim(&self, cells: &StringRecord) -> Vec<(Arc<str>, String)> {
        let named = self.header.names().iter().zip(cells).enumerate();
        named
            .filter(|(place, _)| !self.takes(*place))
            .map(|(_, (name, text))| (name.clone(), text.to_owned()))
            .collect()
    }

    fn takes(&self, place: usize) -> bool {
        let rater = match self.rater {
            RaterFrom::Cell(place) => Some(place),
            _ => None,
        };
        let single = [
            Some(self.source),
            self.key,
            self.output,
            self.system,
            self.kind,
            self.category,
            self.dimension,
            rater,
        ];
        single.contains(&Some(place))
            || self.references.contains(&place)
            || self
                .ratings
                .iter()
                .any(|r| r.place == place || r.z == Some(place))
    }
}

/// One record under its columns.
struct Cells<'a> {
    columns: &'a Columns,
    record: &'a Record,
}

impl Cells<'_> {
    fn text(&self, place: usize) -> &str {
        self.record.cells.get(place).unwrap_or_default()
    }

    fn bad(&self, place: usize, reason: impl ToString) -> BadRow {
        let column = self.columns.header.names().get(place);
        BadRow::new(self.record.line, column.map(|name| &**name), reason)
    }

    /// The text of a column that must not be empty where there is such a column.
    fn filled(&self, place: Option<usize>) -> Result<Option<String>, BadRow> {
        match place.map(|place| (place, self.text(place))) {
            Some((place, text)) if text.trim().is_empty() => {
                Err(self.bad(place, "is empty: fill it in"))
            }
            found => Ok(found.map(|(_, text)| text.to_owned())),
        }
    }

    /// The meaning of a cell; `None` where it is empty.
    fn parsed<T: FromStr<Err: ToString>>(&self, place: Option<usize>) -> Result<Option<T>, BadRow> {
        match place.map(|place| (place, self.text(place).trim())) {
            None | Some((_, "")) => Ok(None),
            Some((place, text)) => clip(text)
                .parse()
                .map(Some)
                .map_err(|e: T::Err| self.bad(place, e)),
        }
    }

    fn number(&self, place: usize) -> Result<Option<Number>, BadRow> {
        match self.text(place) {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|e| self.bad(place, e)),
        }
    }

    fn output(&self, place: usize) -> Result<Output, BadRow> {
        let columns = self.columns;
        let ratings = columns.ratings.iter().map(|column| self.rating(column));
        Ok(Output {
            text: self.text(place).to_owned(),
            system: self.filled(columns.system)?,
            kind: self.parsed(columns.kind)?,
            category: self.parsed(columns.category)?,
            ratings: ratings
                .filter_map(Result::transpose)
                .collect::<Result<_, _>>()?,
        })
    }

    fn rating(&self, column: &RatingColumn) -> Result<Option<Rating>, BadRow> {
        let z = column
            .z
            .map(|place| self.number(place))
            .transpose()?
            .flatten();
        let Some(value) = self.number(column.place)? else {
            return match (z, column.z) {
                (Some(_), Some(place)) => Err(self.bad(
                    place,
                    "is the z-score of no rating: add the rating or empty this",
                )),
                _ => Ok(None),
            };
        };
        let dimension: Arc<str> = match self.filled(self.columns.dimension)? {
            Some(name) => name.into(),
            None => column.dimension.clone(),
        };
        let scale = self.columns.scales.of(&dimension).or(column.scale);
        on_scale(scale, &value).map_err(|reason| self.bad(column.place, reason))?;
        Ok(Some(Rating {
            rater: self.rater(column)?,
            column: self.columns.header.names()[column.place].clone(),
            dimension,
            scale,
            value,
            z,
        }))
    }

    fn rater(&self, column: &RatingColumn) -> Result<Option<String>, BadRow> {
        match &self.columns.rater {
            RaterFrom::Nowhere => Ok(None),
            RaterFrom::Cell(place) => self.filled(Some(*place)),
            RaterFrom::ColumnName => {
                Ok(Some(self.columns.header.names()[column.place].to_string()))
            }
            RaterFrom::Companion(raters) => {
                let text = |place: Option<usize>| place.map_or("", |place| self.text(place));
                let (key, system) = (text(self.columns.key), text(self.columns.system));
                match raters.of(key, system, column.slot) {
                    Some(name) => Ok(Some(name.to_owned())),
                    None => Err(self.bad(column.place, unknown_rater(key, system, column.slot))),
                }
            }
        }
    }
}

/// `Err` with the reason where a number is outside the scale that is stated.
pub(crate) fn on_scale(scale: Option<Scale>, number: &Number) -> Result<(), String> {
    match scale.filter(|scale| !scale.contains(number.get())) {
        None => Ok(()),
        Some(scale) => Err(format!(
            "{} is outside the scale from {scale}",
            number.text().trim()
        )),
    }
}

fn unknown_rater(key: &str, system: &str, slot: u32) -> String {
    format!(
        "is a rating whose rater is not in the file of raters: add the row {},{},{slot},… there",
        clip(key),
        clip(system)
    )
}
