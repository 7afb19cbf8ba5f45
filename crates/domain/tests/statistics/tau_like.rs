//! Kendall-tau-like against counts by the published definition.

use domain::statistics::{
    RatingTable, UndefinedReason,
    bootstrap::{ResamplingOptions, percentile_interval, resample},
    mean,
    tau_like::{Consensus, OutputPreferences, PreferenceRule, TauLike},
};
use testdata::{golden, needs_released_data};

use crate::shared::{assert_close, json_matrix, numbers, past_table, read_simpeval_past};

#[test]
fn counts_by_the_definition_of_paper_000() {
    let golden = golden("tau_like.json");
    let case = &golden["case"];
    let units: Vec<Vec<f64>> = serde_json::from_value(case["ratings"].clone()).unwrap();
    let sources: Vec<u32> = serde_json::from_value(case["group"].clone()).unwrap();
    let entries = units.iter().enumerate().flat_map(|(unit, values)| {
        values
            .iter()
            .enumerate()
            .map(move |(rater, value)| (rater, unit, *value))
    });
    let ratings = RatingTable::new(entries).unwrap();
    for (name, expected) in case["expected"].as_object().unwrap() {
        let [metric, consensus, points] = name.split('|').collect::<Vec<_>>()[..] else {
            panic!()
        };
        let scores = numbers(match metric {
            "char_ratio" => &case["metric_char_ratio"],
            _ => &case["metric_tokens(with ties)"],
        });
        let rule = PreferenceRule {
            consensus: match consensus {
                "majority" => Consensus::Majority,
                _ => Consensus::All,
            },
            tie_points: points.strip_prefix("thr").unwrap().parse().unwrap(),
        };
        let preferences = OutputPreferences::new(&ratings, rule, |unit| (sources[*unit], ()));
        let actual = preferences.judge(&scores).total(None);
        let count = |key: &str| usize::try_from(expected[key].as_u64().unwrap()).unwrap();
        let counts = TauLike {
            concordant: count("concordant"),
            discordant: count("discordant(incl metric ties)"),
            metric_ties: count("metric_ties_counted_discordant"),
            skipped: count("skipped"),
        };
        assert_eq!(actual, counts, "{name}");
        assert_close(
            actual.tau().unwrap(),
            expected["tau_all"].as_f64().unwrap(),
            name,
        );
    }
}

/// Units are (source, category, number); two raters.
fn small() -> RatingTable<u8, (u8, char, u8)> {
    RatingTable::new([
        (1, (0, 'd', 0), 80.0),
        (2, (0, 'd', 0), 90.0),
        (1, (0, 'd', 1), 60.0),
        (2, (0, 'd', 1), 86.0),
        (1, (0, 'p', 2), 10.0),
        (1, (1, 'd', 3), 20.0),
        (2, (1, 'd', 4), 50.0),
        (1, (2, 'd', 5), 20.0),
        (1, (2, 'd', 6), 50.0),
    ])
    .unwrap()
}

#[test]
fn only_pairs_of_one_source_and_category_with_common_raters_count() {
    let judge = |consensus, scores: [f64; 7]| {
        let rule = PreferenceRule {
            consensus,
            tie_points: 5.0,
        };
        OutputPreferences::new(&small(), rule, |(s, c, _)| (*s, *c)).judge(&scores)
    };
    let scores = [2.0, 1.0, 9.0, 1.0, 2.0, 1.0, 2.0];
    // Rater 2 sees a tie between the first two, and one of two is no majority.
    let majority = judge(Consensus::Majority, scores);
    let counts = |concordant, discordant, metric_ties, skipped| TauLike {
        concordant,
        discordant,
        metric_ties,
        skipped,
    };
    assert_eq!(majority.total(None), counts(1, 0, 0, 2));
    assert_eq!(majority.categories(), ['d', 'p']);
    assert_eq!(
        majority.total(Some(&'p')).tau(),
        Err(UndefinedReason::NoPreference)
    );
    assert_eq!(majority.total(Some(&'s')), TauLike::default());
    let tied = judge(Consensus::All, [0.0; 7]);
    assert_eq!(tied.total(Some(&'d')), counts(0, 1, 1, 2));
    let unscored = judge(Consensus::All, [f64::NAN; 7]);
    assert_eq!(unscored.total(Some(&'d')), counts(0, 1, 0, 2));
}

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_interval_holds_the_figure_and_equals_one_drawn_in_any_order() {
    let rows = read_simpeval_past();
    let raw = past_table(&rows, |row| &row.raw);
    let preferences = OutputPreferences::new(&raw, PreferenceRule::default(), |unit| {
        (rows[*unit].source, ())
    });
    // A metric that looks at the ratings with some noise.
    let scores: Vec<f64> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| row.z[0] + (at * 37 % 101) as f64 / 50.0)
        .collect();
    let breakdown = preferences.judge(&scores);
    let resampling = ResamplingOptions::default();
    let interval = breakdown.interval(None, resampling).unwrap();
    let tau = breakdown.total(None).tau().unwrap();
    assert!(
        interval.low < tau && tau < interval.high,
        "{tau} outside of {interval:?}"
    );

    let mut drawn = Vec::new();
    let backwards = (0..resampling.replicates as u64).rev().map(|replicate| {
        resample(resampling.seed, replicate, breakdown.sources(), &mut drawn);
        breakdown.sum_over(None, &drawn).tau()
    });
    assert_eq!(
        percentile_interval(backwards, resampling.confidence),
        Ok(interval)
    );
}

#[test]
fn missing_ratings_leave_the_others_in() {
    let golden = golden("krippendorff.json");
    let raw = json_matrix(&golden["cases"]["past_first240_raw_30pct_missing"]["raters_x_units"]);
    // Judged by the raters' own mean, nearly all pairs must agree.
    let scores: Vec<f64> = raw.by_unit().map(|(_, unit)| mean(unit.values)).collect();
    let preferences =
        OutputPreferences::new(&raw, PreferenceRule::default(), |unit| (unit / 24, ()));
    let counts = preferences.judge(&scores).total(None);
    assert!(counts.tau().unwrap() > 0.6, "{counts:?}");
    let units_of_source = |source| {
        raw.units()
            .iter()
            .filter(|unit| **unit / 24 == source)
            .count()
    };
    let pairs: usize = (0..10)
        .map(|s| units_of_source(s) * (units_of_source(s) - 1) / 2)
        .sum();
    assert_eq!(
        counts.concordant + counts.discordant + counts.skipped,
        pairs
    );
}
