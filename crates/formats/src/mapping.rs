//! The mapping of the columns (or JSON keys) of a file with outputs to fields.

use domain::dimensions::dimension_name;
use serde::{Deserialize, Serialize};

use crate::{
    field_mapping::{FieldMapping, FieldMappingError, mapped_fields},
    scales::StatedScales,
};

mapped_fields! {
    /// The possible contents of a column in a file with outputs.
    pub enum FileField {
        /// The text that was simplified; the one field that is always needed.
        Source => "source", "the sources";
        /// A system's simplification of the source.
        Output => "output", "the outputs";
        /// The system that wrote the output.
        System => "system", "the names of the systems";
        /// The file's own name for the source.
        SourceId => "source_id", "the names or numbers of the sources";
        /// The text before the source in its document.
        ContextBefore => "context_before", "the texts before the sources";
        /// The text after the source in its document.
        ContextAfter => "context_after", "the texts after the sources";
        /// A human simplification; several columns may be references.
        Reference => "reference", "the references";
        /// The rater.
        Rater => "rater", "the raters";
        /// A number; each of several columns is a dimension, named after the column.
        Rating => "rating", "the ratings";
        /// The dimension of the rating.
        Dimension => "dimension", "the dimensions";
        /// The category of the output: split, deletion or paraphrase.
        Category => "category", "the categories";
        /// The kind of the system: machine, human or baseline.
        Kind => "kind", "the kinds of the systems";
    }
    repeatable: [Reference, Rating];
}

/// The settings for reading a file with outputs: the columns of its fields, and the scales of its ratings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnMapping {
    /// The columns.
    #[serde(flatten)]
    pub fields: FieldMapping<FileField>,
    /// The scales that the user states.
    #[serde(flatten)]
    pub scales: StatedScales,
}

impl ColumnMapping {
    /// Reads pairs written as `FIELD=COLUMN`; no scale is stated.
    ///
    /// # Errors
    /// As [`FieldMapping::parse`].
    pub fn parse<T: AsRef<str>>(
        pairs: impl IntoIterator<Item = T>,
    ) -> Result<Self, FieldMappingError<FileField>> {
        let fields = FieldMapping::parse(pairs)?;
        Ok(Self {
            fields,
            scales: StatedScales::default(),
        })
    }
}

/// Whether a single column of ratings is named after a dimension, as in released ratings of
/// simplifications.
pub(crate) fn names_dimension(column: &str) -> bool {
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
