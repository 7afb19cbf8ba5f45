//! Kendall's tau with more weight on the top.

use super::{super::Undefined, sides};

/// Weighted τ: pairs that involve high scores count more. A pair of outputs at places r and s,
/// counted from one, weighs 1/r + 1/s. Places are by x (ties by y) once and by y (ties by x) once,
/// and the mean of the two τ is given. Ties count as neither order. Time grows with the square of
/// the number of pairs: it is meant for systems, not for outputs.
///
/// Source: Vigna (2015), A Weighted Correlation Index for Rankings with Ties; as in scipy's
/// `weightedtau` by default.
///
/// # Errors
/// [`Undefined::TooFew`] below two pairs, [`Undefined::Constant`] where one side does not vary.
pub fn weighted_tau(pairs: &[(f64, f64)]) -> Result<f64, Undefined> {
    sides(pairs, 2)?;
    let swapped: Vec<_> = pairs.iter().map(|(x, y)| (*y, *x)).collect();
    Ok((by_first(pairs) + by_first(&swapped)) / 2.0)
}

/// τ with places by the first score, which descends, then by the second.
fn by_first(pairs: &[(f64, f64)]) -> f64 {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let (mut both, mut first, mut second) = (0.0, 0.0, 0.0);
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate().skip(i + 1) {
            let weight = 1.0 / (i as f64 + 1.0) + 1.0 / (j as f64 + 1.0);
            let (x, y) = (order(a.0, b.0), order(a.1, b.1));
            both += weight * x * y;
            first += weight * x * x;
            second += weight * y * y;
        }
    }
    (both / (first * second).sqrt()).clamp(-1.0, 1.0)
}

/// 1, 0 or −1 as a lies above, at or below b.
fn order(a: f64, b: f64) -> f64 {
    f64::from(i8::from(a > b) - i8::from(a < b))
}
