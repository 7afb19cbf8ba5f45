//! Tests of differences against scipy.

use domain::statistics::{
    UndefinedReason,
    describe::{SampleSummary, describe},
    significance::{
        ContinuityCorrection, WilcoxonOptions, WilcoxonPMethod, ZeroHandling, mann_whitney,
        paired_t, welch, wilcoxon,
    },
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
        let actual = mann_whitney(&a, &b, ContinuityCorrection::Continuity).unwrap();
        assert_close(actual.u_a, expected["U_a"].as_f64().unwrap(), &name);
        assert_close_p(actual.p, expected["p"].as_f64().unwrap(), &name);
        let turned = mann_whitney(&b, &a, ContinuityCorrection::Continuity).unwrap();
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
    assert_eq!(p(WilcoxonPMethod::Auto), p(WilcoxonPMethod::Asymptotic));
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
        mann_whitney(&[1.0], &[1.0], ContinuityCorrection::None),
        Err(UndefinedReason::Constant)
    );
    assert_eq!(
        mann_whitney(&[1.0], &[f64::NAN], ContinuityCorrection::None),
        Err(UndefinedReason::NotFinite)
    );
}
