//! How fast agreement is: α, its bootstrap, Kendall-tau-like, pairs of raters and all but one.
//!
//! `cargo bench -p domain --bench statistics`. Ratings are made up from a seed: sources have 24
//! outputs; three raters of forty are asked for each source and skip one output in ten.

use divan::{Bencher, black_box, black_box_drop};
use domain::{
    random::SeededRandom,
    statistics::{
        DeviationKind, MeasurementLevel, RatingTable, agreement,
        agreement::{AlphaBootstrap, leave_one_out, pairwise_alpha},
        bootstrap::ResamplingOptions,
        standardise,
        tau_like::{OutputPreferences, PreferenceRule},
    },
};

const OUTPUTS: usize = 24;
/// 100 sources with 2,400 outputs, as SimpEval.
const SIMPEVAL: usize = 6_480;
const MILLION: usize = 1_000_000;

type BenchRatings = RatingTable<usize, usize>;

fn main() {
    divan::main();
}

/// At least `ratings` random ratings on a scale from 0 to 100.
fn random_ratings(ratings: usize) -> BenchRatings {
    let mut random = SeededRandom::new(1);
    let mut raters: Vec<usize> = (0..40).collect();
    let mut rows = Vec::new();
    let mut output = 0;
    while rows.len() < ratings {
        if output % OUTPUTS == 0 {
            random.shuffle(&mut raters);
        }
        let quality = 20 + random.below(60);
        for rater in &raters[..3] {
            if random.below(10) > 0 {
                let value = quality + rater % 10 + random.below(30);
                rows.push((*rater, output, value.min(100) as f64));
            }
        }
        output += 1;
    }
    RatingTable::new(rows).expect("each rater rates an output once")
}

fn z_scores(ratings: usize) -> BenchRatings {
    standardise(&random_ratings(ratings), DeviationKind::Population).z
}

fn source(output: &usize) -> usize {
    output / OUTPUTS
}

#[divan::bench(args = [100_000, MILLION])]
fn interval_alpha(bencher: Bencher<'_, '_>, ratings: usize) {
    let study = z_scores(ratings);
    bencher.bench(|| agreement(black_box(&study), MeasurementLevel::Interval));
}

#[divan::bench(args = [100_000, MILLION])]
fn table_of_rows(bencher: Bencher<'_, '_>, ratings: usize) {
    let study = random_ratings(ratings);
    let mut rows: Vec<_> = study.entries().collect();
    SeededRandom::new(2).shuffle(&mut rows);
    bencher
        .with_inputs(|| rows.clone())
        .bench_values(|rows| black_box_drop(RatingTable::new(rows)));
}

mod thousand_resamples {
    use super::*;

    #[divan::bench(args = [SIMPEVAL, MILLION], sample_count = 20)]
    fn alpha_over_sources(bencher: Bencher<'_, '_>, ratings: usize) {
        let study = z_scores(ratings);
        bencher.bench(|| {
            AlphaBootstrap::new(black_box(&study), MeasurementLevel::Interval, source)
                .interval(ResamplingOptions::default())
        });
    }

    #[divan::bench(args = [SIMPEVAL, MILLION], sample_count = 3)]
    fn alpha_over_outputs(bencher: Bencher<'_, '_>, ratings: usize) {
        let study = z_scores(ratings);
        bencher.bench(|| {
            AlphaBootstrap::over_outputs(black_box(&study), MeasurementLevel::Interval)
                .interval(ResamplingOptions::default())
        });
    }

    #[divan::bench(args = [SIMPEVAL], sample_count = 20)]
    fn tau_like(bencher: Bencher<'_, '_>, ratings: usize) {
        let study = random_ratings(ratings);
        let mut random = SeededRandom::new(3);
        let scores: Vec<f64> = (0..study.units().len())
            .map(|_| random.below(1_000) as f64)
            .collect();
        bencher.bench(|| {
            let place = |output: &usize| (source(output), output % 3);
            OutputPreferences::new(black_box(&study), PreferenceRule::default(), place)
                .judge(&scores)
                .interval(None, ResamplingOptions::default())
        });
    }
}

mod raters_of_a_million_ratings {
    use super::*;

    #[divan::bench]
    fn pairs(bencher: Bencher<'_, '_>) {
        let z = standardise(&random_ratings(MILLION), DeviationKind::Population).z;
        bencher.bench(|| black_box_drop(pairwise_alpha(black_box(&z))));
    }

    #[divan::bench]
    fn without_each_rater(bencher: Bencher<'_, '_>) {
        let z = standardise(&random_ratings(MILLION), DeviationKind::Population).z;
        bencher.bench(|| black_box_drop(leave_one_out(black_box(&z))));
    }
}
