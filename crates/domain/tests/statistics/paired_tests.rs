//! Tests of differences against scipy.

use domain::statistics::{
    UndefinedReason,
    correlation::{pearson, spearman},
    describe::{SampleSummary, describe},
    significance::{
        ContinuityCorrection, MannWhitneyPMethod, WilcoxonOptions, WilcoxonPMethod, ZeroHandling,
        mann_whitney, paired_t, sign_test, welch, wilcoxon,
    },
    systems::win_tie_loss,
};
use serde_json::Value;
use testdata::golden;

use crate::shared::{assert_close, assert_close_p, numbers, pairs};

fn cases() -> Vec<(String, Value)> {
    golden("paired_tests.json")["cases"]
        .as_object()
        .unwrap()
        .clone()
        .into_iter()
        .collect()
}

#[test]
fn scipy_descriptions() {
    for (name, case) in cases() {
        for (side, key) in [("a", "desc_a"), ("b", "desc_b")] {
            let expected = &case["expected"][key];
            let summary = describe(&numbers(&case[side])).unwrap();
            let SampleSummary {
                n,
                mean,
                sd,
                standard_error,
                half_width,
                ..
            } = summary;
            assert_eq!(n, expected["n"]);
            let figure = |key: &str| expected[key].as_f64().unwrap();
            assert_close(mean, figure("mean"), &name);
            assert_close(sd, figure("sd_ddof1"), &name);
            assert_close(standard_error, figure("sem"), &name);
            assert_close(half_width, figure("halfwidth_t"), &name);
            let ends = numbers(&expected["ci95_t"]);
            assert_close(summary.interval().0, ends[0], &name);
            assert_close(summary.interval().1, ends[1], &name);
        }
    }
}

#[test]
fn scipy_t_tests() {
    for (name, case) in cases() {
        let expected = &case["expected"]["ttest_rel"];
        let figure = |key: &str| expected[key].as_f64().unwrap();
        let actual = paired_t(&pairs(&case["a"], &case["b"])).unwrap();
        assert_close(actual.t, figure("t"), &name);
        assert_close(actual.df, figure("df"), &name);
        assert_close_p(actual.p, figure("p_two_sided"), &name);
        assert_close_p(actual.p_greater, figure("p_greater"), &name);
        assert_close(actual.difference, figure("mean_diff"), &name);
        let ends = numbers(&expected["ci95_diff"]);
        assert_close(actual.interval.0, ends[0], &name);
        assert_close(actual.interval.1, ends[1], &name);

        let expected = &case["expected"]["welch"];
        let actual = welch(&numbers(&case["a"]), &numbers(&case["b"])).unwrap();
        assert_close(actual.t, expected["t"].as_f64().unwrap(), &name);
        assert_close(actual.df, expected["df"].as_f64().unwrap(), &name);
        assert_close_p(actual.p, expected["p"].as_f64().unwrap(), &name);
    }
}

#[test]
fn scipy_mann_whitney() {
    for (name, case) in cases() {
        let expected = &case["expected"]["mannwhitney_asym_cc"];
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let method = MannWhitneyPMethod::Asymptotic(ContinuityCorrection::Continuity);
        let actual = mann_whitney(&a, &b, method).unwrap();
        assert_close(actual.u_a, expected["U_a"].as_f64().unwrap(), &name);
        assert_close_p(actual.p, expected["p"].as_f64().unwrap(), &name);
        let turned = mann_whitney(&b, &a, method).unwrap();
        assert_close(turned.rank_biserial, -actual.rank_biserial, &name);
    }
}

