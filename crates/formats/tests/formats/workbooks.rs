//! Workbooks, compressed files and texts in other encodings, through the readers of all formats.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use formats::{
    ColumnSeparator, FileFormat, FileInput, FileReadOptions, InputOptions, ScoreFile, TextEncoding,
    TextFile, comprehension::read_comprehension, open, open_references, preview, read_line,
};
use testdata::workbook;

use crate::outcome;

const TABLE: &[&[&str]] = &[
    &["source", "output", "system", "rater", "rating"],
    &[
        "The ferry, which was old, stopped.",
        "It stopped.",
        "A",
        "w1",
        "87.5",
    ],
    &[],
    &[
        "The mill \"burned\" & fell.\nTwice.",
        "It burned.",
        "A",
        "w1",
        "90",
    ],
    &["", "No source.", "A", "w1", "1"],
    &["The river rose.", "It rose.", "A", "w1", "3", "beyond"],
];

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn options(options: InputOptions) -> impl Fn(&[u8]) -> FileInput<'_> {
    move |bytes| FileInput::new(bytes, options.clone())
}

#[test]
fn the_first_sheet_is_read_as_a_table_with_the_rows_of_the_sheet() {
    let bytes = workbook(&[("Ratings", TABLE), ("Notes", &[&["note"]])]);
    for bytes in [bytes.clone(), gzip(&bytes)] {
        let opened = open(&bytes[..], FileReadOptions::default()).unwrap();
        assert_eq!(opened.format, FileFormat::Csv);
        assert_eq!(opened.input.sheet.as_deref(), Some("Ratings"));
        assert_eq!(opened.input.sheets, ["Ratings", "Notes"]);
        let read = outcome(Ok(opened));
        assert!(read.fatal.is_none());
        let lines: Vec<_> = read.rows.iter().map(|row| row.line).collect();
        assert_eq!(lines, [2, 4]);
        let output = read.rows[0].output.as_ref().unwrap();
        assert_eq!(output.ratings[0].value.text(), "87.5");
        assert_eq!(
            read.rows[1].source.text,
            "The mill \"burned\" & fell.\nTwice."
        );
        let bad: Vec<_> = read.bad.iter().map(ToString::to_string).collect();
        assert_eq!(
            bad,
            [
                "line 5, “source”: is empty: fill it in",
                "line 6: has a cell to the right of the header: name its column, or empty it",
            ]
        );
    }
}

#[test]
fn another_sheet_can_be_stated_and_one_that_is_not_there_is_named() {
    let bytes = workbook(&[("Notes", &[&["note"]]), ("Ratings", TABLE)]);
    let sheet = |name: &str| {
        options(InputOptions {
            sheet: Some(name.to_owned()),
            ..InputOptions::default()
        })
    };

    let found = preview("t.xlsx", sheet("Ratings")(&bytes), 3).unwrap();
    assert_eq!(
        found.header,
        ["source", "output", "system", "rater", "rating"]
    );
    assert_eq!(
        found.format.describe_reading(&found.input, Some(5)),
        "Read as an Excel table, sheet “Ratings”, 5 rows."
    );

    let fault = preview("t.xlsx", sheet("Data")(&bytes), 3).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "there is no sheet “Data”; the sheets are: Notes, Ratings"
    );
}

