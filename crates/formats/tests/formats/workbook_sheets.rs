//! The choice of the sheet of a workbook.

use std::io::Cursor;

use formats::{
    ColumnMapping, FatalReadError, FileInput, FileReadOptions, InputOptions, ScoreFile, TextFile,
    comprehension::read_comprehension, open, open_references, preview, read_comparisons,
    read_dimensions, read_ratings, simpeval::SlotRaters,
};
use testdata::workbook_of_xml;

use crate::workbook_cells::rows_xml;

const RATINGS: &[&[&str]] = &[
    &["source", "output", "system", "rater", "rating"],
    &["It rained.", "Rain.", "A", "r1", "50"],
    &["It rained.", "Rain.", "A", "r2", "60"],
];
const COVER: &[&[&str]] = &[
    &["Ratings of our outputs"],
    &["", "Collected in spring"],
    &["See the next sheet."],
];

fn book(sheets: &[(&str, &[&[&str]])]) -> Vec<u8> {
    let sheets: Vec<_> = sheets
        .iter()
        .map(|(name, rows)| (*name, rows_xml(rows)))
        .collect();
    let sheets: Vec<_> = sheets.iter().map(|(name, xml)| (*name, &xml[..])).collect();
    workbook_of_xml(&sheets)
}

fn sheet_of(bytes: &[u8]) -> Option<String> {
    let opened = open(bytes, FileReadOptions::default());
    opened.unwrap_or_else(|fault| panic!("{fault}")).input.sheet
}

#[test]
fn the_sheet_with_rows_under_the_columns_is_read_and_said() {
    for first in [
        &[][..],
        COVER,
        &[&["source", "output"]],
        &[&["name", "mail"], &["Ada", "a@b"]],
    ] {
        let bytes = book(&[("Notes", first), ("Ratings", RATINGS), ("Old", RATINGS)]);
        let opened = open(&bytes[..], FileReadOptions::default()).unwrap();
        assert_eq!(opened.input.sheet.as_deref(), Some("Ratings"));
        let notes: Vec<_> = opened.notes.iter().map(ToString::to_string).collect();
        let note = "Read from the sheet “Ratings”; other sheets of the workbook were not read: Notes, Old.";
        assert_eq!(notes, [note]);
        assert_eq!(opened.rows.count(), 2);
        let parts = read_dimensions(&bytes[..], FileReadOptions::default()).unwrap();
        assert_eq!(parts[0].1.warnings[0].to_string(), note);
        let shown = preview("t.xlsx", &bytes[..], 3).unwrap();
        assert_eq!(shown.input.sheet.as_deref(), Some("Ratings"));
    }
}

#[test]
fn a_stated_sheet_and_an_only_one_need_no_remark() {
    let options = InputOptions {
        sheet: Some("Notes".to_owned()),
        ..InputOptions::default()
    };

    let bytes = book(&[("Notes", RATINGS), ("Ratings", RATINGS)]);
    let opened = open(
        FileInput::new(&bytes[..], options),
        FileReadOptions::default(),
    )
    .unwrap();
    assert_eq!(opened.input.sheet.as_deref(), Some("Notes"));
    assert_eq!(opened.notes, []);

    let opened = open(
        &book(&[("Ratings", RATINGS)])[..],
        FileReadOptions::default(),
    )
    .map(|file| file.notes);
    assert_eq!(opened.unwrap(), []);
}

/// Where no sheet has the columns, the message is about the first that has rows.
#[test]
fn without_the_columns_the_first_sheet_with_rows_is_read() {
    let other: &[&[&str]] = &[&["text", "simple"], &["It rained.", "Rain."]];
    let bytes = book(&[
        ("Empty", &[]),
        ("Header", &[&["a"]]),
        ("Texts", other),
        ("More", other),
    ]);
    assert_eq!(
        preview("t.xlsx", &bytes[..], 3).unwrap().header,
        ["text", "simple"]
    );

    let fault = open(&bytes[..], FileReadOptions::default())
        .map(drop)
        .unwrap_err();
    assert!(fault.to_string().contains("found text,simple"), "{fault}");

    let german: &[&[&str]] = &[&["Satz", "Leicht"], &["Es regnet.", "Regen."]];
    let bytes = book(&[("Cover", COVER), ("Texte", german)]);
    let shown = preview("t.xlsx", &bytes[..], 3).unwrap();
    assert_eq!(shown.header, ["Satz", "Leicht"], "a cover has one column");

    let reading = FileReadOptions {
        mapping: ColumnMapping::parse(["source=text", "output=simple"]).unwrap(),
        ..FileReadOptions::default()
    };
    let bytes = book(&[("Ratings", RATINGS), ("Texts", other)]);
    let opened = open(&bytes[..], reading).unwrap();
    assert_eq!(
        opened.input.sheet.as_deref(),
        Some("Texts"),
        "the columns are those that are mapped"
    );

    let fault = open(
        &book(&[("A", &[]), ("B", &[])])[..],
        FileReadOptions::default(),
    )
    .map(drop);
    assert!(matches!(fault, Err(FatalReadError::Empty)));
}

/// Each reader looks for its own columns, so that one workbook can hold all.
#[test]
fn every_reader_finds_its_sheet() {
    let outputs: &[&[&str]] = &[&["source", "output"], &["It rained.", "Rain."]];
    let bytes = book(&[
        ("Cover", COVER),
        ("Outputs", outputs),
        (
            "References",
            &[&["source", "reference"], &["It rained.", "Wet."]],
        ),
        ("Scores", &[&["output_id", "lens"], &["1", "60"]]),
        (
            "Pairs",
            &[
                &["source", "rater", "system_a", "system_b", "outcome"],
                &["It rained.", "r", "A", "B", "a"],
            ],
        ),
        (
            "Reading",
            &[
                &["passage", "condition", "text"],
                &["p1", "original", "It rained."],
            ],
        ),
        (
            "Raters",
            &[
                &["original_id", "system", "slot", "rater"],
                &["0", "A", "1", "Ada"],
            ],
        ),
        (
            "SimpEval",
            &[
                &[
                    "original_id",
                    "original",
                    "generation",
                    "system",
                    "sentence_type",
                    "rating_1",
                ],
                &["0", "It rained.", "Rain.", "A", "Paraphrases", "50"],
            ],
        ),
    ]);

    assert_eq!(sheet_of(&bytes).as_deref(), Some("Outputs"));
    let name = "references.xlsx".to_owned();
    let input = Cursor::new(bytes.clone()).into();
    let opened = open_references(vec![TextFile { name, input }]).unwrap();
    assert_eq!(opened.input.sheet.as_deref(), Some("References"));
    assert_eq!(ScoreFile::read(&bytes[..]).unwrap().metrics, ["lens"]);
    assert_eq!(read_comparisons(&bytes[..]).unwrap().rows.len(), 1);
    let passages = read_comprehension(&bytes[..], &Default::default()).unwrap();
    assert_eq!(passages.passages.len(), 1);
    assert!(
        passages.notes[0].contains("sheet “Reading”"),
        "{:?}",
        passages.notes
    );
    let raters = SlotRaters::read(&bytes[..]).unwrap();
    assert_eq!(raters.rater_of("0", "A", 1), Some("Ada"));
    let ratings = read_ratings(&bytes[..], None).unwrap();
    assert_eq!(ratings.raw.units().len(), 1);
}
