//! Which column (or JSON key) of a file holds which field.

use std::{fmt, str::FromStr};

use domain::{
    dimensions::dimension_name,
    score::{BadScale, RatingScale},
};
use serde::{Deserialize, Serialize};

use crate::{
    columns::{ColumnLayout, RaterNameOrigin, RatingColumn},
    error::{FatalReadError, clip},
    input::CsvHeader,
};

/// What a column can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileField {
    /// The text that was simplified; the one field that is always needed.
    Source,
    /// What a system made of it.
    Output,
    /// Who wrote the output.
    System,
    /// The file's own name for the source.
    SourceId,
    /// A human simplification; several columns may be references.
    Reference,
    /// Who rated.
    Rater,
    /// A number; of several columns each is a dimension, named as the column is.
    Rating,
    /// On what was rated.
    Dimension,
    /// The group of the output: split, deletion or paraphrase.
    Category,
    /// The kind of the system: machine, human or baseline.
    Kind,
}

impl FileField {
    /// All of them, in the order in which a person fills them in.
    pub const ALL: [Self; 10] = [
        Self::Source,
        Self::Output,
        Self::System,
        Self::SourceId,
        Self::Reference,
        Self::Rater,
        Self::Rating,
        Self::Dimension,
        Self::Category,
        Self::Kind,
    ];

    /// The name on the command line, which is also that of the column taken when none is mapped.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Output => "output",
            Self::System => "system",
            Self::SourceId => "source_id",
            Self::Reference => "reference",
            Self::Rater => "rater",
            Self::Rating => "rating",
            Self::Dimension => "dimension",
            Self::Category => "category",
            Self::Kind => "kind",
        }
    }

    /// Whether several columns may be this.
    #[must_use]
    pub const fn is_repeatable(self) -> bool {
        matches!(self, Self::Reference | Self::Rating)
    }
}

impl fmt::Display for FileField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FileField {
    type Err = ColumnMappingError;

    fn from_str(text: &str) -> Result<Self, ColumnMappingError> {
        let found = Self::ALL.into_iter().find(|field| field.name() == text);
        found.ok_or_else(|| ColumnMappingError::UnknownField(clip(text)))
    }
}

/// Which column holds which field. A field that is not mapped is taken from the column of its own
/// name, where there is one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnMapping {
    pairs: Vec<(FileField, String)>,
    /// The numbers that ratings may be, as far as a person states them.
    #[serde(flatten)]
    pub scales: StatedScales,
}

/// The scales of ratings that a person states. They hold for every format; where nothing is stated, a
/// format's own scale counts, and else the numbers themselves tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedScales {
    /// That of every dimension without one of its own.
    #[serde(default, rename = "scale")]
    pub all: Option<RatingScale>,
    /// Those of single dimensions, by their names in lower case.
    #[serde(default, rename = "scales")]
    pub by_dimension: Vec<(String, RatingScale)>,
}

impl StatedScales {
    /// Reads scales written as `LOW..HIGH`, for all dimensions, or as `DIMENSION=LOW..HIGH`.
    ///
    /// # Errors
    /// [`BadMapping::Scale`] for the first that is none.
    pub fn parse<T: AsRef<str>>(
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Self, ColumnMappingError> {
        let mut scales = Self::default();
        for text in texts {
            match text.as_ref().rsplit_once('=') {
                None => scales.all = Some(text.as_ref().parse()?),
                Some((name, scale)) => {
                    let scale = scale.parse()?;
                    scales.by_dimension.push((dimension_name(name), scale));
                }
            }
        }
        Ok(scales)
    }

    /// The scale that is stated for a dimension.
    #[must_use]
    pub fn scale_for(&self, dimension: &str) -> Option<RatingScale> {
        let name = dimension_name(dimension);
        let own = self.by_dimension.iter().rfind(|(of, _)| *of == name);
        own.map(|(_, scale)| *scale).or(self.all)
    }
}

impl ColumnMapping {
    /// Reads pairs written as `FIELD=COLUMN`.
    ///
    /// # Errors
    /// [`BadMapping`] for the first pair that is none, names no field, or maps a field twice that
    /// has one column.
    pub fn parse<T: AsRef<str>>(
        pairs: impl IntoIterator<Item = T>,
    ) -> Result<Self, ColumnMappingError> {
        let mut mapping = Self::default();
        for pair in pairs {
            let pair = pair.as_ref();
            let parts = pair.split_once('=');
            let (field, column) = parts.ok_or_else(|| ColumnMappingError::NotAPair(clip(pair)))?;
            mapping.add(field.trim().parse()?, column.trim())?;
        }
        Ok(mapping)
    }