#[test]
fn scipy_wilcoxon_variants() {
    for (name, case) in cases() {
        let pairs = pairs(&case["a"], &case["b"]);
        for zeros in [ZeroHandling::Drop, ZeroHandling::Pratt, ZeroHandling::Split] {
            let zero_method = match zeros {
                ZeroHandling::Drop => "wilcox",
                ZeroHandling::Pratt => "pratt",
                ZeroHandling::Split => "zsplit",
            };
            for (p, correction, key) in [
                (
                    WilcoxonPMethod::Asymptotic,
                    ContinuityCorrection::None,
                    "asymptotic_corrFalse",
                ),
                (
                    WilcoxonPMethod::Asymptotic,
                    ContinuityCorrection::Continuity,
                    "asymptotic_corrTrue",
                ),
                (
                    WilcoxonPMethod::Exact,
                    ContinuityCorrection::None,
                    "exact_corrFalse",
                ),
            ] {
                let expected = &case["expected"][format!("wilcoxon_{zero_method}_{key}")];
                // No exact figure where there are ties.
                if expected.is_null() {
                    continue;
                }
                let options = WilcoxonOptions {
                    zeros,
                    p,
                    correction,
                };
                let actual = wilcoxon(&pairs, options).unwrap();
                let label = format!("{name} {zero_method} {key}");
                assert_close(actual.w(), expected["W_min"].as_f64().unwrap(), &label);
                assert_close(actual.p, expected["p"].as_f64().unwrap(), &label);
                match (actual.z, expected["z"].as_f64()) {
                    (Some(actual), Some(expected)) => assert_close(actual, expected, &label),
                    (found, expected) => assert_eq!(found, expected, "{label}"),
                }
            }
        }
    }
}

#[test]
fn scipy_wilcoxon_defaults() {
    for (name, case) in cases() {
        let expected = &case["expected"];
        let pairs = pairs(&case["a"], &case["b"]);
        let actual = wilcoxon(&pairs, WilcoxonOptions::default()).unwrap();
        assert_close(
            actual.w(),
            expected["wilcoxon_default(auto)"]["W_min"]
                .as_f64()
                .unwrap(),
            &name,
        );
        assert_close_p(
            actual.p,
            expected["wilcoxon_default(auto)"]["p"].as_f64().unwrap(),
            &name,
        );
        assert_close(actual.w_plus, expected["W_plus"].as_f64().unwrap(), &name);
        assert_close(actual.w_minus, expected["W_minus"].as_f64().unwrap(), &name);
        assert_eq!(actual.n, expected["n_nonzero"]);
        assert_close(
            actual.rank_biserial,
            expected["rank_biserial"].as_f64().unwrap(),
            &name,
        );
    }
}

/// Three differences of one size: of the 8 assignments of signs two are as extreme as all plus,
/// although average ranks are whole numbers here.
#[test]
fn exact_wilcoxon_allows_for_ties() {
    let pairs = [(2.0, 1.0), (3.0, 2.0), (5.0, 4.0)];
    let p = |p| {
        wilcoxon(
            &pairs,
            WilcoxonOptions {
                p,
                ..Default::default()
            },
        )
        .unwrap()
    };
    assert_close(p(WilcoxonPMethod::Exact).p, 0.25, "exact");
    assert_eq!(p(WilcoxonPMethod::Auto), p(WilcoxonPMethod::Exact));
}

/// Each p is counted by hand: the assignments of signs whose rank sum is as far from the middle as the observed one.
#[test]
fn small_samples_have_an_exact_p_with_ties_and_zeros_too() {
    for (differences, p) in [
        // All of four in one direction: 2 of 16.
        (&[1.0, 1.0, 1.0, 1.0][..], 0.125),
        (&[1.0, 2.0, 2.0, 3.0], 0.125),
        // Zeros are dropped: 2 of 8.
        (&[1.0, 0.0, 1.0, 0.0, 1.0], 0.25),
        // One of five against the others, all of one size: 12 of 32.
        (&[1.0, 1.0, 1.0, 1.0, -1.0], 0.375),
        // Ranks 1.5, 1.5, 3; only the signs of all three are as extreme.
        (&[1.0, 1.0, 2.0], 0.25),
        (&[1.0], 1.0),
    ] {
        let pairs: Vec<_> = differences.iter().map(|d| (*d, 0.0)).collect();
        let found = wilcoxon(&pairs, WilcoxonOptions::default()).unwrap();
        assert_close(found.p, p, &format!("{differences:?}"));
        assert_eq!(found.z, None);
    }
    // The sign test, where all differences have one size: two tails of 18 and more of 25.
    let pairs: Vec<_> = (0..25)
        .map(|at| (if at < 18 { 1.0 } else { -1.0 }, 0.0))
        .collect();
    let found = wilcoxon(&pairs, WilcoxonOptions::default()).unwrap();
    let signs = win_tie_loss(&pairs, 0.0);
    assert_close(found.p, sign_test(signs).unwrap().p, "sign test");
}

