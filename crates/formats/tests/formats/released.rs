//! SimpEval past as released by its authors.

use std::{collections::BTreeMap, time::Instant};

use domain::{
    metrics::{DeletionMeasure, PreparedSource, sari},
    statistics::{
        DeviationKind, MeasurementLevel, RatingTable, agreement,
        bootstrap::resample,
        prediction_powered::{PredictedOutputs, RatedPrediction, assisted_means},
        standardise,
    },
};
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

/// α by Krippendorff's formula over pairs within outputs, computed independently of this program.
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

/// α computed in the same way.
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

/// Draws sources from the file as if it were the population: a quarter is rated, and SARI scores all. The true mean
/// of a system is that of the whole file.
#[needs_released_data("simpeval")]
#[needs_released_data("asset")]
#[test]
fn intervals_that_sari_helps_hold_the_means_of_simpeval_past() {
    const DRAWN: usize = 100;
    const RATED: usize = 25;
    const STUDIES: u64 = 200;

    let references: Vec<Vec<String>> = (0..10)
        .map(|number| lines(&format!("asset/asset.test.simp.{number}")))
        .collect();
    let originals = lines("asset/asset.test.orig");
    let prepared: BTreeMap<&str, PreparedSource> = originals
        .iter()
        .enumerate()
        .map(|(line, source)| {
            let own: Vec<_> = references.iter().map(|file| &file[line]).collect();
            (&source[..], PreparedSource::new(source, &own))
        })
        .collect();
    let file = read_ratings(&released(FILE)[..], None).unwrap();
    // By system and source: the mean z-score and SARI.
    let mut outputs = BTreeMap::<&str, BTreeMap<&str, (f64, f64)>>::new();
    for (line, z) in file.z.means() {
        let output = &file.outputs[line];
        let side = &prepared[&output.source_text[..]];
        let score = sari(side, &output.text, DeletionMeasure::Precision).score;
        let of_system = outputs.entry(&output.system).or_default();
        of_system.insert(&output.source_text, (z, score));
    }
    assert!(outputs.len() == 24 && outputs.values().all(|of| of.len() == DRAWN));

    let (mut covered, mut widths, mut count) = (0, 0.0, 0);
    let mut drawn = Vec::new();
    for study in 0..STUDIES {
        resample(3, study, DRAWN, &mut drawn);
        let simulated: Vec<_> = outputs
            .values()
            .map(|of_system| {
                let of_system: Vec<_> = of_system.values().collect();
                let (rated, unrated) = drawn.split_at(RATED);
                let rated = rated
                    .iter()
                    .enumerate()
                    .map(|(source, at)| RatedPrediction {
                        source,
                        rating: of_system[*at].0,
                        score: of_system[*at].1,
                    });
                PredictedOutputs {
                    rated: rated.collect(),
                    unrated: unrated.iter().map(|at| of_system[*at].1).collect(),
                }
            })
            .collect();

        for (mean, of_system) in assisted_means(&simulated).iter().zip(outputs.values()) {
            let mean = mean.unwrap();
            let of_file = of_system.values().map(|(z, _)| z).sum::<f64>() / DRAWN as f64;
            let (low, high) = mean.interval();
            covered += usize::from(low <= of_file && of_file <= high);
            widths += mean.half_width / mean.plain.half_width;
            count += 1;
        }
    }

    let (covered, width) = (covered as f64 / count as f64, widths / count as f64);
    println!(
        "intervals hold {covered:.4} of the true means, {width:.3} times as wide as those of ratings alone"
    );
    assert!((0.93..0.97).contains(&covered), "{covered}");
    assert!(width < 0.99, "{width}");
}

fn lines(file: &str) -> Vec<String> {
    let text = String::from_utf8(released(file)).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Prints how long reading took, for `--no-capture`; fails only where it is out of all
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
            shared_ratings: None,
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
