//! The distributions that the tests need, from the special functions of `statrs`.

use std::f64::consts::SQRT_2;

use statrs::{
    distribution::{ContinuousCDF, StudentsT},
    function::{
        beta::beta_reg,
        erf::{erfc, erfc_inv},
    },
};

/// P(|T| ≥ |t|) for Student's t with `df` > 0 degrees of freedom. Keeps its relative precision in
/// the far tail, where 1 − P(T < t) would not.
pub(super) fn t_two_sided(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    beta_reg(df / 2.0, 0.5, df / (df + t * t))
}

/// P(T ≥ t).
pub(super) fn t_upper(t: f64, df: f64) -> f64 {
    let tail = t_two_sided(t, df) / 2.0;
    if t > 0.0 { tail } else { 1.0 - tail }
}

/// The t with P(|T| ≤ t) = `confidence`, which lies between 0 and 1.
pub(super) fn t_within(confidence: f64, df: f64) -> f64 {
    let students = StudentsT::new(0.0, 1.0, df).expect("degrees of freedom are above zero");
    students.inverse_cdf(0.5 + confidence / 2.0)
}

/// P(|Z| ≥ |z|) for the standard normal distribution.
pub(super) fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() / SQRT_2)
}

/// The z with P(|Z| ≤ z) = `confidence`.
pub(super) fn normal_within(confidence: f64) -> f64 {
    SQRT_2 * erfc_inv(1.0 - confidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: f64, expected: f64) {
        assert!(
            (found / expected - 1.0).abs() < 1e-10,
            "{found} instead of {expected}"
        );
    }

    #[test]
    fn scipy_stats_t_and_norm() {
        check(t_two_sided(2.0, 10.0), 0.073_388_034_770_740_35);
        check(t_two_sided(-30.0, 99.0), 1.700_849_911_728_211_8e-51);
        check(t_upper(-1.0, 5.0), 0.818_391_266_175_438_6);
        check(t_within(0.95, 1.0), 12.706_204_736_174_694);
        check(t_within(0.95, 99.0), 1.984_216_951_586_417_4);
        check(t_within(0.99, 2399.0), 2.577_880_254_943_211);
        check(normal_two_sided(-1.0), 0.317_310_507_862_914_15);
        check(normal_two_sided(9.0), 2.257_176_811_907_664_7e-19);
        check(normal_within(0.95), 1.959_963_984_540_054);
    }
}
