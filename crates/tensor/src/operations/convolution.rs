//! Convolution over the neighbours of a grid's cells.

use rayon::prelude::*;

use crate::{
    matrix::{add_product, add_row, cut_columns, sum_columns, view, view_mut},
    tensor::Tensor,
};

/// The neighbours of a cell, itself included: three by three.
const NEIGHBOURS: usize = 9;

/// Grids of one size. A tensor over them has a row for each cell, row by row and grid by grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grids {
    /// The number of grids.
    pub count: usize,
    /// The rows of each.
    pub rows: usize,
    /// The columns of each.
    pub columns: usize,
}

impl Grids {
    /// The number of all cells.
    #[must_use]
    pub const fn cells(self) -> usize {
        self.count * self.rows * self.columns
    }

    /// For each cell, the number of its row among those of all grids.
    #[must_use]
    pub fn row_places(self) -> Vec<usize> {
        (0..self.cells()).map(|cell| cell / self.columns).collect()
    }

    /// For each cell, the number of its column among those of all grids.
    #[must_use]
    pub fn column_places(self) -> Vec<usize> {
        let grid_cells = self.rows * self.columns;
        let cells = 0..self.cells();
        cells
            .map(|cell| cell / grid_cells * self.columns + cell % self.columns)
            .collect()
    }
}

impl Tensor {
    /// For each cell of grids, a linear map of its neighbours in three rows and columns, with zeros beyond the edge.
    /// Channels are in `groups`, each of which sees only itself: `weight` is `[to, from ÷ groups, 3, 3]`, the bias
    /// `[to]`.
    #[must_use]
    pub fn convolution(&self, weight: &Self, bias: &Self, grids: Grids, groups: usize) -> Self {
        let kernel = Kernel::new(weight, groups);
        let mut values = kernel.apply(self.values(), grids);
        let to = kernel.to();
        for row in values.chunks_exact_mut(to) {
            add_row(row, bias.values());
        }

        let (input, map, start) = (self.clone(), weight.clone(), bias.clone());
        let inputs = [self, weight, bias];
        Self::from_operation([self.rows(), to], values, &inputs, move |gradient, all| {
            all.add(&start, || sum_columns(gradient, to));
            all.add(&map, || kernel.weigh(input.values(), gradient, grids));
            all.add(&input, || kernel.reversed().apply(gradient, grids));
        })
    }
}

/// The weights of a convolution.
#[derive(Debug, Clone)]
struct Kernel {
    groups: usize,
    /// The channels of a group, before and after.
    from: usize,
    to: usize,
    /// `[groups · to, from, neighbours]`
    weights: Vec<f32>,
}

impl Kernel {
    fn new(weight: &Tensor, groups: usize) -> Self {
        Self {
            groups,
            from: weight.columns() / NEIGHBOURS,
            to: weight.rows() / groups,
            weights: weight.values().to_vec(),
        }
    }

    const fn to(&self) -> usize {
        self.groups * self.to
    }

    /// The kernel by which gradients go back: from and to, and opposite neighbours, change places.
    fn reversed(&self) -> Self {
        let mut weights = vec![0.0; self.weights.len()];
        for (at, weight) in self.weights.iter().enumerate() {
            let (neighbour, channel) = (at % NEIGHBOURS, at / NEIGHBOURS);
            let (from, to) = (channel % self.from, channel / self.from);
            let (group, to) = (to / self.to, to % self.to);
            let place = (group * self.from + from) * self.to + to;
            weights[place * NEIGHBOURS + NEIGHBOURS - 1 - neighbour] = *weight;
        }
        Self {
            groups: self.groups,
            from: self.to,
            to: self.from,
            weights,
        }
    }

    /// The weighted sums for each cell. A thread computes those of one row of a grid at a time.
    fn apply(&self, values: &[f32], grids: Grids) -> Vec<f32> {
        let size = self.from * NEIGHBOURS;
        let mut results = vec![0.0; grids.cells() * self.to()];
        let rows = results.par_chunks_mut(grids.columns * self.to());
        rows.enumerate().for_each(|(row, results)| {
            let around = self.collect_neighbours(values, grids, row);
            let around = view(&around, grids.columns, self.groups * size);
            let mut results = view_mut(results, grids.columns, self.to());
            for group in 0..self.groups {
                let weights = &self.weights[group * self.to * size..][..self.to * size];
                add_product(
                    cut_columns(around, group * size..(group + 1) * size),
                    view(weights, self.to, size).reversed_axes(),
                    cut_columns(results.view_mut(), group * self.to..(group + 1) * self.to),
                );
            }
        });
        results
    }

    /// The gradient of the weights: for each, the sum of its inputs' products with the gradient.
    fn weigh(&self, values: &[f32], gradient: &[f32], grids: Grids) -> Vec<f32> {
        let size = self.from * NEIGHBOURS;
        let grid_length = grids.rows * grids.columns * self.to();

        let grid_sums = gradient
            .par_chunks(grid_length)
            .enumerate()
            .map(|(grid, gradient)| {
                let mut sums = vec![0.0; self.weights.len()];
                let rows = gradient.chunks_exact(grids.columns * self.to());
                for (row, gradient) in rows.enumerate() {
                    let around = self.collect_neighbours(values, grids, grid * grids.rows + row);
                    let around = view(&around, grids.columns, self.groups * size);
                    let gradient = view(gradient, grids.columns, self.to());
                    for (group, sums) in sums.chunks_exact_mut(self.to * size).enumerate() {
                        let group_gradient =
                            cut_columns(gradient, group * self.to..(group + 1) * self.to);
                        add_product(
                            group_gradient.reversed_axes(),
                            cut_columns(around, group * size..(group + 1) * size),
                            view_mut(sums, self.to, size),
                        );
                    }
                }
                sums
            });

        // Summed in the order of the grids, whichever thread was the first.
        let grid_sums: Vec<Vec<f32>> = grid_sums.collect();
        let mut sums = vec![0.0; self.weights.len()];
        grid_sums.iter().for_each(|grid| add_row(&mut sums, grid));
        sums
    }

    /// The neighbours of each cell in a row of a grid, `[columns, channels, neighbours]`.
    fn collect_neighbours(&self, values: &[f32], grids: Grids, row: usize) -> Vec<f32> {
        let channels = self.groups * self.from;
        let mut around = vec![0.0; grids.columns * channels * NEIGHBOURS];
        let cells = around.chunks_exact_mut(channels * NEIGHBOURS);
        for (column, around) in cells.enumerate() {
            for neighbour in 0..NEIGHBOURS {
                let below = row % grids.rows + neighbour / 3;
                let right = column + neighbour % 3;
                if !(1..=grids.rows).contains(&below) || !(1..=grids.columns).contains(&right) {
                    continue;
                }
                let cell = (row + neighbour / 3 - 1) * grids.columns + right - 1;
                let own = &values[cell * channels..][..channels];
                let places = around.iter_mut().skip(neighbour).step_by(NEIGHBOURS);
                places.zip(own).for_each(|(place, value)| *place = *value);
            }
        }
        around
    }
}
