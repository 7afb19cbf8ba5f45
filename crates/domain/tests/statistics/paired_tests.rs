//! Tests of differences against scipy.

use domain::statistics::{
    Undefined,
    describe::{Description, describe},
    significance::{
        Correction, WilcoxonOptions, WilcoxonP, Zeros, mann_whitney, paired_t, welch, wilcoxon,
    },
};
use serde_json::Value;

use crate::shared::{close, close_p, golden, numbers, pairs};

fn cases() -> Vec<(String, Value)> {
    let Some(golden) = golden("paired_tests.json") else {
        return Vec::new();
    };
    golden["cases"]
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
            let Description {
                n,
                mean,
                sd,
                standard_error,
                half_width,
                ..
            } = found;
            assert_eq!(n, expected["n"]);
            let figure = |key: &str| expected[key].as_f64().unwrap();
            close(mean, figure("mean"), &name);
            close(sd, figure("sd_ddof1"), &name);
            close(standard_error, figure("sem"), &name);
            close(half_width, figure("halfwidth_t"), &name);
            let ends = numbers(&expected["ci95_t"]);
            close(found.interval().0, ends[0], &name);
            close(found.interval().1, ends[1], &name);
        }
    }
}

#[test]
fn scipy_t_tests() {
    for (name, case) in cases() {
        let expected = &case["expected"]["ttest_rel"];
        let figure = |key: &str| expected[key].as_f64().unwrap();
        let found = paired_t(&pairs(&case["a"], &case["b"])).unwrap();
        close(found.t, figure("t"), &name);
        close(found.df, figure("df"), &name);
        close_p(found.p, figure("p_two_sided"), &name);
        close_p(found.p_greater, figure("p_greater"), &name);
        close(found.difference, figure("mean_diff"), &name);
        let ends = numbers(&expected["ci95_diff"]);
        close(found.interval.0, ends[0], &name);
        close(found.interval.1, ends[1], &name);

        let expected = &case["expected"]["welch"];
        let found = welch(&numbers(&case["a"]), &numbers(&case["b"])).unwrap();
        close(found.t, expected["t"].as_f64().unwrap(), &name);
        close(found.df, expected["df"].as_f64().unwrap(), &name);
        close_p(found.p, expected["p"].as_f64().unwrap(), &name);
    }
}

#[test]
fn scipy_mann_whitney() {
    for (name, case) in cases() {
        let expected = &case["expected"]["mannwhitney_asym_cc"];
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let found = mann_whitney(&a, &b, Correction::Continuity).unwrap();
        close(found.u_a, expected["U_a"].as_f64().unwrap(), &name);
        close_p(found.p, expected["p"].as_f64().unwrap(), &name);
        let turned = mann_whitney(&b, &a, Correction::Continuity).unwrap();
        close(turned.rank_biserial, -found.rank_biserial, &name);
    }
}

#[test]
fn scipy_wilcoxon_variants() {
    for (name, case) in cases() {
        let pairs = pairs(&case["a"], &case["b"]);
        for zeros in [Zeros::Drop, Zeros::Pratt, Zeros::Split] {
            let zero_method = match zeros {
                Zeros::Drop => "wilcox",
                Zeros::Pratt => "pratt",
                Zeros::Split => "zsplit",
            };
            for (p, correction, key) in [
                (
                    WilcoxonP::Asymptotic,
                    Correction::None,
                    "asymptotic_corrFalse",
                ),
                (
                    WilcoxonP::Asymptotic,
                    Correction::Continuity,
                    "asymptotic_corrTrue",
                ),
                (WilcoxonP::Exact, Correction::None, "exact_corrFalse"),
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
                close(found.w(), expected["W_min"].as_f64().unwrap(), &what);
                close(found.p, expected["p"].as_f64().unwrap(), &what);
                match (found.z, expected["z"].as_f64()) {
                    (Some(found), Some(expected)) => close(found, expected, &what),
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
        close(
            found.w(),
            expected["wilcoxon_default(auto)"]["W_min"]
                .as_f64()
                .unwrap(),
            &name,
        );
        close_p(
            found.p,
            expected["wilcoxon_default(auto)"]["p"].as_f64().unwrap(),
            &name,
        );
        close(found.w_plus, expected["W_plus"].as_f64().unwrap(), &name);
        close(found.w_minus, expected["W_minus"].as_f64().unwrap(), &name);
        assert_eq!(found.n, expected["n_nonzero"]);
        close(
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
    close(p(WilcoxonP::Exact).p, 0.25, "exact");
    assert_eq!(p(WilcoxonP::Auto), p(WilcoxonP::Asymptotic));
}

#[test]
fn what_cannot_be_tested_has_a_reason() {
    let same = [(1.0, 1.0), (2.0, 2.0)];
    assert_eq!(
        wilcoxon(&same, WilcoxonOptions::default()),
        Err(Undefined::NoDifference)
    );
    assert_eq!(
        paired_t(&[(1.1, 1.0), (2.1, 2.0)]),
        Err(Undefined::Constant)
    );
    assert_eq!(
        paired_t(&[(1.0, 0.0)]),
        Err(Undefined::TooFew {
            found: 1,
            needed: 2
        })
    );
    assert_eq!(welch(&[1.0, 1.0], &[2.0, 2.0]), Err(Undefined::Constant));
    assert_eq!(
        mann_whitney(&[1.0], &[1.0], Correction::None),
        Err(Undefined::Constant)
    );
    assert_eq!(
        mann_whitney(&[1.0], &[f64::NAN], Correction::None),
        Err(Undefined::NotFinite)
    );
}
