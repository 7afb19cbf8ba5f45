//! The formats as their users meet them, on files of our own writing and on the released ones.

#![cfg(test)]

mod agreement;
mod assessments;
mod comprehension;
mod faults;
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

use std::path::PathBuf;

use formats::{BadRow, FatalReadError, FileReadOptions, FileRow, OpenedFile, ReadError, open};

/// A released file, or `None` (and a line that says so) where this machine does not have it.
fn released(path: &str) -> Option<Vec<u8>> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let folder = std::env::var_os("RANKRATE_SHARED").map_or(beside.into(), PathBuf::from);
    let file = folder.join("data").join(path);
    let bytes = std::fs::read(&file).ok();
    if bytes.is_none() {
        println!("skipped: the released file {path} is not on this machine");
    }
    bytes
}

/// Everything that a file gives, up to the end or to what is fatal.
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
