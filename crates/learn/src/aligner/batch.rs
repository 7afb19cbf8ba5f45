//! Batches of feature grids of similar size.

use domain::text::align::grid::FeatureTensor;
use tensor::{Grids, Tensor};

use super::{model::AlignerModelCard, network::CLIP};

/// Feature grids, padded to one size.
pub(super) struct GridBatch {
    /// Standardised, `[cells, features]`.
    pub(super) features: Tensor,
    /// 1 for a pair of words, 0 for padding.
    pub(super) inside: Vec<f32>,
    pub(super) grids: Grids,
}

impl GridBatch {
    pub(super) fn new(grids: &[&FeatureTensor], card: &AlignerModelCard) -> Self {
        let rows = grids.iter().map(|grid| grid.rows).max().unwrap_or(0);
        let columns = grids.iter().map(|grid| grid.columns).max().unwrap_or(0);
        let (cells, features) = (rows * columns, card.size.features);
        let mut grid_values = vec![0.0; grids.len() * cells * features];
        let mut inside = vec![0.0; grids.len() * cells];

        for (at, grid) in grids.iter().enumerate() {
            let planes = grid.values.chunks(grid.rows * grid.columns);
            for (feature, plane) in planes.enumerate() {
                let (mean, sd) = (card.mean[feature], card.sd[feature]);
                for (row, values) in plane.chunks(grid.columns).enumerate() {
                    let first = (at * rows + row) * columns;
                    let cells = grid_values[first * features..].chunks_exact_mut(features);
                    for (cell, value) in cells.zip(values) {
                        cell[feature] = ((value - mean) / sd).clamp(-CLIP, CLIP);
                    }
                }
            }
            for row in 0..grid.rows {
                inside[(at * rows + row) * columns..][..grid.columns].fill(1.0);
            }
        }

        Self {
            features: Tensor::new([inside.len(), features], grid_values),
            inside,
            grids: Grids {
                count: grids.len(),
                rows,
                columns,
            },
        }
    }
}

/// Batches of grids of similar size, each with at most `cells` pairs of words, padding included. A larger grid is a
/// batch of its own. Grids without a pair of words are left out.
pub(super) fn make_batches(grids: &[FeatureTensor], cells: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..grids.len())
        .filter(|&at| grids[at].rows * grids[at].columns > 0)
        .collect();
    order.sort_by_key(|&at| (grids[at].rows, grids[at].columns));

    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut last = (0, 0);
    for at in order {
        let (rows, columns) = (grids[at].rows, grids[at].columns);
        let grown = (rows.max(last.0), columns.max(last.1));
        match all.last_mut() {
            Some(batch) if (batch.len() + 1) * grown.0 * grown.1 <= cells => {
                batch.push(at);
                last = grown;
            }
            _ => {
                all.push(vec![at]);
                last = (rows, columns);
            }
        }
    }
    all
}
