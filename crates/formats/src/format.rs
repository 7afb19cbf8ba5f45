//! The formats, and how they are recognised.

use std::fmt;

use crate::{
    assessments::{self, ASSESSMENT_COLUMNS, ASSET_COLUMNS, are_likert},
    columns::ColumnLayout,
    error::FatalReadError,
    exported_ratings::{exported_columns, is_exported},
    input::{CsvHeader, CsvTable},
    input_options::InputDescription,
    mapped_columns::map_columns,
    mapping::ColumnMapping,
    simpeval::{self, COLUMNS_2022, PAST_COLUMNS},
};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// SimpEval, its past shape.
    SimpEvalPast,
    /// SimpEval, its shape of 2022.
    SimpEval2022,
    /// One worker's direct assessment a row, 0 to 100.
    DirectAssessment,
    /// One worker's Likert ratings a row, with the header of direct assessment.
    Likert,
    /// The human ratings of ASSET.
    AssetRatings,
    /// Any other CSV, by mapping.
    Csv,
    /// One JSON object a line.
    Jsonl,
    /// Plain text, one sentence a line, one file a writer.
    Text,
}

impl FileFormat {
    /// Whether it is SimpEval, past or 2022: the two with numbered ratings, which a file of raters
    /// may accompany.
    #[must_use]
    pub const fn is_simpeval(self) -> bool {
        matches!(self, Self::SimpEvalPast | Self::SimpEval2022)
    }

