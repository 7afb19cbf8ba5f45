//! All readers, each on the same bytes.

use std::fmt::Write as _;

use domain::statistics::pairwise::{ComparisonTable, bradley_terry};
use formats::{
    ColumnMapping, FatalReadError, FileReadOptions, FileRow, FormatFamily, OpenedFile, RatedOutput,
    ReadError, ScoreFile, ScoreRow, SimplificationUse, SourceReferences, StatedScales, TextFile,
    comprehension::{ComprehensionMapping, read_comprehension},
    open, open_references, open_scores, open_texts, preview, read_comparisons, read_dimensions,
    read_ratings,
    simpeval::SlotRaters,
    survey,
};

use super::FuzzOutcome;

pub(super) fn read_with_all(file: &[u8]) -> Vec<FuzzOutcome> {
    let mut outcomes = Vec::new();
    for options in read_options() {
        let reader = format!(
            "{:?}, mapped: {}",
            options.family,
            !options.mapping.fields.is_empty()
        );
        outcomes.push(rows(&reader, open(file, options.clone())));
        outcomes.push(whole(&format!("survey, {reader}"), || {
            survey(open(file, options.clone())?, |_| true)
        }));
    }

    outcomes.push(rows(
        "texts",
        open_texts(
            text_files(file, &["x.orig", "x.simp.0", "s.txt"]),
            SimplificationUse::Outputs,
        ),
    ));
    for names in [&["x.orig", "x.simp.0"][..], &["x.src", "x.dst"], &["x"]] {
        let reader = format!("references in {names:?}");
        outcomes.push(rows(&reader, open_references(text_files(file, names))));
        outcomes.push(references(&reader, file, names));
    }

    outcomes.push(scores(file));
    outcomes.push(score_file(file));
    outcomes.push(comparisons(file));
    outcomes.push(whole("raters", || {
        SlotRaters::read(file).map(|raters| raters.rater_of("7", "A", 1).map(str::to_owned))
    }));
    outcomes.push(whole("ratings", || read_ratings(file, None)));
    outcomes.push(whole("dimensions", || {
        read_dimensions(file, FileReadOptions::default())
    }));
    for name in ["x.csv", "x.orig"] {
        outcomes.push(whole(&format!("preview of {name}"), || {
            preview(name, file, 5)
        }));
    }
    for mapping in comprehension_mappings() {
        outcomes.push(comprehension(file, &mapping));
    }
    outcomes
}

fn read_options() -> Vec<FileReadOptions> {
    let families = [
        FormatFamily::Any,
        FormatFamily::SimpEval,
        FormatFamily::Asset,
        FormatFamily::Csv,
        FormatFamily::Jsonl,
    ];
    let of_family = |family| FileReadOptions {
        family,
        ..FileReadOptions::default()
    };
    let mut options: Vec<_> = families.map(of_family).into();

    let pairs = [
        "source=original",
        "output=generation",
        "rating=rating_1",
        "rating=id",
        "reference=system",
    ];
    let mut mapping = ColumnMapping::parse(pairs).unwrap();
    mapping.scales = StatedScales::parse(["0..5", "id=1..100"]).unwrap();
    options.push(FileReadOptions {
        mapping,
        raters: SlotRaters::read(&b"original_id,system,slot,rater\n7,A,1,Ada\n"[..]).ok(),
        ..FileReadOptions::default()
    });
    options
}

fn comprehension_mappings() -> [ComprehensionMapping; 3] {
    let pairs = ["passage=source", "condition=system", "text=output"];
    let mapping = ComprehensionMapping::parse(pairs).unwrap();
    [
        ComprehensionMapping::default(),
        mapping.clone(),
        mapping.without_defaults(),
    ]
}

fn text_files<'r>(file: &'r [u8], names: &[&str]) -> Vec<TextFile<'r>> {
    let text_file = |name: &&str| TextFile {
        name: (*name).to_owned(),
        input: file.into(),
    };
    names.iter().map(text_file).collect()
}

/// The rows of a file; nothing may follow a fatal fault.
fn rows(reader: &str, opened: Result<OpenedFile<'_>, FatalReadError>) -> FuzzOutcome {
    let mut outcome = FuzzOutcome::new(reader);
    match opened {
        Ok(mut opened) => {
            for item in opened.rows.by_ref() {
                assert!(outcome.fatal.is_none(), "{reader}");
                add(&mut outcome, item, row_bytes);
            }
            assert!(opened.rows.next().is_none(), "{reader}");
        }
        Err(fault) => outcome.fatal = Some(fault.to_string()),
    }
    outcome
}

