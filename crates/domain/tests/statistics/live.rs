//! The incremental value against recomputation from the rows.

use std::collections::BTreeMap;

use domain::statistics::{
    Agreement, DeviationKind, LiveAgreement, MeasurementLevel, RatingTable, UndefinedReason,
    agreement::{AlphaBootstrap, agreement},
    bootstrap::ResamplingOptions,
    live::{LivePart, LiveView, ResamplingBlock},
    mean, standardise,
};
use proptest::prelude::*;
use testdata::needs_released_data;

use crate::shared::{RatingMatrix, assert_close, assert_within, past_table, read_simpeval_past};

#[derive(Debug, Clone, Copy)]
enum RatingChange {
    Rate(u8, u8, f64),
    Withdraw(u8, u8),
}

/// Insertions, changes and withdrawals by up to five raters on up to eight units.
fn changes() -> impl Strategy<Value = Vec<RatingChange>> {
    let value = prop_oneof![
        (0..=10_u8).prop_map(|x| f64::from(x) * 10.0),
        (0..=1000_u16).prop_map(|x| f64::from(x) / 10.0),
    ];
    let change = prop_oneof![
        3 => (0..5_u8, 0..8_u8, value).prop_map(|(r, u, x)| RatingChange::Rate(r, u, x)),
        1 => (0..5_u8, 0..8_u8).prop_map(|(r, u)| RatingChange::Withdraw(r, u)),
    ];
    prop::collection::vec(change, 0..120)
}

type RatingRows = BTreeMap<(u8, u8), f64>;

fn apply(changes: &[RatingChange]) -> (LiveAgreement<u8, u8>, RatingRows) {
    let mut live = LiveAgreement::default();
    let mut rows = RatingRows::new();
    for change in changes {
        match *change {
            RatingChange::Rate(r, u, x) => {
                assert_eq!(live.rate(r, u, x), Ok(rows.insert((r, u), x)))
            }
            RatingChange::Withdraw(r, u) => assert_eq!(live.withdraw(&r, &u), rows.remove(&(r, u))),
        }
    }
    (live, rows)
}

fn table(rows: &RatingRows) -> RatingTable<u8, u8> {
    RatingTable::new(rows.iter().map(|((r, u), x)| (*r, *u, *x))).unwrap()
}

