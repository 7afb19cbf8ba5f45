//! References of sources that are there already: what people wrote for the same source.

use std::io::Read;

use crate::{
    fault::{BadRow, Fatal, Problem},
    format::Format,
    input::{Guarded, Lines, NUL},
    read::{Opened, Reading, Rows, open, until_fatal},
    row::{Row, Source},
    texts::{Simplifications, TextFile, base, open_texts},
};

/// Opens files of references: `NAME.orig` with `NAME.simp.0` … as ASSET and EASSE have them;
/// `NAME.src` with `NAME.dst`, where the references of a line stand between tabs, as the LENS
/// repository keeps them; or one table or JSONL whose rows have a source and references. A row
/// without a reference is a bad one. Keys are not the sources' own: match by text.
///
/// # Errors
/// [`Fatal`] where the files do not belong together or do not read.
pub fn open_references<'r>(mut files: Vec<TextFile<'r>>) -> Result<Opened<'r>, Fatal> {
    let ends = |file: &TextFile<'_>, end: &str| base(&file.name).ends_with(end);
    if files.iter().any(|file| ends(file, ".orig")) {
        return open_texts(files, Simplifications::References).map(only_with_references);
    }
    let source = files.iter().position(|file| ends(file, ".src"));
    match (source, files.len()) {
        (Some(place), 2) if ends(&files[1 - place], ".dst") => {
            let sources = lines(files.swap_remove(place))?;
            let references = lines(files.remove(0))?;
            Ok(Opened {
                format: Format::Text,
                notes: Vec::new(),
                rows: side_by_side(sources, references),
            })
        }
        (None, 1) => open(files.remove(0).input, Reading::default()).map(only_with_references),
        _ => Err(Fatal::Texts(
            "references are NAME.orig with NAME.simp.0, NAME.simp.1 …, or NAME.src with NAME.dst, or \
             one table with the columns source and reference: choose the files of one of these"
                .to_owned(),
        )),
    }
}

type Text<'r> = Lines<Box<dyn Read + Send + 'r>>;

fn lines(file: TextFile<'_>) -> Result<Text<'_>, Fatal> {
    let input = Guarded::open(file.input).map_err(|fault| fault.in_file(base(&file.name)))?;
    Ok(Lines::new(input))
}

/// One row a line of both files.
fn side_by_side<'r>(mut sources: Text<'r>, mut references: Text<'r>) -> Rows<'r> {
    until_fatal(move || {
        let read = |lines: &mut Text<'r>| lines.read().map_err(Problem::Fatal);
        match (read(&mut sources), read(&mut references)) {
            (Ok(None), Ok(None)) => None,
            (Ok(Some((line, source))), Ok(Some((_, references)))) => {
                Some(row(line, source, &references).map_err(Problem::Row))
            }
            (Ok(_), Ok(_)) => Some(Err(Problem::Fatal(Fatal::Texts(
                "one of the two files has more lines: line N of each must belong to one source"
                    .to_owned(),
            )))),
            (Err(fault), _) | (_, Err(fault)) => Some(Err(fault)),
        }
    })
}

fn row(line: u64, text: String, references: &str) -> Result<Row, BadRow> {
    if text.contains('\0') || references.contains('\0') {
        return Err(BadRow::new(line, None, NUL));
    }
    if text.trim().is_empty() {
        return Err(BadRow::new(line, None, "the source is empty: fill it in"));
    }
    let texts = references
        .split('\t')
        .filter(|text| !text.trim().is_empty());
    with_references(Row {
        line,
        source: Source {
            key: None,
            text,
            references: texts.map(str::to_owned).collect(),
        },
        output: None,
        verbatim: Vec::new(),
    })
}

fn only_with_references(opened: Opened<'_>) -> Opened<'_> {
    let rows = opened.rows.map(|item| {
        let row = item?;
        with_references(row).map_err(Problem::Row)
    });
    Opened {
        rows: Box::new(rows),
        ..opened
    }
}

fn with_references(row: Row) -> Result<Row, BadRow> {
    if row.source.references.is_empty() {
        return Err(BadRow::new(
            row.line,
            None,
            "the source has no reference here",
        ));
    }
    Ok(row)
}
