//! Every reader on files that nobody should send: no panic, bounded output, faults that name a line and
//! a reason, and the same result every time.

mod readers;
mod samples;

use std::fmt::Write as _;

use formats::BadRow;
use proptest::{collection::vec, prelude::*, sample};

use samples::{HOSTILE_CELLS, HOSTILE_JSON, SAMPLES};

/// The longest message about a fault, in bytes: some clipped texts, and the sentence around them.
const LONGEST_MESSAGE: usize = 3_000;

/// The result of one reader on a file.
#[derive(Debug, Default, PartialEq)]
struct FuzzOutcome {
    reader: String,
    /// The number of rows, answers or other items.
    items: usize,
    /// The bytes of the file's texts that they hold, counted where a reader must not repeat texts.
    text_bytes: usize,
    bad_rows: Vec<BadRow>,
    fatal: Option<String>,
    /// The items as Rust prints them, to compare two readings.
    printed: String,
}

impl FuzzOutcome {
    fn new(reader: impl Into<String>) -> Self {
        Self {
            reader: reader.into(),
            ..Self::default()
        }
    }

    fn add_item(&mut self, item: &impl std::fmt::Debug, text_bytes: usize) {
        self.items += 1;
        self.text_bytes += text_bytes;
        let _ = writeln!(self.printed, "{item:?}");
    }
}

/// Reads a file with all readers, twice, and checks what holds for every file.
fn check(file: &[u8]) -> Result<(), TestCaseError> {
    let outcomes = readers::read_with_all(file);
    prop_assert_eq!(&outcomes, &readers::read_with_all(file));

    let lines = file.iter().filter(|byte| **byte == b'\n').count() + 1;
    // A reader of records takes a lone carriage return for a line end, too.
    let rows = lines + file.iter().filter(|byte| **byte == b'\r').count();

    for outcome in outcomes {
        let FuzzOutcome { reader, .. } = &outcome;
        // A line gives at most a row for each of three text files, or a passage with three answers.
        prop_assert!(outcome.items <= 4 * rows, "{reader}: {}", outcome.items);
        prop_assert!(outcome.bad_rows.len() <= 3 * rows, "{reader}");
        prop_assert!(
            outcome.text_bytes <= 4 * file.len() + 40 * rows,
            "{reader}: {} bytes of {}",
            outcome.text_bytes,
            file.len()
        );

        for bad_row in &outcome.bad_rows {
            let line = usize::try_from(bad_row.line).unwrap();
            prop_assert!((1..=lines).contains(&line), "{reader}: {bad_row}");
            prop_assert!(!bad_row.reason.is_empty(), "{reader}: {bad_row}");
            let message = bad_row.to_string();
            prop_assert!(
                message.starts_with(&format!("line {line}")),
                "{reader}: {message}"
            );
            prop_assert!(
                message.len() < LONGEST_MESSAGE,
                "{reader}: {}",
                message.len()
            );
        }
        if let Some(message) = &outcome.fatal {
            prop_assert!(!message.is_empty(), "{reader}");
            prop_assert!(
                message.len() < LONGEST_MESSAGE,
                "{reader}: {}",
                message.len()
            );
        }
    }
    Ok(())
}

/// One change of a file. Places are shares of its length, so that each change fits each file.
#[derive(Debug, Clone)]
enum Mutation {
    Delete(f64, usize),
    Repeat(f64, usize),
    Insert(f64, Vec<u8>),
    Replace(f64, u8),
    Truncate(f64),
}

impl Mutation {
    fn apply(&self, file: &mut Vec<u8>) {
        let place = |share: &f64| (share * file.len() as f64) as usize;
        match self {
            Self::Delete(share, count) => {
                let start = place(share);
                let end = file.len().min(start + count);
                file.drain(start..end);
            }
            Self::Repeat(share, count) => {
                let start = place(share);
                let end = file.len().min(start + count);
                file.extend_from_within(start..end);
            }
            Self::Insert(share, bytes) => {
                let start = place(share);
                file.splice(start..start, bytes.iter().copied());
            }
            Self::Replace(share, byte) => {
                let start = place(share);
                if let Some(old) = file.get_mut(start) {
                    *old = *byte;
                }
            }
            Self::Truncate(share) => file.truncate(place(share)),
        }
    }
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let share = 0.0..1.0;
    let hostile = sample::select([HOSTILE_CELLS, HOSTILE_JSON].concat());
    let bytes = hostile.prop_map(|text| text.as_bytes().to_vec());
    prop_oneof![
        (share.clone(), 1..40_usize).prop_map(|(at, count)| Mutation::Delete(at, count)),
        (share.clone(), 1..80_usize).prop_map(|(at, count)| Mutation::Repeat(at, count)),
        (share.clone(), bytes).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        (share.clone(), any::<u8>()).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        share.prop_map(Mutation::Truncate),
    ]
}

