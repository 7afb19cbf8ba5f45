//! How well scores agree with people.

use domain::statistics::{correlation::pearson, tau_like::TauLike};
use serde::{Deserialize, Serialize};

/// Two outputs differ if their mean z-scores are further apart than this.
const MIN_Z_DIFFERENCE: f64 = 0.2;

/// How well scores agree with mean z-scores; a figure that the data cannot carry is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TuningAgreement {
    /// Pearson's r over all outputs.
    pub pearson: Option<f64>,
    /// Kendall-tau-like over pairs of outputs of one source whose mean z-scores are more than .2 apart.
    /// Pairs that have the same score count against it.
    pub tau: Option<f64>,
    /// The same over pairs of which both outputs have a mean z-score above 0.
    pub hard: Option<f64>,
    /// How many outputs.
    pub outputs: usize,
}

impl TuningAgreement {
    /// The figures of scores and mean z-scores, grouped by source.
    #[must_use]
    pub fn from_scores(sources: &[Vec<(f64, f64)>]) -> Self {
        let all: Vec<(f64, f64)> = sources.concat();
        let tau = |counts: fn(f64) -> bool| {
            let mut found = TauLike::default();
            for source in sources {
                count_pairs(source, counts, &mut found);
            }
            found.tau().ok()
        };
        Self {
            pearson: pearson(&all).ok().map(|found| found.coefficient),
            tau: tau(|_| true),
            hard: tau(|z| z > 0.0),
            outputs: all.len(),
        }
    }

    /// The means of several, each figure over those that have it; outputs of the first.
    #[must_use]
    pub fn mean(of: &[Self]) -> Self {
        let mean = |figure: fn(&Self) -> Option<f64>| {
            let values: Vec<f64> = of.iter().filter_map(figure).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        Self {
            pearson: mean(|it| it.pearson),
            tau: mean(|it| it.tau),
            hard: mean(|it| it.hard),
            outputs: of.first().map_or(0, |it| it.outputs),
        }
    }

    /// What the best epoch is chosen by: the mean of r and τ, of which a missing one is 0.
    #[must_use]
    pub fn selection_score(&self) -> f64 {
        f64::midpoint(self.pearson.unwrap_or(0.0), self.tau.unwrap_or(0.0))
    }
}

/// Of the pairs of one source that people tell apart: how many the scores put in the same order, and how
/// many there are.
pub(super) fn count_ordered_pairs(source: &[(f64, f64)]) -> (usize, usize) {
    let mut found = TauLike::default();
    count_pairs(source, |_| true, &mut found);
    (found.concordant, found.concordant + found.discordant)
}

fn count_pairs(source: &[(f64, f64)], counts: fn(f64) -> bool, found: &mut TauLike) {
    for (at, (score, z)) in source.iter().enumerate() {
        for (other_score, other_z) in &source[at + 1..] {
            if !(counts(*z) && counts(*other_z)) {
                continue;
            }
            if (z - other_z).abs() <= MIN_Z_DIFFERENCE {
                found.skipped += 1;
            } else if (score - other_score) * (z - other_z) > 0.0 {
                found.concordant += 1;
            } else {
                found.discordant += 1;
                found.metric_ties += usize::from(score == other_score);
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

    #[test]
    fn a_mean_is_over_those_that_have_the_figure() {
        let of = |tau| TuningAgreement {
            tau,
            outputs: 7,
            ..TuningAgreement::default()
        };
        let mean = TuningAgreement::mean(&[of(Some(0.25)), of(None), of(Some(0.75))]);
        assert_eq!((mean.tau, mean.pearson, mean.outputs), (Some(0.5), None, 7));
    }
}
