//! Ratings by dimension, against a plain computation from the rows of the file.

use std::collections::{BTreeMap, HashSet};

use domain::{dimensions::dimension_name, score::RatingScale, statistics::RatingTable};
use formats::{
    BadRow, FatalReadError, FileRating, FileReadOptions, RatedOutput, ReadError, StatedScales,
    open, read_dimensions, read_dimensions_without_outputs, survey,
};
use proptest::{collection::vec, prelude::*};

/// The ratings on one dimension as they should be read.
struct ExpectedRatings {
    name: String,
    scale: RatingScale,
    raw: RatingTable<String, u64>,
    outputs: BTreeMap<u64, RatedOutput>,
}

/// The dimensions of a file, read twice and added up row by row, with all bad rows.
fn expected(
    file: &str,
    reading: &FileReadOptions,
) -> Result<(Vec<ExpectedRatings>, Vec<BadRow>), FatalReadError> {
    let ranges = survey(open(file.as_bytes(), reading.clone())?, |_| true)?.dimensions;
    if ranges.is_empty() {
        return Err(without_ratings(file, reading));
    }

    let scales: BTreeMap<_, _> = ranges
        .iter()
        .map(|range| {
            let inferred = RatingScale::infer(&range.name, range.low, range.high);
            (range.name.clone(), range.stated.unwrap_or(inferred))
        })
        .collect();

    let (mut units, mut seen, mut bad_rows) = (BTreeMap::new(), HashSet::new(), Vec::new());
    let mut entries = BTreeMap::<String, Vec<(String, u64, f64)>>::new();
    let mut outputs = BTreeMap::<String, BTreeMap<u64, RatedOutput>>::new();
    for item in open(file.as_bytes(), reading.clone())?.rows {
        let row = match item {
            Ok(row) => row,
            Err(ReadError::Row(bad)) => {
                bad_rows.push(bad);
                continue;
            }
            Err(ReadError::Fatal(fault)) => return Err(fault),
        };
        let Some(output) = row.output else { continue };
        let text = row.source.text;
        let source = row.source.key.unwrap_or_else(|| text.clone());
        let system = output.system.unwrap_or_default();
        let key = (source.clone(), system.clone(), output.text.clone());
        let unit = *units.entry(key).or_insert(row.line);
        for rating in output.ratings {
            let FileRating {
                rater: Some(rater),
                column,
                dimension,
                value,
                ..
            } = rating
            else {
                continue;
            };

            let name = dimension_name(&dimension);
            let scale = scales[&name];
            let mut leave_out = |reason: String| {
                bad_rows.push(BadRow {
                    line: row.line,
                    column: Some(column.to_string()),
                    reason,
                });
            };
            if !scale.contains(value.value()) {
                let number = value.text().trim();
                leave_out(format!("{number} is outside the scale from {scale}"));
            } else if !seen.insert((name.clone(), rater.clone(), unit)) {
                leave_out(format!(
                    "“{rater}” rated this output before: one rater gives one rating"
                ));
            } else {
                let rated_output = RatedOutput {
                    system: system.as_str().into(),
                    id: None,
                    source: source.as_str().into(),
                    category: output.category,
                    source_text: text.as_str().into(),
                    text: output.text.as_str().into(),
                };
                let of_dimension = outputs.entry(name.clone()).or_default();
                of_dimension.insert(unit, rated_output);
                let of_dimension = entries.entry(name).or_default();
                of_dimension.push((rater, unit, value.value()));
            }
        }
    }

    let ratings = ranges.into_iter().map(|range| ExpectedRatings {
        scale: scales[&range.name],
        raw: RatingTable::new(entries.remove(&range.name).unwrap_or_default())
            .expect("no conflict"),
        outputs: outputs.remove(&range.name).unwrap_or_default(),
        name: range.name,
    });
    Ok((ratings.collect(), bad_rows))
}

/// The fault of a file without ratings: the reasons why its rows are bad, where no row has an output.
fn without_ratings(file: &str, reading: &FileReadOptions) -> FatalReadError {
    let opened = open(file.as_bytes(), reading.clone()).expect("it was opened before");
    let (mut bad_rows, mut has_output) = (Vec::new(), false);
    for item in opened.rows {
        match item {
            Ok(row) => has_output |= row.output.is_some(),
            Err(ReadError::Row(bad)) => bad_rows.push(bad),
            Err(ReadError::Fatal(fault)) => return fault,
        }
    }
    match has_output || bad_rows.is_empty() {
        true => FatalReadError::NoRatings,
        false => FatalReadError::NoUsableRow(bad_rows),
    }
}

