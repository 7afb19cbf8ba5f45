//! How many passages the ranking of conditions needs.

use super::{AnswerChoice, AnswerTable, conditions::tally_cells};
use crate::{
    random::SeededRandom,
    statistics::{UndefinedReason, correlation::spearman, describe::quantile, mean},
};

/// The number of random subsets and their seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StabilityOptions {
    /// The number of draws; the paper drew 50.
    pub count: usize,
    /// The seed of all of them.
    pub seed: u64,
}

impl Default for StabilityOptions {
    /// 1,000 draws of a fixed seed.
    fn default() -> Self {
        Self {
            count: 1_000,
            seed: 1,
        }
    }
}

/// The similarity of the full ranking to rankings on random subsets of a given size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankingStability {
    /// Passages in a subset.
    pub passages: usize,
    /// The mean of Spearman's ρ between accuracies on the subset and on all passages.
    pub mean: f64,
    /// Its 5 % quantile over draws.
    pub low: f64,
    /// Its 95 % quantile.
    pub high: f64,
    /// Draws that have a ρ.
    pub draws: usize,
    /// Draws without one, which are left out: all conditions came out the same, or fewer than three
    /// of them have answers there.
    pub undefined: usize,
}

/// Stability at each of `sizes`; a size above the number of passages means all of them. A draw shuffles
/// the passages, and its subsets are prefixes of that order, so they grow by adding passages. Each draw
/// compares the conditions that have answers.
///
/// # Errors
/// [`UndefinedReason::TooFew`] without passages or draws; where no draw has a ρ, the reason of the first.
#[must_use]
pub fn stability(
    answers: &AnswerTable,
    sizes: &[usize],
    draws: StabilityOptions,
) -> Vec<Result<RankingStability, UndefinedReason>> {
    // Right answers and all answers, by condition and passage.
    let cells: Vec<Vec<(f64, f64)>> = tally_cells(answers)
        .iter()
        .map(|row| {
            row.iter()
                .map(|cell| (cell.count(AnswerChoice::A) as f64, cell.n() as f64))
                .collect()
        })
        .collect();
    let passages = answers.passages().len();
    let mut order: Vec<usize> = (0..passages).collect();
    let full = accuracies(&cells, &order);

    let mut random = SeededRandom::new(draws.seed);
    let mut by_size = vec![Vec::with_capacity(draws.count); sizes.len()];
    for _ in 0..draws.count {
        random.shuffle(&mut order);
        for (size, coefficients) in sizes.iter().zip(&mut by_size) {
            let part = accuracies(&cells, &order[..passages.min(*size)]);
            let pairs = part
                .iter()
                .zip(&full)
                .filter_map(|(a, b)| Some(((*a)?, (*b)?)));
            coefficients.push(
                spearman(&pairs.collect::<Vec<_>>()).map(|correlation| correlation.coefficient),
            );
        }
    }

    let sizes = sizes.iter().map(|size| passages.min(*size));
    sizes
        .zip(by_size)
        .map(|(size, coefficients)| summarise_draws(size, &coefficients))
        .collect()
}

/// Subset sizes for [`stability`]: at most `at_most` numbers of passages, evenly spread up to all of them.
///
/// ```
/// assert_eq!(domain::comprehension::subset_sizes(7, 3), [3, 5, 7]);
/// assert_eq!(domain::comprehension::subset_sizes(2, 3), [1, 2]);
/// ```
#[must_use]
pub fn subset_sizes(passages: usize, at_most: usize) -> Vec<usize> {
    let count = passages.min(at_most);
    (1..=count)
        .map(|number| (number * passages).div_ceil(count))
        .collect()
}

/// Each condition's accuracy on some passages; `None` without answers there.
fn accuracies(cells: &[Vec<(f64, f64)>], passages: &[usize]) -> Vec<Option<f64>> {
    let accuracies = cells.iter().map(|row| {
        let (right, all) = passages.iter().fold((0.0, 0.0), |(right, all), at| {
            (right + row[*at].0, all + row[*at].1)
        });
        (all > 0.0).then(|| right / all)
    });
    accuracies.collect()
}

fn summarise_draws(
    passages: usize,
    coefficients: &[Result<f64, UndefinedReason>],
) -> Result<RankingStability, UndefinedReason> {
    let mut values: Vec<f64> = coefficients.iter().filter_map(|rho| rho.ok()).collect();
    let none = UndefinedReason::TooFew {
        found: 0,
        needed: 1,
    };
    if values.is_empty() {
        return Err(coefficients
            .first()
            .map_or(none, |first| first.err().unwrap_or(none)));
    }

    values.sort_unstable_by(f64::total_cmp);
    Ok(RankingStability {
        passages,
        mean: mean(&values),
        low: quantile(&values, 0.05),
        high: quantile(&values, 0.95),
        draws: values.len(),
        undefined: coefficients.len() - values.len(),
    })
}
