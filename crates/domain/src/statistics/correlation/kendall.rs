//! Kendall's tau: the agreement of two scores on the order of pairs of outputs.

use serde::{Deserialize, Serialize};

use super::{
    super::{UndefinedReason, distribution::normal_two_sided},
    Correlation, split_sides,
};

/// The treatment of ties in τ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TauVariant {
    /// Divided by √((pairs untied in x)·(pairs untied in y)): Kendall (1945). The default.
    #[default]
    B,
    /// Divided by n²(m−1)/(2m), with m the smaller number of distinct values: Stuart (1953).
    C,
}

/// The method for the p-value of τ, which is the same for both variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KendallPMethod {
    /// Exact without ties, up to 33 pairs or with at most one discordant (or concordant) pair of
    /// pairs; else asymptotic. As in scipy.
    #[default]
    Auto,
    /// The normal approximation, its variance corrected for ties.
    Asymptotic,
}

/// Kendall's τ in n log n (Knight 1966).
///
/// # Errors
/// [`UndefinedReason::TooFew`] below two pairs, [`UndefinedReason::Constant`] where one side does not vary.
pub fn kendall(
    pairs: &[(f64, f64)],
    variant: TauVariant,
    p: KendallPMethod,
) -> Result<Correlation, UndefinedReason> {
    let (mut x, mut y) = split_sides(pairs, 2)?;
    let n = pairs.len();
    let size = n as f64;

    let mut sorted = pairs.to_vec();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let tied_in_both: f64 = sorted
        .chunk_by(|a, b| a == b)
        .map(|run| choose_two(run.len()))
        .sum();
    let mut by_x: Vec<f64> = sorted.iter().map(|pair| pair.1).collect();
    let discordant = inversions(&mut by_x, &mut Vec::with_capacity(n));
    let (ties_x, ties_y) = (TieSums::from_side(&mut x), TieSums::from_side(&mut y));

    let all = choose_two(n);
    let surplus = all - ties_x.pairs - ties_y.pairs + tied_in_both - 2.0 * discordant;
    let tau = match variant {
        TauVariant::B => surplus / (all - ties_x.pairs).sqrt() / (all - ties_y.pairs).sqrt(),
        TauVariant::C => {
            let fewest = ties_x.distinct.min(ties_y.distinct) as f64;
            2.0 * surplus / (size * size * (fewest - 1.0) / fewest)
        }
    };

    let untied = ties_x.pairs == 0.0 && ties_y.pairs == 0.0;
    let rarer = discordant.min(all - discordant);
    let p = match p {
        KendallPMethod::Auto if untied && (n <= 33 || rarer <= 1.0) => {
            exact_p(n, rarer as usize, all)
        }
        _ => {
            let m = size * (size - 1.0);
            let mut variance = (m * (2.0 * size + 5.0) - ties_x.twos - ties_y.twos) / 18.0
                + 2.0 * ties_x.pairs * ties_y.pairs / m;
            if n > 2 {
                variance += ties_x.threes * ties_y.threes / (9.0 * m * (size - 2.0));
            }
            normal_two_sided(surplus / variance.sqrt())
        }
    };

    Ok(Correlation {
        coefficient: tau.clamp(-1.0, 1.0),
        p,
        n,
    })
}

/// Sums over runs of t equal values on one side.
struct TieSums {
    /// Σ t(t−1)/2.
    pairs: f64,
    /// Σ t(t−1)(2t+5).
    twos: f64,
    /// Σ t(t−1)(t−2).
    threes: f64,
    distinct: usize,
}

impl TieSums {
    fn from_side(side: &mut [f64]) -> Self {
        side.sort_unstable_by(f64::total_cmp);
        let mut ties = Self {
            pairs: 0.0,
            twos: 0.0,
            threes: 0.0,
            distinct: 0,
        };
        for run in side.chunk_by(|a, b| a == b) {
            let t = run.len() as f64;
            ties.pairs += choose_two(run.len());
            ties.twos += t * (t - 1.0) * (2.0 * t + 5.0);
            ties.threes += t * (t - 1.0) * (t - 2.0);
            ties.distinct += 1;
        }
        ties
    }
}

fn choose_two(n: usize) -> f64 {
    n as f64 * (n as f64 - 1.0) / 2.0
}

/// The number of pairs in descending order, by a merge sort of `values`.
fn inversions(values: &mut [f64], merged: &mut Vec<f64>) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }

    let (lower_half, upper_half) = values.split_at_mut(values.len() / 2);
    let mut count = inversions(lower_half, merged) + inversions(upper_half, merged);

    merged.clear();
    let (mut l, mut u) = (0, 0);
    while l < lower_half.len() && u < upper_half.len() {
        if upper_half[u] < lower_half[l] {
            count += (lower_half.len() - l) as f64;
            merged.push(upper_half[u]);
            u += 1;
        } else {
            merged.push(lower_half[l]);
            l += 1;
        }
    }
    merged.extend_from_slice(&lower_half[l..]);
    merged.extend_from_slice(&upper_half[u..]);

    values.copy_from_slice(merged);
    count
}

/// The two-sided probability of at most `rarer` inversions in a random order of n, from the
/// recursion of inversion numbers (Kendall 1938).
fn exact_p(n: usize, rarer: usize, all: f64) -> f64 {
    if 2.0 * rarer as f64 == all {
        return 1.0;
    }

    // probability[k]: of k inversions in an order of the first j; the next element adds 0 … j.
    let mut probability = vec![0.0; rarer + 1];
    probability[0] = 1.0;
    for j in 2..=n {
        let mut window = 0.0;
        let before = probability.clone();
        for k in 0..=rarer {
            window += before[k];
            if k >= j {
                window -= before[k - j];
            }
            probability[k] = window / j as f64;
        }
    }
    (2.0 * probability.iter().sum::<f64>()).min(1.0)
}
