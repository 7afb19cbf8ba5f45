//! Files that cannot be read, and what people are told.

use std::{
    io::{self, Read},
    sync::atomic::{AtomicUsize, Ordering},
};

use formats::{ColumnMapping, FileReadOptions, FormatFamily, MAX_ROW_BYTES, open};

use crate::{outcome, read, rows};

fn family_options(family: FormatFamily) -> FileReadOptions {
    FileReadOptions {
        family,
        ..FileReadOptions::default()
    }
}

#[test]
fn what_is_fatal_is_a_sentence() {
    let past = "id,original,generation,processed_generation,original_id,system";
    let cases: [(&[u8], FormatFamily, &str); 18] = [
        (
            b"",
            FormatFamily::Any,
            "the file is empty: choose one that has rows",
        ),
        (
            b"\xef\xbb\xbf",
            FormatFamily::Any,
            "the file is empty: choose one that has rows",
        ),
        (
            b"\n\r\n  \n",
            FormatFamily::Csv,
            "the file is empty: choose one that has rows",
        ),
        (
            b"\xff\xfes\0x",
            FormatFamily::Any,
            "line 1 is not UTF-16: choose another encoding, or save the file in UTF-8",
        ),
        (
            b"\x1f\x8b\x08",
            FormatFamily::Any,
            "the compressed file is damaged or incomplete: compress it again and try again",
        ),
        (
            b"sou\0rce,output\n",
            FormatFamily::Any,
            "this is a binary file, not a table: choose a table (CSV, TSV, JSONL or .xlsx) or a text",
        ),
        (
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            FormatFamily::Any,
            "this is a picture (PNG), not a table: choose a table (CSV, TSV, JSONL or .xlsx) or a text",
        ),
        (
            b"\xef\xbb\xbfsource\nfine\ncaf\xe9,x\n",
            FormatFamily::Any,
            "line 3 is not UTF-8 (byte 18 of the file, counted from 0): read it with --encoding windows-1252, or save it in UTF-8",
        ),
        (
            b"source\ncut \xe2\x82",
            FormatFamily::Any,
            "line 2 is not UTF-8 (byte 11 of the file, counted from 0): read it with --encoding windows-1252, or save it in UTF-8",
        ),
        (
            b"[{\"source\": 1}]",
            FormatFamily::Any,
            "the file is one JSON array: write one object a line (JSONL) and try again",
        ),
        (
            b"a,b\n1,2\n",
            FormatFamily::Any,
            "wrong header: expected a column “source” for the field source; found a,b; \
             map source to one of these columns (--map source=COLUMN)",
        ),
        (
            b"source,system\n1,2\n",
            FormatFamily::Any,
            "wrong header: expected a column “output” for the field output; found source,system; \
             map output to one of these columns (--map output=COLUMN)",
        ),
        (
            b"source,source\n1,2\n",
            FormatFamily::Any,
            "wrong header: expected one column “source”; found source,source; rename one of the two",
        ),
        (
            b"source\tcolour\n1\t2\n",
            FormatFamily::SimpEval,
            "wrong header: expected original_id,original,generation,system,sentence_type,rating_1…,rating_1_zscore…; \
             found source,colour; add the column “original”, or read the file as CSV and map its columns",
        ),
        (
            b"id,original,generation,processed_generation,system\n",
            FormatFamily::SimpEval,
            "wrong header: expected id,original,generation,processed_generation,original_id,system,rating_1…,rating_1_z_score…; \
             found id,original,generation,processed_generation,system; \
             add the column “original_id”, or read the file as CSV and map its columns",
        ),
        (
            b"original,rating\n",
            FormatFamily::Asset,
            "wrong header: expected original,simplification,original_sentence_id,aspect,worker_id,rating; \
             found original,rating; add the column “original_sentence_id”, or read the file as CSV and map its columns",
        ),
        (
            b"WorkerId,Input.original,Input.simplified,Input.system\n",
            FormatFamily::Any,
            "wrong header: expected WorkerId,Input.original,Input.simplified,Input.system,Answer.adequacy…; \
             found WorkerId,Input.original,Input.simplified,Input.system; begin the names of the columns of ratings with “Answer.”",
        ),
        (
            b"source\nfine\n\"open\nmore\nand more\n",
            FormatFamily::Any,
            "the quotation mark opened in the row on line 3 is never closed: close it",
        ),
    ];

    for (bytes, family, expected) in cases {
        let outcome = read(bytes, family_options(family));
        assert_eq!(
            outcome.fatal.map(|fault| fault.to_string()).as_deref(),
            Some(expected)
        );
    }

    let orphan = format!("{past},rating_2_z_score\n");
    let fault = read(orphan, FileReadOptions::default())
        .fatal
        .unwrap()
        .to_string();
    assert!(
        fault.ends_with("“rating_2_z_score” is there without “rating_2”: add or remove one"),
        "{fault}"
    );
}