/// The exact test of scipy and R, which are for samples without ties, and the definition for samples with some.
#[test]
fn small_independent_samples_have_an_exact_p() {
    let p = |a: &[f64], b: &[f64]| mann_whitney(a, b, MannWhitneyPMethod::Auto).unwrap().p;
    // All of a are above all of b: 2 of 20 choices of three ranks, and 2 of 70 of four.
    assert_close(p(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]), 0.1, "3 and 3");
    assert_close(
        p(&[5.0, 6.0, 7.0, 8.0], &[1.0, 2.0, 3.0, 4.0]),
        2.0 / 70.0,
        "4 and 4",
    );
    // 1 of 2 above, of 6 choices: the sums 3, 4, 5, 5, 6, 7 around 5.
    assert_close(p(&[1.0, 3.0], &[2.0, 4.0]), 4.0 / 6.0, "interleaved");
    // Ranks 1, 2.5, 2.5, 4: the sums 3.5, 3.5, 5, 5, 6.5, 6.5 around 5.
    assert_close(p(&[2.0, 3.0], &[1.0, 2.0]), 4.0 / 6.0, "tied");
    // The expected sum is half of its largest where sizes differ: 1, 2.5, 2.5 around 2.
    assert_close(p(&[1.0], &[2.0, 2.0]), 1.0 / 3.0, "one and two");
    let many: Vec<f64> = (0..40_u8).map(f64::from).collect();
    let asymptotic = MannWhitneyPMethod::Asymptotic(ContinuityCorrection::Continuity);
    assert_eq!(
        mann_whitney(&many, &many[..30], MannWhitneyPMethod::Auto),
        mann_whitney(&many, &many[..30], asymptotic)
    );
}

/// Sums of squares overflow, or vanish.
#[test]
fn numbers_that_cannot_be_computed_with_have_a_reason_too() {
    let extreme = Err(UndefinedReason::Extreme);
    let huge = [(1e308, 1.0), (-1e308, 2.0), (1e300, 3.0), (0.0, 4.0)];
    assert_eq!(paired_t(&huge).map(|t| t.p), extreme);
    let (a, b): (Vec<f64>, Vec<f64>) = huge.into_iter().unzip();
    assert_eq!(welch(&a, &b).map(|t| t.p), extreme);
    assert_eq!(welch(&b, &a).map(|t| t.p), extreme);
    for correlate in [pearson, spearman] {
        assert_eq!(correlate(&huge).map(|r| r.p), extreme);
    }
    // The square of the variance is 0.
    let tiny = [1e-100, 2e-100, 3e-100];
    assert_eq!(welch(&tiny, &tiny).map(|t| t.p), extreme);
    // Large numbers that files may hold are none of them.
    let large = [(1e15, 1.0), (-1e15, 2.0), (9e14, 3.0), (0.0, 5.0)];
    assert!(paired_t(&large).is_ok() && pearson(&large).is_ok());
}

#[test]
fn what_cannot_be_tested_has_a_reason() {
    let same = [(1.0, 1.0), (2.0, 2.0)];
    assert_eq!(
        wilcoxon(&same, WilcoxonOptions::default()),
        Err(UndefinedReason::NoDifference)
    );
    assert_eq!(
        paired_t(&[(1.1, 1.0), (2.1, 2.0)]),
        Err(UndefinedReason::Constant)
    );
    assert_eq!(
        paired_t(&[(1.0, 0.0)]),
        Err(UndefinedReason::TooFew {
            found: 1,
            needed: 2
        })
    );
    assert_eq!(
        welch(&[1.0, 1.0], &[2.0, 2.0]),
        Err(UndefinedReason::Constant)
    );
    assert_eq!(
        mann_whitney(&[1.0], &[1.0], MannWhitneyPMethod::Auto),
        Err(UndefinedReason::Constant)
    );
    assert_eq!(
        mann_whitney(&[1.0], &[f64::NAN], MannWhitneyPMethod::Auto),
        Err(UndefinedReason::NotFinite)
    );
}
