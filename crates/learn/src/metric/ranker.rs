//! Which of two good outputs of a source is better: a logistic model of their difference.
//!
//! Systems of a data set differ most in whether they are right at all, and a regression learns that.
//! Among outputs that are right, people prefer others; only pairs of them teach that.

use serde::{Deserialize, Serialize};

/// Which pairs teach, and how firmly weights are held near 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Outputs of a mean z above this are good enough to compare.
    pub good: f64,
    /// Pairs whose mean z differ by no more than this say nothing.
    pub apart: f64,
    /// How much the pairs' losses count against the squared weights (scikit-learn's C).
    pub c: f64,
}

/// A pair: what the better one has more of, and how much better it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) difference: Vec<f64>,
    pub(super) weight: f64,
}

/// How often Newton's step is taken at most, and how many directions are tried for each.
const STEPS: usize = 20;
const DIRECTIONS: usize = 50;

/// The weights w with the least ½‖w‖² + C·Σ weight·log(1 + exp(−w·difference)), by Newton's method;
/// each step is solved by conjugate gradients. All 0 without pairs.
pub(super) fn fit(pairs: &[Pair], columns: usize, c: f64) -> Vec<f64> {
    let mut weights = vec![0.0; columns];
    for _ in 0..STEPS {
        let doubts: Vec<f64> = pairs
            .iter()
            .map(|pair| 1.0 / (1.0 + dot(&pair.difference, &weights).exp()))
            .collect();
        let mut slope = weights.clone();
        for (pair, doubt) in pairs.iter().zip(&doubts) {
            add(&mut slope, -c * pair.weight * doubt, &pair.difference);
        }
        let curved = |direction: &[f64]| {
            let mut product = direction.to_vec();
            for (pair, doubt) in pairs.iter().zip(&doubts) {
                let bend = c * pair.weight * doubt * (1.0 - doubt);
                add(
                    &mut product,
                    bend * dot(&pair.difference, direction),
                    &pair.difference,
                );
            }
            product
        };
        let step = solved(curved, &slope);
        add(&mut weights, -1.0, &step);
        if dot(&step, &step) <= 1e-16 * dot(&weights, &weights) {
            break;
        }
    }
    weights
}

/// The x with `product(x)` = `wanted`, by conjugate gradients.
fn solved(product: impl Fn(&[f64]) -> Vec<f64>, wanted: &[f64]) -> Vec<f64> {
    let mut found = vec![0.0; wanted.len()];
    let mut rest = wanted.to_vec();
    let mut direction = rest.clone();
    let mut size = dot(&rest, &rest);
    let enough = 1e-20 * size;
    for _ in 0..DIRECTIONS {
        if size <= enough {
            break;
        }
        let bent = product(&direction);
        let length = size / dot(&direction, &bent);
        add(&mut found, length, &direction);
        add(&mut rest, -length, &bent);
        let next = dot(&rest, &rest);
        for (direction, rest) in direction.iter_mut().zip(&rest) {
            *direction = rest + next / size * *direction;
        }
        size = next;
    }
    found
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += times * what;
    }
}
