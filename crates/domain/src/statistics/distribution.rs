//! The distributions that the tests need, from the special functions of `statrs`.

use std::f64::consts::SQRT_2;

use statrs::{
    distribution::{ContinuousCDF, StudentsT},
    function::{
        beta::checked_beta_reg,
        erf::{erfc, erfc_inv},
    },
};

use super::UndefinedReason;

/// P(|T| ≥ |t|) for Student's t with `df` degrees of freedom. Keeps its relative precision in
/// the far tail, where 1 − P(T < t) would not.
///
/// # Errors
/// [`UndefinedReason::Extreme`] where t or df is `NaN`, or df not above zero: sums behind them were too large or too small.
pub(super) fn t_two_sided(t: f64, df: f64) -> Result<f64, UndefinedReason> {
    if t.is_infinite() {
        return Ok(0.0);
    }
    checked_beta_reg(df / 2.0, 0.5, df / (df + t * t)).map_err(|_| UndefinedReason::Extreme)
}

/// P(T ≥ t).
///
/// # Errors
/// As [`t_two_sided`].
pub(super) fn t_upper(t: f64, df: f64) -> Result<f64, UndefinedReason> {
    let tail = t_two_sided(t, df)? / 2.0;
    Ok(if t > 0.0 { tail } else { 1.0 - tail })
}

/// The t with P(|T| ≤ t) = `confidence`, which lies between 0 and 1; `NaN` unless `df` is above zero.
pub(super) fn t_within(confidence: f64, df: f64) -> f64 {
    let students = StudentsT::new(0.0, 1.0, df);
    students.map_or(f64::NAN, |t| t.inverse_cdf(0.5 + confidence / 2.0))
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
        check(t_two_sided(2.0, 10.0).unwrap(), 0.073_388_034_770_740_35);
        check(
            t_two_sided(-30.0, 99.0).unwrap(),
            1.700_849_911_728_211_8e-51,
        );
        check(t_upper(-1.0, 5.0).unwrap(), 0.818_391_266_175_438_6);
        check(t_within(0.95, 1.0), 12.706_204_736_174_694);
        check(t_within(0.95, 99.0), 1.984_216_951_586_417_4);
        check(t_within(0.99, 2399.0), 2.577_880_254_943_211);
        check(normal_two_sided(-1.0), 0.317_310_507_862_914_15);
        check(normal_two_sided(9.0), 2.257_176_811_907_664_7e-19);
        check(normal_within(0.95), 1.959_963_984_540_054);
    }

    #[test]
    fn what_is_no_number_is_no_reason_to_panic() {
        for (t, df) in [(f64::NAN, 3.0), (1.0, f64::NAN), (1.0, 0.0), (1.0, -1.0)] {
            assert_eq!(
                t_two_sided(t, df),
                Err(UndefinedReason::Extreme),
                "{t}, {df}"
            );
            assert_eq!(t_upper(t, df), Err(UndefinedReason::Extreme), "{t}, {df}");
        }
        assert_eq!(t_two_sided(f64::INFINITY, 3.0), Ok(0.0));
        assert!(t_within(0.95, 0.0).is_nan() && t_within(0.95, f64::NAN).is_nan());
    }
}
