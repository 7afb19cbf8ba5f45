//! Bootstrap intervals against scipy and numpy, and against recomputation from rows.

use std::collections::BTreeMap;

use domain::{
    random::SeededRandom,
    statistics::{
        MeasurementLevel, RatingTable, UndefinedReason, agreement,
        agreement::AlphaBootstrap,
        bootstrap::{
            BootstrapInterval, ResamplingOptions, bootstrap, percentile_interval, resample,
        },
        correlation::{KendallPMethod, TauVariant, kendall, pearson},
    },
};
use proptest::prelude::*;
use testdata::{golden, needs_released_data};

use crate::shared::{assert_close, assert_within, numbers, pairs, past_table, read_simpeval_past};

type PairStatistic = fn(&[(f64, f64)]) -> Result<f64, UndefinedReason>;

#[track_caller]
fn check(found: BootstrapInterval, expected: &serde_json::Value) {
    let ends = numbers(expected);
    assert_close(found.low, ends[0], "low");
    assert_close(found.high, ends[1], "high");
}

#[test]
fn numpy_percentiles_of_given_resamples() {
    let golden = golden("correlation.json");
    let case = &golden["bootstrap_fixed_indices"];
    let pairs = pairs(&case["x"], &case["y"]);
    let indices: Vec<Vec<usize>> =
        serde_json::from_value(case["resample_indices"].clone()).unwrap();
    let interval = |statistic: PairStatistic| {
        let replicates = indices
            .iter()
            .map(|drawn| statistic(&drawn.iter().map(|at| pairs[*at]).collect::<Vec<_>>()));
        let replicates: Vec<_> = replicates.collect();
        (
            percentile_interval(replicates.iter().copied(), 0.95).unwrap(),
            replicates,
        )
    };
    let expected = &case["expected"];
    let (found, replicates) = interval(|drawn| pearson(drawn).map(|r| r.coefficient));
    check(found, &expected["pearson_ci95_percentile_linear"]);
    for (found, expected) in replicates
        .iter()
        .zip(numbers(&expected["pearson_replicates"]))
    {
        assert_close(found.unwrap(), expected, "replicate");
    }
    let (found, _) = interval(|drawn| {
        kendall(drawn, TauVariant::B, KendallPMethod::Auto).map(|t| t.coefficient)
    });
    check(found, &expected["kendall_b_ci95_percentile_linear"]);
    let (found, _) =
        interval(|drawn| Ok(drawn.iter().map(|pair| pair.0).sum::<f64>() / drawn.len() as f64));
    check(found, &expected["mean_x_ci95"]);
}

#[test]
fn scipy_percentile_interval_of_9999_random_resamples() {
    let golden = golden("correlation.json");
    let case = &golden["bootstrap_statistical"];
    let pairs = pairs(&case["x"], &case["y"]);
    let resampling = ResamplingOptions {
        replicates: 9_999,
        ..ResamplingOptions::default()
    };
    let interval = bootstrap(pairs.len(), resampling, |drawn| {
        let drawn: Vec<_> = drawn.iter().map(|at| pairs[*at]).collect();
        pearson(&drawn).map(|r| r.coefficient)
    })
    .unwrap();
    let expected = numbers(&case["expected_ci95_pearson_9999(tolerance ~0.01)"]["percentile"]);
    assert_within(interval.low, expected[0], 0.01, "low");
    assert_within(interval.high, expected[1], 0.01, "high");
}

/// The high half of 10·x for the first words x of `ChaCha8` by its definition. Pinned, so that a
/// change of the generator is seen: published intervals must stay repeatable.
#[test]
fn resamples_are_the_same_on_every_machine() {
    let draw = |seed, replicate| {
        let mut drawn = Vec::new();
        resample(seed, replicate, 10, &mut drawn);
        drawn
    };
    assert_eq!(draw(1, 0), [3, 2, 7, 9, 8, 1, 7, 7, 4, 4]);
    assert_eq!(draw(1, 1), [1, 8, 6, 3, 3, 9, 5, 1, 8, 9]);
    assert_eq!(draw(2, 0), [9, 1, 4, 9, 9, 0, 0, 5, 6, 4]);
}

