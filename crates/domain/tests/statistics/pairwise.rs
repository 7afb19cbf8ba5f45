//! Figures from comparisons, against other programs and for any counts.

use domain::{
    comparison::{BestWorstChoice, ComparedPair, ComparisonAnswer, PairOutcome},
    statistics::{
        UndefinedReason,
        bootstrap::ResamplingOptions,
        pairwise::{BradleyTerryFit, ComparisonTable, PENALTY, WinMatrix, bradley_terry},
        significance::sign_test,
        systems::WinTieLoss,
    },
};
use proptest::prelude::*;
use serde_json::Value;
use testdata::golden;

use crate::shared::{assert_close, assert_close_p, assert_within, numbers};

/// How exactly fits agree with those of other programs.
const TOLERANCE: f64 = 1e-6;

const fn counts(wins: usize, ties: usize, losses: usize) -> WinTieLoss {
    WinTieLoss { wins, ties, losses }
}

/// The counts of a golden case: (a, b, wins of a, ties, losses).
fn golden_matrix(case: &Value) -> WinMatrix {
    let systems = case["systems"].as_u64().unwrap() as usize;
    let mut matrix = WinMatrix::new(systems);
    let pairs: Vec<[usize; 5]> = serde_json::from_value(case["pairs"].clone()).unwrap();
    for [a, b, wins, ties, losses] in pairs {
        matrix.add(a, b, counts(wins, ties, losses));
    }
    matrix
}

#[track_caller]
fn check_strengths(fit: &BradleyTerryFit, case: &Value, expected: &Value, name: &str) {
    let penalised = case["penalty"] != 0;
    assert_eq!(fit.penalised, penalised, "{name}");
    assert!(!penalised || case["penalty"] == PENALTY, "{name}");
    let expected = numbers(expected);
    assert_eq!(fit.strengths.len(), expected.len(), "{name}");
    for (found, expected) in fit.strengths.iter().zip(expected) {
        assert_within(*found, expected, TOLERANCE, name);
    }
}

#[test]
fn choix_bradley_terry() {
    let golden = golden("pairwise.json");
    for (name, case) in golden["bradley_terry"].as_object().unwrap() {
        let fit = bradley_terry(&golden_matrix(case)).unwrap();
        for (function, expected) in case["expected"].as_object().unwrap() {
            check_strengths(&fit, case, expected, &format!("{name}, {function}"));
        }
        assert_eq!(fit.tie_parameter, 0.0, "{name}");
    }
}

#[test]
fn scipy_davidson() {
    let golden = golden("pairwise.json");
    for (name, case) in golden["davidson"].as_object().unwrap() {
        let fit = bradley_terry(&golden_matrix(case)).unwrap();
        check_strengths(&fit, case, &case["expected"]["strengths"], name);
        let expected = case["expected"]["tie_parameter"].as_f64().unwrap();
        assert_within(fit.tie_parameter, expected, TOLERANCE, name);
    }
}

#[test]
fn scipy_binomtest() {
    for case in golden("pairwise.json")["sign_test"].as_array().unwrap() {
        let count = |key: &str| case[key].as_u64().unwrap() as usize;
        let (wins, losses) = (count("wins"), count("losses"));
        let p = sign_test(counts(wins, 5, losses)).unwrap().p;
        let name = format!("{wins} to {losses}");
        assert_close_p(p, case["expected_p"].as_f64().unwrap(), &name);
    }
    let all_ties = sign_test(counts(0, 5, 0)).map(|test| test.p);
    assert_eq!(all_ties, Err(UndefinedReason::NoDifference));
}

type Answer = (String, usize, ComparisonAnswer<String>);

fn pair(a: &str, b: &str, outcome: PairOutcome) -> ComparisonAnswer<String> {
    ComparisonAnswer::Pair(ComparedPair::new(a.to_owned(), b.to_owned(), outcome).unwrap())
}

fn golden_answers(case: &Value) -> Vec<Answer> {
    let rows: Vec<(String, usize, String, String, PairOutcome)> =
        serde_json::from_value(case["rows"].clone()).unwrap();
    let rows = rows.into_iter();
    rows.map(|(rater, source, a, b, outcome)| (rater, source, pair(&a, &b, outcome)))
        .collect()
}

