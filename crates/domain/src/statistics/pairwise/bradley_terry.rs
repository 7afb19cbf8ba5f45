//! Scores of systems by Bradley and Terry's model, with Davidson's ties.

use serde::{Deserialize, Serialize};

use super::{
    UndefinedReason, WinMatrix,
    cholesky::CholeskyFactor,
    existence::{has_finite_maximum, is_connected},
};

/// The weight λ of the penalty λ·Σθ² that keeps log strengths finite where the likelihood alone would not:
/// a normal prior with mean 0 and a standard deviation of 1/√(2λ) ≈ 2.24. Ten wins out of ten then are
/// a chance of .97. It is not used where the likelihood has a maximum.
pub const PENALTY: f64 = 0.1;

/// The strengths of systems by their comparisons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BradleyTerryFit {
    /// θ = ln π of each system, with mean 0: natural logarithms. Between two systems a difference of 1 means
    /// odds of e ≈ 2.7 to win rather than to lose, ties aside.
    pub strengths: Vec<f64>,
    /// Davidson's ν ≥ 0: the chance of a tie of two equally strong systems is ν/(2 + ν). 0 without
    /// ties, where the model is that of Bradley and Terry.
    pub tie_parameter: f64,
    /// Whether [`PENALTY`] was needed.
    pub penalised: bool,
}

/// The chances of the outcomes of comparing a with b; they add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OutcomeProbabilities {
    /// a is better.
    pub a: f64,
    /// b is better.
    pub b: f64,
    /// Neither is better.
    pub tie: f64,
}

/// Fits the model to counts by maximum likelihood, ties as Davidson has them:
///
/// P(a beats b) = π_a/(π_a + π_b + ν√(π_a·π_b)), P(tie) = ν√(π_a·π_b)/(π_a + π_b + ν√(π_a·π_b)).
///
/// Where the likelihood has no finite maximum (some systems never lost to the rest, say), it is penalised by
/// [`PENALTY`]. By Newton's method, to about twelve digits.
///
/// Source: Bradley and Terry (1952), Rank Analysis of Incomplete Block Designs; Davidson (1970), On Extending
/// the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments.
///
/// # Errors
/// [`UndefinedReason::TooFew`] below two systems; [`UndefinedReason::NotConnected`] where comparisons
/// do not lead from each system to each other one; [`UndefinedReason::AllTies`] where all are ties.
pub fn bradley_terry(matrix: &WinMatrix) -> Result<BradleyTerryFit, UndefinedReason> {
    super::super::require(2, matrix.systems())?;
    if !is_connected(matrix) {
        return Err(UndefinedReason::NotConnected);
    }

    let penalised = !has_finite_maximum(matrix);
    let likelihood = PenalisedLikelihood::new(matrix, if penalised { PENALTY } else { 0.0 });
    let parameters = likelihood.maximise()?;
    let (strengths, log_tie) = likelihood.split(&parameters);
    Ok(BradleyTerryFit {
        strengths: strengths.to_vec(),
        tie_parameter: log_tie.exp(),
        penalised,
    })
}

impl BradleyTerryFit {
    /// The chances of the outcomes of comparing a with b, given by index.
    ///
    /// # Panics
    /// If a system's index is out of range.
    #[must_use]
    pub fn probabilities(&self, a: usize, b: usize) -> OutcomeProbabilities {
        let [a, b, tie] = log_probabilities(
            self.strengths[a] - self.strengths[b],
            self.tie_parameter.ln(),
        )
        .map(f64::exp);
        OutcomeProbabilities { a, b, tie }
    }

    /// The expected win share of each system, from 0 to 1: the chance to win against another system drawn at
    /// random, a tie counting half. Their mean is ½.
    #[must_use]
    pub fn win_shares(&self) -> Vec<f64> {
        (0..self.strengths.len())
            .map(|system| self.win_share(system))
            .collect()
    }

    fn win_share(&self, system: usize) -> f64 {
        let systems = self.strengths.len();
        let opponents = (0..systems).filter(|other| *other != system);
        let points = opponents.map(|opponent| {
            let chances = self.probabilities(system, opponent);
            chances.a + chances.tie / 2.0
        });
        points.sum::<f64>() / (systems as f64 - 1.0)
    }
}

/// The logarithms of the chances that a wins, that b wins, and of a tie.
pub(super) fn log_probabilities(difference: f64, log_tie: f64) -> [f64; 3] {
    let half = difference / 2.0;
    let largest = half.abs().max(log_tie);
    let terms = [half, -half, log_tie];
    let sum: f64 = terms.iter().map(|term| (term - largest).exp()).sum();
    terms.map(|term| term - largest - sum.ln())
}

/// The log-likelihood of the counts less the penalty, as a function of θ and, where there are ties, η = ln ν.
/// It is concave.
pub(super) struct PenalisedLikelihood {
    systems: usize,
    /// a, b, and how often a won, b won, and they tied.
    pairs: Vec<(usize, usize, [f64; 3])>,
    /// How often a pair was decided and tied.
    decided: f64,
    tied: f64,
    penalty: f64,
}

