//! Properties of every file.

use std::io::Read;

use formats::{
    CsvWriter, FileReadOptions, FormatFamily, FormulaEscaping, SimplificationUse, TextFile, open,
    open_texts, preview, read_ratings,
    simpeval::{SimpEvalPastRow, SimpEvalPastWriter, SlotRaters, SlotRating},
};
use proptest::{collection::vec, prelude::*, string::string_regex};

use crate::{outcome, released::written, rows};

/// Hands out a few bytes at a time.
struct ChunkedReader<'a>(&'a [u8], usize);

impl Read for ChunkedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(self.1);
        self.0.read(&mut buffer[..count])
    }
}

/// Any bytes, and bytes that get far into the readers.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let header = prop::sample::select(vec![
        "",
        "\u{feff}",
        "source,output,rating\n",
        "source;output\r\n",
        "id,original,generation,processed_generation,original_id,system,rating_1,rating_1_z_score\n",
        "original_id,original,generation,system,sentence_type,rating_1,rating_1_zscore\n",
        "WorkerId,Input.original,Input.simplified,Input.system,Answer.x\n",
        "original,simplification,original_sentence_id,aspect,worker_id,rating\n",
        "original_id,system,slot,rater\n",
        "{\"source\": \"a\", \"output\": \"b\", \"ratings\": [",
    ]);
    let piece = prop::sample::select(vec![
        &b","[..],
        b"\"",
        b"\n",
        b"\r\n",
        b"\r",
        b"a",
        b"5",
        b"-1.5",
        b"Splittings",
        b"\0",
        b";",
        b"\xc3\xa9",
        b"\xc3",
        b"\xf0\x9f\x99\x82",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b" ",
        b"\"source\"",
        b"\"rating\"",
    ]);
    let pieces = vec(piece, 0..60).prop_map(|pieces| pieces.concat());
    let rest = prop_oneof![3 => pieces, 1 => vec(any::<u8>(), 0..200)];
    (header, rest).prop_map(|(header, rest)| [header.as_bytes(), &rest].concat())
}

fn text() -> impl Strategy<Value = String> {
    string_regex("[^\0]{0,20}|[ ,\"\r\n;a\u{e9}]{0,9}").unwrap()
}

fn filled() -> impl Strategy<Value = String> {
    text().prop_filter("blank", |text| !text.trim().is_empty())
}

/// The name of a source or a system; others are read in their visible form.
fn name() -> impl Strategy<Value = String> {
    string_regex("[a-zé,;\"]{1,9}( [a-z]{1,4})?").unwrap()
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in bytes(), raters in bytes()) {
        let raters = SlotRaters::read(&raters[..]).ok();
        for family in [FormatFamily::Any, FormatFamily::SimpEval, FormatFamily::Asset, FormatFamily::Csv, FormatFamily::Jsonl] {
            let raters = raters.clone();
            outcome(open(&bytes[..], FileReadOptions { family, raters, ..FileReadOptions::default() }));
        }
        let _ = preview("f", &bytes[..], 3);
        let _ = read_ratings(&bytes[..], raters);
        let file = |name: &str| TextFile { name: name.to_owned(), input: (&bytes[..]).into() };
        let files = vec![file("a.orig"), file("a.simp.0"), file("s")];
        outcome(open_texts(files, SimplificationUse::References));
    }

    #[test]
    fn it_does_not_matter_in_which_portions_bytes_arrive(bytes in bytes(), portion in 1..7usize) {
        let whole = outcome(open(&bytes[..], FileReadOptions::default()));
        let drops = outcome(open(ChunkedReader(&bytes, portion), FileReadOptions::default()));
        prop_assert_eq!(whole.rows, drops.rows);
        prop_assert_eq!(whole.bad, drops.bad);
        let message = |fault: Option<formats::FatalReadError>| fault.map(|fault| fault.to_string());
        prop_assert_eq!(message(whole.fatal), message(drops.fatal));
    }

    #[test]
    fn past_rows_come_back_as_they_were_written(
        table in vec((vec(text(), 3), (filled(), vec(name(), 2)), vec(slot(), 2)), 0..5)
    ) {
        let mut writer = SimpEvalPastWriter::new(Vec::new(), 2, FormulaEscaping::Verbatim).unwrap();
        for (texts, (original, names), slots) in &table {
            let slots: Vec<_> = slots.iter().map(|(rating, z)| SlotRating { rating, z }).collect();
            let row = SimpEvalPastRow {
                shared_ratings: None,
                id: &texts[0],
                original,
                generation: &texts[1],
                processed_generation: &texts[2],
                original_id: &names[0],
                system: &names[1],
                slots: &slots,
            };
            writer.write(&row).unwrap();
        }
        let file = writer.finish().unwrap();
        let rows = rows(&file, FileReadOptions::default());
        prop_assert_eq!(rows.len(), table.len());
        prop_assert_eq!(written(&rows, 2), file);
    }

    #[test]
    fn any_cells_come_back(cells in vec(vec(filled(), 3), 0..5)) {
        let mut writer = CsvWriter::new(Vec::new(), ["source", "b", "c"], FormulaEscaping::Verbatim).unwrap();
        for row in &cells {
            writer.write(row).unwrap();
        }
        let actual = rows(writer.finish().unwrap(), FileReadOptions::default()).into_iter().map(|row| {
            let rest = row.verbatim.into_iter().map(|(_, text)| text);
            std::iter::once(row.source.text).chain(rest).collect::<Vec<_>>()
        });
        prop_assert_eq!(actual.collect::<Vec<_>>(), cells);
    }

    #[test]
    fn a_row_knows_its_line(
        rows_with_ends in vec((string_regex("[a\n]{1,5}").unwrap(), 1..4usize, any::<bool>()), 1..8)
    ) {
        let mut file = "source\n".to_owned();
        let mut lines = Vec::new();
        for (text, ends, crlf) in rows_with_ends {
            if text.trim().is_empty() {
                continue;
            }
            lines.push(file.matches('\n').count() as u64 + 1);
            file += &format!("\"{text}\"{}", if crlf { "\r\n" } else { "\n" }.repeat(ends));
        }
        let actual: Vec<_> = rows(&file, FileReadOptions::default()).iter().map(|row| row.line).collect();
        prop_assert_eq!(actual, lines);
    }
}

/// A rating from 0 to 100 or none, a z-score only where there is a rating.
fn slot() -> impl Strategy<Value = (String, String)> {
    let rating = prop_oneof![
        (0..=100i32).prop_map(|value| value.to_string()),
        (0.0..=100.0f64).prop_map(|value| format!("{value:?}")),
    ];
    let z = prop_oneof![
        Just(String::new()),
        any::<f32>()
            .prop_filter("within the bound of numbers", |z| z.abs() <= 1e15)
            .prop_map(|z| z.to_string())
    ];
    prop_oneof![Just((String::new(), String::new())), (rating, z)]
}
