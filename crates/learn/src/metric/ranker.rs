//! A ranker of good outputs of a source: a logistic model of the difference of two.
//!
//! Systems of a dataset differ most in whether they are correct at all, and a regression learns that.
//! Among correct outputs people have other preferences, which can only be learned from pairs of them.

use serde::{Deserialize, Serialize};

/// The choice of pairs, and the regularisation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RankerSettings {
    /// Only outputs whose mean z is above this are paired.
    #[serde(rename = "good")]
    pub min_good_z: f64,
    /// Pairs whose mean z differ by this or less are ties, and left out.
    #[serde(rename = "apart")]
    pub min_z_difference: f64,
    /// The inverse regularisation strength: the weight of the pairs' losses against the squared norm of
    /// the weights (scikit-learn's C).
    pub c: f64,
    /// The shares of three kinds of pairs in the loss. Without it, only pairs of good outputs count, each by
    /// its difference in mean z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<PairBalance>,
}

/// The total weights of kinds of pairs. Only their ratios matter: they are scaled to add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PairBalance {
    /// The weight of all pairs of outputs of a source.
    pub all: f64,
    /// The additional weight of the pairs of good outputs among them.
    pub good: f64,
    /// The weight of pairs of a good output and a degenerate text of its source.
    pub degenerate: f64,
}

/// A pair of outputs: the better one's features less the worse one's, and the difference in mean z.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PreferencePair {
    pub(super) difference: Vec<f64>,
    pub(super) weight: f64,
}

/// Limits on Newton's method, and on conjugate gradient in each of its steps.
const MAX_NEWTON_STEPS: usize = 20;
const MAX_CG_ITERATIONS: usize = 50;

/// The weights w with the least ½‖w‖² + C·Σ weight·log(1 + exp(−w·difference)), by Newton's method;
/// each step is solved by conjugate gradients. All 0 without pairs.
pub(super) fn fit(pairs: &[PreferencePair], columns: usize, c: f64) -> Vec<f64> {
    let mut weights = vec![0.0; columns];
    for _ in 0..MAX_NEWTON_STEPS {
        // The probability that the model ranks the pair the wrong way round, which is the residual.
        let residuals: Vec<f64> = pairs
            .iter()
            .map(|pair| 1.0 / (1.0 + dot(&pair.difference, &weights).exp()))
            .collect();
        let mut gradient = weights.clone();
        for (pair, residual) in pairs.iter().zip(&residuals) {
            add_scaled(&mut gradient, -c * pair.weight * residual, &pair.difference);
        }

        // The Hessian is I + C·Σ weight·p·(1 − p)·d·dᵀ. There are far more pairs than columns, so building it once is
        // cheaper than passing over the pairs in each iteration of conjugate gradient.
        let mut hessian: Vec<Vec<f64>> = (0..columns)
            .map(|at| {
                let mut row = vec![0.0; columns];
                row[at] = 1.0;
                row
            })
            .collect();
        for (pair, residual) in pairs.iter().zip(&residuals) {
            let hessian_weight = c * pair.weight * residual * (1.0 - residual);
            for (row, value) in hessian.iter_mut().zip(&pair.difference) {
                add_scaled(row, hessian_weight * value, &pair.difference);
            }
        }
        let step = solve_conjugate_gradient(
            |direction| hessian.iter().map(|row| dot(row, direction)).collect(),
            &gradient,
        );

        add_scaled(&mut weights, -1.0, &step);
        // Converged: the step is less than 1e-8 of the weights' norm.
        if dot(&step, &step) <= 1e-16 * dot(&weights, &weights) {
            break;
        }
    }
    weights
}

/// Solves `product(x) = target` by the conjugate gradient method; `product` must be symmetric positive definite.
fn solve_conjugate_gradient(product: impl Fn(&[f64]) -> Vec<f64>, target: &[f64]) -> Vec<f64> {
    let mut solution = vec![0.0; target.len()];
    let mut residual = target.to_vec();
    let mut direction = residual.clone();
    let mut squared_norm = dot(&residual, &residual);
    let tolerance = 1e-20 * squared_norm;

    for _ in 0..MAX_CG_ITERATIONS {
        if squared_norm <= tolerance {
            break;
        }
        let curvature = product(&direction);
        let step_length = squared_norm / dot(&direction, &curvature);
        add_scaled(&mut solution, step_length, &direction);
        add_scaled(&mut residual, -step_length, &curvature);

        let next_squared_norm = dot(&residual, &residual);
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            *direction = residual + next_squared_norm / squared_norm * *direction;
        }
        squared_norm = next_squared_norm;
    }
    solution
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add_scaled(to: &mut [f64], times: f64, what: &[f64]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += times * what;
    }
}
