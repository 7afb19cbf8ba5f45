//! Correction for many tests.

/// p-values adjusted for having been looked at together (Holm 1979): in ascending order the k-th of
/// m is multiplied by m − k + 1, is never less than the one before it, and at most 1. What is at or
/// below .05 then is significant with the chance of any false alarm held to .05, whatever the
/// tests have to do with each other. Same shape as `p`; a test without a p-value is not in the
/// family and has to be left out.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut least = 0.0_f64;
    for (place, test) in order.into_iter().enumerate() {
        least = least.max(p[test] * (p.len() - place) as f64).min(1.0);
        adjusted[test] = least;
    }
    adjusted
}
