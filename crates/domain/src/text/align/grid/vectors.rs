//! The planes of word vectors: the similarity of two words, absolute and relative to others.

use super::{ENCODER_LAYERS, FeatureTensor, LayerCosines, zero_padded};

/// The layers for which rivals and neighbours are used, too: those with the most informative cosines.
const CONTEXT_LAYERS: [usize; 2] = [3, 5];

/// The extent of a pair's context along the diagonal.
const REACH: usize = 3;

pub(super) fn add(grid: &mut FeatureTensor, cosines: &LayerCosines) {
    for layer in &cosines[..ENCODER_LAYERS] {
        grid.values.extend_from_slice(layer);
    }
    for layer in CONTEXT_LAYERS {
        add_rivals(grid, &cosines[layer]);
        add_neighbours(grid, &cosines[layer]);
    }
}

/// The margin of a pair over the next best of its row and of its column, and the number of better
/// ones.
fn add_rivals(grid: &mut FeatureTensor, layer: &[f32]) {
    let (rows, columns) = (grid.rows, grid.columns);
    let row = |i: usize| layer[i * columns..(i + 1) * columns].iter().copied();
    let column = |j: usize| (0..rows).map(move |i| layer[i * columns + j]);
    let in_row: Vec<SortedCosines> = (0..rows).map(|i| SortedCosines::new(row(i))).collect();
    let in_column: Vec<SortedCosines> = (0..columns)
        .map(|j| SortedCosines::new(column(j)))
        .collect();

    let value = |i: usize, j: usize| layer[i * columns + j];
    grid.add(|i, j| in_row[i].margin(value(i, j)));
    grid.add(|i, j| in_column[j].margin(value(i, j)));
    grid.add(|i, j| in_row[i].rank(value(i, j)));
    grid.add(|i, j| in_column[j].rank(value(i, j)));
}

/// The cosines of one word with all words of the other text, in descending order.
struct SortedCosines(Vec<f32>);

impl SortedCosines {
    fn new(values: impl Iterator<Item = f32>) -> Self {
        let mut values: Vec<f32> = values.collect();
        values.sort_unstable_by(|a, b| b.total_cmp(a));
        Self(values)
    }

    /// The margin over the best other cosine, or over 0 without another.
    fn margin(&self, value: f32) -> f32 {
        let best = self.0.first().copied().unwrap_or_default();
        let rival = if value < best {
            best
        } else {
            self.0.get(1).copied().unwrap_or_default()
        };
        value - rival
    }

    /// The number of greater cosines, as a logarithm.
    #[expect(
        clippy::cast_precision_loss,
        reason = "texts have far fewer than 2²³ words"
    )]
    fn rank(&self, value: f32) -> f32 {
        let greater = self.0.partition_point(|other| *other > value);
        (1.0 + greater as f32).ln()
    }
}

fn add_neighbours(grid: &mut FeatureTensor, layer: &[f32]) {
    let at = zero_padded(layer, grid);
    grid.add_adjacent(at);
    grid.add(|i, j| {
        let before = (1..=REACH).map(|k| at(i.wrapping_sub(k), j.wrapping_sub(k)));
        let after = (1..=REACH).map(|k| at(i + k, j + k));
        before.chain(after).sum()
    });
}
