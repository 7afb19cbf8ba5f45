//! Cells of workbooks whose values are easily lost: long numbers, formulas without a value, escaped texts.

use formats::{
    FatalReadError, FileReadOptions, ReadError, ScoreFile, open, read_comparisons, read_dimensions,
};
use testdata::workbook_of_xml;

use crate::outcome;

/// The XML of rows of cells. A cell that begins with `<` is XML already, a number is one, and the rest is text.
pub(crate) fn rows_xml(rows: &[&[&str]]) -> String {
    let mut xml = String::new();
    for (row, cells) in (1..).zip(rows) {
        xml += &format!("<row r=\"{row}\">");
        for (column, cell) in ('A'..='Z').zip(*cells) {
            let place = format!("{column}{row}");
            xml += &match *cell {
                "" => String::new(),
                cell if cell.starts_with('<') => format!("<c r=\"{place}\">{cell}</c>"),
                cell if cell.parse::<f64>().is_ok() => {
                    format!("<c r=\"{place}\"><v>{cell}</v></c>")
                }
                cell => format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{cell}</t></is></c>"),
            };
        }
        xml += "</row>";
    }
    xml
}

fn sheet(rows: &[&[&str]]) -> Vec<u8> {
    workbook_of_xml(&[("Data", &rows_xml(rows))])
}

fn notes(bytes: &[u8]) -> Vec<String> {
    let opened = open(bytes, FileReadOptions::default()).unwrap();
    opened.notes.iter().map(ToString::to_string).collect()
}

/// The keys of the sources, in the order of the file.
fn keys(bytes: &[u8]) -> Vec<String> {
    let rows = crate::rows(bytes, FileReadOptions::default());
    rows.into_iter()
        .map(|row| row.source.key.unwrap())
        .collect()
}

const HEADER: &[&str] = &["source_id", "source", "system", "output", "rater", "rating"];

/// Spreadsheet programs show fifteen digits, but the file may have more.
#[test]
fn ids_keep_all_of_their_digits() {
    let row = |id: &'static str| [id, "The mill stopped.", "A", "It stopped.", "r1", "50"];
    for ids in [
        ["1700000000000001", "1700000000000002"],
        ["9007199254740992", "9007199254740993"],
        ["17000000000000001", "17000000000000002"],
        ["12345678901234567890123", "12345678901234567890124"],
    ] {
        let bytes = sheet(&[HEADER, &row(ids[0]), &row(ids[1])]);
        assert_eq!(keys(&bytes), ids);
        let parts = read_dimensions(&bytes[..], FileReadOptions::default()).unwrap();
        assert_eq!(parts[0].1.raw.units().len(), 2, "{ids:?}");
        assert_eq!(notes(&bytes), [""; 0]);
    }
}

#[test]
fn long_numbers_without_places_keep_their_digits_too() {
    let text = |text: &str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let (key, source) = (text("source_id"), text("source"));
    let row = |id: &str| format!("<row><c><v>{id}</v></c>{}</row>", text("It rained."));
    let ids = ["12345678901234567", "12345678901234568"];
    let xml = format!("<row>{key}{source}</row>{}{}", row(ids[0]), row(ids[1]));
    assert_eq!(keys(&workbook_of_xml(&[("Data", &xml)])), ids);
}

#[test]
fn numbers_that_a_spreadsheet_program_cut_are_named() {
    let rows = |ids: [&'static str; 2]| {
        let row = |id| vec![id, "The mill stopped.", "A", "It stopped.", "r1", "50"];
        sheet(&[HEADER, &row(ids[0]), &row(ids[1])])
    };
    let cut = notes(&rows(["1700000000000000", "1.70000000000001E+16"]));
    assert_eq!(
        cut,
        [
            "Long numbers may have lost digits, the first in row 2, column “source_id” (1700000000000000): \
             spreadsheet programs keep 15 digits and write zeros for the others. If these are names, format the \
             column as text and enter them again."
        ]
    );

    // One number that is not cut shows that the program keeps digits.
    assert_eq!(
        notes(&rows(["1700000000000000", "1700000000000001"])),
        [""; 0]
    );
    assert_eq!(notes(&rows(["170000000000000", "17"])), [""; 0]);
}

/// Floating-point numbers do not tell these two apart, and nothing says which sheet has which.
#[test]
fn long_numbers_that_cannot_be_told_apart_are_refused() {
    let data = rows_xml(&[
        &["source_id", "source"],
        &["12345678901234567", "It rained."],
    ]);
    let other = rows_xml(&[&["note"], &["12345678901234568"]]);
    let bytes = workbook_of_xml(&[("Data", &data), ("Other", &other)]);

    let fault = open(&bytes[..], FileReadOptions::default()).map(drop);
    let fault = fault.unwrap_err().to_string();
    assert!(
        fault.starts_with("line 2: holds a number that cannot be told from one in the same cell"),
        "{fault}"
    );
}

/// A formula as programs that do not calculate write it.
const FORMULA: &str = "<f>B2+C2</f><v></v>";

