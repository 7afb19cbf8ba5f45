//! Correlations against scipy.

use domain::statistics::{
    UndefinedReason,
    correlation::{
        Correlation, KendallPMethod, TauVariant, fisher_interval, kendall, pearson, spearman,
    },
};
use proptest::prelude::*;
use testdata::golden;

use crate::shared::{assert_close, assert_close_p, numbers, pairs};

#[test]
fn scipy_cases() {
    let golden = golden("correlation.json");
    for (name, case) in golden["cases"].as_object().unwrap() {
        let pairs = pairs(&case["x"], &case["y"]);
        let expected = |key: &str| case["expected"][key].as_f64().unwrap();
        let check = |actual: Correlation, coefficient: &str, p: &str| {
            assert_close(
                actual.coefficient,
                expected(coefficient),
                &format!("{name} {coefficient}"),
            );
            assert_close_p(actual.p, expected(p), &format!("{name} {p}"));
        };
        let r = pearson(&pairs).unwrap();
        check(r, "pearson", "pearson_p");
        let interval = fisher_interval(&r, 0.95);
        let [low, high] = numbers(&case["expected"]["pearson_ci95_fisher"])[..] else {
            panic!()
        };
        assert_close(interval.0, low, name);
        assert_close(interval.1, high, name);
        check(spearman(&pairs).unwrap(), "spearman", "spearman_p");
        for (p, key) in [
            (KendallPMethod::Auto, "kendall_b_p_default"),
            (KendallPMethod::Asymptotic, "kendall_b_p_asymptotic"),
        ] {
            check(kendall(&pairs, TauVariant::B, p).unwrap(), "kendall_b", key);
            check(kendall(&pairs, TauVariant::C, p).unwrap(), "kendall_c", key);
        }
    }
}

/// The worked example in the documentation of scipy's `kendalltau` and `spearmanr`.
#[test]
fn scipy_documentation_examples() {
    let ranks = [(12.0, 1.0), (2.0, 4.0), (1.0, 7.0), (12.0, 1.0), (2.0, 0.0)];
    let correlation = kendall(&ranks, TauVariant::B, KendallPMethod::Auto).unwrap();
    assert_close(correlation.coefficient, -0.471_404_520_791_031_73, "tau-b");
    assert_close_p(correlation.p, 0.282_745_459_932_774_67, "p");
    let correlation =
        spearman(&[(1.0, 5.0), (2.0, 6.0), (3.0, 7.0), (4.0, 8.0), (5.0, 7.0)]).unwrap();
    assert_close(correlation.coefficient, 0.820_782_681_668_123_3, "rho");
    assert_close_p(correlation.p, 0.088_587_005_313_543_8, "p");
}

#[test]
fn what_cannot_be_computed_has_a_reason() {
    let constant = [(1.0, 2.0), (2.0, 2.0), (3.0, 2.0)];
    let infinite = [(1.0, 2.0), (f64::INFINITY, 1.0), (3.0, 2.0)];
    for find in [pearson, spearman, |p: &_| {
        kendall(p, TauVariant::B, KendallPMethod::Auto)
    }] {
        assert_eq!(find(&constant), Err(UndefinedReason::Constant));
        assert_eq!(find(&infinite), Err(UndefinedReason::NotFinite));
        assert!(matches!(
            find(&[(1.0, 1.0)]),
            Err(UndefinedReason::TooFew { found: 1, .. })
        ));
    }
}

/// Concordant less discordant pairs, one pair after the other.
fn surplus(pairs: &[(f64, f64)]) -> f64 {
    let sign = |d: f64| if d == 0.0 { 0.0 } else { d.signum() };
    let mut sum = 0.0;
    for (i, a) in pairs.iter().enumerate() {
        sum += pairs[..i]
            .iter()
            .map(|b| sign(a.0 - b.0) * sign(a.1 - b.1))
            .sum::<f64>();
    }
    sum
}

proptest! {
    #[test]
    fn tau_counts_pairs(
        pairs in prop::collection::vec((0..6_u8, 0..6_u8), 2..30)
    ) {
        let pairs: Vec<_> = pairs.into_iter().map(|(x, y)| (f64::from(x), f64::from(y))).collect();
        let Ok(correlation) = kendall(&pairs, TauVariant::C, KendallPMethod::Auto) else { return Ok(()) };
        let distinct = |side: fn(&(f64, f64)) -> f64| {
            let mut side: Vec<_> = pairs.iter().map(side).collect();
            side.sort_by(f64::total_cmp);
            side.dedup();
            side.len() as f64
        };
        let m = distinct(|p| p.0).min(distinct(|p| p.1));
        let n = pairs.len() as f64;
        assert_close(correlation.coefficient, 2.0 * m * surplus(&pairs) / (n * n * (m - 1.0)), "tau-c");
    }

    #[test]
    fn coefficients_are_symmetric_bounded_and_turn_with_a_side(
        pairs in prop::collection::vec((-1e3..1e3_f64, -1e3..1e3_f64), 3..40)
    ) {
        let swapped: Vec<_> = pairs.iter().map(|(x, y)| (*y, *x)).collect();
        let turned: Vec<_> = pairs.iter().map(|(x, y)| (*x, -y)).collect();
        for find in [pearson, spearman, |p: &_| kendall(p, TauVariant::B, KendallPMethod::Auto)] {
            let correlation = find(&pairs).unwrap();
            prop_assert!(correlation.coefficient.abs() <= 1.0 && (0.0..=1.0).contains(&correlation.p));
            assert_close(find(&swapped).unwrap().coefficient, correlation.coefficient, "swapped");
            assert_close(find(&turned).unwrap().coefficient, -correlation.coefficient, "turned");
        }
    }
}
