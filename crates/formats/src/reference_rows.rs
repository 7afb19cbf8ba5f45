//! References of sources that are there already: what people wrote for the same source.

use std::io::Read;

use crate::{
    error::{BadRow, FatalReadError, ReadError},
    format::FileFormat,
    input::{LineReader, NUL, Utf8Reader},
    row::{FileRow, FileSource},
    row_reader::{FileReadOptions, OpenedFile, RowIterator, open, until_fatal},
    text_files::{SimplificationUse, TextFile, file_name, open_texts},
};

/// Opens files of references: `NAME.orig` with `NAME.simp.0` … as ASSET and EASSE have them;
/// `NAME.src` with `NAME.dst`, where the references of a line stand between tabs, as the LENS
/// repository keeps them; or one table or JSONL whose rows have a source and references. A row
/// without a reference is a bad one. Keys are not the sources' own: match by text.
///
/// # Errors
/// [`Fatal`] where the files do not belong together or do not read.
pub fn open_references<'r>(mut files: Vec<TextFile<'r>>) -> Result<OpenedFile<'r>, FatalReadError> {
    let ends = |file: &TextFile<'_>, end: &str| file_name(&file.name).ends_with(end);
    if files.iter().any(|file| ends(file, ".orig")) {
        return open_texts(files, SimplificationUse::References).map(require_references);
    }
    let source = files.iter().position(|file| ends(file, ".src"));
    match (source, files.len()) {
        (Some(place), 2) if ends(&files[1 - place], ".dst") => {
            let sources = open_lines(files.swap_remove(place))?;
            let references = open_lines(files.remove(0))?;
            Ok(OpenedFile {
                format: FileFormat::Text,
                notes: Vec::new(),
                rows: zip_lines(sources, references),
            })
        }
        (None, 1) => open(files.remove(0).input, FileReadOptions::default()).map(require_references),
        _ => Err(FatalReadError::TextFiles(
            "references are NAME.orig with NAME.simp.0, NAME.simp.1 …, or NAME.src with NAME.dst, or \
             one table with the columns source and reference: choose the files of one of these"
                .to_owned(),
        )),
    }
}

type ReferenceLines<'r> = LineReader<Box<dyn Read + Send + 'r>>;

fn open_lines(file: TextFile<'_>) -> Result<ReferenceLines<'_>, FatalReadError> {
    let input =
        Utf8Reader::open(file.input).map_err(|fault| fault.in_file(file_name(&file.name)))?;
    Ok(LineReader::new(input))
}

/// One row a line of both files.
fn zip_lines<'r>(
    mut sources: ReferenceLines<'r>,
    mut references: ReferenceLines<'r>,
) -> RowIterator<'r> {
    until_fatal(move || {
        let read = |lines: &mut ReferenceLines<'r>| lines.read_line().map_err(ReadError::Fatal);
        match (read(&mut sources), read(&mut references)) {
            (Ok(None), Ok(None)) => None,
            (Ok(Some((line, source))), Ok(Some((_, references)))) => {
                Some(parse_row(line, source, &references).map_err(ReadError::Row))
            }
            (Ok(_), Ok(_)) => Some(Err(ReadError::Fatal(FatalReadError::TextFiles(
                "one of the two files has more lines: line N of each must belong to one source"
                    .to_owned(),
            )))),
            (Err(fault), _) | (_, Err(fault)) => Some(Err(fault)),
        }
    })
}

fn parse_row(line: u64, text: String, references: &str) -> Result<FileRow, BadRow> {
    if text.contains('\0') || references.contains('\0') {
        return Err(BadRow::new(line, None, NUL));
    }
    if text.trim().is_empty() {
        return Err(BadRow::new(line, None, "the source is empty: fill it in"));
    }
    let texts = references
        .split('\t')
        .filter(|text| !text.trim().is_empty());
    check_references(FileRow {
        line,
        source: FileSource {
            key: None,
            text,
            references: texts.map(str::to_owned).collect(),
        },
        output: None,
        verbatim: Vec::new(),
    })
}

fn require_references(opened: OpenedFile<'_>) -> OpenedFile<'_> {
    let rows = opened.rows.map(|item| {
        let row = item?;
        check_references(row).map_err(ReadError::Row)
    });
    OpenedFile {
        rows: Box::new(rows),
        ..opened
    }
}

fn check_references(row: FileRow) -> Result<FileRow, BadRow> {
    if row.source.references.is_empty() {
        return Err(BadRow::new(
            row.line,
            None,
            "the source has no reference here",
        ));
    }
    Ok(row)
}
