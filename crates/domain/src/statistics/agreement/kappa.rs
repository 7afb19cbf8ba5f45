//! Cohen's kappa: how far two raters agree on categories, beyond chance.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::{RatingTable, UndefinedReason, require};
use crate::score::RatingScale;

/// The weight of a disagreement, for κ and for AC2: by the distance of the two categories on the scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KappaWeights {
    /// Any two different categories weigh the same: the only choice for unordered ones.
    #[default]
    Unweighted,
    /// By the number of steps between them.
    Linear,
    /// By the square of that number.
    Quadratic,
}

/// Cohen's κ = 1 − Σwᵢⱼoᵢⱼ/Σwᵢⱼeᵢⱼ of items that both raters judged, as (first, second) labels;
/// leave out items that one of them did not judge.
///
/// 1 is full agreement, 0 what the raters' own frequencies give by chance. `scale` lists the
/// categories in order; weights count steps on it, so pass a Likert scale complete, including
/// points that were never used. An empty `scale` means the labels that occur, sorted, as in scikit-learn.
///
/// Source: Cohen (1960); Cohen (1968) for the weights.
///
/// # Errors
/// [`UndefinedReason::TooFew`] without items, [`UndefinedReason::Constant`] if both raters used a single category,
/// [`UndefinedReason::OffScale`] for a label that is not on `scale`.
pub fn cohen_kappa<L: Ord>(
    items: &[(L, L)],
    scale: &[L],
    weights: KappaWeights,
) -> Result<f64, UndefinedReason> {
    require(1, items.len())?;
    let mut scale: Vec<&L> = scale.iter().collect();
    if scale.is_empty() {
        scale.extend(items.iter().flat_map(|(a, b)| [a, b]));
        scale.sort_unstable();
        scale.dedup();
    }

    let (mut first, mut second) = (vec![0.0; scale.len()], vec![0.0; scale.len()]);
    let mut observed = 0.0;
    for (a, b) in items {
        let (a, b) = (step_of(a, &scale)?, step_of(b, &scale)?);
        first[a] += 1.0;
        second[b] += 1.0;
        observed += weights.weight(a, b);
    }

    let mut expected = 0.0;
    for (a, n_a) in first.iter().enumerate() {
        for (b, n_b) in second.iter().enumerate() {
            expected += weights.weight(a, b) * n_a * n_b;
        }
    }

    if expected == 0.0 {
        return Err(UndefinedReason::Constant);
    }
    Ok(1.0 - items.len() as f64 * observed / expected)
}

impl KappaWeights {
    /// The weight of a disagreement between two steps of the scale.
    pub(super) fn weight(self, a: usize, b: usize) -> f64 {
        match self {
            Self::Unweighted => f64::from(u8::from(a != b)),
            Self::Linear => a.abs_diff(b) as f64,
            Self::Quadratic => a.abs_diff(b).pow(2) as f64,
        }
    }
}

/// The position of the label on the scale.
fn step_of<L: PartialEq>(label: &L, scale: &[&L]) -> Result<usize, UndefinedReason> {
    scale
        .iter()
        .position(|step| *step == label)
        .ok_or(UndefinedReason::OffScale)
}

/// Cohen's κ of pairs of raters on a scale whose whole numbers are the levels, from −1 to 1: the mean over all pairs
/// with common units and a defined κ, each pair weighted by the number of these units.
///
/// # Errors
/// [`UndefinedReason::OffScale`] for a rating that is not one of the levels, [`UndefinedReason::TooFew`] if no unit has
/// two ratings, else the reason of a pair, where κ is undefined for each.
pub fn mean_pairwise_kappa<R, U>(
    table: &RatingTable<R, U>,
    scale: RatingScale,
    weights: KappaWeights,
) -> Result<f64, UndefinedReason> {
    let levels: Vec<i32> = (scale.low..=scale.high).collect();
    let mut by_pair: BTreeMap<(usize, usize), Vec<(i32, i32)>> = BTreeMap::new();
    for unit in 0..table.units().len() {
        let ratings = table.unit(unit);
        let unit_levels: Vec<i32> = ratings
            .values
            .iter()
            .map(|value| level_of(*value, &levels))
            .collect::<Result<_, _>>()?;
        for (at, first) in ratings.raters.iter().enumerate() {
            for (next, second) in ratings.raters.iter().enumerate().skip(at + 1) {
                let pair = by_pair.entry((*first, *second)).or_default();
                pair.push((unit_levels[at], unit_levels[next]));
            }
        }
    }

    let mut undefined = UndefinedReason::TooFew {
        needed: 1,
        found: 0,
    };
    let (mut sum, mut total) = (0.0, 0.0);
    for items in by_pair.values() {
        match cohen_kappa(items, &levels, weights) {
            Ok(kappa) => {
                sum += items.len() as f64 * kappa;
                total += items.len() as f64;
            }
            Err(reason) => undefined = reason,
        }
    }

    if total > 0.0 {
        Ok(sum / total)
    } else {
        Err(undefined)
    }
}

/// The level that equals the rating.
fn level_of(rating: f64, levels: &[i32]) -> Result<i32, UndefinedReason> {
    let level = levels.iter().find(|level| f64::from(**level) == rating);
    level.copied().ok_or(UndefinedReason::OffScale)
}

/// The share of items, from 0 to 1, on which two raters chose the same label.
///
/// # Errors
/// [`UndefinedReason::TooFew`] without items.
pub fn percent_agreement<L: PartialEq>(items: &[(L, L)]) -> Result<f64, UndefinedReason> {
    require(1, items.len())?;
    Ok(items.iter().filter(|(a, b)| a == b).count() as f64 / items.len() as f64)
}