#[test]
fn krippendorff_nominal_alpha_of_outcomes() {
    for (name, case) in golden("pairwise.json")["agreement"].as_object().unwrap() {
        let table = ComparisonTable::new(golden_answers(case)).unwrap();
        let alpha = table.agreement().alpha.unwrap();
        assert_close(alpha, case["expected_alpha"].as_f64().unwrap(), name);
    }
}

#[test]
fn best_worst_counting_by_its_definition() {
    let case = &golden("pairwise.json")["best_worst"];
    let rows: Vec<(Vec<String>, String, String)> =
        serde_json::from_value(case["rows"].clone()).unwrap();
    let answers = rows
        .iter()
        .enumerate()
        .map(|(source, (shown, best, worst))| {
            let choice = BestWorstChoice::new(shown.clone(), best, worst).unwrap();
            ("rater", source, ComparisonAnswer::BestWorst(choice))
        });
    let table = ComparisonTable::new(answers).unwrap();
    for (system, counts) in table.systems().iter().zip(table.best_worst()) {
        let expected = case["expected"][system].as_f64().unwrap();
        assert_close(counts.score().unwrap(), expected, system);
    }
    // Each choice among four decides five pairs.
    let matrix = table.win_matrix();
    let decided = matrix.pairs().map(|(_, _, counts)| counts.total());
    assert_eq!(decided.sum::<usize>(), 5 * rows.len());
}

#[test]
fn undefined_scores_say_why() {
    let fit = |pairs: &[(usize, usize, WinTieLoss)], systems| {
        let mut matrix = WinMatrix::new(systems);
        for (a, b, counts) in pairs {
            matrix.add(*a, *b, *counts);
        }
        bradley_terry(&matrix).map(|fit| fit.penalised)
    };
    let even = counts(2, 0, 2);
    let too_few = UndefinedReason::TooFew {
        found: 1,
        needed: 2,
    };
    assert_eq!(fit(&[], 1), Err(too_few));
    assert_eq!(fit(&[(0, 1, even)], 3), Err(UndefinedReason::NotConnected));
    assert_eq!(
        fit(&[(0, 1, even), (2, 3, even)], 4),
        Err(UndefinedReason::NotConnected)
    );
    assert_eq!(
        fit(&[(0, 1, counts(0, 3, 0))], 2),
        Err(UndefinedReason::AllTies)
    );
    assert_eq!(fit(&[(0, 1, even)], 2), Ok(false));
    assert_eq!(fit(&[(0, 1, counts(4, 0, 0))], 2), Ok(true));
}

#[test]
fn sources_are_resampled_and_tested_whole() {
    let mut answers = Vec::new();
    for source in 0..8 {
        // A beats B on seven sources of eight, each by two raters of three.
        let (more, less) = match source {
            7 => (PairOutcome::B, PairOutcome::A),
            _ => (PairOutcome::A, PairOutcome::B),
        };
        for (rater, outcome) in [("r1", more), ("r2", more), ("r3", less)] {
            answers.push((rater, source, pair("A", "B", outcome)));
        }
        answers.push(("r1", source, pair("C", "B", PairOutcome::Tie)));
    }
    let table = ComparisonTable::new(answers).unwrap();
    let [a_b, b_c] = table.pair_tests()[..] else {
        panic!("two pairs were compared");
    };
    assert_eq!((a_b.a, a_b.b, a_b.comparisons), (0, 1, counts(15, 0, 9)));
    assert_eq!(a_b.sources, counts(7, 0, 1));
    // 2·(1 + 8)/2⁸.
    assert_close(a_b.sign.unwrap().p, 18.0 / 256.0, "p");
    assert_eq!(a_b.sign_holm, Some(a_b.sign.unwrap().p));
    assert_eq!((b_c.sources, b_c.sign_holm), (counts(0, 8, 0), None));

    let fit = bradley_terry(&table.win_matrix()).unwrap();
    let intervals = table.intervals(ResamplingOptions::default());
    assert_eq!(intervals, table.intervals(ResamplingOptions::default()));
    for (system, strength) in fit.strengths.iter().enumerate() {
        let interval = intervals.strengths[system].unwrap();
        assert!(interval.low <= *strength && *strength <= interval.high);
        assert_eq!(interval.replicates + interval.undefined, 1_000);
        let share = intervals.win_shares[system].unwrap();
        assert!(0.0 <= share.low && share.high <= 1.0);
        let never_shown = intervals.best_worst[system].map(|interval| interval.low);
        let too_few = UndefinedReason::TooFew {
            found: 0,
            needed: 1,
        };
        assert_eq!(never_shown, Err(too_few));
    }

    let one_source = [("r", 1, pair("A", "B", PairOutcome::A))];
    let table = ComparisonTable::new(one_source).unwrap();
    let too_few = UndefinedReason::TooFew {
        found: 1,
        needed: 2,
    };
    let intervals = table.intervals(ResamplingOptions::default());
    assert_eq!(intervals.tie_parameter, Err(too_few));
    assert_eq!(intervals.strengths, [Err(too_few), Err(too_few)]);
}

