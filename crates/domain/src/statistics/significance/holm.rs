//! Correction for many tests.

/// p-values adjusted for multiple testing (Holm 1979): in ascending order the k-th of m is multiplied
/// by m − k + 1, is never less than the one before it, and is at most 1. Results at or below .05 are
/// significant with a family-wise error rate of .05, however the tests depend on each other. Same shape
/// as `p`; a test without a p-value is not part of the family and must be left out.
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
