//! Agreement of scores with people.

use domain::statistics::{correlation::pearson, tau_like::TauLike};
use serde::{Deserialize, Serialize};

/// Two outputs differ if their mean z-scores are further apart than this.
const MIN_Z_DIFFERENCE: f64 = 0.2;

/// The agreement of scores with mean z-scores; undefined figures are `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TuningAgreement {
    /// Pearson's r over all outputs.
    pub pearson: Option<f64>,
    /// Kendall-tau-like over pairs of outputs of one source whose mean z-scores are more than .2 apart.
    /// Pairs that have the same score count against it.
    pub tau: Option<f64>,
    /// The same over pairs whose outputs both have a mean z-score above 0.
    pub hard: Option<f64>,
    /// The number of outputs.
    pub outputs: usize,
}

impl TuningAgreement {
    /// The figures of scores and mean z-scores, grouped by source.
    #[must_use]
    pub fn from_scores(sources: &[Vec<(f64, f64)>]) -> Self {
        let all: Vec<(f64, f64)> = sources.concat();
        Self {
            pearson: pearson(&all)
                .ok()
                .map(|correlation| correlation.coefficient),
            tau: compute_tau(sources, |_| true),
            hard: compute_tau(sources, |z| z > 0.0),
            outputs: all.len(),
        }
    }

    /// The figure by which the best epoch is chosen: the mean of r and τ, with 0 for a missing one.
    #[must_use]
    pub fn selection_score(&self) -> f64 {
        f64::midpoint(self.pearson.unwrap_or(0.0), self.tau.unwrap_or(0.0))
    }
}

fn compute_tau(sources: &[Vec<(f64, f64)>], counts: fn(f64) -> bool) -> Option<f64> {
    let mut pairs = TauLike::default();
    for source in sources {
        count_pairs(source, counts, &mut pairs);
    }
    pairs.tau().ok()
}

/// Counts the pairs of one source that raters do not tie: first those that the scores put in the same order, then all.
pub(super) fn count_ordered_pairs(source: &[(f64, f64)]) -> (usize, usize) {
    let mut pairs = TauLike::default();
    count_pairs(source, |_| true, &mut pairs);
    (pairs.concordant, pairs.concordant + pairs.discordant)
}

fn count_pairs(source: &[(f64, f64)], counts: fn(f64) -> bool, pairs: &mut TauLike) {
    for (at, (score, z)) in source.iter().enumerate() {
        for (other_score, other_z) in &source[at + 1..] {
            if !(counts(*z) && counts(*other_z)) {
                continue;
            }
            if (z - other_z).abs() <= MIN_Z_DIFFERENCE {
                pairs.skipped += 1;
            } else if (score - other_score) * (z - other_z) > 0.0 {
                pairs.concordant += 1;
            } else {
                pairs.discordant += 1;
                pairs.metric_ties += usize::from(score == other_score);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_pairs_by_hand() {
        // z .5 against .1 and −1: right and wrong; .1 against −1: tied.
        let source = vec![(3.0, 0.5), (4.0, -1.0), (2.0, 0.1), (4.0, -1.1)];
        let figures = TuningAgreement::from_scores(&[source]);
        // Five pairs apart: (.5, .1) right; (.5, −1), (.5, −1.1), (.1, −1), (.1, −1.1) wrong.
        assert_eq!(figures.tau, Some((1.0 - 4.0) / 5.0));
        assert_eq!(figures.hard, Some(1.0));
        assert_eq!(figures.outputs, 4);
    }

    #[test]
    fn equal_scores_count_against() {
        let figures = TuningAgreement::from_scores(&[vec![(1.0, 0.5), (1.0, 0.0), (1.0, -1.0)]]);
        assert_eq!(figures.tau, Some(-1.0));
        assert_eq!(figures.pearson, None);
        assert_eq!(TuningAgreement::from_scores(&[]).tau, None);
    }
}
