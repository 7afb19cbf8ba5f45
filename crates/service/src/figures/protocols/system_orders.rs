use std::collections::BTreeMap;

use domain::statistics::{
    UndefinedReason,
    correlation::{Correlation, KendallPMethod, TauVariant, kendall, spearman},
    significance::holm,
};

use crate::figures::systems::SystemEntry;

/// The correlation of two studies' orders of the systems that both have, by mean z-scores. Systems are identified by
/// their names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SystemOrderCorrelation {
    /// The index of the first study.
    pub first: usize,
    /// The index of the second one, which is greater.
    pub second: usize,
    /// The number of systems that have a mean z-score in both.
    pub systems: usize,
    /// Kendall's τ-b.
    pub kendall: Result<Correlation, UndefinedReason>,
    /// The p-value of τ-b, corrected by [`holm`] over all pairs of studies that have one.
    pub kendall_holm: Option<f64>,
    /// Spearman's ρ.
    pub spearman: Result<Correlation, UndefinedReason>,
}

/// The correlation of every two rankings.
pub(super) fn correlate_orders(rankings: &[&[SystemEntry]]) -> Vec<SystemOrderCorrelation> {
    let scores: Vec<BTreeMap<&str, f64>> = rankings
        .iter()
        .map(|ranking| {
            let score = |entry: &'_ SystemEntry| entry.z.as_ref().map(|z| z.mean);
            let entries = ranking.iter();
            entries
                .filter_map(|entry| Some((&entry.system.name[..], score(entry)?)))
                .collect()
        })
        .collect();

    let mut correlations = Vec::new();
    for (first, of_first) in scores.iter().enumerate() {
        for (second, of_second) in scores.iter().enumerate().skip(first + 1) {
            let both = of_first
                .iter()
                .filter_map(|(name, score)| Some((*score, *of_second.get(name)?)));
            let both: Vec<_> = both.collect();
            correlations.push(SystemOrderCorrelation {
                first,
                second,
                systems: both.len(),
                kendall: kendall(&both, TauVariant::B, KendallPMethod::Auto),
                kendall_holm: None,
                spearman: spearman(&both),
            });
        }
    }

    let p = |correlation: &SystemOrderCorrelation| Some(correlation.kendall.ok()?.p);
    let corrected = holm(&correlations.iter().filter_map(p).collect::<Vec<_>>());
    let defined = correlations.iter_mut().filter(|it| it.kendall.is_ok());
    for (correlation, p) in defined.zip(corrected) {
        correlation.kendall_holm = Some(p);
    }

    correlations
}