/// All figures of a view against the batch function on the same values. `size` is how large the
/// values can get that went through the sums.
fn check<R, U>(view: &LiveView<'_, R>, values: &RatingTable<R, U>, size: f64)
where
    R: Ord + Clone + std::fmt::Debug,
    U: Ord + Clone,
{
    same(view.agreement(), values, size);
    for left_out in view.leave_one_out() {
        same(
            left_out.others,
            &values.retain(|rater, _| rater != left_out.rater),
            size,
        );
    }
    let pairs = view.pairs();
    for (i, first) in values.raters().iter().enumerate() {
        for second in &values.raters()[i + 1..] {
            let both = values.retain(|rater, _| rater == first || rater == second);
            let expected = agreement(&both, MeasurementLevel::Interval);
            match pairs
                .iter()
                .find(|pair| (pair.first, pair.second) == (first, second))
            {
                Some(pair) => {
                    same(
                        Agreement {
                            alpha: pair.alpha,
                            ..expected
                        },
                        &both,
                        size,
                    );
                    assert_eq!(pair.units, expected.pairable_units);
                }
                None => assert_eq!(expected.alpha, Err(UndefinedReason::NoPairableUnit)),
            }
        }
    }
}

/// Equal to 1e-9, and less where the pairable values are nearly equal: sums of squares lose as many
/// digits as the spread is smaller than the size.
#[track_caller]
fn same<R, U>(found: Agreement, values: &RatingTable<R, U>, size: f64) {
    let expected = agreement(values, MeasurementLevel::Interval);
    assert_eq!(
        Agreement {
            alpha: expected.alpha,
            ..found
        },
        expected
    );
    let pairable = values
        .by_unit()
        .map(|(_, unit)| unit.values)
        .filter(|unit| unit.len() > 1);
    let pairable: Vec<f64> = pairable.flatten().copied().collect();
    let mean = mean(&pairable);
    let variance = pairable.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / pairable.len() as f64;
    let size_over_spread = size * size / variance;
    match (found.alpha, expected.alpha) {
        (Ok(actual), Ok(expected)) => {
            assert_within(actual, expected, 1e-9 + 1e-14 * size_over_spread, "alpha");
        }
        (Err(UndefinedReason::Constant), Ok(_)) => assert!(size_over_spread > 1e11, "{variance}"),
        (found, expected) => assert_eq!(found, expected),
    }
}

proptest! {
    #[test]
    fn incremental_equals_batch_after_any_changes(changes in changes()) {
        let (live, rows) = apply(&changes);
        let raw = table(&rows);
        check(&live.raw(), &raw, 100.0);
        for deviation in [DeviationKind::Population, DeviationKind::Sample] {
            let batch = standardise(&raw, deviation);
            for (rater, expected) in raw.raters().iter().zip(&batch.scales) {
                match (live.scale(rater, deviation), *expected) {
                    (Ok(actual), Ok(expected)) => {
                        assert_close(actual.mean, expected.mean, "mean");
                        assert_close(actual.sd, expected.sd, "sd");
                    }
                    (found, expected) => prop_assert_eq!(found, expected),
                }
            }
            let least_sd = batch.scales.iter().flatten().map(|scale| scale.sd).fold(100.0, f64::min);
            check(&live.standardised(deviation), &batch.z, 100.0 / least_sd);
        }
    }

    #[test]
    fn a_table_taken_in_at_once_gives_the_same(changes in changes()) {
        let (live, rows) = apply(&changes);
        let raw = table(&rows);
        let mut at_once = LiveAgreement::from(&raw);
        check(&at_once.raw(), &raw, 100.0);
        // From here on it behaves as if it had seen every rating.
        for ((rater, unit), value) in &rows {
            prop_assert_eq!(at_once.withdraw(rater, unit), Some(*value));
        }
        same(at_once.raw().agreement(), &table(&RatingRows::new()), 100.0);
        prop_assert_eq!(live.raw().leave_one_out().len(), raw.raters().len());
    }

    #[test]
    fn parts_give_the_same_as_tables_of_their_units(changes in changes()) {
        let mut live = LiveAgreement::default();
        let mut parts = [LivePart::default(), LivePart::default()];
        let mut rows = RatingRows::new();
        for change in &changes {
            match *change {
                RatingChange::Rate(r, u, x) => {
                    // Together with a rating that the next change may replace.
                    let values = [(r, x), ((r + 1) % 5, x)];
                    live.rate_in(&mut parts[usize::from(u % 2)], u, &values).unwrap();
                    rows.extend(values.map(|(rater, value)| ((rater, u), value)));
                }
                RatingChange::Withdraw(r, u) => {
                    let before = live.withdraw_in(&mut parts[usize::from(u % 2)], &r, &u);
                    prop_assert_eq!(before, rows.remove(&(r, u)));
                }
            }
        }
        let raw = table(&rows);
        check(&live.raw(), &raw, 100.0);
        let batch = standardise(&raw, DeviationKind::Population);
        let least_sd = batch.scales.iter().flatten().map(|scale| scale.sd).fold(100.0, f64::min);
        for (number, part) in parts.iter().enumerate() {
            let of_part = |values: &RatingTable<u8, u8>| {
                values.retain(|_, unit| usize::from(unit % 2) == number)
            };
            check(&live.raw_in(part), &of_part(&raw), 100.0);
            let view = live.on_scales_in(part, |rater| {
                live.scale(rater, DeviationKind::Population).ok()
            });
            check(&view, &of_part(&batch.z), 100.0 / least_sd);
        }
    }
}

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_figures_follow_from_the_sums() {
    let rows = read_simpeval_past();
    let raw = past_table(&rows, |row| &row.raw);
    let live = LiveAgreement::from(&raw);
    assert_within(
        live.raw().agreement().alpha.unwrap(),
        0.5088,
        0.00005,
        "raw",
    );
    let z = live.standardised(DeviationKind::Population);
    assert_within(z.agreement().alpha.unwrap(), 0.7049, 0.00005, "z");
    check(&live.raw(), &raw, 100.0);
    check(&z, &standardise(&raw, DeviationKind::Population).z, 12.0);
}

/// One category's figures stand on the scales of the whole study.
#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_part_on_the_scales_of_the_whole() {
    let rows = read_simpeval_past();
    let raw = past_table(&rows, |row| &row.raw);
    let in_part = |unit: &usize| rows[*unit].source < 10;
    let mut whole = LiveAgreement::default();
    let (mut part, mut others) = (LivePart::default(), LivePart::default());
    for (rater, unit, value) in raw.entries() {
        let (rater, unit) = (raw.raters()[rater], raw.units()[unit]);
        let of_unit = if in_part(&unit) {
            &mut part
        } else {
            &mut others
        };
        whole.rate_in(of_unit, unit, &[(rater, value)]).unwrap();
    }
    let scale = |rater: &_| whole.scale(rater, DeviationKind::Population).ok();
    let view = whole.on_scales_in(&part, scale);
    let z: RatingMatrix = standardise(&raw, DeviationKind::Population)
        .z
        .retain(|_, unit| in_part(unit));
    check(&view, &z, 12.0);
}

