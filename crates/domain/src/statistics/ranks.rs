//! Ranks with ties.

/// Average ranks: the smallest value has rank 1, equal values share the mean of their ranks.
/// Same shape as `values`, which must be numbers (`NaN` has no rank). Used by Spearman's ρ, by the
/// rank tests and by ordinal α.
#[must_use]
pub fn average_ranks(values: &[f64]) -> Vec<f64> {
    let order = ascending_order(values);

    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for run in order.chunk_by(|a, b| values[*a] == values[*b]) {
        // Ranks start+1 … start+len have this mean.
        let shared = start as f64 + (run.len() as f64 + 1.0) / 2.0;
        for at in run {
            ranks[*at] = shared;
        }
        start += run.len();
    }
    ranks
}

/// Competition ranks: the largest value has rank 1, equal values share the smallest
/// rank, and the ranks after them are skipped (1, 2, 2, 4). Same shape as `values`.
#[must_use]
pub fn competition_ranks(values: &[f64]) -> Vec<usize> {
    let mut order = ascending_order(values);
    order.reverse();

    let mut places = vec![0; values.len()];
    let mut start = 0;
    for run in order.chunk_by(|a, b| values[*a] == values[*b]) {
        for at in run {
            places[*at] = start + 1;
        }
        start += run.len();
    }
    places
}

/// Σ(t³ − t) over runs of t equal values, by which ties reduce the variance of rank sums. Sorts
/// `values`.
pub(super) fn tie_term(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let runs = values.chunk_by(|a, b| a == b).map(|run| run.len() as f64);
    runs.map(|t| t * t * t - t).sum()
}

/// Indices in the order of ascending values.
fn ascending_order(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    order.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_the_mean_rank() {
        assert_eq!(average_ranks(&[0.0, 2.0, 3.0, 2.0]), [1.0, 2.5, 4.0, 2.5]);
        assert_eq!(average_ranks(&[5.0, 5.0, 5.0]), [2.0, 2.0, 2.0]);
        assert!(average_ranks(&[]).is_empty());
    }

    #[test]
    fn ties_share_the_smallest_place() {
        assert_eq!(competition_ranks(&[70.0, 90.0, 70.0, 10.0]), [2, 1, 2, 4]);
    }
}