/// A table of a known header, or of none, with cells that no table should have.
fn hostile_table() -> impl Strategy<Value = Vec<u8>> {
    let headers: Vec<&str> = SAMPLES
        .iter()
        .map(|text| text.lines().next().unwrap_or_default())
        .collect();
    let delimiter = sample::select(vec![",", ";", "\t"]);
    let end = sample::select(vec!["\n", "\r\n", "\r", "\n\n"]);
    let cell = prop_oneof![
        3 => sample::select(HOSTILE_CELLS).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
    ];
    let rows = vec(vec(cell, 0..9), 0..8);

    (sample::select(headers), delimiter, end, rows).prop_map(|(header, delimiter, end, rows)| {
        let mut file = format!("{}{end}", header.replace(',', delimiter));
        for row in rows {
            file += &row.join(delimiter);
            file += end;
        }
        file.into_bytes()
    })
}

/// Lines of JSON objects, most with keys that readers look for, and lines that are not objects.
fn hostile_json() -> impl Strategy<Value = Vec<u8>> {
    let key = sample::select(vec![
        "source",
        "output",
        "system",
        "rating",
        "ratings",
        "rater",
        "references",
        "z",
        "id",
        "source_id",
        "lens",
        "passage",
        "condition",
        "text",
        "question",
        "question_text",
        "a",
        "b",
        "c",
        "d",
        "critical",
        "answer",
        "order",
        "active_ms",
        "system_a",
        "system_b",
        "outcome",
        "systems",
        "best",
        "worst",
        "data",
        "\\u0000",
        "",
    ]);

    let value = prop_oneof![
        sample::select(HOSTILE_JSON).prop_map(str::to_owned),
        "[a-z .]{0,12}".prop_map(|text| format!("\"{text}\"")),
        any::<f64>().prop_map(|number| format!("{number:?}")),
    ];

    let pair = (key, value).prop_map(|(key, value)| format!("\"{key}\":{value}"));
    let object = vec(pair, 0..8).prop_map(|pairs| format!("{{{}}}", pairs.join(",")));
    let line = prop_oneof![
        4 => object,
        1 => sample::select(HOSTILE_JSON).prop_map(str::to_owned),
    ];
    vec(line, 1..8).prop_map(|lines| format!("{{}}\n{}", lines.join("\n")).into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn arbitrary_bytes(file in vec(any::<u8>(), 0..300)) {
        check(&file)?;
    }

    #[test]
    fn valid_files_with_some_changes(
        sample in sample::select(SAMPLES),
        mutations in vec(mutation(), 0..6),
    ) {
        let mut file = sample.as_bytes().to_vec();
        for mutation in mutations {
            mutation.apply(&mut file);
        }
        check(&file)?;
    }

    #[test]
    fn hostile_tables(file in hostile_table()) {
        check(&file)?;
    }

    #[test]
    fn hostile_lines_of_json(file in hostile_json()) {
        check(&file)?;
    }
}

/// Some reader takes each sample whole.
#[test]
fn each_sample_is_valid() {
    for sample in SAMPLES {
        let outcomes = readers::read_with_all(sample.as_bytes());
        let is_read = |outcome: &FuzzOutcome| {
            outcome.items > 0 && outcome.bad_rows.is_empty() && outcome.fatal.is_none()
        };
        assert!(outcomes.iter().any(is_read), "{sample}");
    }
}

/// Nesting beyond what a stack holds, keys and columns without end, and texts that messages would repeat.
#[test]
fn large_files_of_one_kind_of_malice() {
    let long = "x".repeat(20_000);
    let files = [
        "[".repeat(10_000),
        format!("{{\"source\":{}", "{\"a\":".repeat(10_000)),
        format!(
            "{{\"ratings\":{}{}}}",
            "[".repeat(10_000),
            "]".repeat(10_000)
        ),
        format!("{{\"{long}\":1,\"source\":\"{long}\",\"passage\":\"{long}\"}}\n\"{long}\""),
        format!(
            "{{\"data\":[{{\"title\":\"{long}\",\"paragraphs\":[{{\"qas\":[{{\"question\":\"\",\"answers\":[]}}]}}]}}]}}"
        ),
        format!("source,output,{long},{long}\na,b,c,d\n"),
        format!("id,{}\n1,{}\n", "a,".repeat(4_000), "1,".repeat(4_000)),
        format!("passage,condition,text,question,answer\n{long},{long},{long},{long},{long}\n"),
        format!("original_id,system,slot,rater\n{long},{long},{long},{long}\n"),
        "\"".repeat(10_001),
        ",".repeat(10_000),
        "\r".repeat(5_000),
    ];
    for file in files {
        if let Err(error) = check(file.as_bytes()) {
            panic!("{error}: {}…", &file[..60]);
        }
    }
}
