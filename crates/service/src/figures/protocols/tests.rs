use std::collections::BTreeMap;

use domain::{
    category::Category,
    score::RatingScale,
    statistics::{
        DeviationKind, RatingTable, UndefinedReason, agreement::MeasurementLevel, standardise,
    },
    study::{Dimension, StudySettings, WorkLayout},
};

use super::*;
use crate::figures::systems::{
    JudgedOutput, JudgedRatings, SystemName, SystemScores, ZScoreOrigin,
};

/// A rating: rater, index of the source, index of the system, value.
type TestRating = (usize, usize, usize, f64);

fn dimension(name: &str) -> Dimension {
    Dimension::new(name.to_owned(), RatingScale::PERCENT)
}

fn judged(rows: &[TestRating], systems: &[&str]) -> JudgedRatings<usize, usize> {
    let unit = |source: usize, system: usize| 10 * source + system;
    let entries = rows
        .iter()
        .map(|(rater, source, system, value)| (*rater, unit(*source, *system), *value));
    let raw = RatingTable::new(entries).unwrap();

    let output = |(_, source, system, _): &TestRating| {
        let output = JudgedOutput {
            system: *system,
            source: *source,
            category: Some(Category::Paraphrase),
        };
        (unit(*source, *system), output)
    };
    let system = |name: &&str| SystemName {
        name: (*name).to_owned(),
        kind: None,
        is_hidden: false,
    };

    JudgedRatings {
        z: standardise(&raw, DeviationKind::Population).z,
        raw,
        z_from: ZScoreOrigin::Ratings,
        outputs: rows.iter().map(output).collect(),
        systems: systems.iter().map(system).collect(),
        warnings: vec![],
    }
}

pub(super) fn study(
    name: &str,
    texts: &[&str],
    systems: &[&str],
    rows: &[TestRating],
    times: &[(usize, usize, u64)],
) -> ProtocolRatings {
    let ratings = judged(rows, systems);
    let texts = texts.iter().map(|text| (*text).to_owned());
    ProtocolRatings::new(
        name.to_owned(),
        vec![(dimension("overall"), ratings.clone())],
        0,
        SystemScores::from(ratings),
        texts.enumerate().collect(),
        times.iter().copied(),
    )
}

pub(super) const TEXTS: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// Two raters on each of these sources. The first system is better by `gap`, and the second rater differs by
/// `noise` on every other source.
pub(super) fn rows(sources: &[usize], gap: f64, noise: f64) -> Vec<TestRating> {
    let rows = sources.iter().flat_map(|source| {
        let base = 20.0 + 3.0 * *source as f64;
        let off = if source % 2 == 0 { noise } else { 0.0 };
        [
            (1, *source, 0, base + gap),
            (1, *source, 1, base),
            (2, *source, 0, base + gap + off),
            (2, *source, 1, base - off),
        ]
    });
    rows.collect()
}

#[test]
fn figures_are_those_of_shared_sources_that_all_have_rated() {
    let river = study(
        "river",
        &TEXTS,
        &["A", "B"],
        &rows(&[0, 1, 2, 3, 4, 5, 6], 9.0, 4.0),
        &[],
    );

    // The same texts in another order and spelling; “g” is missing, and “f” is not rated.
    let texts = ["F", "e ", "d", "c", "b", "a"];
    let lake = study(
        "lake",
        &texts,
        &["A", "B"],
        &rows(&[1, 2, 3, 4, 5], 9.0, 4.0),
        &[],
    );

    let comparison = compare_protocols(&[river, lake]);
    assert_eq!(
        (comparison.exact, comparison.normalised, comparison.rated),
        (6, 0, 5)
    );

    let [of_river, of_lake] = &comparison.protocols[..] else {
        panic!("two protocols");
    };
    let agreement = of_river.agreement.raw.agreement;
    assert_eq!((agreement.units, agreement.ratings), (10, 20));
    assert_eq!(agreement.level, MeasurementLevel::Interval);
    assert_eq!(of_lake.agreement.raw.agreement.units, 10);
    assert_eq!(of_river.time, None);
    assert_eq!(of_river.pairs_per_hour(), None);

    // Five sources are too few for any pair.
    let counts = PairCounts {
        all: 1,
        tested: 0,
        apart: 0,
    };
    assert_eq!(of_river.pairs, counts);

    // z-scores are those of the whole study, including “f” and “g”.
    let whole = judged(&rows(&[0, 1, 2, 3, 4, 5, 6], 9.0, 4.0), &["A", "B"]);
    let rest = whole.z.retain(|_, unit| *unit < 50);
    assert_eq!(
        of_river.agreement.z.agreement,
        domain::statistics::agreement(&rest, MeasurementLevel::Interval)
    );
}

