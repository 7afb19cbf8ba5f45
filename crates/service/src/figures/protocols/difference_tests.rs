use domain::{ids::ExperimentId, latin_square::cyclic_symbol, random::SeededRandom};
use uuid::Uuid;

use super::{
    tests::{TEXTS, rows, study},
    *,
};

const MS: f64 = 60_000.0;

/// An arm of an experiment with ratings of the first four sources. Times are row, source, minutes.
fn arm(name: &str, noise: f64, times: &[(i64, usize, f64)]) -> ProtocolRatings {
    let ratings = study(
        name,
        &TEXTS,
        &["A", "B"],
        &rows(&[0, 1, 2, 3], 9.0, noise),
        &[],
    );
    ratings.in_experiment(ArmTimes {
        id: ExperimentId(Uuid::nil()),
        times: times
            .iter()
            .map(|(row, source, minutes)| (*row, *source, (minutes * MS) as u64))
            .collect(),
        has_other_raters: false,
    })
}

#[test]
fn minutes_are_paired_by_rater() {
    // The second rater is slow; the third has no time in the second arm, the fourth none in the first.
    let one = arm(
        "one",
        4.0,
        &[(0, 0, 1.0), (0, 1, 2.0), (1, 2, 10.0), (2, 3, 50.0)],
    );
    let other = arm(
        "other",
        4.0,
        &[(0, 2, 2.5), (1, 0, 11.0), (1, 1, 12.0), (3, 3, 1.0)],
    );

    let comparison = compare_protocols(&[one, other]);
    assert!(comparison.is_randomised);

    let minutes = comparison.differences[0].minutes.unwrap();
    assert_eq!(
        (minutes.raters, minutes.first, minutes.second),
        (2, 5.75, 7.0)
    );
    assert_eq!(minutes.difference, -1.25);
    let interval = minutes.interval.unwrap();
    assert_eq!((interval.low, interval.high), (-1.5, -1.0));
}

#[test]
fn studies_that_are_no_arms_of_one_experiment_have_no_paired_minutes() {
    let times = [(0, 0, 1.0), (1, 1, 2.0)];
    let one = arm("one", 4.0, &times);
    let mut other = arm("other", 4.0, &times);
    other.experiment.as_mut().unwrap().id = ExperimentId(Uuid::max());

    let comparison = compare_protocols(&[one.clone(), other]);
    assert!(!comparison.is_randomised);
    assert_eq!(comparison.differences[0].minutes, None);

    let plain = study("plain", &TEXTS, &["A", "B"], &rows(&[0, 1], 9.0, 4.0), &[]);
    assert!(!compare_protocols(&[plain, one]).is_randomised);
}

#[test]
fn arms_with_ratings_of_a_file_are_not_called_randomised() {
    let times = [(0, 0, 1.0), (1, 1, 2.0)];
    let one = arm("one", 4.0, &times);
    let mut other = arm("other", 4.0, &times);

    let planned = compare_protocols(&[one.clone(), other.clone()]);
    assert!(planned.is_randomised && !planned.has_other_ratings);

    other.experiment.as_mut().unwrap().has_other_raters = true;
    let mixed = compare_protocols(&[one, other]);
    assert!(!mixed.is_randomised && mixed.has_other_ratings);
    assert_eq!(mixed.differences[0].minutes, None);
}

/// Both studies have the same ratings except for the first source, which only one rater judged. In one study that rater
/// gave all outputs the same score, so the source has no z-scores. It does not count for α, so no resample shows a
/// difference.
#[test]
fn a_source_of_a_constant_rater_is_drawn_in_both_studies() {
    let study_with = |second: f64| {
        let mut rows = rows(&[1, 2, 3, 4, 5, 6], 9.0, 6.0);
        rows.extend([(3, 0, 0, 50.0), (3, 0, 1, second)]);
        study("one", &TEXTS, &["A", "B"], &rows, &[])
    };

    let compared = compare_protocols(&[study_with(50.0), study_with(60.0)]);
    assert_eq!(compared.rated, 7);
    let difference = compared.differences[0];
    for alpha in [difference.raw, difference.z] {
        assert_eq!(alpha.value, Ok(0.0));
        let interval = alpha.interval.unwrap();
        assert_eq!((interval.low, interval.high), (0.0, 0.0));
    }
}

