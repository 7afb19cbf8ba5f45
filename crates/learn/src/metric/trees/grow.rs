//! Leaf-wise growth of one tree: the leaf whose split gains most is split next.

use domain::random::SeededRandom;

use super::{RegressionTree, TreeNode, TreeSettings, bins::BinnedFeatures};

/// The sum of the residuals over the rows of a bin or a leaf.
#[derive(Debug, Clone, Copy, Default)]
struct ResidualSum {
    residual: f64,
    rows: usize,
}

/// A leaf that may be split.
struct LeafCandidate {
    node: usize,
    rows: Vec<u32>,
    /// The histogram: residuals by sampled column, then bin.
    sums: Vec<Vec<ResidualSum>>,
    best: Option<LeafSplit>,
}

/// The best way to split a leaf.
#[derive(Debug, Clone, Copy)]
struct LeafSplit {
    gain: f64,
    /// The index among the sampled columns.
    column: usize,
    /// The last bin on the left.
    bin: usize,
}

/// Grows a regression tree that fits the residuals.
pub(super) fn grow_tree(
    binned: &BinnedFeatures,
    residuals: &[f64],
    settings: &TreeSettings,
    random: &mut SeededRandom,
) -> RegressionTree {
    let columns = sample_indices(binned.columns.len(), settings.column_sample, random);
    let rows: Vec<u32> = sample_indices(binned.rows, settings.row_sample, random)
        .into_iter()
        .map(|row| u32::try_from(row).expect("rows are far fewer than 2³²"))
        .collect();

    let root_sums = sum_residuals(binned, &columns, &rows, residuals);
    let mut tree = vec![make_leaf(0, &rows, residuals, settings)];
    let mut leaves = vec![LeafCandidate::new(0, rows, root_sums, settings)];

    // Growth is leaf-wise: of all leaves at any depth, the one with the greatest gain is split.
    while leaves.len() < settings.max_leaves.max(1) {
        let Some(at) = find_best_leaf(&leaves) else {
            break;
        };
        let parent = leaves.remove(at);
        let split = parent.best.expect("a leaf that gains has a split");
        let column = &binned.columns[columns[split.column]];

        let (left, right): (Vec<u32>, Vec<u32>) = parent
            .rows
            .iter()
            .partition(|row| usize::from(column.bins[**row as usize]) <= split.bin);

        // Only the smaller child's histogram is summed up; the larger one's is the difference from the parent's.
        let smaller = if left.len() < right.len() {
            &left
        } else {
            &right
        };
        let smaller_sums = sum_residuals(binned, &columns, smaller, residuals);
        let larger_sums = subtract_histograms(parent.sums, &smaller_sums);
        let (left_sums, right_sums) = if left.len() < right.len() {
            (smaller_sums, larger_sums)
        } else {
            (larger_sums, smaller_sums)
        };

        // The parent's node becomes a split, and its children come after it, so that a reader of the file can check
        // that no path is circular. The parent keeps its value, which no row uses.
        let first = tree.len();
        tree[parent.node] = TreeNode {
            column: to_u32(columns[split.column]),
            threshold: column.upper_edges[split.bin],
            children: [to_u32(first), to_u32(first + 1)],
            ..tree[parent.node]
        };

        tree.push(make_leaf(first, &left, residuals, settings));
        tree.push(make_leaf(first + 1, &right, residuals, settings));
        leaves.push(LeafCandidate::new(first, left, left_sums, settings));
        leaves.push(LeafCandidate::new(first + 1, right, right_sums, settings));
    }

    tree
}

impl LeafCandidate {
    fn new(
        node: usize,
        rows: Vec<u32>,
        sums: Vec<Vec<ResidualSum>>,
        settings: &TreeSettings,
    ) -> Self {
        Self {
            best: find_best_split(&sums, settings),
            node,
            rows,
            sums,
        }
    }
}