fn check(file: &str, reading: &FileReadOptions) {
    let actual = read_dimensions(file.as_bytes(), reading.clone());
    let (expected, bad_rows) = match (expected(file, reading), &actual) {
        (Ok(expected), _) => expected,
        (Err(expected), Err(actual)) => {
            assert_eq!(expected.to_string(), actual.to_string(), "{file}");
            return;
        }
        (Err(expected), Ok(_)) => panic!("{expected}: {file}"),
    };
    let actual = actual.unwrap_or_else(|fault| panic!("{fault}: {file}"));
    assert_eq!(actual.len(), expected.len(), "{file}");

    let without_outputs = read_dimensions_without_outputs(file.as_bytes(), reading.clone());
    for ((_, whole), (_, ratings)) in actual.iter().zip(without_outputs.unwrap()) {
        assert!(ratings.outputs.is_empty(), "{file}");
        assert_eq!((&ratings.raw, &ratings.z), (&whole.raw, &whole.z), "{file}");
        assert_eq!(ratings.bad_rows, whole.bad_rows, "{file}");
    }

    for ((dimension, actual), expected) in actual.iter().zip(expected) {
        assert_eq!(dimension.name, expected.name, "{file}");
        assert_eq!(dimension.scale, expected.scale, "{file}");
        assert_eq!(actual.raw, expected.raw, "{file}");
        assert_eq!(actual.outputs, expected.outputs, "{file}");
        assert_eq!(actual.bad_rows, bad_rows, "{file}");
    }
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    prop::sample::select(texts)
}

prop_compose! {
    fn row()(
        key in one_of(&["1", "2", "A b c.", " "]),
        source in one_of(&["A b c.", "D e\nf.", ""]),
        system in one_of(&["one", "two"]),
        output in one_of(&["A.", "A b.", ""]),
        category in one_of(&["", "split", "Deletions", "nonsense"]),
        rater in one_of(&["v", "w", "x", ""]),
        rating in one_of(&["1", "2.50", " 3", "5", "-2", "80", "101", "x", ""]),
        dimension in one_of(&["Fluency", "fluency ", "simplicity"]),
    ) -> [&'static str; 8] {
        [key, source, system, output, category, rater, rating, dimension]
    }
}

/// The rows as CSV, with the columns of these places.
fn csv(rows: &[[&str; 8]], columns: &[usize]) -> String {
    let header = [
        "source_id",
        "source",
        "system",
        "output",
        "category",
        "rater",
        "rating",
        "dimension",
    ];
    let line = |cells: &[&str; 8]| {
        let cells = columns.iter().map(|place| format!("\"{}\"", cells[*place]));
        cells.collect::<Vec<_>>().join(",") + "\n"
    };
    std::iter::once(&header).chain(rows).map(line).collect()
}

proptest! {
    #[test]
    fn one_reading_of_a_table_gives_what_two_give(rows in vec(row(), 0..40)) {
        let stated = |scales: &[&str]| {
            let mut reading = FileReadOptions::default();
            reading.mapping.scales = StatedScales::parse(scales).expect("scales");
            reading
        };
        for reading in [stated(&[]), stated(&["fluency=1..5"])] {
            check(&csv(&rows, &[0, 1, 2, 3, 4, 5, 6, 7]), &reading);
            // Without names of sources, systems and dimensions.
            check(&csv(&rows, &[1, 3, 5, 6]), &reading);
        }
    }

    #[test]
    fn one_reading_of_jsonl_gives_what_two_give(rows in vec((row(), 0_i32..4), 0..40)) {
        let line = |([key, source, system, output, _, rater, rating, dimension], high): &([&str; 8], i32)| {
            let mut line = serde_json::json!({
                "source": source, "system": system, "output": output,
                "ratings": [{"rater": rater, "value": rating, "dimension": dimension, "z": 0.5}],
            });
            if *high > 0 {
                line["ratings"][0]["scale"] = serde_json::json!({"low": -2, "high": high * 2});
                line["source_id"] = (*key).into();
            }
            line.to_string() + "\n"
        };
        check(&rows.iter().map(line).collect::<String>(), &FileReadOptions::default());
    }
}