#[test]
fn files_of_scores_references_and_reading_are_read_in_the_same_way() {
    let scores: &[&[&str]] = &[
        &["source", "system", "lens"],
        &["The ferry stopped.", "A", "61.5"],
    ];
    let file = ScoreFile::read(&workbook(&[("S", scores)])[..]).unwrap();
    assert_eq!(file.metrics, ["lens"]);

    let references = gzip("source;reference\nDas Boot fährt.;Es fährt.\n".as_bytes());
    let name = "references.csv.gz".to_owned();
    let input = references.as_slice().into();
    let opened = open_references(vec![TextFile { name, input }]).unwrap();
    assert!(opened.input.compressed);
    assert_eq!(
        opened
            .rows
            .map(Result::unwrap)
            .next()
            .unwrap()
            .source
            .references,
        ["Es fährt."]
    );

    let text = |name: &str, text: &str| TextFile {
        name: name.to_owned(),
        input: std::io::Cursor::new(gzip(text.as_bytes())).into(),
    };
    let texts = vec![text("t.orig.gz", "One.\n"), text("t.simp.0.gz", "1.\n")];
    let opened = open_references(texts).unwrap();
    assert_eq!(
        opened
            .rows
            .map(Result::unwrap)
            .next()
            .unwrap()
            .source
            .references,
        ["1."]
    );

    let passages: &[&[&str]] = &[
        &["passage", "condition", "text"],
        &["p1", "original", "The ferry stopped."],
    ];
    let read = read_comprehension(&workbook(&[("P", passages)])[..], &Default::default()).unwrap();
    assert_eq!(read.passages.len(), 1);
    let fault = read_comprehension(&b"passage,condition,text\n"[..], &Default::default());
    assert!(
        fault
            .unwrap_err()
            .to_string()
            .starts_with("the file has a header and no rows")
    );
}

#[test]
fn a_text_in_windows_1252_is_read_where_the_user_says_so() {
    let file = b"source;output\nThe ferry stopped.;Das Boot f\xe4hrt.\n";
    let fault = preview("t.csv", &file[..], 5).unwrap_err();
    assert_eq!(fault.line_not_utf8(), Some(2));
    assert_eq!(
        fault.page_message(),
        "line 2 is not UTF-8: choose another encoding, or save the file in UTF-8"
    );

    let latin = options(InputOptions {
        encoding: Some(TextEncoding::Windows1252),
        ..InputOptions::default()
    });
    let found = preview("t.csv", latin(file), 5).unwrap();
    assert_eq!(found.rows, [["The ferry stopped.", "Das Boot fährt."]]);
    let line = read_line(latin(file), 2).unwrap();
    assert_eq!(line.as_deref(), Some("The ferry stopped.;Das Boot fährt."));
    assert_eq!(read_line(latin(file), 3).unwrap(), None);

    // A file that is wrong only far down shows it in the first look, too.
    let far = [&b"source\n"[..], &b"fine\n".repeat(100), b"f\xe4hrt\n"].concat();
    let fault = preview("t.csv", &far[..], 5).unwrap_err();
    assert_eq!(fault.line_not_utf8(), Some(102));
}

#[test]
fn another_separator_can_be_stated() {
    let file = b"source;a,b;c,d;e\nOne;1,2;3,4;5\n";
    let found = preview("t.csv", &file[..], 5).unwrap();
    assert_eq!(found.input.separator, Some(ColumnSeparator::Semicolon));
    assert_eq!(found.header.len(), 4);

    let commas = options(InputOptions {
        separator: Some(ColumnSeparator::Comma),
        ..InputOptions::default()
    });
    let found = preview("t.csv", commas(file), 5).unwrap();
    assert_eq!(found.header, ["source;a", "b;c", "d;e"]);
    assert_eq!(found.input.separator, Some(ColumnSeparator::Comma));
}

#[test]
fn a_column_that_is_missing_is_named_in_the_words_of_the_reader() {
    let fault = open(&b"original,system\nA,b\n"[..], FileReadOptions::default()).map(drop);
    let fault = fault.unwrap_err();
    assert!(
        fault.to_string().contains("(--map source=COLUMN)"),
        "{fault}"
    );
    assert_eq!(fault.page_message(), "say which column holds the sources");

    let fault = open(&b"source,system\nA,b\n"[..], FileReadOptions::default()).map(drop);
    let message = fault.unwrap_err().page_message();
    assert_eq!(message, "say which column holds the outputs");
}

/// Whatever happens to the bytes of a workbook, reading it ends in rows or a sentence.
#[test]
fn broken_workbooks_are_refused_without_a_panic() {
    let whole = workbook(&[("Ratings", TABLE)]);
    for end in (0..whole.len()).step_by(37) {
        let _ = open(&whole[..end], FileReadOptions::default()).map(|opened| opened.rows.count());
    }
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x55;
        let _ = open(&bytes[..], FileReadOptions::default()).map(|opened| opened.rows.count());
    }
}