#[test]
fn a_study_compared_with_itself_has_the_figures_of_the_whole() {
    let rows = rows(&[0, 1, 2, 3, 4, 5, 6], 9.0, 4.0);
    let river = || study("river", &TEXTS, &["A", "B"], &rows, &[]);

    let comparison = compare_protocols(&[river(), river()]);
    let whole = judged(&rows, &["A", "B"]);
    let alpha = |table| {
        domain::statistics::agreement(table, MeasurementLevel::Interval)
            .alpha
            .unwrap()
    };

    for of in &comparison.protocols {
        assert_eq!(of.agreement.raw.agreement.alpha, Ok(alpha(&whole.raw)));
        assert_eq!(of.agreement.z.agreement.alpha, Ok(alpha(&whole.z)));
        let counts = PairCounts {
            all: 1,
            tested: 1,
            apart: 1,
        };
        assert_eq!(of.pairs, counts);
    }

    let order = &comparison.orders[0];
    assert_eq!((order.first, order.second, order.systems), (0, 1, 2));
    assert!((order.kendall.unwrap().coefficient - 1.0).abs() < 1e-12);
    assert_eq!(order.kendall_holm, Some(order.kendall.unwrap().p));
    let too_few = UndefinedReason::TooFew {
        found: 2,
        needed: 3,
    };
    assert_eq!(order.spearman, Err(too_few));
}

#[test]
fn systems_meet_by_name_and_opposite_orders_correlate_negatively() {
    let three = |order: [f64; 3]| -> Vec<TestRating> {
        let row = |rater: usize, source: usize, system: usize| {
            (rater, source, system, order[system] + source as f64)
        };
        let each = (0..6).flat_map(|source| (0..3).map(move |system| (source, system)));
        each.flat_map(|(source, system)| [1, 2].map(|rater| row(rater, source, system)))
            .collect()
    };

    let river = study(
        "river",
        &TEXTS,
        &["A", "B", "C"],
        &three([30.0, 20.0, 10.0]),
        &[],
    );
    let lake = study(
        "lake",
        &TEXTS,
        &["C", "A", "B"],
        &three([30.0, 10.0, 20.0]),
        &[],
    );
    let pond = study(
        "pond",
        &TEXTS,
        &["X", "Y", "A"],
        &three([30.0, 10.0, 20.0]),
        &[],
    );

    let orders = compare_protocols(&[river, lake, pond]).orders;
    assert_eq!(orders.len(), 3);
    for correlation in [orders[0].kendall, orders[0].spearman] {
        assert!((correlation.unwrap().coefficient + 1.0).abs() < 1e-12);
    }

    let one = UndefinedReason::TooFew {
        found: 1,
        needed: 2,
    };
    assert_eq!(
        (orders[1].kendall, orders[1].kendall_holm),
        (Err(one), None)
    );
}

