//! Interval α of files of ratings and how long it takes, for `bench/compare`, which holds both
//! against others' programs.
//!
//! A file holds the number of raters and of units (u64) and then a matrix of f64, a row a rater, NaN
//! where a rating is missing; all little-endian. Each answer is a line of JSON: the figure, and the
//! seconds of the fastest of several runs from the table of ratings on, and for the table itself.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use std::{env, fs, hint::black_box, time::Instant};

use domain::statistics::{MeasurementLevel, RatingTable, agreement};
use serde_json::json;

const RUNS: usize = 9;

fn main() {
    let files: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if files.is_empty() {
        println!("nothing to compare: run bench/compare, which makes the files");
    }
    for file in files {
        let rows = read(&fs::read(&file).expect("a readable file"));
        let table = || RatingTable::new(rows.iter().copied()).expect("each cell is one rating");
        let (ratings, table_seconds) = fastest(table);
        let (found, seconds) =
            fastest(|| agreement(black_box(&ratings), MeasurementLevel::Interval));
        let alpha = found.alpha.expect("ratings that differ");
        let ratings = found.ratings;
        println!(
            "{}",
            json!({ "alpha": alpha, "ratings": ratings, "seconds": seconds, "table": table_seconds })
        );
    }
}

/// (rater, unit, value), rater by rater.
fn read(bytes: &[u8]) -> Vec<(u32, u32, f64)> {
    let (words, rest) = bytes.as_chunks::<8>();
    assert!(rest.is_empty(), "the file is cut off");
    let (sizes, cells) = words.split_at(2);
    let [raters, units] = [0, 1].map(|at| u64::from_le_bytes(sizes[at]) as usize);
    assert_eq!(cells.len(), raters * units, "the matrix is of another size");
    let rating = |(at, cell): (usize, &[u8; 8])| {
        let value = f64::from_le_bytes(*cell);
        (!value.is_nan()).then_some(((at / units) as u32, (at % units) as u32, value))
    };
    cells.iter().enumerate().filter_map(rating).collect()
}

/// Runs `compute` repeatedly; its result, and the seconds of the fastest run.
fn fastest<T>(compute: impl Fn() -> T) -> (T, f64) {
    let run = || {
        let start = Instant::now();
        let result = compute();
        (result, start.elapsed().as_secs_f64())
    };
    let (mut found, mut least) = run();
    for _ in 1..RUNS {
        let (next, seconds) = run();
        (found, least) = (next, least.min(seconds));
    }
    (found, least)
}