/// Answers of up to three raters on up to six sources and four systems; each rater decides once on the same
/// outputs.
fn answers() -> impl Strategy<Value = Vec<Answer>> {
    let outcome = prop::sample::select(vec![PairOutcome::A, PairOutcome::B, PairOutcome::Tie]);
    let slot = (0..3_u8, 0..6_usize, 0..4_usize, 0..4_usize);
    let slots = prop::collection::btree_map(slot, outcome, 1..60);
    slots.prop_map(|slots| {
        let slots = slots.into_iter().filter(|((_, _, a, b), _)| a < b);
        let name = |system| format!("system {system}");
        slots
            .map(|((rater, source, a, b), outcome)| {
                (rater.to_string(), source, pair(&name(a), &name(b), outcome))
            })
            .collect()
    })
}

/// The same answer with a and b exchanged.
fn turned((rater, source, comparison): &Answer) -> Answer {
    let ComparisonAnswer::Pair(compared) = comparison else {
        panic!("only pairs");
    };
    let turned = pair(compared.b(), compared.a(), compared.outcome().reversed());
    (rater.clone(), *source, turned)
}

fn matrix_of(systems: usize, pairs: &[(usize, usize, [usize; 3])]) -> WinMatrix {
    let mut matrix = WinMatrix::new(systems);
    for (a, b, [wins, ties, losses]) in pairs.iter().filter(|(a, b, _)| a != b) {
        matrix.add(*a, *b, counts(*wins, *ties, *losses));
    }
    matrix
}

fn same_fit(
    found: &Result<BradleyTerryFit, UndefinedReason>,
    expected: &Result<BradleyTerryFit, UndefinedReason>,
    place: impl Fn(usize) -> usize,
) {
    let (found, expected) = match (found, expected) {
        (Ok(found), Ok(expected)) => (found, expected),
        _ => {
            assert_eq!(found.as_ref().err(), expected.as_ref().err());
            return;
        }
    };
    assert_eq!(found.penalised, expected.penalised);
    assert_within(found.tie_parameter, expected.tie_parameter, 1e-6, "ties");
    for (system, strength) in expected.strengths.iter().enumerate() {
        assert_within(found.strengths[place(system)], *strength, 1e-7, "strength");
    }
}