    /// Takes `field` from `column`.
    ///
    /// # Errors
    /// [`BadMapping::Twice`] where the field has a column already and cannot have two.
    pub fn add(&mut self, field: FileField, column: &str) -> Result<(), ColumnMappingError> {
        if !field.is_repeatable() && self.columns(field).next().is_some() {
            return Err(ColumnMappingError::MappedTwice(field));
        }
        self.pairs.push((field, column.to_owned()));
        Ok(())
    }

    /// The columns that a field is mapped to.
    pub fn columns(&self, field: FileField) -> impl Iterator<Item = &str> {
        let pairs = self
            .pairs
            .iter()
            .filter(move |(mapped, _)| *mapped == field);
        pairs.map(|(_, column)| column.as_str())
    }

    /// The columns that a field is taken from: those mapped, else the one of its own name.
    pub(crate) fn columns_or_default(&self, field: FileField) -> impl Iterator<Item = &str> {
        let own = self.columns(field).next().is_none().then_some(field.name());
        self.columns(field).chain(own)
    }

    /// Whether nothing is mapped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// What the names of columns suggest, for people to correct.
    #[must_use]
    pub fn suggest<T: AsRef<str>>(header: &[T]) -> Self {
        let mut mapping = Self::default();
        for name in header.iter().map(AsRef::as_ref) {
            let Some(field) = suggest_field(name) else {
                continue;
            };
            // Of two candidates the first stands; people see the table and correct it.
            let _ = mapping.add(field, name);
        }
        mapping
    }
}

/// The field that a column's name speaks of.
fn suggest_field(name: &str) -> Option<FileField> {
    let plain: String = name.to_lowercase().replace([' ', '-', '.'], "_");
    let plain = plain.trim_start_matches("input_");
    let is_rating = is_numbered_word(plain, "rating")
        || is_numbered_word(plain, "score")
        || names_dimension(plain);
    if plain.starts_with("answer_") || is_rating {
        return Some(FileField::Rating);
    }
    if is_numbered_word(plain, "reference") || is_numbered_word(plain, "ref") {
        return Some(FileField::Reference);
    }
    let names: [(FileField, &[&str]); 8] = [
        (
            FileField::Source,
            &[
                "source",
                "original",
                "src",
                "complex",
                "source_text",
                "orig_sent",
            ],
        ),
        (
            FileField::Output,
            &[
                "output",
                "simplification",
                "simplified",
                "simple",
                "generation",
                "hypothesis",
                "simp_sent",
            ],
        ),
        (
            FileField::System,
            &["system", "model", "model_name", "system_name", "sys_name"],
        ),
        (
            FileField::SourceId,
            &[
                "source_id",
                "original_id",
                "original_sentence_id",
                "sentence_id",
                "sent_id",
            ],
        ),
        (
            FileField::Rater,
            &[
                "rater",
                "annotator",
                "worker_id",
                "workerid",
                "worker",
                "rater_id",
                "annotator_id",
            ],
        ),
        (FileField::Dimension, &["dimension", "aspect", "criterion"]),
        (FileField::Category, &["category", "sentence_type"]),
        (FileField::Kind, &["kind", "system_kind"]),
    ];
    let found = names.iter().find(|(_, known)| known.contains(&plain));
    found.map(|(field, _)| *field)
}

/// Whether `name` is `word`, its plural, or one of them with a number.
fn is_numbered_word(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|rest| {
        let rest = rest.trim_start_matches('s').trim_start_matches('_');
        rest.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// A mapping that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ColumnMappingError {
    /// There is no `=`.
    #[error("“{0}” is no mapping: write FIELD=COLUMN")]
    NotAPair(String),
    /// The field is unknown.
    #[error("“{0}” is no field: use one of {fields}", fields = FileField::ALL.map(FileField::name).join(", "))]
    UnknownField(String),
    /// The field has two columns.
    #[error("“{0}” is mapped to two columns: keep one")]
    MappedTwice(FileField),
    /// A scale is none.
    #[error(transparent)]
    Scale(#[from] BadScale),
}

/// The columns of any CSV file.
pub(crate) fn map_columns(
    header: &CsvHeader,
    mapping: &ColumnMapping,
) -> Result<ColumnLayout, FatalReadError> {
    let places = |field| find_columns(header, mapping, field);
    let one = |field| places(field).map(|found| found.first().copied());
    let Some(source) = one(FileField::Source)? else {
        return Err(missing_column(
            header,
            FileField::Source,
            FileField::Source.name(),
        ));
    };
    let output = one(FileField::Output)?;
    let ratings = places(FileField::Rating)?;
    let system = one(FileField::System)?;
    if output.is_none() && (system.is_some() || !ratings.is_empty()) {
        return Err(missing_column(
            header,
            FileField::Output,
            FileField::Output.name(),
        ));
    }
    let dimension = one(FileField::Dimension)?;
    let named_by_column = ratings.len() > 1 && dimension.is_none();
    let rating = |place: usize| {
        let overall = RatingColumn::overall(place);
        let column = &header.names()[place];
        RatingColumn {
            scale: None,
            dimension: match named_by_column || names_dimension(column) {
                true => column.clone(),
                false => overall.dimension.clone(),
            },
            ..overall
        }
    };
    Ok(ColumnLayout {
        key: one(FileField::SourceId)?,
        output,
        system,
        kind: one(FileField::Kind)?,
        category: one(FileField::Category)?,
        references: places(FileField::Reference)?,
        rater: one(FileField::Rater)?.map_or(RaterNameOrigin::Unnamed, RaterNameOrigin::Cell),
        dimension,
        ratings: ratings.into_iter().map(rating).collect(),
        ..ColumnLayout::with_source(header, source)
    })
}

/// Whether a single column of ratings says by its own name what was rated: the dimensions that
/// released ratings of simplifications have.
fn names_dimension(column: &str) -> bool {
    const DIMENSIONS: [&str; 9] = [
        "fluency",
        "grammaticality",
        "grammar",
        "meaning",
        "adequacy",
        "meaning_preservation",
        "simplicity",
        "structural_simplicity",
        "coherence",
    ];
    DIMENSIONS.contains(&dimension_name(column).replace([' ', '-'], "_").as_str())
}

/// The places of a field's columns. `Err` where a mapped one is not in the file.
fn find_columns(
    header: &CsvHeader,
    mapping: &ColumnMapping,
    field: FileField,
) -> Result<Vec<usize>, FatalReadError> {
    if mapping.columns(field).next().is_none() {
        return Ok(header.find_column(field.name())?.into_iter().collect());
    }
    let found = mapping
        .columns(field)
        .map(|name| match header.find_column(name)? {
            Some(place) => Ok(place),
            None => Err(missing_column(header, field, name)),
        });
    found.collect()
}

fn missing_column(header: &CsvHeader, field: FileField, column: &str) -> FatalReadError {
    header.wrong_header(
        &format!("a column “{}” for the field {field}", clip(column)),
        &format!("map {field} to one of these columns (on the command line: --map {field}=COLUMN)"),
    )
}
