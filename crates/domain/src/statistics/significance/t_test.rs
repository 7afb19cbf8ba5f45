//! Student's tests of means.

use serde::{Deserialize, Serialize};

use super::super::{
    UndefinedReason,
    describe::describe,
    distribution::{t_two_sided, t_upper},
};

/// The paired t-test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct PairedTTest {
    /// The mean of a − b.
    pub difference: f64,
    /// Its 95 % confidence interval.
    #[cfg_attr(feature = "schemas", schema(value_type = Vec<f64>))]
    pub interval: (f64, f64),
    /// The mean difference over its standard error.
    pub t: f64,
    /// Degrees of freedom: the number of pairs less one.
    pub df: f64,
    /// The two-sided p-value.
    pub p: f64,
    /// The p-value of the alternative that a is greater.
    pub p_greater: f64,
}

/// Student's paired t-test of pairs (a, b).
///
/// # Errors
/// [`UndefinedReason::TooFew`] below two pairs, [`UndefinedReason::Constant`] where all differences are equal,
/// [`UndefinedReason::Extreme`] where values are too large or too small.
pub fn paired_t(pairs: &[(f64, f64)]) -> Result<PairedTTest, UndefinedReason> {
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    let summary = describe(&differences)?;
    if summary.sd == 0.0 || differences.iter().all(|d| *d == differences[0]) {
        return Err(UndefinedReason::Constant);
    }

    let (t, df) = (
        summary.mean / summary.standard_error,
        summary.n as f64 - 1.0,
    );
    Ok(PairedTTest {
        difference: summary.mean,
        interval: summary.interval(),
        t,
        df,
        p: t_two_sided(t, df)?,
        p_greater: t_upper(t, df)?,
    })
}

/// Welch's t-test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct WelchTest {
    /// The difference of means over its standard error.
    pub t: f64,
    /// Degrees of freedom by Welch and Satterthwaite, not a whole number.
    pub df: f64,
    /// The two-sided p-value.
    pub p: f64,
}

/// Welch's t-test of two independent samples, whose variances may differ.
///
/// # Errors
/// [`UndefinedReason::TooFew`] where a sample has fewer than two values, [`UndefinedReason::Constant`] where
/// both are constant, [`UndefinedReason::Extreme`] where values are too large or too small.
pub fn welch(a: &[f64], b: &[f64]) -> Result<WelchTest, UndefinedReason> {
    let (of_a, of_b) = (describe(a)?, describe(b)?);
    let [v_a, v_b] = [of_a, of_b].map(|summary| summary.standard_error.powi(2));
    let variance = v_a + v_b;
    if variance == 0.0 {
        return Err(UndefinedReason::Constant);
    }

    let t = (of_a.mean - of_b.mean) / variance.sqrt();
    let df = variance.powi(2)
        / (v_a.powi(2) / (of_a.n as f64 - 1.0) + v_b.powi(2) / (of_b.n as f64 - 1.0));
    Ok(WelchTest {
        t,
        df,
        p: t_two_sided(t, df)?,
    })
}
