//! SimpEval past as released by its authors.

use std::time::Instant;

use domain::statistics::{DeviationKind, MeasurementLevel, RatingTable, agreement, standardise};
use formats::{
    ColumnMapping, FileReadOptions, FileRow, FormulaEscaping, open, read_dimensions, read_ratings,
    simpeval::{SimpEvalPastRow, SimpEvalPastWriter, SlotRating},
};
use testdata::needs_released_data;

use crate::{released, rows};

const FILE: &str = "simpeval/simpeval_past.csv";

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_2400_outputs_of_24_systems_by_5_raters() {
    let bytes = released(FILE);
    let rows = rows(&bytes, FileReadOptions::default());
    let outputs: Vec<_> = rows.iter().filter_map(|row| row.output.as_ref()).collect();
    assert_eq!(outputs.len(), 2400);
    assert_eq!(
        distinct(outputs.iter().map(|output| output.system.clone())),
        24
    );
    assert_eq!(distinct(rows.iter().map(|row| row.source.key.clone())), 100);
    assert_eq!(
        distinct(rows.iter().map(|row| Some(row.source.text.clone()))),
        100
    );
    assert_eq!(
        outputs
            .iter()
            .map(|output| output.ratings.len())
            .sum::<usize>(),
        12_000
    );
    assert_eq!(
        outputs
            .iter()
            .filter(|output| output.text.is_empty())
            .count(),
        1
    );
    let mut ids = rows.iter().map(|row| verbatim(row, "id").parse::<u32>());
    assert_eq!(ids.clone().filter(Result::is_ok).count(), 2400);
    assert!(ids.next_back().unwrap().unwrap() > 2399, "ids have gaps");
    assert!(rows.iter().zip(2..).all(|(row, line)| row.line == line));
}

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_comes_out_as_it_went_in() {
    let bytes = released(FILE);
    let output = written(&rows(&bytes, FileReadOptions::default()), 5);
    assert!(output == bytes, "{}", first_difference(&output, &bytes));
}

/// α by Krippendorff's formula over pairs within outputs, computed apart from this program.
#[needs_released_data("asset_ratings")]
#[test]
fn asset_ratings_agree_by_dimension() {
    let bytes = released("asset_ratings/human_ratings.csv");
    let mut parts = read_dimensions(&bytes[..], FileReadOptions::default()).unwrap();
    parts.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    let alphas = [0.561_392_534_453, 0.587_221_689_350, 0.434_744_161_845];
    for ((dimension, file), alpha) in parts.iter().zip(alphas) {
        let actual = agreement(&file.raw, MeasurementLevel::Interval)
            .alpha
            .unwrap();
        assert!(
            (actual - alpha).abs() < 1e-9,
            "{}: {actual}",
            dimension.name
        );
        assert_eq!((file.raw.len(), file.raw.units().len()), (1500, 100));
    }
    let names = parts.iter().map(|(dimension, _)| &dimension.name[..]);
    assert!(names.eq(["fluency", "meaning", "simplicity"]));
}

/// The same computation.
#[needs_released_data("simplicity_da")]
#[test]
fn direct_assessment_agrees_on_simplicity() {
    let bytes = released("simplicity_da/simplicity_DA_ratings.csv");
    let header = [
        "sent_id",
        "sys_name",
        "orig_sent",
        "simp_sent",
        "rater_id",
        "simplicity",
    ];
    let reading = FileReadOptions {
        mapping: ColumnMapping::suggest(&header),
        ..FileReadOptions::default()
    };
    let parts = read_dimensions(&bytes[..], reading).unwrap();
    let (dimension, file) = &parts[0];
    assert_eq!((&dimension.name[..], file.raw.len()), ("simplicity", 9000));
    let alpha = agreement(&file.raw, MeasurementLevel::Interval)
        .alpha
        .unwrap();
    assert!((alpha - 0.293_285_411_400).abs() < 1e-9, "{alpha}");
}

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_agreement_of_the_lens_paper() {
    let bytes = released(FILE);
    let file = read_ratings(&bytes[..], None).unwrap();
    assert_eq!((file.warnings, file.bad_rows), (vec![], vec![]));
    let alpha = |ratings: &RatingTable<String, u64>| {
        let result = agreement(ratings, MeasurementLevel::Interval);
        assert_eq!(
            (result.raters, result.units, result.pairable_units),
            (5, 2400, 2400)
        );
        (result.alpha.unwrap() * 1e4).round() / 1e4
    };
    assert_eq!(alpha(&file.z), 0.7051);
    assert_eq!(alpha(&file.raw), 0.5088);
    assert_eq!(
        alpha(&standardise(&file.raw, DeviationKind::Population).z),
        0.7049
    );
}

/// Says how long reading and writing took, for `--no-capture`; fails only where it is out of all
/// proportion, since tests run unoptimised on busy machines.
#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_is_read_within_an_instant() {
    let bytes = released(FILE);
    #[expect(clippy::disallowed_methods, reason = "a measurement")]
    let begun = Instant::now();
    let count = open(&bytes[..], FileReadOptions::default())
        .unwrap()
        .rows
        .flatten()
        .count();
    let took = begun.elapsed();
    println!("{count} rows read in {took:?}");
    assert!(took.as_secs() < 5);
}

/// Writes rows of the past shape with one column a rating.
pub(crate) fn written(rows: &[FileRow], raters: usize) -> Vec<u8> {
    let mut writer =
        SimpEvalPastWriter::new(Vec::new(), raters, FormulaEscaping::Verbatim).unwrap();
    for row in rows {
        let output = row.output.as_ref().unwrap();
        let slots: Vec<_> = (1..=raters)
            .map(|slot| {
                let column = format!("rating_{slot}");
                let rating = output
                    .ratings
                    .iter()
                    .find(|rating| *rating.column == *column);
                rating.map_or(SlotRating::default(), |rating| SlotRating {
                    rating: rating.value.text(),
                    z: rating.z.as_ref().map_or("", |z| z.text()),
                })
            })
            .collect();
        let row = SimpEvalPastRow {
            id: verbatim(row, "id"),
            original: &row.source.text,
            generation: verbatim(row, "generation"),
            processed_generation: &output.text,
            original_id: row.source.key.as_deref().unwrap(),
            system: output.system.as_deref().unwrap(),
            slots: &slots,
        };
        writer.write(&row).unwrap();
    }
    writer.finish().unwrap()
}

fn verbatim<'r>(row: &'r FileRow, column: &str) -> &'r str {
    let mut cells = row.verbatim.iter();
    cells
        .find(|(name, _)| **name == *column)
        .map_or("", |(_, text)| text)
}

fn distinct(texts: impl Iterator<Item = Option<String>>) -> usize {
    texts.collect::<std::collections::BTreeSet<_>>().len()
}

fn first_difference(a: &[u8], b: &[u8]) -> String {
    let at = a
        .iter()
        .zip(b)
        .position(|(a, b)| a != b)
        .unwrap_or(a.len().min(b.len()));
    let around = |bytes: &[u8]| {
        let part = &bytes[at.saturating_sub(40)..bytes.len().min(at + 40)];
        String::from_utf8_lossy(part).into_owned()
    };
    format!("byte {at}: {:?} for {:?}", around(a), around(b))
}