#[test]
fn a_formula_without_a_value_is_a_bad_row_where_its_column_counts() {
    let row = |output, rating| vec!["1", "The mill stopped.", "A", output, "r1", rating];
    let bytes = sheet(&[
        HEADER,
        &row("It stopped.", "50"),
        &row("It stopped.", FORMULA),
        &row("<f t=\"shared\" si=\"0\"/>", "70"),
        &row("It ended.", "<f>40+40</f><v>80</v>"),
    ]);

    let read = outcome(open(&bytes[..], FileReadOptions::default()));
    let remedy =
        "open the workbook in a spreadsheet program, which calculates it, save it and try again";
    let bad: Vec<_> = read.bad.iter().map(ToString::to_string).collect();
    assert_eq!(
        bad,
        [
            format!("line 3, “rating”: is a formula without a stored value: {remedy}"),
            format!("line 4, “output”: is a formula without a stored value: {remedy}"),
        ]
    );

    let lines: Vec<_> = read.rows.iter().map(|row| row.line).collect();
    assert_eq!(lines, [2, 5]);
    let note = format!(
        "2 formulas have no stored value and count as missing, the first in row 3, column “rating”: {remedy}."
    );
    assert_eq!(notes(&bytes)[..], [note.as_str()]);

    let parts = read_dimensions(&bytes[..], FileReadOptions::default()).unwrap();
    assert_eq!(parts[0].1.warnings[0].to_string(), note);
    assert_eq!(parts[0].1.bad_rows.len(), 2);
}

#[test]
fn a_formula_without_a_value_in_a_column_of_no_use_is_named_and_leaves_the_row() {
    let header = ["source", "output", "mean", "", "remark"];
    let bytes = sheet(&[
        &header,
        &["It rained.", "Rain.", FORMULA, "", "x"],
        &["It rained.", "Wet.", "2", "", "y", FORMULA],
    ]);

    let read = outcome(open(&bytes[..], FileReadOptions::default()));
    assert_eq!(read.bad, []);
    assert_eq!(read.rows.len(), 2);
    let notes = notes(&bytes);
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].starts_with("2 formulas have no stored value and count as missing, the first in row 2, column “mean”:"),
        "{notes:?}"
    );
}

#[test]
fn formulas_without_values_are_named_by_every_reader_of_tables() {
    let scores = sheet(&[
        &["source", "system", "lens"],
        &["It rained.", "A", "60"],
        &["It rained.", "B", FORMULA],
    ]);
    let file = ScoreFile::read(&scores[..]).unwrap();
    assert!(
        file.bad_rows[0]
            .to_string()
            .starts_with("line 3, “lens”: is a formula")
    );
    assert_eq!(file.notes.len(), 1);

    let comparisons = sheet(&[
        &["source", "rater", "system_a", "system_b", "outcome"],
        &["It rained.", "r1", "A", "B", "a"],
        &["It rained.", "r2", "A", "B", FORMULA],
    ]);
    let file = read_comparisons(&comparisons[..]).unwrap();
    assert!(
        file.bad_rows[0]
            .to_string()
            .starts_with("line 3, “outcome”: is a formula")
    );

    let header = sheet(&[&["source", FORMULA], &["It rained.", "Rain."]]);
    let fault = open(&header[..], FileReadOptions::default()).map(drop);
    let fault = fault.unwrap_err().to_string();
    assert!(
        fault.starts_with("line 1: the header has a formula"),
        "{fault}"
    );
}

/// If every row is bad, the reasons say more than that ratings are missing.
#[test]
fn a_file_without_a_usable_row_gives_the_reasons() {
    let row = ["1", "The mill stopped.", "A", "It stopped.", "r1", FORMULA];
    let bytes = sheet(&[HEADER, &row, &row]);
    let fault = read_dimensions(&bytes[..], FileReadOptions::default()).unwrap_err();
    assert!(matches!(&fault, FatalReadError::NoUsableRow(bad) if bad.len() == 2));

    let text = "source,system,output,rater,rating\n".to_owned()
        + &"It rained.,A,Rain.,r1,good\n".repeat(12);
    let fault = read_dimensions(text.as_bytes(), FileReadOptions::default()).unwrap_err();
    let fault = fault.to_string();
    assert!(
        fault.starts_with(
            "no row of the file can be used:\n  line 2, “rating”: “good” is not a number"
        ),
        "{fault}"
    );
    assert!(fault.ends_with("\n  and 2 more"), "{fault}");
}

#[test]
fn escaped_texts_are_those_that_people_see() {
    let bytes = sheet(&[
        &["source", "output"],
        &["Write _x005F_x000D_ here.", "One_x000D_\ntwo."],
        &["A _x0041_ and_x2019_s.", "No escape: _x00_, _xZZZZ_."],
    ]);

    let opened = open(&bytes[..], FileReadOptions::default()).unwrap();
    let rows: Result<Vec<_>, ReadError> = opened.rows.collect();
    let texts: Vec<_> = rows
        .unwrap()
        .into_iter()
        .map(|row| (row.source.text, row.output.unwrap().text))
        .collect();
    let expected = [
        ("Write _x000D_ here.", "One\ntwo."),
        ("A A and’s.", "No escape: _x00_, _xZZZZ_."),
    ];
    assert_eq!(texts, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}
