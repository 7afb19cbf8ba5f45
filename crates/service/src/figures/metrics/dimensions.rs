//! The correlations between the dimensions that people rate.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ids::OutputId,
    statistics::{
        UndefinedReason,
        correlation::{Correlation, pearson},
    },
};

use crate::live::StudySnapshot;

/// The correlation of two dimensions over the same outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct DimensionCorrelation {
    /// The first dimension.
    pub a: String,
    /// The second dimension, which is later in alphabetical order.
    pub b: String,
    /// Pearson's r of the mean ratings of outputs that were rated on both.
    pub r: Result<Correlation, UndefinedReason>,
}

/// The correlation of every two dimensions over the outputs that `is_included` accepts. Identical outputs of a source
/// count once.
#[must_use]
pub fn dimension_pairs(
    snapshot: &StudySnapshot,
    is_included: impl Fn(&OutputId) -> bool,
) -> Vec<DimensionCorrelation> {
    let mut sums = BTreeMap::<(&str, OutputId), (f64, f64)>::new();
    for row in snapshot
        .ratings()
        .filter(|row| !row.shared && is_included(&row.output))
    {
        let sum = sums.entry((&row.dimension, row.output)).or_default();
        *sum = (sum.0 + row.value, sum.1 + 1.0);
    }

    let names: BTreeSet<&str> = sums.keys().map(|(name, _)| *name).collect();
    let means_on = |name: &str| {
        let own = sums.iter().filter(|((dimension, _), _)| *dimension == name);
        own.map(|((_, output), (sum, count))| (*output, sum / count))
            .collect::<BTreeMap<_, _>>()
    };
    let means: Vec<_> = names
        .into_iter()
        .map(|name| (name, means_on(name)))
        .collect();

    let mut pairs = Vec::new();
    for (index, (a, means_a)) in means.iter().enumerate() {
        for (b, means_b) in &means[index + 1..] {
            let both = means_a
                .iter()
                .filter_map(|(output, mean)| Some((*mean, *means_b.get(output)?)));
            pairs.push(DimensionCorrelation {
                a: (*a).to_owned(),
                b: (*b).to_owned(),
                r: pearson(&both.collect::<Vec<_>>()),
            });
        }
    }

    pairs
}
