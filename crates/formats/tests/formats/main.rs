//! The formats as their users meet them, on files of our own writing and on the released ones.

#![cfg(test)]

mod agreement;
mod archives;
mod assessments;
mod comparisons;
mod comprehension;
mod dimension_ratings;
mod faults;
mod field_cases;
mod fuzzing;
mod jsonl;
mod mapping;
mod preview;
mod properties;
mod references;
mod released;
mod score_rows;
mod scores;
mod simpeval;
mod survey;
mod texts;
mod workbook_cells;
mod workbook_sheets;
mod workbooks;

use formats::{BadRow, FatalReadError, FileReadOptions, FileRow, OpenedFile, ReadError, open};

/// A released file, for tests with `needs_released_data`.
fn released(path: &str) -> Vec<u8> {
    let file = testdata::released_path(path);
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Everything that a file gives, up to the end or to a fatal fault.
struct ReadOutcome {
    rows: Vec<FileRow>,
    bad: Vec<BadRow>,
    fatal: Option<FatalReadError>,
}

fn outcome(opened: Result<OpenedFile<'_>, FatalReadError>) -> ReadOutcome {
    let mut all = ReadOutcome {
        rows: Vec::new(),
        bad: Vec::new(),
        fatal: None,
    };
    match opened {
        Err(fault) => all.fatal = Some(fault),
        Ok(opened) => {
            for item in opened.rows {
                match item {
                    Ok(row) => all.rows.push(row),
                    Err(ReadError::Row(bad)) => all.bad.push(bad),
                    Err(ReadError::Fatal(fault)) => all.fatal = Some(fault),
                }
            }
        }
    }
    all
}

fn read(bytes: impl AsRef<[u8]>, reading: FileReadOptions) -> ReadOutcome {
    outcome(open(bytes.as_ref(), reading))
}

/// The rows of a file without any fault.
fn rows(bytes: impl AsRef<[u8]>, reading: FileReadOptions) -> Vec<FileRow> {
    let ReadOutcome { rows, bad, fatal } = read(bytes, reading);
    assert!(fatal.is_none(), "{fatal:?}");
    assert_eq!(bad, []);
    rows
}
