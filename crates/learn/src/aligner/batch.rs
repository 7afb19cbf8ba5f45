//! Batches of feature grids of similar size.

use burn::tensor::{Device, Tensor, TensorData};
use domain::text::align::grid::FeatureTensor;

use super::{model::AlignerModelCard, network::CLIP};

/// Feature grids, padded to one size.
pub(super) struct GridBatch {
    /// Standardised, `[pairs of texts, features, rows, columns]`.
    pub(super) features: Tensor<4>,
    /// 1 for a pair of words, 0 for padding, `[pairs of texts, 1, rows, columns]`.
    pub(super) mask: Tensor<4>,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl GridBatch {
    pub(super) fn new(grids: &[&FeatureTensor], card: &AlignerModelCard, device: &Device) -> Self {
        let rows = grids.iter().map(|grid| grid.rows).max().unwrap_or(0);
        let columns = grids.iter().map(|grid| grid.columns).max().unwrap_or(0);
        let (cells, features) = (rows * columns, card.size.features);
        let mut grid_values = vec![0.0; grids.len() * features * cells];
        let mut inside = vec![0.0; grids.len() * cells];
        for (at, grid) in grids.iter().enumerate() {
            let planes = grid.values.chunks(grid.rows * grid.columns);
            for (feature, plane) in planes.enumerate() {
                let (mean, sd) = (card.mean[feature], card.sd[feature]);
                let from = (at * features + feature) * cells;
                for (row, values) in plane.chunks(grid.columns).enumerate() {
                    let to = &mut grid_values[from + row * columns..][..grid.columns];
                    for (to, value) in to.iter_mut().zip(values) {
                        *to = ((value - mean) / sd).clamp(-CLIP, CLIP);
                    }
                }
            }
            for row in 0..grid.rows {
                inside[at * cells + row * columns..][..grid.columns].fill(1.0);
            }
        }
        let tensor = |values: Vec<f32>, planes: usize| {
            let shape = [grids.len(), planes, rows, columns];
            Tensor::from_data(TensorData::new(values, shape), device)
        };
        Self {
            features: tensor(grid_values, features),
            mask: tensor(inside, 1),
            rows,
            columns,
        }
    }
}

/// Batches of grids of similar size, never of more than `cells` pairs of words with
/// padding unless one alone has them. Grids without a pair of words are in none.
pub(super) fn make_batches(grids: &[FeatureTensor], cells: usize) -> Vec<Vec<usize>> {
    let measures = |at: usize| (grids[at].rows, grids[at].columns);
    let mut order: Vec<usize> = (0..grids.len())
        .filter(|&at| measures(at).0 * measures(at).1 > 0)
        .collect();
    order.sort_by_key(|&at| measures(at));
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut last = (0, 0);
    for at in order {
        let (rows, columns) = measures(at);
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
