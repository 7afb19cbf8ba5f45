//! Gradient-boosted regression trees with squared loss.
//!
//! Written here because no well-maintained crate has all that is needed: leaf-wise growth with a minimum number of rows
//! per leaf, sampling of rows and columns for each tree, the same trees from one seed on every machine, and resuming
//! after any finished tree. (lightgbm3 needs `CMake` and a C++ compiler; perpetual has a single budget in place of
//! these settings; smartcore and gbdt grow by depth and do not sample columns; forust-ml cannot be interrupted and
//! resumed.)

mod bins;
mod file;
mod grow;

use domain::random::SeededRandom;
use serde::{Deserialize, Serialize};

pub(super) use self::file::{GUARD_TENSORS, TREE_TENSORS};
use self::{bins::BinnedFeatures, grow::grow_tree};

/// The settings of gradient boosting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TreeSettings {
    /// The number of boosting rounds, one tree each.
    #[serde(rename = "trees")]
    pub max_trees: usize,
    /// The share of each tree's prediction that is added to the ensemble's (shrinkage).
    #[serde(rename = "rate")]
    pub learning_rate: f64,
    /// The largest number of leaves of a tree.
    #[serde(rename = "leaves")]
    pub max_leaves: usize,
    /// The fewest rows of a leaf.
    #[serde(rename = "least")]
    pub min_rows_per_leaf: usize,
    /// The share of the columns that is sampled for each tree.
    #[serde(rename = "columns")]
    pub column_sample: f64,
    /// The share of the rows that is sampled for each tree, without replacement.
    #[serde(rename = "rows")]
    pub row_sample: f64,
    /// L2 regularisation of leaf values: as if a leaf had this many more rows with a residual of 0.
    pub lambda: f64,
}

/// A node: a split, or a leaf with its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TreeNode {
    /// The column of the split, and the children: rows with a value up to the threshold go to the
    /// first. A leaf is its own child.
    pub(super) column: u32,
    pub(super) threshold: f32,
    pub(super) children: [u32; 2],
    /// The value of rows that end here.
    pub(super) value: f32,
}

/// A tree: its first node is the root, children come after their parents.
pub(super) type RegressionTree = Vec<TreeNode>;

/// Boosted trees: their values are summed.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeEnsemble {
    /// The prediction before any tree.
    pub(super) base: f32,
    pub(super) trees: Vec<RegressionTree>,
}

/// Rows of features, one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct FeatureRows<'a> {
    pub(super) values: &'a [f32],
    pub(super) columns: usize,
}

impl<'a> FeatureRows<'a> {
    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = &'a [f32]> {
        self.values.chunks_exact(self.columns)
    }
}

impl TreeEnsemble {
    /// An ensemble without trees, which predicts the mean of the targets.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "features have single precision"
    )]
    #[expect(clippy::cast_precision_loss, reason = "rows stay far under 2⁵³")]
    pub(super) fn from_targets(targets: &[f64]) -> Self {
        let base = (targets.iter().sum::<f64>() / targets.len().max(1) as f64) as f32;
        Self {
            base,
            trees: Vec::new(),
        }
    }

    /// The number of trees.
    #[must_use]
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Whether it has no trees.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The prediction for a row of features.
    pub(super) fn predict(&self, row: &[f32]) -> f64 {
        let trees = self
            .trees
            .iter()
            .map(|tree| f64::from(find_leaf_value(tree, row)));
        trees.fold(f64::from(self.base), |sum, value| sum + value)
    }
}

/// Grows trees one by one.
pub(super) struct TreeGrower<'a> {
    rows: FeatureRows<'a>,
    binned: BinnedFeatures,
    /// The target less the prediction so far, by row.
    residuals: Vec<f64>,
    settings: TreeSettings,
    seed: u64,
}

impl<'a> TreeGrower<'a> {
    /// A grower that continues from existing trees: an interrupted training grows the same trees
    /// as an uninterrupted one.
    pub(super) fn new(
        trees: &TreeEnsemble,
        rows: FeatureRows<'a>,
        targets: &[f64],
        settings: TreeSettings,
        seed: u64,
    ) -> Self {
        let rows_with_targets = rows.iter().zip(targets);
        Self {
            rows,
            binned: BinnedFeatures::new(rows),
            residuals: rows_with_targets
                .map(|(row, target)| target - trees.predict(row))
                .collect(),
            settings,
            seed,
        }
    }

    /// Adds a tree, unless there are enough, and returns the remaining mean squared error.
    pub(super) fn step(&mut self, trees: &mut TreeEnsemble) -> Option<f64> {
        if trees.len() >= self.settings.max_trees {
            return None;
        }

        let mut random = SeededRandom::new(derive_tree_seed(self.seed, trees.len()));
        let tree = grow_tree(&self.binned, &self.residuals, &self.settings, &mut random);
        for (row, residual) in self.rows.iter().zip(&mut self.residuals) {
            *residual -= f64::from(find_leaf_value(&tree, row));
        }
        trees.trees.push(tree);
        Some(compute_mean_square(&self.residuals))
    }
}

