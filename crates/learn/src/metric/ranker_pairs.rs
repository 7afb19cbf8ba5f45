//! The pairs that the ranker learns from.

use super::{
    feature_table::{FeatureTable, group_by_source},
    ranker::{PreferencePair, RankerSettings},
};

/// The good outputs of a source from which degenerate texts are made to learn from, with another seed than those by
/// which metrics are judged.
pub(super) const TAUGHT_OUTPUTS_PER_SOURCE: usize = 2;

/// The pairs of a table, by the rows' means and the standard deviation of each feature. Where the kinds of pairs are
/// balanced, their weights add up to 1.
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
        return good;
    };
    let parts = [
        (
            collect_rated_pairs(table, f64::MIN, which, &pair),
            balance.all,
        ),
        (good, balance.good),
        (collect_degenerate_pairs(table, &pair), balance.degenerate),
    ];
    let found = parts.iter().filter(|(pairs, _)| !pairs.is_empty());
    let total: f64 = found.map(|(_, share)| share).sum();
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

/// The pairs of outputs of one source that differ, both with a mean z above `min_z`.
fn collect_rated_pairs(
    table: &FeatureTable,
    min_z: f64,
    which: &RankerSettings,
    pair: &impl Fn(usize, usize, f64) -> PreferencePair,
) -> Vec<PreferencePair> {
    let z = |at: usize| f64::from(table.outputs[at].z);
    let mut pairs = Vec::new();
    for group in group_by_source(table) {
        let chosen: Vec<usize> = group
            .filter(|at| !table.outputs[*at].is_degenerate && z(*at) > min_z)
            .collect();
        for (nth, &a) in chosen.iter().enumerate() {
            for &b in &chosen[nth + 1..] {
                let z_difference = z(a) - z(b);
                if z_difference.abs() <= which.min_z_difference {
                    continue;
                }
                let (better, worse) = if z_difference > 0.0 { (a, b) } else { (b, a) };
                pairs.push(pair(better, worse, z_difference.abs()));
            }
        }
    }
    pairs
}

/// Each degenerate text with the good outputs of its source, from one of which it was made.
fn collect_degenerate_pairs(
    table: &FeatureTable,
    pair: &impl Fn(usize, usize, f64) -> PreferencePair,
) -> Vec<PreferencePair> {
    let mut pairs = Vec::new();
    for group in group_by_source(table) {
        let (made, rated): (Vec<usize>, Vec<usize>) =
            group.partition(|at| table.outputs[*at].is_degenerate);
        let good = rated.into_iter().filter(|at| table.outputs[*at].z > 0.0);
        for good in good.take(TAUGHT_OUTPUTS_PER_SOURCE) {
            pairs.extend(made.iter().map(|made| pair(good, *made, 1.0)));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::{super::hybrid::HybridSettings, *};

    #[test]
    fn pairs_are_balanced_by_kind() {
        let mut table = super::super::feature_table::tests::table();
        // The last output of each source becomes a degenerate text.
        for output in table.outputs.iter_mut().skip(5).step_by(6) {
            output.is_degenerate = true;
        }
        let settings = HybridSettings::reference_free(1);
        let rows: Vec<Vec<f64>> = (0..table.rows())
            .map(|at| table.row(at).iter().map(|x| f64::from(*x)).collect())
            .collect();
        let sd = vec![1.0; table.columns];
        let pairs = collect_preference_pairs(&table, &rows, &sd, &settings.ranker);
        let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
        let unbalanced = RankerSettings {
            balance: None,
            ..settings.ranker
        };
        let good = collect_preference_pairs(&table, &rows, &sd, &unbalanced);
        assert!(!good.is_empty() && good.len() < pairs.len());
        // The better output has the greater first feature, whatever the kind of pair.
        assert!(good.iter().all(|pair| pair.difference[0] > 0.0));
    }
}