impl PenalisedLikelihood {
    pub(super) fn new(matrix: &WinMatrix, penalty: f64) -> Self {
        let counts = matrix.pairs().map(|(a, b, counts)| {
            let counts = [counts.wins, counts.losses, counts.ties];
            (a, b, counts.map(|count| count as f64))
        });
        let pairs: Vec<_> = counts.collect();
        Self {
            systems: matrix.systems(),
            decided: pairs.iter().map(|(_, _, [won, lost, _])| won + lost).sum(),
            tied: pairs.iter().map(|(_, _, [_, _, tied])| tied).sum(),
            pairs,
            penalty,
        }
    }

    /// The log strengths and η among the parameters. Without ties η is −∞.
    pub(super) fn split<'p>(&self, parameters: &'p [f64]) -> (&'p [f64], f64) {
        let (strengths, rest) = parameters.split_at(self.systems);
        (
            strengths,
            rest.first().copied().unwrap_or(f64::NEG_INFINITY),
        )
    }

    fn value(&self, parameters: &[f64]) -> f64 {
        let (strengths, log_tie) = self.split(parameters);
        let mut value = -self.penalty * strengths.iter().map(|x| x * x).sum::<f64>();
        for (a, b, counts) in &self.pairs {
            let logs = log_probabilities(strengths[*a] - strengths[*b], log_tie);
            // 0·ln 0 is 0.
            let terms = counts.iter().zip(logs).filter(|(count, _)| **count > 0.0);
            value += terms.map(|(count, log)| count * log).sum::<f64>();
        }
        value
    }

    /// The step of Newton's method, from gradient and negative Hessian: the latter is the covariance of the
    /// sufficient statistics (points of each system, a tie being half a point, and ties).
    fn newton_step(&self, parameters: &[f64]) -> Vec<f64> {
        let (strengths, log_tie) = self.split(parameters);
        let size = parameters.len();
        let mut gradient = vec![0.0; size];
        // Strengths are determined up to a constant. The first term fixes their sum, which stays 0.
        let fixed_sum = (self.decided + self.tied) / self.systems as f64;
        let mut information = vec![vec![0.0; size]; size];

        for (row, strength) in strengths.iter().enumerate() {
            information[row][..self.systems].fill(fixed_sum);
            information[row][row] += 2.0 * self.penalty;
            gradient[row] -= 2.0 * self.penalty * strength;
        }

        for (a, b, [won, lost, tied]) in &self.pairs {
            let (a, b, count) = (*a, *b, won + lost + tied);
            let [chance_a, _, chance_tie] =
                log_probabilities(strengths[a] - strengths[b], log_tie).map(f64::exp);
            let points = chance_a + chance_tie / 2.0;
            let surplus = won + tied / 2.0 - count * points;
            gradient[a] += surplus;
            gradient[b] -= surplus;
            let variance = count * (chance_a + chance_tie / 4.0 - points * points);
            information[a][a] += variance;
            information[b][b] += variance;
            information[a][b] -= variance;
            information[b][a] -= variance;

            if self.tied > 0.0 {
                let tie = self.systems;
                gradient[tie] += tied - count * chance_tie;
                let covariance = count * chance_tie * (0.5 - points);
                for (system, covariance) in [(a, covariance), (b, -covariance)] {
                    information[system][tie] += covariance;
                    information[tie][system] += covariance;
                }
                information[tie][tie] += count * chance_tie * (1.0 - chance_tie);
            }
        }

        CholeskyFactor::new(information).solve(gradient)
    }

    /// The parameters at the maximum, which exists: `Err` where all comparisons are ties.
    pub(super) fn maximise(&self) -> Result<Vec<f64>, UndefinedReason> {
        /// Newton's method doubles the correct digits with each step, and takes some ten in all.
        const MOST_STEPS: usize = 200;
        const MOST_HALVINGS: usize = 50;

        if self.decided == 0.0 {
            return Err(UndefinedReason::AllTies);
        }

        let mut parameters = vec![0.0; self.systems];
        if self.tied > 0.0 {
            parameters.push((2.0 * self.tied / self.decided).ln());
        }

        let mut value = self.value(&parameters);
        for _ in 0..MOST_STEPS {
            let step = self.newton_step(&parameters);
            let mut length = 1.0;
            for _ in 0..MOST_HALVINGS {
                let next: Vec<f64> = parameters
                    .iter()
                    .zip(&step)
                    .map(|(at, by)| at + length * by)
                    .collect();
                let next_value = self.value(&next);
                // Near the maximum, differences are rounding errors.
                if next_value >= value - 1e-12 * value.abs() {
                    (parameters, value) = (next, next_value);
                    break;
                }
                length /= 2.0;
            }

            let largest = step.iter().fold(0.0_f64, |most, by| most.max(by.abs()));
            if largest < 1e-9 {
                break;
            }
        }
        Ok(parameters)
    }
}