    /// The name on pages and in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SimpEvalPast => "SimpEval (past)",
            Self::SimpEval2022 => "SimpEval 2022",
            Self::DirectAssessment => "direct assessment",
            Self::Likert => "Likert ratings",
            Self::AssetRatings => "ASSET ratings",
            Self::Csv => "CSV",
            Self::Jsonl => "JSONL",
            Self::Text => "plain text, one sentence a line",
        }
    }

    /// A sentence on how a file of this format was read, such as “Read as CSV, separated by semicolons,
    /// UTF-8 with BOM, 193 lines.”
    #[must_use]
    pub fn describe_reading(self, input: &InputDescription, lines: Option<u64>) -> String {
        let mut parts = vec![match (self, &input.sheet) {
            (Self::Csv, Some(_)) => "an Excel table".to_owned(),
            _ => self.name().to_owned(),
        }];

        if let Some(sheet) = &input.sheet {
            parts.push(format!("sheet “{sheet}”"));
        } else {
            let is_table = !matches!(self, Self::Jsonl | Self::Text);
            if let Some(separator) = input.separator.filter(|_| is_table) {
                parts.push(format!("separated by {}s", separator.name()));
            }
            let mark = if input.byte_order_mark {
                " with BOM"
            } else {
                ""
            };
            parts.push(format!("{}{mark}", input.encoding));
        }

        if input.compressed {
            parts.push("unpacked from gzip".to_owned());
        }
        if let Some(lines) = lines {
            let noun = if input.sheet.is_some() { "row" } else { "line" };
            let s = if lines == 1 { "" } else { "s" };
            parts.push(format!("{lines} {noun}{s}"));
        }

        format!("Read as {}.", parts.join(", "))
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The format that the user states.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FormatFamily {
    /// Any: the content of the file decides.
    #[default]
    Any,
    /// One of SimpEval's: past, 2022, direct assessment or Likert.
    SimpEval,
    /// ASSET's ratings (its texts are several files: [`crate::open_texts`]).
    Asset,
    /// Any CSV, by mapping, whatever its header looks like.
    Csv,
    /// JSONL.
    Jsonl,
}

/// The number of rows examined to distinguish Likert from direct assessment, and decimal commas from points.
const DETECTION_ROWS: usize = 50;

/// The format of a CSV file and its columns.
pub(crate) fn detect_columns(
    table: &mut CsvTable<'_>,
    family: FormatFamily,
    mapping: &ColumnMapping,
    names_for_texts: bool,
) -> Result<(FileFormat, ColumnLayout), FatalReadError> {
    let header = table.header().clone();
    let likert = |table: &mut CsvTable<'_>| are_likert(&header, table.peek_records(DETECTION_ROWS));
    let format = match detect_format(&header, family) {
        FileFormat::DirectAssessment if likert(table) => FileFormat::Likert,
        format => format,
    };

    let mut columns = match format {
        FileFormat::Csv if mapping.fields.is_empty() && is_exported(&header) => {
            exported_columns(&header, names_for_texts)?
        }
        _ => find_columns(&header, format, mapping)?,
    };

    columns.scales = mapping.scales.clone();
    columns.find_status_columns();
    for record in table.peek_records(DETECTION_ROWS) {
        columns.learn_decimal_marks(record);
    }
    Ok((format, columns))
}

/// Whether a header has the columns that the format needs.
pub(crate) fn has_columns(
    header: &CsvHeader,
    family: FormatFamily,
    mapping: &ColumnMapping,
) -> bool {
    let family = match family {
        FormatFamily::Any if !mapping.fields.is_empty() => FormatFamily::Csv,
        family => family,
    };
    find_columns(header, detect_format(header, family), mapping).is_ok()
}

/// The columns of a format.
fn find_columns(
    header: &CsvHeader,
    format: FileFormat,
    mapping: &ColumnMapping,
) -> Result<ColumnLayout, FatalReadError> {
    match format {
        FileFormat::SimpEvalPast => simpeval::past_columns(header),
        FileFormat::SimpEval2022 => simpeval::columns_2022(header),
        FileFormat::DirectAssessment => assessments::assessment_columns(header, false),
        FileFormat::Likert => assessments::assessment_columns(header, true),
        FileFormat::AssetRatings => assessments::asset_columns(header),
        FileFormat::Csv | FileFormat::Jsonl | FileFormat::Text => map_columns(header, mapping),
    }
}

/// The format that a header shows; within a family, the closest member.
fn detect_format(header: &CsvHeader, family: FormatFamily) -> FileFormat {
    let all = |names: &[&str]| names.iter().all(|name| header.has(name));
    let any = |names: &[&str]| names.iter().any(|name| header.has(name));
    match family {
        FormatFamily::SimpEval if any(&ASSESSMENT_COLUMNS) => FileFormat::DirectAssessment,
        FormatFamily::SimpEval if any(&["id", "processed_generation"]) => FileFormat::SimpEvalPast,
        FormatFamily::SimpEval => FileFormat::SimpEval2022,
        FormatFamily::Asset => FileFormat::AssetRatings,
        FormatFamily::Csv | FormatFamily::Jsonl => FileFormat::Csv,
        FormatFamily::Any if all(&PAST_COLUMNS) => FileFormat::SimpEvalPast,
        FormatFamily::Any if all(&COLUMNS_2022) => FileFormat::SimpEval2022,
        FormatFamily::Any if all(&ASSESSMENT_COLUMNS) => FileFormat::DirectAssessment,
        FormatFamily::Any if all(&ASSET_COLUMNS) => FileFormat::AssetRatings,
        FormatFamily::Any => FileFormat::Csv,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input_options::{ColumnSeparator, TextEncoding};

    #[test]
    fn a_sentence_says_how_a_file_was_read() {
        let semicolons = InputDescription {
            separator: Some(ColumnSeparator::Semicolon),
            byte_order_mark: true,
            ..InputDescription::default()
        };
        assert_eq!(
            FileFormat::Csv.describe_reading(&semicolons, Some(193)),
            "Read as CSV, separated by semicolons, UTF-8 with BOM, 193 lines."
        );
        let sheet = InputDescription {
            sheet: Some("Ratings".into()),
            compressed: true,
            ..InputDescription::default()
        };
        assert_eq!(
            FileFormat::Csv.describe_reading(&sheet, None),
            "Read as an Excel table, sheet “Ratings”, unpacked from gzip."
        );
        let lines = InputDescription {
            encoding: TextEncoding::Utf16,
            separator: Some(ColumnSeparator::Comma),
            ..InputDescription::default()
        };
        assert_eq!(
            FileFormat::Jsonl.describe_reading(&lines, Some(1)),
            "Read as JSONL, UTF-16, 1 line."
        );
    }
}
