//! The pairs that the ranker learns from.

use std::collections::BTreeMap;

use super::{
    feature_table::{FeatureTable, group_by_source},
    ranker::{PreferencePair, RankerSettings},
};

/// The number of good outputs of a source from which the degenerate texts to learn from are made. Their seed differs
/// from that of the texts by which metrics are judged.
pub(super) const TAUGHT_OUTPUTS_PER_SOURCE: usize = 2;

/// The pairs of a table, from the means of the rows and the standard deviation of each feature. If the kinds of pairs
/// are balanced, their weights add up to 1.
pub(super) fn collect_preference_pairs(
    table: &FeatureTable,
    row_means: &[Vec<f64>],
    sd: &[f64],
    which: &RankerSettings,
) -> Vec<PreferencePair> {
    let pair = |better: usize, worse: usize, weight: f64| {
        let values = row_means[better].iter().zip(&row_means[worse]).zip(sd);
        let difference = values.map(|((better, worse), sd)| (better - worse) / sd);
        PreferencePair {
            difference: difference.collect(),
            weight,
        }
    };

    let good = collect_rated_pairs(table, which.min_good_z, which, &pair);
    let Some(balance) = which.balance else {
        return good.into_iter().map(|(_, pair)| pair).collect();
    };

    let all = collect_rated_pairs(table, f64::MIN, which, &pair);
    let parts = [
        (balance_datasets(all), balance.all),
        (balance_datasets(good), balance.good),
        (collect_degenerate_pairs(table, &pair), balance.degenerate),
    ];
    let total: f64 = parts
        .iter()
        .filter(|(pairs, _)| !pairs.is_empty())
        .map(|(_, share)| share)
        .sum();

    let mut all = Vec::new();
    for (pairs, share) in parts {
        let sum: f64 = pairs.iter().map(|pair| pair.weight).sum();
        let scale = share / (total * sum);
        all.extend(pairs.into_iter().map(|pair| PreferencePair {
            weight: pair.weight * scale,
            ..pair
        }));
    }
    all
}

/// Pairs whose weights add up to the same sum for each dataset, given by number. Without this balance, a dataset with
/// many outputs of a source would have by far more pairs than the others.
fn balance_datasets(pairs: Vec<(usize, PreferencePair)>) -> Vec<PreferencePair> {
    let mut sums = BTreeMap::<usize, f64>::new();
    for (dataset, pair) in &pairs {
        *sums.entry(*dataset).or_default() += pair.weight;
    }
    pairs
        .into_iter()
        .map(|(dataset, pair)| PreferencePair {
            weight: pair.weight / sums[&dataset],
            ..pair
        })
        .collect()
}

/// The pairs of outputs of one source that differ, both with a mean z above `min_z`, with the number of their dataset.
fn collect_rated_pairs(
    table: &FeatureTable,
    min_z: f64,
    which: &RankerSettings,
    pair: &impl Fn(usize, usize, f64) -> PreferencePair,
) -> Vec<(usize, PreferencePair)> {
    let z = |at: usize| f64::from(table.outputs[at].z);
    let mut pairs = Vec::new();
    for group in group_by_source(table) {
        let candidates: Vec<usize> = group
            .filter(|at| !table.outputs[*at].is_degenerate && z(*at) > min_z)
            .collect();

        for (nth, &a) in candidates.iter().enumerate() {
            for &b in &candidates[nth + 1..] {
                let z_difference = z(a) - z(b);
                if z_difference.abs() <= which.min_z_difference {
                    continue;
                }

                let (better, worse) = if z_difference > 0.0 { (a, b) } else { (b, a) };
                let dataset = table.datasets[table.outputs[a].source];
                pairs.push((dataset, pair(better, worse, z_difference.abs())));
            }
        }
    }
    pairs
}

/// The pairs of each degenerate text with the good outputs of its source, one of which it was made from.
fn collect_degenerate_pairs(
    table: &FeatureTable,
    pair: &impl Fn(usize, usize, f64) -> PreferencePair,
) -> Vec<PreferencePair> {
    let mut pairs = Vec::new();
    for group in group_by_source(table) {
        let (degenerate, rated_outputs): (Vec<usize>, Vec<usize>) =
            group.partition(|at| table.outputs[*at].is_degenerate);
        let good = rated_outputs
            .into_iter()
            .filter(|at| table.outputs[*at].z > 0.0);
        for good in good.take(TAUGHT_OUTPUTS_PER_SOURCE) {
            pairs.extend(degenerate.iter().map(|worse| pair(good, *worse, 1.0)));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::{super::hybrid::HybridSettings, *};

    /// All pairs of a table, each feature as it is.
    fn collect(table: &FeatureTable, which: &RankerSettings) -> Vec<PreferencePair> {
        let rows: Vec<Vec<f64>> = (0..table.rows())
            .map(|at| table.row(at).iter().map(|x| f64::from(*x)).collect())
            .collect();
        collect_preference_pairs(table, &rows, &vec![1.0; table.columns], which)
    }

    #[test]
    fn datasets_count_the_same_however_many_pairs_they_have() {
        let balanced = HybridSettings::reference_free(1).ranker;
        let unbalanced = RankerSettings {
            balance: None,
            ..balanced
        };
        let table = super::super::feature_table::tests::table();
        let table = table.with_datasets(vec![0, 0, 0, 1]);
        let single = table.select_sources(|source| source == 3);
        // Pairs come in the order of sources; those of good outputs, which alone are unbalanced, come last.
        let pairs = collect(&table, &balanced);
        let count_rated = |table: &FeatureTable| {
            collect(table, &balanced).len() - collect(table, &unbalanced).len()
        };
        let rated = count_rated(&table);
        let first = rated - count_rated(&single);
        let weight = |pairs: &[PreferencePair]| pairs.iter().map(|pair| pair.weight).sum::<f64>();
        assert!((weight(&pairs[..first]) - weight(&pairs[first..rated])).abs() < 1e-9);
        assert!(first > rated - first);
    }

    #[test]
    fn pairs_are_balanced_by_kind() {
        let mut table = super::super::feature_table::tests::table();
        // The last output of each source becomes a degenerate text.
        for output in table.outputs.iter_mut().skip(5).step_by(6) {
            output.is_degenerate = true;
        }
        let settings = HybridSettings::reference_free(1);
        let pairs = collect(&table, &settings.ranker);
        let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
        let unbalanced = RankerSettings {
            balance: None,
            ..settings.ranker
        };
        let good = collect(&table, &unbalanced);
        assert!(!good.is_empty() && good.len() < pairs.len());
        // The better output has the greater first feature, whatever the kind of pair.
        assert!(good.iter().all(|pair| pair.difference[0] > 0.0));
    }
}