fn add<T: std::fmt::Debug>(
    outcome: &mut FuzzOutcome,
    item: Result<T, ReadError>,
    bytes: impl Fn(&T) -> usize,
) {
    match item {
        Ok(item) => outcome.add_item(&item, bytes(&item)),
        Err(ReadError::Row(bad_row)) => outcome.bad_rows.push(bad_row),
        Err(ReadError::Fatal(fault)) => outcome.fatal = Some(fault.to_string()),
    }
}

/// The bytes of the texts that a row has from cells of its own.
fn row_bytes(row: &FileRow) -> usize {
    let references = row.source.references.iter().map(String::len);
    let verbatim = row.verbatim.iter().map(|(_, text)| text.len());
    let output = row.output.as_ref().map_or(0, |output| output.text.len());
    let key = row.source.key.as_ref().map_or(0, String::len);
    row.source.text.len() + key + output + references.chain(verbatim).sum::<usize>()
}

fn references(reader: &str, file: &[u8], names: &[&str]) -> FuzzOutcome {
    let mut outcome = FuzzOutcome::new(format!("all {reader}"));
    match SourceReferences::read(text_files(file, names)) {
        Ok(references) => {
            let report = references.report(&["The vessel sank.", "the vessel  SANK ."]);
            outcome.add_item(&(references.len(), report), 0);
        }
        Err(ReadError::Row(bad_row)) => outcome.bad_rows.push(bad_row),
        Err(ReadError::Fatal(fault)) => outcome.fatal = Some(fault.to_string()),
    }
    outcome
}

fn scores(file: &[u8]) -> FuzzOutcome {
    let mut outcome = FuzzOutcome::new("scores");
    match open_scores(file) {
        Ok(opened) => {
            for item in opened.rows {
                add(&mut outcome, item, |row: &ScoreRow| {
                    assert!(!row.scores.is_empty());
                    assert!(row.scores.iter().all(|(_, score)| score.is_finite()));
                    0
                });
            }
        }
        Err(fault) => outcome.fatal = Some(fault.to_string()),
    }
    outcome
}

fn score_file(file: &[u8]) -> FuzzOutcome {
    let output = RatedOutput {
        system: "A".into(),
        id: Some("o1".into()),
        source: "7".into(),
        category: None,
        source_text: "The vessel sank.".into(),
        text: "The boat sank.".into(),
    };
    let mut outcome = FuzzOutcome::new("file of scores");
    match ScoreFile::read(file) {
        Ok(file) => {
            let matched = file.match_outputs(&[&output]);
            assert_eq!(matched.scores.len(), file.metrics.len());
            outcome.add_item(&matched, 0);
            outcome.bad_rows = file.bad_rows;
        }
        Err(fault) => outcome.fatal = Some(fault.to_string()),
    }
    outcome
}

fn comparisons(file: &[u8]) -> FuzzOutcome {
    let mut outcome = FuzzOutcome::new("comparisons");
    match read_comparisons(file) {
        Ok(file) => {
            assert!(!file.rows.is_empty());
            for row in &file.rows {
                let shown: usize = row.comparison.shown().iter().map(|name| name.len()).sum();
                let named = row.source.len() + row.rater.len();
                outcome.add_item(row, named + shown);
                let pairs = row.comparison.pairs();
                assert!(!pairs.is_empty() && pairs.iter().all(|pair| pair.a() != pair.b()));
            }
            let rows = file.rows.into_iter();
            let rows = rows.map(|row| ((row.rater, row.dimension), row.source, row.comparison));
            let table = ComparisonTable::new(rows).expect("no answer is repeated");
            let _ = write!(outcome.printed, "{:?}", bradley_terry(&table.win_matrix()));
            outcome.bad_rows = file.bad_rows;
        }
        Err(fault) => outcome.fatal = Some(fault.to_string()),
    }
    outcome
}

fn comprehension(file: &[u8], mapping: &ComprehensionMapping) -> FuzzOutcome {
    let mut outcome = FuzzOutcome::new("comprehension");
    match read_comprehension(file, mapping) {
        Ok(read) => {
            for passage in &read.passages {
                let texts = passage.texts.iter().map(|(_, text)| text.as_str().len());
                outcome.add_item(passage, texts.sum());
            }
            for answer in &read.answers {
                outcome.add_item(answer, 0);
            }
            let _ = read.main_answers();
            outcome.printed += &read.notes.join("\n");
            outcome.bad_rows = read.bad_rows;
        }
        Err(fault) => outcome.fatal = Some(fault.to_string()),
    }
    outcome
}

/// A reader whose result is a single value.
fn whole<T: std::fmt::Debug>(
    reader: &str,
    read: impl FnOnce() -> Result<T, FatalReadError>,
) -> FuzzOutcome {
    let mut outcome = FuzzOutcome::new(reader);
    match read() {
        Ok(item) => outcome.add_item(&item, 0),
        Err(fault) => outcome.fatal = Some(fault.to_string()),
    }
    outcome
}
