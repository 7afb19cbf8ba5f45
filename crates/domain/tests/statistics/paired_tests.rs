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
            let found = describe(&numbers(&case[side])).unwrap();
            let SampleSummary {
                n,
                mean,
                sd,
                standard_error,
                half_width,
                ..
            } = found;
            assert_eq!(n, expected["n"]);
            let figure = |key: &str| expected[key].as_f64().unwrap();
            assert_close(mean, figure("mean"), &name);
            assert_close(sd, figure("sd_ddof1"), &name);
            assert_close(standard_error, figure("sem"), &name);
            assert_close(half_width, figure("halfwidth_t"), &name);
            let ends = numbers(&expected["ci95_t"]);
            assert_close(found.interval().0, ends[0], &name);
            assert_close(found.interval().1, ends[1], &name);
        }
    }
}

#[test]
fn scipy_t_tests() {
    for (name, case) in cases() {
        let expected = &case["expected"]["ttest_rel"];
        let figure = |key: &str| expected[key].as_f64().unwrap();
        let found = paired_t(&pairs(&case["a"], &case["b"])).unwrap();
        assert_close(found.t, figure("t"), &name);
        assert_close(found.df, figure("df"), &name);
        assert_close_p(found.p, figure("p_two_sided"), &name);
        assert_close_p(found.p_greater, figure("p_greater"), &name);
        assert_close(found.difference, figure("mean_diff"), &name);
        let ends = numbers(&expected["ci95_diff"]);
        assert_close(found.interval.0, ends[0], &name);
        assert_close(found.interval.1, ends[1], &name);

        let expected = &case["expected"]["welch"];
        let found = welch(&numbers(&case["a"]), &numbers(&case["b"])).unwrap();
        assert_close(found.t, expected["t"].as_f64().unwrap(), &name);
        assert_close(found.df, expected["df"].as_f64().unwrap(), &name);
        assert_close_p(found.p, expected["p"].as_f64().unwrap(), &name);
    }
}

#[test]
fn scipy_mann_whitney() {
    for (name, case) in cases() {
        let expected = &case["expected"]["mannwhitney_asym_cc"];
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let found = mann_whitney(&a, &b, ContinuityCorrection::Continuity).unwrap();
        assert_close(found.u_a, expected["U_a"].as_f64().unwrap(), &name);
        assert_close_p(found.p, expected["p"].as_f64().unwrap(), &name);
        let turned = mann_whitney(&b, &a, ContinuityCorrection::Continuity).unwrap();
        assert_close(turned.rank_biserial, -found.rank_biserial, &name);
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
                let found = wilcoxon(&pairs, options).unwrap();
                let what = format!("{name} {zero_method} {key}");
                assert_close(found.w(), expected["W_min"].as_f64().unwrap(), &what);
                assert_close(found.p, expected["p"].as_f64().unwrap(), &what);
                match (found.z, expected["z"].as_f64()) {
                    (Some(found), Some(expected)) => assert_close(found, expected, &what),
                    (found, expected) => assert_eq!(found, expected, "{what}"),
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
        let found = wilcoxon(&pairs, WilcoxonOptions::default()).unwrap();
        assert_close(
            found.w(),
            expected["wilcoxon_default(auto)"]["W_min"]
                .as_f64()
                .unwrap(),
            &name,
        );
        assert_close_p(
            found.p,
            expected["wilcoxon_default(auto)"]["p"].as_f64().unwrap(),
            &name,
        );
        assert_close(found.w_plus, expected["W_plus"].as_f64().unwrap(), &name);
        assert_close(found.w_minus, expected["W_minus"].as_f64().unwrap(), &name);
        assert_eq!(found.n, expected["n_nonzero"]);
        assert_close(
            found.rank_biserial,
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