#[test]
fn alpha_differs_by_the_same_sources_in_each_resample() {
    let compare = |first: f64, second: f64| {
        let [one, other] = [first, second].map(|noise| arm("one", noise, &[]));
        compare_protocols(&[one, other]).differences[0]
    };

    let same = compare(4.0, 4.0);
    for alpha in [same.raw, same.z] {
        assert_eq!(alpha.value, Ok(0.0));
        let interval = alpha.interval.unwrap();
        assert_eq!(
            (interval.low, interval.high),
            (0.0, 0.0),
            "α itself varies over sources"
        );
    }

    let (one, other) = (compare(1.0, 6.0), compare(6.0, 1.0));
    assert!(one.raw.value.unwrap() > 0.0, "less noise, more agreement");
    let opposite = |a: f64, b: f64| assert!((a + b).abs() < 1e-12, "{a} and {b}");
    opposite(one.raw.value.unwrap(), other.raw.value.unwrap());
    let (low, high) = (one.raw.interval.unwrap(), other.raw.interval.unwrap());
    opposite(low.low, high.high);
    opposite(low.high, high.low);
}

/// A nearly normal number with mean 0 and standard deviation 1: the sum of twelve uniform ones.
fn normal(random: &mut SeededRandom) -> f64 {
    let uniform = |random: &mut SeededRandom| random.below(1 << 30) as f64 / f64::from(1 << 30);
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

/// Estimates over many simulated experiments: their mean, their standard deviation, and the share of intervals that
/// contain the true difference.
#[derive(Debug)]
struct SimulatedEstimates {
    mean: f64,
    deviation: f64,
    coverage: f64,
}

impl SimulatedEstimates {
    fn new(truth: f64, estimates: &[(f64, f64, f64)]) -> Self {
        let n = estimates.len() as f64;
        let mean = estimates.iter().map(|of| of.0).sum::<f64>() / n;
        let squares = estimates.iter().map(|of| (of.0 - mean).powi(2));
        let held = estimates
            .iter()
            .filter(|(_, low, high)| (*low..=*high).contains(&truth));

        Self {
            mean,
            deviation: (squares.sum::<f64>() / (n - 1.0)).sqrt(),
            coverage: held.count() as f64 / n,
        }
    }
}

/// Twelve raters judge 24 sources. Depending on their speed, they take 1 to 3 minutes, times the difficulty of the
/// source, and half a minute more under the first protocol.
#[test]
fn the_difference_of_minutes_is_unbiased_where_raters_differ_in_speed() {
    const TRUTH: f64 = 0.5;
    const EXPERIMENTS: usize = 400;
    let mut random = SeededRandom::new(11);
    let (mut paired, mut by_groups) = (vec![], vec![]);

    for _ in 0..EXPERIMENTS {
        let difficulty: Vec<f64> = (0..24).map(|_| (0.3 * normal(&mut random)).exp()).collect();

        let mut pairs = vec![];
        let mut groups = [vec![], vec![]];

        for rater in 0..12 {
            let speed = 2.0 * (0.5 * normal(&mut random)).exp();
            let (mut sums, mut whole) = ([0.0; 2], 0.0);
            for (source, difficulty) in difficulty.iter().enumerate() {
                let noise = 0.3 * normal(&mut random);
                let minutes = |arm| speed * difficulty + noise + if arm == 0 { TRUTH } else { 0.0 };
                let arm = cyclic_symbol(rater, source, 2);
                sums[arm] += minutes(arm);
                whole += minutes(rater % 2);
            }
            pairs.push(sums.map(|sum| sum / 12.0));
            groups[rater % 2].push(whole / 24.0);
        }

        let minutes = PairedMinutes::new(&pairs).unwrap();
        let interval = minutes.interval.unwrap();
        paired.push((minutes.difference, interval.low, interval.high));

        // For comparison: two groups of raters, each with one protocol.
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        by_groups.push((mean(&groups[0]) - mean(&groups[1]), 0.0, 0.0));
    }

    let paired = SimulatedEstimates::new(TRUTH, &paired);
    let by_groups = SimulatedEstimates::new(TRUTH, &by_groups);
    println!("paired: {paired:?}\ntwo groups: {by_groups:?}");

    let error = paired.deviation / (EXPERIMENTS as f64).sqrt();
    assert!((paired.mean - TRUTH).abs() < 3.0 * error, "{paired:?}");
    assert!(paired.coverage > 0.85, "{paired:?}");
    assert!(
        paired.deviation < by_groups.deviation / 3.0,
        "{paired:?}, {by_groups:?}"
    );
}