#[test]
fn resampled_indices_are_uniform() {
    let mut counts = [0_u32; 7];
    let mut drawn = Vec::new();
    for replicate in 0..10_000 {
        resample(7, replicate, 7, &mut drawn);
        drawn.iter().for_each(|at| counts[*at] += 1);
    }
    // 70,000 draws: the standard deviation of a count is 93.
    for count in counts {
        assert_within(f64::from(count), 10_000.0, 400.0, "count");
    }
}

#[test]
fn undefined_replicates_are_left_out_and_counted() {
    let replicates = [Ok(1.0), Err(UndefinedReason::Constant), Ok(2.0), Ok(3.0)];
    let interval = percentile_interval(replicates, 0.5).unwrap();
    assert_eq!((interval.low, interval.high), (1.5, 2.5));
    assert_eq!((interval.replicates, interval.undefined), (3, 1));
    assert_eq!(
        percentile_interval([Err(UndefinedReason::Constant)], 0.95),
        Err(UndefinedReason::Constant)
    );
    let alone = bootstrap(1, ResamplingOptions::default(), |_| Ok(1.0));
    assert_eq!(
        alone,
        Err(UndefinedReason::TooFew {
            found: 1,
            needed: 2
        })
    );
}

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_alpha_interval_over_sources() {
    let rows = read_simpeval_past();
    let z = past_table(&rows, |row| &row.z);
    let alpha = AlphaBootstrap::new(&z, MeasurementLevel::Interval, |unit| rows[*unit].source);
    assert_eq!(alpha.sources(), 100);
    let by_source = alpha.interval(ResamplingOptions::default()).unwrap();
    let by_output = AlphaBootstrap::over_outputs(&z, MeasurementLevel::Interval)
        .interval(ResamplingOptions::default())
        .unwrap();
    for interval in [by_source, by_output] {
        assert!(
            interval.low < 0.7051 && 0.7051 < interval.high,
            "{interval:?}"
        );
    }
    // Outputs of one source are alike, so resampling them one by one makes the interval too narrow.
    assert!(by_output.high - by_output.low < by_source.high - by_source.low);
}

/// More draws than one thread takes.
#[test]
fn threads_do_not_change_the_interval() {
    let units = 500;
    let resampling = ResamplingOptions::default();
    let value = |drawn: &[usize]| {
        let sum = drawn.iter().sum::<usize>();
        if sum % 7 == 0 {
            return Err(UndefinedReason::Constant);
        }
        Ok(sum as f64)
    };
    let mut drawn = Vec::new();
    let one_by_one = (0..resampling.replicates as u64).map(|replicate| {
        resample(resampling.seed, replicate, units, &mut drawn);
        value(&drawn)
    });
    assert_eq!(
        bootstrap(units, resampling, value),
        percentile_interval(one_by_one, resampling.confidence)
    );
    let none = ResamplingOptions {
        replicates: 0,
        ..resampling
    };
    assert_eq!(
        bootstrap(units, none, value),
        Err(UndefinedReason::TooFew {
            found: 0,
            needed: 1
        })
    );
}

#[test]
fn constant_ratings_have_no_interval() {
    let rows = (0..12).flat_map(|unit| [(0, unit, 0.1), (1, unit, 0.1)]);
    let table = RatingTable::new(rows).unwrap();
    for level in MeasurementLevel::ALL {
        let alpha = AlphaBootstrap::new(&table, level, |unit| unit / 3);
        assert_eq!(alpha.replicate(&[0, 2, 2]), Err(UndefinedReason::Constant));
        assert_eq!(
            alpha.interval(ResamplingOptions::default()),
            Err(UndefinedReason::Constant)
        );
    }
    let alone = RatingTable::new((0..12).map(|unit| (0, unit, f64::from(unit)))).unwrap();
    let alpha = AlphaBootstrap::over_outputs(&alone, MeasurementLevel::Interval);
    assert_eq!(alpha.sources(), 12);
    assert_eq!(
        alpha.interval(ResamplingOptions::default()),
        Err(UndefinedReason::NoPairableUnit)
    );
}

