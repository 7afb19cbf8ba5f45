//! Fleiss' kappa: how far several raters agree on unordered categories, beyond chance.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::{Undefined, require};

/// What agreement by chance is taken to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Chance {
    /// Categories are drawn as often as all raters together used them: Fleiss (1971).
    #[default]
    Marginal,
    /// All of so many categories are equally likely: Randolph (2005).
    Uniform {
        /// The number of categories that raters could choose from.
        categories: usize,
    },
}

/// κ = (P − Pₑ)/(1 − Pₑ), with P the mean share of agreeing pairs of raters in a unit and Pₑ that
/// share by chance. `units` holds each unit's labels, from the same number of raters each, at least
/// two; who the raters are does not matter. With missing labels use nominal α.
///
/// # Errors
/// [`Undefined::TooFew`] without units or with units of one label,
/// [`Undefined::UnequalRaters`] where units have different numbers of labels,
/// [`Undefined::Constant`] where chance alone agrees fully.
pub fn fleiss_kappa<L: Ord>(units: &[Vec<L>], chance: Chance) -> Result<f64, Undefined> {
    require(1, units.len())?;
    let raters = units[0].len();
    require(2, raters)?;
    if units.iter().any(|unit| unit.len() != raters) {
        return Err(Undefined::UnequalRaters);
    }
    let labels = (units.len() * raters) as f64;
    let equal_pairs = |counts: &BTreeMap<&L, f64>| counts.values().map(|n| n * n).sum::<f64>();
    let agreeing: f64 = units
        .iter()
        .map(|unit| equal_pairs(&count(unit)) - raters as f64)
        .sum();
    let observed = agreeing / (labels * (raters as f64 - 1.0));
    let expected = match chance {
        Chance::Marginal => equal_pairs(&count(units.iter().flatten())) / (labels * labels),
        Chance::Uniform { categories } => 1.0 / categories.max(1) as f64,
    };
    if expected == 1.0 {
        return Err(Undefined::Constant);
    }
    Ok((observed - expected) / (1.0 - expected))
}

fn count<'a, L: Ord + 'a>(labels: impl IntoIterator<Item = &'a L>) -> BTreeMap<&'a L, f64> {
    let mut counts = BTreeMap::new();
    for label in labels {
        *counts.entry(label).or_insert(0.0) += 1.0;
    }
    counts
}