/// The interval by sums is that of the rows, resample by resample.
#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_intervals_by_blocks_of_sources() {
    let rows = read_simpeval_past();
    let raw = past_table(&rows, |row| &row.raw);
    let live = LiveAgreement::from(&raw);
    let source = |unit: &usize| rows[*unit].source;
    let mut units = BTreeMap::<_, Vec<usize>>::new();
    for unit in raw.units() {
        units.entry(source(unit)).or_default().push(*unit);
    }
    let blocks: Vec<_> = units.values().map(|units| live.block(units)).collect();
    let resampling = ResamplingOptions {
        replicates: 200,
        ..ResamplingOptions::default()
    };
    let z = standardise(&raw, DeviationKind::Population).z;
    let by_sums = [live.raw(), live.standardised(DeviationKind::Population)]
        .map(|view| view.interval(&blocks, resampling).unwrap());
    let by_rows = [&raw, &z].map(|values| {
        let bootstrap = AlphaBootstrap::new(values, MeasurementLevel::Interval, source);
        bootstrap.interval(resampling).unwrap()
    });
    for (found, expected) in by_sums.iter().zip(&by_rows) {
        assert_close(found.low, expected.low, "lower end");
        assert_close(found.high, expected.high, "upper end");
        assert_eq!(found.replicates, 200);
    }
    let none: [ResamplingBlock; 0] = [];
    assert!(live.raw().interval(&none, resampling).is_err());
}

#[test]
fn intervals_of_a_part_are_those_of_its_rows() {
    let rows = (0..40_u8).flat_map(|unit| {
        let quality = u32::from(unit) * 37 % 90;
        (0..3_u8).map(move |rater| {
            let noise = (u32::from(unit) + 5) * (u32::from(rater) + 3) * 13 % 11;
            (rater, unit, f64::from(quality + noise))
        })
    });
    let (mut live, mut even, mut odd) = (
        LiveAgreement::default(),
        LivePart::default(),
        LivePart::default(),
    );
    for (rater, unit, value) in rows.clone() {
        let part = if unit % 2 == 0 { &mut even } else { &mut odd };
        live.rate_in(part, unit, &[(rater, value)]).unwrap();
    }
    let values = RatingTable::new(rows.filter(|(_, unit, _)| unit % 2 == 0)).unwrap();
    let units: Vec<_> = values.units().to_vec();
    let blocks: Vec<_> = units
        .iter()
        .map(|unit| live.block_in(&even, [unit]))
        .collect();
    let resampling = ResamplingOptions::default();
    let by_sums = live.raw_in(&even).interval(&blocks, resampling).unwrap();
    let by_rows = AlphaBootstrap::over_outputs(&values, MeasurementLevel::Interval);
    let by_rows = by_rows.interval(resampling).unwrap();
    assert_close(by_sums.low, by_rows.low, "lower end");
    assert_close(by_sums.high, by_rows.high, "upper end");
    assert!(by_rows.low < by_rows.high);
}

/// A source that only raters without a scale rated is not drawn on z-scores, as in a table of them.
#[test]
fn intervals_leave_out_blocks_without_a_rating() {
    let rows = (0..12_usize).flat_map(|unit| {
        let x = ((unit * 37) % 100) as f64;
        [
            ("a", unit, x),
            ("b", unit, x / 2.0 + (unit % 3) as f64 * 9.0),
        ]
    });
    let constant = (12..20_usize).map(|unit| ("c", unit, 50.0));
    let mut live = LiveAgreement::default();
    for (rater, unit, score) in rows.chain(constant) {
        live.rate(rater, unit, score).unwrap();
    }
    let blocks: Vec<_> = (0..10)
        .map(|source| live.block(&[2 * source, 2 * source + 1]))
        .collect();
    let z = live.standardised(DeviationKind::Population);
    let resampling = ResamplingOptions::default();
    let of_rated = z.interval(&blocks[..6], resampling).unwrap();
    assert_eq!(z.interval(&blocks, resampling).unwrap(), of_rated);
    let raw = live.raw();
    assert_ne!(
        raw.interval(&blocks, resampling).unwrap(),
        raw.interval(&blocks[..6], resampling).unwrap()
    );
}

#[test]
fn what_is_no_rating_changes_nothing() {
    let mut live = LiveAgreement::default();
    live.rate("a", 1, 50.0).unwrap();
    live.rate("b", 1, 60.0).unwrap();
    let before = live.raw().agreement();
    assert!(live.rate("a", 1, f64::NAN).is_err());
    let mut part = LivePart::default();
    let values = [("c", 50.0), ("d", f64::NAN)];
    assert!(live.rate_in(&mut part, 1, &values).is_err());
    assert_eq!(live.withdraw(&"c", &1), None);
    assert_eq!(live.withdraw(&"a", &2), None);
    assert_eq!(live.raw().agreement(), before);
    assert_eq!(
        (before.raters, before.units, before.pairable_units),
        (2, 1, 1)
    );
}