#[test]
fn time_counts_for_the_ratings_that_it_is_recorded_of() {
    let sources = [0, 1, 2, 3, 4, 5];
    let minutes = |rater: usize| sources.map(|source| (rater, source, 180_000));

    // “g” took 10 hours, and is not shared.
    let mut times: Vec<_> = [minutes(1), minutes(2)].concat();
    times.push((1, 6, 36_000_000));

    let river = study(
        "river",
        &TEXTS,
        &["A", "B"],
        &rows(&[0, 1, 2, 3, 4, 5, 6], 9.0, 0.0),
        &times,
    );
    let lake = study(
        "lake",
        &TEXTS[..6],
        &["A", "B"],
        &rows(&sources, 9.0, 0.0),
        &minutes(1),
    );

    let comparison = compare_protocols(&[river, lake]);
    let [whole, part] = &comparison.protocols[..] else {
        panic!("two protocols");
    };

    let time = whole.time.unwrap();
    assert_eq!(
        (
            time.active_ms,
            time.submissions,
            time.timed_ratings,
            time.ratings
        ),
        (12 * 180_000, 12, 24, 24)
    );
    assert_eq!(
        (time.minutes_per_source(), time.minutes_per_rating()),
        (3.0, 1.5)
    );
    assert_eq!(time.hours(), Some(0.6));
    assert_eq!(
        (whole.pairs.apart, whole.pairs_per_hour()),
        (1, Some(1.0 / 0.6))
    );

    let time = part.time.unwrap();
    assert_eq!(
        (time.submissions, time.timed_ratings, time.ratings),
        (6, 12, 24)
    );
    assert_eq!(
        (time.minutes_per_source(), time.minutes_per_rating()),
        (3.0, 1.5)
    );

    // Half of the ratings have no recorded time.
    assert_eq!((time.hours(), part.pairs_per_hour()), (None, None));
}

#[test]
fn other_dimensions_are_listed_with_the_mean() {
    let (one, other) = (
        judged(&rows(&[0, 1, 2, 3], 9.0, 4.0), &["A", "B"]),
        judged(&rows(&[0, 1, 2, 3], 9.0, 0.0), &["A", "B"]),
    );
    let texts = TEXTS.iter().map(|text| (*text).to_owned()).enumerate();

    let names = ["fluency", "meaning"];
    let asked = ["simplicity", "meaning"].map(str::to_owned);
    let compared = ProtocolRatings::choose_dimension(names.into_iter(), &asked);
    assert_eq!(compared, 1);
    assert_eq!(ProtocolRatings::choose_dimension(names.into_iter(), &[]), 0);

    let study = ProtocolRatings::new(
        "river".to_owned(),
        vec![
            (dimension("fluency"), one),
            (dimension("meaning"), other.clone()),
        ],
        compared,
        SystemScores::from(other),
        texts.collect::<BTreeMap<_, _>>(),
        [],
    );

    let comparison = compare_protocols(&[study]);
    let of = &comparison.protocols[0];
    assert_eq!(of.agreement.dimension.name, "meaning");

    let alphas: Vec<f64> = of
        .dimensions
        .iter()
        .map(|of| of.raw.agreement.alpha.unwrap())
        .collect();
    assert!(alphas[0] < 1.0 && alphas[1] == 1.0, "{alphas:?}");

    let mean = of.mean.unwrap().raw.unwrap();
    assert!((mean - f64::midpoint(alphas[0], alphas[1])).abs() < 1e-12);
}

#[test]
fn nothing_in_common_is_undefined() {
    let river = study(
        "river",
        &["a"],
        &["A"],
        &[(1, 0, 0, 5.0), (2, 0, 0, 6.0)],
        &[],
    );
    let lake = study(
        "lake",
        &["b"],
        &["A"],
        &[(1, 0, 0, 5.0), (2, 0, 0, 6.0)],
        &[],
    );

    let comparison = compare_protocols(&[river, lake]);
    assert_eq!((comparison.shared(), comparison.rated), (0, 0));

    let of = &comparison.protocols[0];
    assert_eq!(
        of.agreement.raw.agreement.alpha,
        Err(UndefinedReason::NoPairableUnit)
    );
    assert!(of.ranking.is_empty());
    assert!(comparison.orders[0].kendall.is_err());
}

#[test]
fn a_protocol_is_described_by_dimensions_and_layout() {
    let settings = StudySettings::default();
    assert_eq!(
        describe_protocol(&settings),
        "Categorise, check edits, rank & rate: overall 0 to 100"
    );

    let merged = StudySettings {
        dimensions: ["fluency", "meaning"].map(dimension).into(),
        layout: WorkLayout::Merged,
        ..settings
    };
    assert_eq!(
        describe_protocol(&merged),
        "Categorise, check edits, rank & rate, output by output: fluency 0 to 100, meaning 0 to 100"
    );
}
