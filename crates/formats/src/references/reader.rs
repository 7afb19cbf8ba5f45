//! Files of references for sources that are already known.

use super::SourceReferences;
use domain::source_context::SourceContext;

use crate::{
    error::{BadRow, FatalReadError, ReadError},
    format::FileFormat,
    input::{CsvHeader, FileInput, LineReader, NUL},
    input_options::{InputDescription, LineCount},
    mapped_columns::map_columns,
    mapping::ColumnMapping,
    row::{FileRow, FileSource},
    row_iterator::{BoxedRows, RowIterator, until_fatal},
    row_reader::{FileReadOptions, OpenedFile, open_fitting},
    row_remarks::RowRemarks,
    text_files::{SimplificationUse, TextFile, file_name, open_texts},
};

/// The treatment of a row without references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MissingReferences {
    /// It is a bad row.
    Refused,
    /// It is skipped: the file may hold sources without references.
    Allowed,
}

/// Opens files of references as rows, for an import. These belong together:
///
/// - `NAME.orig` with `NAME.simp.0` …, as ASSET and EASSE have them;
/// - `NAME.src` with `NAME.dst`, where tabs separate the references of a line, as the LENS repository
///   has them; blanks around a reference are not part of it;
/// - one table or JSONL whose rows have a source and references.
///
/// A row without a reference is a bad row. The keys of rows are not the sources' own: match by text.
///
/// # Errors
/// [`FatalReadError`] where the files do not belong together or cannot be read.
pub fn open_references(files: Vec<TextFile<'_>>) -> Result<OpenedFile<'_>, FatalReadError> {
    open_rows(files, MissingReferences::Refused)
}

/// Reads files of references whole, for a command; see [`SourceReferences::read`].
pub(super) fn read(files: Vec<TextFile<'_>>) -> Result<SourceReferences, ReadError> {
    let opened = open_rows(files, MissingReferences::Allowed)?;
    SourceReferences::from_rows(opened.rows)
}

fn open_rows(
    mut files: Vec<TextFile<'_>>,
    missing: MissingReferences,
) -> Result<OpenedFile<'_>, FatalReadError> {
    let ends = |file: &TextFile<'_>, end: &str| file_name(&file.name).ends_with(end);

    let opened = if files.iter().any(|file| ends(file, ".orig")) {
        open_texts(files, SimplificationUse::References)?
    } else {
        let source = files.iter().position(|file| ends(file, ".src"));
        match (source, files.len()) {
            (Some(place), 2) if ends(&files[1 - place], ".dst") => {
                let sources = files.swap_remove(place);
                let (sources, input, lines) = ReferenceLines::open(sources)?;
                let (references, ..) = ReferenceLines::open(files.remove(0))?;
                OpenedFile {
                    format: FileFormat::Text,
                    input,
                    lines,
                    notes: Vec::new(),
                    remarks: RowRemarks::default(),
                    rows: zip_lines(sources, references, missing),
                }
            }
            (None, 1) => open_table(files.remove(0).input)?,
            _ => return Err(unrelated_files()),
        }
    };

    Ok(match missing {
        MissingReferences::Allowed => opened,
        MissingReferences::Refused => require_references(opened),
    })
}

/// Opens a table or JSONL; of a workbook, the sheet with references if one has them.
fn open_table(input: FileInput<'_>) -> Result<OpenedFile<'_>, FatalReadError> {
    let has_references = |header: &CsvHeader| {
        let columns = map_columns(header, &ColumnMapping::default());
        columns.is_ok_and(|columns| !columns.references.is_empty())
    };
    open_fitting(input, FileReadOptions::default(), has_references)
}

fn unrelated_files() -> FatalReadError {
    FatalReadError::TextFiles(
        "references are NAME.orig with NAME.simp.0, NAME.simp.1 …, or NAME.src with NAME.dst, or \
         one table with the columns source and reference: choose the files of one of these"
            .to_owned(),
    )
}

/// One of two files with the same number of lines.
struct ReferenceLines<'r> {
    name: String,
    lines: LineReader<'r>,
}

impl<'r> ReferenceLines<'r> {
    fn open(file: TextFile<'r>) -> Result<(Self, InputDescription, LineCount), FatalReadError> {
        let name = file_name(&file.name).to_owned();
        let opened = file.input.open();
        let opened = opened.map_err(|fault| fault.in_file(&name))?;
        let (description, count) = (opened.description.clone(), opened.lines.clone());
        let lines = opened.into_lines();
        let lines = lines.map_err(|fault| fault.in_file(&name))?;
        Ok((Self { name, lines }, description, count))
    }

    fn read_line(&mut self) -> Result<Option<(u64, String)>, ReadError> {
        let line = self.lines.read_line();
        line.map_err(|fault| ReadError::Fatal(fault.in_file(&self.name)))
    }
}

/// Makes a row of each pair of lines.
fn zip_lines<'r>(
    mut sources: ReferenceLines<'r>,
    mut references: ReferenceLines<'r>,
    missing: MissingReferences,
) -> RowIterator<'r> {
    let rows = until_fatal(move || {
        loop {
            let pair = sources.read_line().and_then(|source| {
                let references = references.read_line()?;
                Ok((source, references))
            });

            let (line, source, references_of_line) = match pair {
                Err(fault) => return Some(Err(fault)),
                Ok((None, None)) => return None,
                Ok((Some((line, source)), Some((_, references)))) => (line, source, references),
                Ok((None, Some((line, _)))) => {
                    return Some(Err(one_is_longer(line, &sources.name, &references.name)));
                }
                Ok((Some((line, _)), None)) => {
                    return Some(Err(one_is_longer(line, &references.name, &sources.name)));
                }
            };

            let is_blank = references_of_line.trim().is_empty();
            if !(is_blank && missing == MissingReferences::Allowed) {
                let row = parse_row(line, source, &references_of_line);
                return Some(row.map_err(ReadError::Row));
            }
        }
    });
    rows.into()
}

/// The fault of two files, one of which ends before `line`.
fn one_is_longer(line: u64, short: &str, long: &str) -> ReadError {
    ReadError::Fatal(FatalReadError::TextFiles(format!(
        "“{short}” has {} lines, “{long}” has more lines: line N of each must belong to one source",
        line - 1
    )))
}

fn parse_row(line: u64, text: String, references: &str) -> Result<FileRow, BadRow> {
    if text.contains('\0') || references.contains('\0') {
        return Err(BadRow::new(line, None, NUL));
    }
    if text.trim().is_empty() {
        return Err(BadRow::new(line, None, "the source is empty: fill it in"));
    }

    let references = references.split('\t').map(str::trim);
    let non_blank = references.filter(|text| !text.is_empty());
    Ok(FileRow {
        line,
        source: FileSource {
            key: None,
            text,
            context: SourceContext::default(),
            references: non_blank.map(str::to_owned).collect(),
        },
        output: None,
        verbatim: Vec::new(),
    })
}

fn require_references(opened: OpenedFile<'_>) -> OpenedFile<'_> {
    let rows = opened.rows.map(|item| {
        let row = item?;
        if row.source.references.is_empty() {
            let reason = "the source has no reference here";
            return Err(ReadError::Row(BadRow::new(row.line, None, reason)));
        }
        Ok(row)
    });
    let rows: BoxedRows<'_> = Box::new(rows);
    OpenedFile {
        rows: rows.into(),
        ..opened
    }
}