#[test]
fn a_bad_row_is_said_with_line_and_column_and_the_rest_comes() {
    let header =
        "id,original,generation,processed_generation,original_id,system,rating_1,rating_1_z_score";
    let cases = [
        ("1,,,x,0,s,,", "line 3, “original”: is empty: fill it in"),
        ("1,a,,x,,s,,", "line 3, “original_id”: is empty: fill it in"),
        ("1,a,,x,0, ,,", "line 3, “system”: is empty: fill it in"),
        (
            "1,a,,x,0,s,high,",
            "line 3, “rating_1”: “high” is not a number: write it in digits with a decimal point, or leave it out where there is none",
        ),
        (
            "1,a,,x,0,s,\"1,500\",",
            "line 3, “rating_1”: “1,500” may be a number with three decimals or one above a thousand: write it with a decimal point, or without the comma",
        ),
        (
            "1,a,,x,0,s,-1,",
            "line 3, “rating_1”: -1 is outside the scale from 0 to 100",
        ),
        (
            "1,a,,x,0,s,5,?",
            "line 3, “rating_1_z_score”: “?” is not a number: write it in digits with a decimal point, or leave it out where there is none",
        ),
        (
            "1,a,,x,0,s,,0.5",
            "line 3, “rating_1_z_score”: is the z-score of no rating: add the rating or empty this",
        ),
        (
            "1,a,,x\0y,0,s,5,",
            "line 3, “processed_generation”: holds a NUL character: remove it",
        ),
        (
            "1,a,b",
            "line 3: has 3 cells, the header 8: add or remove commas, or close a quotation mark",
        ),
    ];

    for (row, expected) in cases {
        let outcome = read(
            format!("{header}\n0,a,,,0,s,,\n{row}\n2,a,,,0,t,,\n"),
            FileReadOptions::default(),
        );
        assert!(outcome.fatal.is_none());
        assert_eq!(
            outcome
                .bad
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
            [expected]
        );
        assert_eq!(outcome.rows.len(), 2, "{row}");
    }

    let category = "original_id,original,generation,system,sentence_type\n0,a,b,s,Reordering\n";
    assert_eq!(
        read(category, FileReadOptions::default()).bad[0].to_string(),
        "line 2, “sentence_type”: “Reordering” is not a category: use split, deletion or paraphrase"
    );
}

#[test]
fn what_is_said_of_a_long_cell_is_short() {
    let long = "x".repeat(100_000);
    let files = [
        format!("source,output,category\na,b,{long}\n"),
        format!("source,output,rating\na,b,{long}\n"),
        format!("{{\"source\": \"a\"}}\n\"{long}\"\n"),
        format!("source,{long}\na\n"),
    ];
    for file in files {
        let bad = read(file, FileReadOptions::default()).bad.remove(0);
        assert!(bad.to_string().len() < 400, "{}", bad.to_string().len());
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_column() {
    assert_eq!(
        rows("\u{feff}source\nA b.\n", FileReadOptions::default())[0]
            .source
            .text,
        "A b."
    );
    let mapping = ColumnMapping::parse(["source=s"]).unwrap();
    let reading = FileReadOptions {
        mapping,
        ..FileReadOptions::default()
    };
    assert_eq!(rows("\u{feff}{\"s\": \"A\"}", reading)[0].source.text, "A");
}

/// Counts the bytes that are read, to show that it is not all of them.
struct CountingReader<R>(R, &'static AtomicUsize);

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }
}

#[test]
fn a_line_of_200_megabytes_is_refused_after_the_first() {
    static READ: AtomicUsize = AtomicUsize::new(0);
    let long = || io::repeat(b'a').take(200_000_000);
    let cases: [(&[u8], FormatFamily, u64); 5] = [
        (b"", FormatFamily::Any, 1),
        (b"source,x\nfine,1\n", FormatFamily::Any, 3),
        (b"source\r\nfine\r\n\"", FormatFamily::Csv, 3),
        (b"{\"source\": \"fine\"}\n", FormatFamily::Any, 2),
        (b"{\"source\": \"", FormatFamily::Jsonl, 1),
    ];

    for (begin, family, line) in cases {
        READ.store(0, Ordering::Relaxed);
        let input = CountingReader(begin.chain(long()), &READ);
        let fault = outcome(open(input, family_options(family)))
            .fatal
            .unwrap()
            .to_string();
        let expected = format!(
            "the row on line {line} is longer than {MAX_ROW_BYTES} bytes: look there for a \
             quotation mark that is never closed, or shorten it"
        );
        assert_eq!(fault, expected);
        assert!(READ.load(Ordering::Relaxed) < 2 * MAX_ROW_BYTES);
    }
}

#[test]
fn a_row_just_within_the_limit_is_read() {
    let long = "a".repeat(MAX_ROW_BYTES - 100);
    assert_eq!(
        rows(
            format!("source,note\nA.,{long}\nB.,{long}\n"),
            FileReadOptions::default()
        )
        .len(),
        2
    );
}

#[test]
fn input_that_breaks_off_is_said_and_keeps_its_cause() {
    struct FailingReader;
    impl Read for FailingReader {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable is out"))
        }
    }

    let input = (&b"source\n"[..])
        .chain(io::repeat(b'\n').take(20_000))
        .chain(FailingReader);
    let fault = outcome(open(input, FileReadOptions::default()))
        .fatal
        .unwrap();
    assert_eq!(fault.to_string(), "the file could not be read to its end");
    assert_eq!(
        std::error::Error::source(&fault).unwrap().to_string(),
        "the cable is out"
    );
}

#[test]
fn a_text_that_would_take_minutes_to_compare_is_a_bad_row() {
    let word = "a".repeat(160_000);
    let many = "a ".repeat(5_001);
    let file = format!(
        "source,output\nIt rained.,Rain.\n{word},Rain.\nIt rained.,{many}\nIt rained.,b{}\n",
        "a".repeat(500)
    );

    let all = outcome(open(file.as_bytes(), FileReadOptions::default()));
    assert_eq!(all.rows.len(), 1);
    let bad: Vec<_> = all.bad.iter().map(ToString::to_string).collect();
    assert_eq!(
        bad,
        [
            "line 3: the source has more than 60000 letters: shorten it, or split it into several texts",
            "line 4: the output has more than 5000 words: shorten it, or split it into several texts",
            "line 5: the output has a word of more than 500 letters: look for a line that lacks its blanks",
        ]
    );
}
