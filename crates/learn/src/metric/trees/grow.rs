//! One tree: the leaf that gains most by it is split, until there are enough.

use domain::random::Random;

use super::{Node, Settings, Tree, bins::Binned};

/// What the rows of a bin, or a leaf, still miss.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    missing: f64,
    rows: usize,
}

/// A leaf that may be split.
struct Leaf {
    node: usize,
    rows: Vec<u32>,
    /// By column looked at, then bin.
    sums: Vec<Vec<Sum>>,
    best: Option<Split>,
}

/// The best way to split a leaf.
#[derive(Debug, Clone, Copy)]
struct Split {
    gain: f64,
    /// Of those looked at.
    column: usize,
    /// The last bin on the left.
    bin: usize,
}

/// Grows a tree towards what each row still misses.
pub(super) fn grow(
    binned: &Binned,
    missing: &[f64],
    settings: &Settings,
    random: &mut Random,
) -> Tree {
    let columns = drawn(binned.columns.len(), settings.columns, random);
    let rows: Vec<u32> = drawn(binned.rows, settings.rows, random)
        .into_iter()
        .map(|row| u32::try_from(row).expect("rows are far fewer than 2³²"))
        .collect();
    let sums = |rows: &[u32]| -> Vec<Vec<Sum>> {
        let columns = columns.iter().map(|at| &binned.columns[*at]);
        columns
            .map(|column| {
                let mut sums = vec![Sum::default(); column.ends.len() + 1];
                for &row in rows {
                    let sum = &mut sums[usize::from(column.bins[row as usize])];
                    sum.missing += missing[row as usize];
                    sum.rows += 1;
                }
                sums
            })
            .collect()
    };
    let leaf = |node: usize, rows: Vec<u32>, sums: Vec<Vec<Sum>>| Leaf {
        best: best(&sums, settings),
        node,
        rows,
        sums,
    };
    let root_sums = sums(&rows);
    let mut tree = vec![end(0, &rows, missing, settings)];
    let mut leaves = vec![leaf(0, rows, root_sums)];
    while leaves.len() < settings.leaves.max(1) {
        let Some(at) = most_gained(&leaves) else {
            break;
        };
        let old = leaves.remove(at);
        let split = old.best.expect("a leaf that gains has a split");
        let column = &binned.columns[columns[split.column]];
        let (left, right): (Vec<u32>, Vec<u32>) = old
            .rows
            .iter()
            .partition(|row| usize::from(column.bins[**row as usize]) <= split.bin);
        // What the smaller side sums up to is taken off, so that only its rows are gone through.
        let small = sums(if left.len() < right.len() {
            &left
        } else {
            &right
        });
        let large = without(old.sums, &small);
        let (left_sums, right_sums) = if left.len() < right.len() {
            (small, large)
        } else {
            (large, small)
        };
        let first = tree.len();
        tree[old.node] = Node {
            column: number(columns[split.column]),
            threshold: column.ends[split.bin],
            children: [number(first), number(first + 1)],
            ..tree[old.node]
        };
        tree.push(end(first, &left, missing, settings));
        tree.push(end(first + 1, &right, missing, settings));
        leaves.push(leaf(first, left, left_sums));
        leaves.push(leaf(first + 1, right, right_sums));
    }
    tree
}

/// A part of `0..all`, at least one where there is one, in ascending order.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a part of a small number"
)]
fn drawn(all: usize, part: f64, random: &mut Random) -> Vec<usize> {
    let mut items: Vec<usize> = (0..all).collect();
    if part < 1.0 {
        random.shuffle(&mut items);
        items.truncate(((all as f64 * part).round() as usize).max(1));
        items.sort_unstable();
    }
    items
}

/// The leaf whose split gains most; of several the oldest.
fn most_gained(leaves: &[Leaf]) -> Option<usize> {
    let gains = leaves.iter().enumerate();
    let gains = gains.filter_map(|(at, leaf)| Some((at, leaf.best?.gain)));
    gains
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map(|(at, _)| at)
}

/// The split of a leaf after which least is missing, if any is allowed and gains.
fn best(sums: &[Vec<Sum>], settings: &Settings) -> Option<Split> {
    let mut best: Option<Split> = None;
    for (column, bins) in sums.iter().enumerate() {
        let all = bins.iter().fold(Sum::default(), |a, b| plus(a, *b));
        let before = explained(all, settings);
        let mut left = Sum::default();
        for (bin, sum) in bins.iter().enumerate().take(bins.len() - 1) {
            left = plus(left, *sum);
            let right = minus(all, left);
            if left.rows < settings.least || sum.rows == 0 {
                continue;
            }
            if right.rows < settings.least {
                break;
            }
            let gain = explained(left, settings) + explained(right, settings) - before;
            if gain > best.map_or(1e-9, |best| best.gain) {
                best = Some(Split { gain, column, bin });
            }
        }
    }
    best
}

/// How much of the squared loss a leaf of that sum takes away, times two.
#[expect(clippy::cast_precision_loss, reason = "rows stay far under 2⁵³")]
fn explained(sum: Sum, settings: &Settings) -> f64 {
    sum.missing * sum.missing / (sum.rows as f64 + settings.lambda)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "trees have single precision"
)]
#[expect(clippy::cast_precision_loss, reason = "rows stay far under 2⁵³")]
fn end(node: usize, rows: &[u32], missing: &[f64], settings: &Settings) -> Node {
    let sum: f64 = rows.iter().map(|row| missing[*row as usize]).sum();
    Node {
        column: 0,
        threshold: 0.0,
        children: [number(node); 2],
        value: (settings.rate * sum / (rows.len() as f64 + settings.lambda).max(1.0)) as f32,
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("columns and nodes are few")
}

fn plus(a: Sum, b: Sum) -> Sum {
    Sum {
        missing: a.missing + b.missing,
        rows: a.rows + b.rows,
    }
}

fn minus(a: Sum, b: Sum) -> Sum {
    Sum {
        missing: a.missing - b.missing,
        rows: a.rows - b.rows,
    }
}

fn without(all: Vec<Vec<Sum>>, part: &[Vec<Sum>]) -> Vec<Vec<Sum>> {
    let columns = all.into_iter().zip(part);
    columns
        .map(|(all, part)| {
            all.into_iter()
                .zip(part)
                .map(|(a, b)| minus(a, *b))
                .collect()
        })
        .collect()
}
