//! How the dimensions that people rate go together.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    ids::OutputId,
    statistics::{
        UndefinedReason,
        correlation::{Correlation, pearson},
    },
};

use crate::live::StudySnapshot;

/// Two dimensions of the same outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct DimensionCorrelation {
    /// One.
    pub a: String,
    /// The other, which comes later in the order of names.
    pub b: String,
    /// Pearson's r of the mean ratings of outputs that were rated on both.
    pub r: Result<Correlation, UndefinedReason>,
}

/// Every two dimensions, over the outputs that `is` holds for, each text of a source once.
#[must_use]
pub fn dimension_pairs(
    held: &StudySnapshot,
    is: impl Fn(&OutputId) -> bool,
) -> Vec<DimensionCorrelation> {
    let mut sums = BTreeMap::<(&str, OutputId), (f64, f64)>::new();
    for row in held.ratings().filter(|row| !row.shared && is(&row.output)) {
        let sum = sums.entry((&row.dimension, row.output)).or_default();
        *sum = (sum.0 + row.value, sum.1 + 1.0);
    }
    let names: BTreeSet<&str> = sums.keys().map(|(name, _)| *name).collect();
    let of = |name: &str| {
        let own = sums.iter().filter(|((of, _), _)| *of == name);
        own.map(|((_, output), (sum, count))| (*output, sum / count))
            .collect::<BTreeMap<_, _>>()
    };
    let means: Vec<_> = names.into_iter().map(|name| (name, of(name))).collect();
    let mut pairs = Vec::new();
    for (at, (a, of_a)) in means.iter().enumerate() {
        for (b, of_b) in &means[at + 1..] {
            let both = of_a
                .iter()
                .filter_map(|(output, x)| Some((*x, *of_b.get(output)?)));
            pairs.push(DimensionCorrelation {
                a: (*a).to_owned(),
                b: (*b).to_owned(),
                r: pearson(&both.collect::<Vec<_>>()),
            });
        }
    }
    pairs
}