fn find_leaf_value(tree: &[TreeNode], row: &[f32]) -> f32 {
    let mut at = 0;
    loop {
        let node = &tree[at];
        if node.children[0] as usize == at {
            return node.value;
        }
        let side = usize::from(row[node.column as usize] > node.threshold);
        at = node.children[side] as usize;
    }
}

/// A random sequence for each tree, so that its number is enough
/// to resume.
fn derive_tree_seed(seed: u64, tree: usize) -> u64 {
    seed.wrapping_add(1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(tree as u64)
}

#[expect(clippy::cast_precision_loss, reason = "rows stay far under 2⁵³")]
fn compute_mean_square(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SETTINGS: TreeSettings = TreeSettings {
        max_trees: 30,
        learning_rate: 0.3,
        max_leaves: 8,
        min_rows_per_leaf: 2,
        column_sample: 1.0,
        row_sample: 1.0,
        lambda: 0.0,
    };

    fn grown(
        values: &[f32],
        columns: usize,
        targets: &[f64],
        settings: &TreeSettings,
    ) -> TreeEnsemble {
        let mut trees = TreeEnsemble::from_targets(targets);
        go_on(&mut trees, values, columns, targets, settings);
        trees
    }

    fn go_on(
        trees: &mut TreeEnsemble,
        values: &[f32],
        columns: usize,
        targets: &[f64],
        settings: &TreeSettings,
    ) {
        let mut grower = TreeGrower::new(
            trees,
            FeatureRows { values, columns },
            targets,
            *settings,
            1,
        );
        while grower.step(trees).is_some() {}
    }

    #[test]
    fn a_step_is_learned() {
        let values: Vec<f32> = (0..20_u8).map(f32::from).collect();
        let targets: Vec<f64> = values
            .iter()
            .map(|value| if *value < 7.0 { -1.0 } else { 2.0 })
            .collect();
        let trees = grown(&values, 1, &targets, &SETTINGS);
        for (value, target) in values.iter().zip(&targets) {
            assert!((trees.predict(&[*value]) - target).abs() < 1e-3);
        }
        assert_eq!(trees.trees[0][0].threshold.to_bits(), 6.5_f32.to_bits());
    }

    /// One tree of one split by hand: residuals −1 (three rows) and 1 (three rows), λ 1, learning rate .5.
    #[test]
    fn a_leaf_is_worth_the_sum_over_rows_and_lambda() {
        let settings = TreeSettings {
            max_trees: 1,
            learning_rate: 0.5,
            max_leaves: 2,
            lambda: 1.0,
            ..SETTINGS
        };
        let values = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let targets = [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0];
        let trees = grown(&values, 1, &targets, &settings);
        assert!((trees.predict(&[0.0]) + 0.375).abs() < 1e-7);
        assert!((trees.predict(&[1.0]) - 0.375).abs() < 1e-7);
    }

    #[test]
    fn leaves_keep_to_their_number_and_their_least_rows() {
        let values: Vec<f32> = (0..100_u8).map(f32::from).collect();
        let targets: Vec<f64> = values.iter().map(|value| f64::from(*value).sin()).collect();
        let settings = TreeSettings {
            max_leaves: 5,
            min_rows_per_leaf: 9,
            ..SETTINGS
        };
        for tree in grown(&values, 1, &targets, &settings).trees {
            let mut rows = vec![0; tree.len()];
            for value in &values {
                let mut at = 0;
                while tree[at].children[0] as usize != at {
                    at = tree[at].children[usize::from(*value > tree[at].threshold)] as usize;
                }
                rows[at] += 1;
            }
            let leaves: Vec<usize> = rows.into_iter().filter(|count| *count > 0).collect();
            assert!(
                leaves.len() <= 5 && leaves.iter().all(|count| *count >= 9),
                "{leaves:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn stopped_and_taken_up_again_it_comes_to_the_same(
            values in prop::collection::vec(-3.0_f32..3.0, 80),
            stop in 0..12_usize,
        ) {
            let targets: Vec<f64> = values.chunks(2).map(|pair| f64::from(pair[0] * pair[1])).collect();
            let settings = TreeSettings { max_trees: 12, column_sample: 0.5, row_sample: 0.7, ..SETTINGS };
            let whole = grown(&values, 2, &targets, &settings);
            let mut trees = TreeEnsemble::from_targets(&targets);
            go_on(&mut trees, &values, 2, &targets, &TreeSettings { max_trees: stop, ..settings });
            prop_assert_eq!(trees.len(), stop);
            go_on(&mut trees, &values, 2, &targets, &settings);
            prop_assert_eq!(trees, whole);
        }
    }
}