/// A histogram of the rows for each column: with it, the gain of every split takes one pass over at most 255 bins.
fn sum_residuals(
    binned: &BinnedFeatures,
    columns: &[usize],
    rows: &[u32],
    residuals: &[f64],
) -> Vec<Vec<ResidualSum>> {
    let columns = columns.iter().map(|at| &binned.columns[*at]);
    columns
        .map(|column| {
            let mut sums = vec![ResidualSum::default(); column.upper_edges.len() + 1];
            for &row in rows {
                let sum = &mut sums[usize::from(column.bins[row as usize])];
                sum.residual += residuals[row as usize];
                sum.rows += 1;
            }
            sums
        })
        .collect()
}

/// A random sample of `0..all` in ascending order, of at least one element if there is any.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a part of a small number"
)]
fn sample_indices(all: usize, part: f64, random: &mut SeededRandom) -> Vec<usize> {
    let mut items: Vec<usize> = (0..all).collect();
    if part < 1.0 {
        random.shuffle(&mut items);
        items.truncate(((all as f64 * part).round() as usize).max(1));
        items.sort_unstable();
    }
    items
}

/// The leaf whose split gains most; the oldest one on a tie.
fn find_best_leaf(leaves: &[LeafCandidate]) -> Option<usize> {
    let gains = leaves.iter().enumerate();
    let gains = gains.filter_map(|(at, leaf)| Some((at, leaf.best?.gain)));
    gains
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map(|(at, _)| at)
}

/// The split of a leaf with the greatest gain, if an allowed one gains anything.
fn find_best_split(sums: &[Vec<ResidualSum>], settings: &TreeSettings) -> Option<LeafSplit> {
    let mut best: Option<LeafSplit> = None;
    for (column, bins) in sums.iter().enumerate() {
        let all = bins
            .iter()
            .fold(ResidualSum::default(), |a, b| add_sums(a, *b));
        let before = compute_loss_reduction(all, settings);

        let mut left = ResidualSum::default();
        for (bin, sum) in bins.iter().enumerate().take(bins.len() - 1) {
            left = add_sums(left, *sum);
            let right = subtract_sums(all, left);
            // After an empty bin the split is the same as before it.
            if left.rows < settings.min_rows_per_leaf || sum.rows == 0 {
                continue;
            }
            if right.rows < settings.min_rows_per_leaf {
                break;
            }

            let gain = compute_loss_reduction(left, settings)
                + compute_loss_reduction(right, settings)
                - before;
            // Rounding errors must not look like a gain; the first split wins a tie.
            if gain > best.map_or(1e-9, |best| best.gain) {
                best = Some(LeafSplit { gain, column, bin });
            }
        }
    }
    best
}

/// Twice the reduction of the squared loss by a leaf with that sum of residuals.
#[expect(clippy::cast_precision_loss, reason = "rows stay far under 2⁵³")]
fn compute_loss_reduction(sum: ResidualSum, settings: &TreeSettings) -> f64 {
    sum.residual * sum.residual / (sum.rows as f64 + settings.lambda)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "trees have single precision"
)]
#[expect(clippy::cast_precision_loss, reason = "rows stay far under 2⁵³")]
fn make_leaf(node: usize, rows: &[u32], residuals: &[f64], settings: &TreeSettings) -> TreeNode {
    let sum: f64 = rows.iter().map(|row| residuals[*row as usize]).sum();
    TreeNode {
        column: 0,
        threshold: 0.0,
        children: [to_u32(node); 2],
        value: (settings.learning_rate * sum / (rows.len() as f64 + settings.lambda).max(1.0))
            as f32,
    }
}

fn to_u32(at: usize) -> u32 {
    u32::try_from(at).expect("columns and nodes are few")
}

fn add_sums(a: ResidualSum, b: ResidualSum) -> ResidualSum {
    ResidualSum {
        residual: a.residual + b.residual,
        rows: a.rows + b.rows,
    }
}

fn subtract_sums(a: ResidualSum, b: ResidualSum) -> ResidualSum {
    ResidualSum {
        residual: a.residual - b.residual,
        rows: a.rows - b.rows,
    }
}

fn subtract_histograms(
    all: Vec<Vec<ResidualSum>>,
    part: &[Vec<ResidualSum>],
) -> Vec<Vec<ResidualSum>> {
    let columns = all.into_iter().zip(part);
    columns
        .map(|(all, part)| {
            all.into_iter()
                .zip(part)
                .map(|(a, b)| subtract_sums(a, *b))
                .collect()
        })
        .collect()
}
