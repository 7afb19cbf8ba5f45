//! JSON Schemas of exports: of a line, of a whole JSON file, or of a row of a table.

use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{
    ExportFormat, answers, comparisons, gold,
    jsonl::JsonlOutput,
    spans::{SpanLine, ThreshEntry},
    table_cell::{
        ColumnKind::{self, Number, Text},
        TableColumn,
    },
    tidy, written,
};

/// The column of the rater's group, which tables of studies with groups have.
const GROUP: [(&str, ColumnKind); 1] = [("^group$", Text)];

/// The JSON Schema of a type, with those of the types that it refers to.
#[derive(Debug, Clone)]
pub struct TypeSchema {
    /// The schema of the type itself.
    pub root: Value,
    /// The other schemas, by their names.
    pub nested: Vec<(String, Value)>,
}

impl TypeSchema {
    /// Describes a type as it is serialised.
    #[must_use]
    pub fn describe<T: ToSchema>() -> Self {
        let mut nested = Vec::new();
        T::schemas(&mut nested);
        let nested = nested.into_iter();
        Self {
            root: json!(T::schema()),
            nested: nested.map(|(name, schema)| (name, json!(schema))).collect(),
        }
    }
}

impl ExportFormat {
    /// The version of the format, which is raised when a key or column is removed or its meaning changes.
    pub const fn schema_version(self) -> u32 {
        1
    }

    /// The JSON Schema of a line of JSON, of a whole JSON file, or of a table's row as an object, in which numbers
    /// and truth values have their types and an empty cell is null. `None` for a folder of Parquet files, which hold
    /// their own schemas.
    pub fn schema(self) -> Option<TypeSchema> {
        let of_rows = |columns: &[TableColumn], more: &[(&str, ColumnKind)]| TypeSchema {
            root: describe_row(columns, more),
            nested: vec![],
        };
        let text = |name| TableColumn::required(name, Text);

        Some(match self {
            Self::Jsonl => TypeSchema::describe::<JsonlOutput<'_>>(),
            Self::Spans => TypeSchema::describe::<SpanLine<'_>>(),
            Self::Thresh => TypeSchema::describe::<Vec<ThreshEntry<'_>>>(),
            Self::Tidy => of_rows(&tidy::COLUMNS, &GROUP),
            Self::Comparisons => of_rows(&comparisons::columns(), &GROUP),
            Self::Answers => of_rows(&answers::columns(), &GROUP),
            Self::Written => of_rows(&written::COLUMNS, &GROUP),
            Self::Gold => of_rows(&gold::COLUMNS, &[]),
            Self::MetricScores => of_rows(
                &["source_id", "output_id", "system"].map(text),
                // The names of metrics are the study's own.
                &[("^(?!(source_id|output_id|system)$)", Number)],
            ),
            Self::SimpevalPast => of_rows(
                &["id", "original"].map(text),
                &[
                    ("^(processed_)?generation$", Text),
                    ("^(original_id|system)$", Text),
                    ("^rating_[0-9]+$", Number),
                    ("^rating_[0-9]+_z_score$", Number),
                    ("^shared_ratings$", Text),
                ],
            ),
            Self::Simpeval2022 => of_rows(
                &[
                    "original_id",
                    "original",
                    "generation",
                    "system",
                    "sentence_type",
                ]
                .map(text),
                &[
                    ("^rating_[0-9]+$", Number),
                    ("^rating_[0-9]+_zscore$", Number),
                    ("^shared_ratings$", Text),
                ],
            ),
            Self::Alignments => of_rows(
                &[
                    text("output_id"),
                    text("source"),
                    text("source_note"),
                    text("output"),
                    text("output_note"),
                    TableColumn::required("flag_1", ColumnKind::Whole),
                    TableColumn::required("flag_2", ColumnKind::Whole),
                    TableColumn::optional("links", Text),
                    TableColumn::optional("possible_links", Text),
                    TableColumn::optional("note", Text),
                    text("annotator"),
                    text("state"),
                    text("source_id"),
                    text("system"),
                    text("edits_version"),
                ],
                &[],
            ),
            Self::Dataset => return None,
        })
    }
}

/// The JSON Schema of a row. `more` are patterns of the names of further columns, whose values can be missing.
fn describe_row(columns: &[TableColumn], more: &[(&str, ColumnKind)]) -> Value {
    let properties: Map<String, Value> = columns
        .iter()
        .map(|column| {
            let value = describe_value(column.kind, column.is_optional);
            (column.name.to_string(), value)
        })
        .collect();

    let patterns: Map<String, Value> = more
        .iter()
        .map(|(pattern, kind)| ((*pattern).to_owned(), describe_value(*kind, true)))
        .collect();

    let names: Vec<_> = columns.iter().map(|column| &column.name).collect();
    let mut row = json!({
        "description": "A row, in which an empty cell is null.",
        "type": "object",
        "properties": properties,
        "required": names,
        "additionalProperties": false,
    });

    if !patterns.is_empty() {
        row["patternProperties"] = Value::Object(patterns);
    }

    row
}

fn describe_value(kind: ColumnKind, is_optional: bool) -> Value {
    let (name, format) = match kind {
        ColumnKind::Text => ("string", None),
        ColumnKind::Number => ("number", None),
        ColumnKind::Whole => ("integer", None),
        ColumnKind::Truth => ("boolean", None),
        ColumnKind::Time => ("string", Some("date-time")),
        ColumnKind::Texts | ColumnKind::Wholes => ("array", None),
    };

    let mut value = match is_optional {
        true => json!({ "type": [name, "null"] }),
        false => json!({ "type": name }),
    };

    if let Some(format) = format {
        value["format"] = json!(format);
    }
    value
}