proptest! {
    #[test]
    fn neither_order_nor_orientation_matters(
        (answers, shuffled) in answers().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        turn: u64,
    ) {
        let turn_some = |(at, answer): (usize, Answer)| match turn >> (at % 64) & 1 {
            1 => turned(&answer),
            _ => answer,
        };
        let shuffled = shuffled.into_iter().enumerate().map(turn_some);
        let found = ComparisonTable::new(shuffled).unwrap();
        let expected = ComparisonTable::new(answers).unwrap();
        prop_assert_eq!(found.systems(), expected.systems());
        prop_assert_eq!(found.win_matrix(), expected.win_matrix());
        prop_assert_eq!(found.agreement(), expected.agreement());
        prop_assert_eq!(found.pair_tests(), expected.pair_tests());
        let resampling = ResamplingOptions { replicates: 10, ..ResamplingOptions::default() };
        prop_assert_eq!(found.intervals(resampling), expected.intervals(resampling));
    }

    #[test]
    fn renaming_systems_moves_their_scores(
        pairs in prop::collection::vec((0..5_usize, 0..5_usize, [0..6_usize, 0..3, 0..6]), 1..20),
        names in Just((0..5).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let renamed: Vec<_> =
            pairs.iter().map(|(a, b, counts)| (names[*a], names[*b], *counts)).collect();
        let expected = bradley_terry(&matrix_of(5, &pairs));
        same_fit(&bradley_terry(&matrix_of(5, &renamed)), &expected, |system| names[system]);
    }

    /// Exchanging wins and losses turns the scores around.
    #[test]
    fn losing_is_the_opposite_of_winning(
        pairs in prop::collection::vec((0..4_usize, 0..4_usize, [0..6_usize, 0..3, 0..6]), 1..16),
    ) {
        let turned = pairs.iter().map(|(a, b, [wins, ties, losses])| (*a, *b, [*losses, *ties, *wins]));
        let found = bradley_terry(&matrix_of(4, &turned.collect::<Vec<_>>()));
        let mut expected = bradley_terry(&matrix_of(4, &pairs));
        for strength in expected.iter_mut().flat_map(|fit| &mut fit.strengths) {
            *strength = -*strength;
        }
        same_fit(&found, &expected, |system| system);
    }

    #[test]
    fn scores_are_finite_and_shares_have_mean_one_half(
        pairs in prop::collection::vec((0..6_usize, 0..6_usize, [0..9_usize, 0..4, 0..9]), 1..30),
    ) {
        let matrix = matrix_of(6, &pairs);
        let Ok(fit) = bradley_terry(&matrix) else { return Ok(()) };
        assert_within(fit.strengths.iter().sum(), 0.0, 1e-9, "mean strength");
        let shares = fit.win_shares();
        assert_within(shares.iter().sum::<f64>() / 6.0, 0.5, 1e-12, "mean share");
        prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        if fit.penalised {
            return Ok(());
        }
        // At the maximum each system has as many points, and there are as many ties, as expected.
        let mut ties = 0.0;
        for a in 0..6 {
            let mut surplus = 0.0;
            for b in (0..6).filter(|b| *b != a) {
                let (counts, chances) = (matrix.counts(a, b), fit.probabilities(a, b));
                let total = counts.total() as f64;
                assert_within(chances.a + chances.b + chances.tie, 1.0, 1e-12, "chances");
                surplus += counts.wins as f64 + counts.ties as f64 / 2.0;
                surplus -= total * (chances.a + chances.tie / 2.0);
                ties += counts.ties as f64 - total * chances.tie;
            }
            assert_within(surplus, 0.0, 1e-6, "points");
        }
        assert_within(ties, 0.0, 1e-6, "ties");
    }

    /// Counts as the model expects them give its parameters back.
    #[test]
    fn known_strengths_are_recovered(
        strengths in prop::collection::vec(-2.0..2.0_f64, 2..6),
        tie_parameter in prop_oneof![Just(0.0), 0.05..3.0_f64],
    ) {
        let mean = strengths.iter().sum::<f64>() / strengths.len() as f64;
        let strengths: Vec<f64> = strengths.iter().map(|strength| strength - mean).collect();
        let known = BradleyTerryFit { strengths, tie_parameter, penalised: false };
        let systems = known.strengths.len();
        let mut matrix = WinMatrix::new(systems);
        for a in 0..systems {
            for b in a + 1..systems {
                let chances = known.probabilities(a, b);
                let expected = |chance: f64| (1e12 * chance).round() as usize;
                matrix.add(a, b, counts(expected(chances.a), expected(chances.tie), expected(chances.b)));
            }
        }
        same_fit(&bradley_terry(&matrix), &Ok(known), |system| system);
    }
}
