//! Which column (or JSON key) of a file with outputs holds which field.

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
        Source => "source",
        /// A system's simplification of the source.
        Output => "output",
        /// The system that wrote the output.
        System => "system",
        /// The file's own name for the source.
        SourceId => "source_id",
        /// A human simplification; several columns may be references.
        Reference => "reference",
        /// The rater.
        Rater => "rater",
        /// A number; of several columns each is a dimension, named as the column is.
        Rating => "rating",
        /// The dimension of the rating.
        Dimension => "dimension",
        /// The group of the output: split, deletion or paraphrase.
        Category => "category",
        /// The kind of the system: machine, human or baseline.
        Kind => "kind",
    }
    repeatable: [Reference, Rating];
    flag: "on the command line: --map";
}

/// How a file with outputs is read: the columns of its fields, and the scales of its ratings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnMapping {
    /// The columns.
    #[serde(flatten)]
    pub fields: FieldMapping<FileField>,
    /// The scales, as far as the user states them.
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

    /// The mapping that the names of columns suggest, for the user to correct.
    #[must_use]
    pub fn suggest<T: AsRef<str>>(header: &[T]) -> Self {
        let mut mapping = Self::default();
        for name in header.iter().map(AsRef::as_ref) {
            let Some(field) = suggest_field(name) else {
                continue;
            };
            // Of two candidates the first counts; the user sees the table and corrects it.
            let _ = mapping.fields.add(field, name);
        }
        mapping
    }
}

/// The field that the name of a column suggests.
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
    let mut names = names.iter();
    let (field, _) = names.find(|(_, names)| names.contains(&plain))?;
    Some(*field)
}

/// Whether `name` is `word`, its plural, or one of them with a number.
fn is_numbered_word(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|rest| {
        let rest = rest.trim_start_matches('s').trim_start_matches('_');
        rest.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Whether the name of a single column of ratings is that of a dimension, as released ratings of
/// simplifications name them.
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