/// Ratings that follow the output's quality, as (rater, unit, value).
fn ordinary(seed: u64) -> Vec<(usize, usize, f64)> {
    let mut random = SeededRandom::new(seed);
    let mut rows = Vec::new();
    for unit in 0..120 {
        let quality = random.below(60);
        for rater in 0..3 {
            if random.below(10) > 0 {
                rows.push((rater, unit, (quality + random.below(40)) as f64));
            }
        }
    }
    rows
}

proptest! {
    #[test]
    fn the_interval_holds_the_estimate_and_no_order_matters(
        seed: u64,
        raters in Just((0..3).collect::<Vec<_>>()).prop_shuffle(),
        outputs in Just((0..4).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let rows = ordinary(seed);
        let renamed = rows.iter().map(|(r, u, x)| (raters[*r], u / 4 * 4 + outputs[u % 4], *x));
        let (table, renamed) = (RatingTable::new(rows.iter().copied()), RatingTable::new(renamed));
        let (table, renamed) = (table.unwrap(), renamed.unwrap());
        let resampling = ResamplingOptions { replicates: 400, seed, confidence: 0.95 };
        for level in MeasurementLevel::ALL {
            let interval = |table| {
                let alpha = AlphaBootstrap::new(table, level, |unit: &usize| unit / 4);
                alpha.interval(resampling).unwrap()
            };
            let (found, again) = (interval(&table), interval(&renamed));
            let alpha = agreement(&table, level).alpha.unwrap();
            // With a hundred nominal categories, sources drawn twice agree by chance far more often.
            let ordinary = level != MeasurementLevel::Nominal;
            prop_assert!(
                !ordinary || found.low < alpha && alpha < found.high,
                "{}: {:?}", alpha, found
            );
            assert_within(again.low, found.low, 1e-12, level.name());
            assert_within(again.high, found.high, 1e-12, level.name());
        }
    }

    #[test]
    fn outputs_are_sources_of_one_unit(seed: u64, replicate in 0..100_u64) {
        let table = RatingTable::new(ordinary(seed)).unwrap();
        let mut drawn = Vec::new();
        for level in MeasurementLevel::ALL {
            let outputs = AlphaBootstrap::over_outputs(&table, level);
            resample(seed, replicate, outputs.sources(), &mut drawn);
            let sources = AlphaBootstrap::new(&table, level, |unit| *unit);
            prop_assert_eq!(outputs.replicate(&drawn), sources.replicate(&drawn));
        }
    }

    /// A source drawn twice counts as two sources with the same ratings.
    #[test]
    fn alpha_by_sums_is_alpha_of_the_rows_drawn(
        cells in prop::collection::btree_map((0..4_usize, 0..12_usize), 0..=5_u8, 8..48),
        step in prop_oneof![Just(1.0), 0.01..100.0_f64],
        draws in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
    ) {
        let entries = cells.iter().map(|((r, u), x)| (*r, *u, f64::from(*x) * step));
        let table = RatingTable::new(entries.clone()).unwrap();
        let source = |unit: usize| unit / 3;
        let mut sources: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for entry in entries {
            sources.entry(source(entry.1)).or_default().push(entry);
        }
        let keys: Vec<_> = sources.keys().collect();
        let drawn: Vec<usize> = draws.iter().map(|draw| draw.index(keys.len())).collect();
        let rows = drawn.iter().enumerate().flat_map(|(copy, at)| {
            sources[keys[*at]].iter().map(move |(r, u, x)| (*r, (copy, *u), *x))
        });
        let drawn_table = RatingTable::new(rows).unwrap();
        for level in MeasurementLevel::ALL {
            let by_sums = AlphaBootstrap::new(&table, level, |unit| source(*unit)).replicate(&drawn);
            match (by_sums, agreement(&drawn_table, level).alpha) {
                (Ok(actual), Ok(expected)) => assert_within(actual, expected, 1e-12, level.name()),
                (found, expected) => prop_assert_eq!(found, expected),
            }
        }
    }
}
