//! How uncertain strengths are, and how much another comparison would tell.

use super::{
    PENALTY, WinMatrix,
    bradley_terry::{PenalisedLikelihood, log_probabilities},
    cholesky::CholeskyFactor,
};

/// The strengths of systems by their comparisons so far, with the uncertainty that is left: a normal distribution
/// around the most probable strengths, with the prior of [`PENALTY`]. It exists for any comparisons, also for none.
#[derive(Debug, Clone, PartialEq)]
pub struct StrengthUncertainty {
    strengths: Vec<f64>,
    log_tie: f64,
    /// The covariance of the strengths, row by row.
    covariance: Vec<Vec<f64>>,
}

impl StrengthUncertainty {
    /// The uncertainty that these comparisons leave.
    #[must_use]
    pub fn new(matrix: &WinMatrix) -> Self {
        let likelihood = PenalisedLikelihood::new(matrix, PENALTY);
        let systems = matrix.systems();
        // Where nothing is decided, all are as strong as each other.
        let parameters = likelihood.maximise().unwrap_or_else(|_| vec![0.0; systems]);
        let (strengths, log_tie) = likelihood.split(&parameters);

        let mut information = vec![vec![0.0; systems]; systems];
        for (system, row) in information.iter_mut().enumerate() {
            row[system] = 2.0 * PENALTY;
        }
        for (a, b, counts) in matrix.pairs() {
            let weight =
                counts.total() as f64 * outcome_variance(strengths[a] - strengths[b], log_tie);
            information[a][a] += weight;
            information[b][b] += weight;
            information[a][b] -= weight;
            information[b][a] -= weight;
        }

        Self {
            strengths: strengths.to_vec(),
            log_tie,
            covariance: CholeskyFactor::new(information).inverse(),
        }
    }

    /// How much the outcome of one more comparison of a with b is expected to tell about the strengths, in nats: the
    /// entropy that they lose, ½·ln(1 + w·Var(θ_a − θ_b)). The outcome's own variance w is largest between equally
    /// strong systems, and the variance of the difference between systems whose comparisons say little of each other.
    /// At least 0.
    ///
    /// Source: Chaloner and Verdinelli (1995), Bayesian Experimental Design: A Review (Bayesian D-optimality).
    ///
    /// # Panics
    /// If a system's index is out of range.
    #[must_use]
    pub fn expected_information(&self, a: usize, b: usize) -> f64 {
        (self.weight(a, b) * self.difference_variance(a, b))
            .max(0.0)
            .ln_1p()
            / 2.0
    }

    /// Counts a planned comparison of a with b, whatever its outcome: the strengths stay, and their uncertainty
    /// shrinks.
    ///
    /// # Panics
    /// If a system's index is out of range.
    pub fn plan_comparison(&mut self, a: usize, b: usize) {
        // Sherman and Morrison's formula.
        let along: Vec<f64> = self.covariance.iter().map(|row| row[a] - row[b]).collect();
        let weight = self.weight(a, b);
        let factor = weight / (1.0 + weight * (along[a] - along[b]));
        for (row, left) in self.covariance.iter_mut().zip(&along) {
            for (cell, right) in row.iter_mut().zip(&along) {
                *cell -= factor * left * right;
            }
        }
    }

    fn weight(&self, a: usize, b: usize) -> f64 {
        outcome_variance(self.strengths[a] - self.strengths[b], self.log_tie)
    }

    fn difference_variance(&self, a: usize, b: usize) -> f64 {
        self.covariance[a][a] + self.covariance[b][b] - 2.0 * self.covariance[a][b]
    }
}

/// The variance of the points of one of two systems in a comparison, a tie being half a point: from 0 to ¼. It is also
/// the information of the outcome about the difference of their strengths.
fn outcome_variance(difference: f64, log_tie: f64) -> f64 {
    let [wins, _, tie] = log_probabilities(difference, log_tie).map(f64::exp);
    let points = wins + tie / 2.0;
    wins + tie / 4.0 - points * points
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::statistics::systems::WinTieLoss;

    fn matrix(systems: usize, pairs: &[(usize, usize, [usize; 3])]) -> WinMatrix {
        let mut matrix = WinMatrix::new(systems);
        for (a, b, [wins, ties, losses]) in pairs {
            let counts = WinTieLoss {
                wins: *wins,
                ties: *ties,
                losses: *losses,
            };
            matrix.add(*a, *b, counts);
        }
        matrix
    }

    #[test]
    fn without_comparisons_all_pairs_tell_as_much() {
        let open = StrengthUncertainty::new(&matrix(3, &[]));
        // The prior variance of a difference is 2/(2λ) = 10, that of a fair outcome ¼.
        let expected = 3.5_f64.ln() / 2.0;
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            assert!((open.expected_information(a, b) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn close_systems_tell_more_than_distant_ones_and_rare_ones_more_than_frequent_ones() {
        let close = [(0, 1, [5, 0, 5]), (1, 2, [9, 0, 1]), (0, 2, [9, 0, 1])];
        let open = StrengthUncertainty::new(&matrix(4, &close));
        assert!(open.expected_information(0, 1) > open.expected_information(0, 2));
        assert!(open.expected_information(0, 3) > open.expected_information(0, 1));
        let ties = StrengthUncertainty::new(&matrix(2, &[(0, 1, [0, 6, 0])]));
        assert!(ties.expected_information(0, 1).is_finite());
    }

    proptest! {
        #[test]
        fn a_planned_comparison_counts_as_one_that_was_made(
            pairs in prop::collection::vec((0_usize..5, 1_usize..5, 1_usize..4, 0_usize..4), 1..9),
            a in 0_usize..5, step in 1_usize..5,
        ) {
            let pairs: Vec<_> = pairs
                .into_iter()
                .map(|(a, step, wins, losses)| (a, (a + step) % 5, [wins, 0, losses]))
                .collect();
            let b = (a + step) % 5;
            let mut planned = StrengthUncertainty::new(&matrix(5, &pairs));
            let before = planned.expected_information(a, b);
            let weight = planned.weight(a, b);
            // The covariance's inverse, with the comparison added to it.
            let mut information = CholeskyFactor::new(planned.covariance.clone()).inverse();
            information[a][a] += weight;
            information[b][b] += weight;
            information[a][b] -= weight;
            information[b][a] -= weight;
            let expected = CholeskyFactor::new(information).inverse();
            planned.plan_comparison(a, b);
            for (row, expected) in planned.covariance.iter().zip(&expected) {
                for (cell, expected) in row.iter().zip(expected) {
                    prop_assert!((cell - expected).abs() < 1e-7, "{} and {}", cell, expected);
                }
            }
            prop_assert!(planned.expected_information(a, b) < before);
        }
    }
}
