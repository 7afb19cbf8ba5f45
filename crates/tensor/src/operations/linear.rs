//! Linear maps.

use crate::{
    matrix::{add_product, product, sum_columns, view, view_mut},
    tensor::Tensor,
};

impl Tensor {
    /// Maps each row by a matrix, `weight` `[to, from]`, and adds the bias, `[to]`, if there is one.
    ///
    /// # Panics
    /// If the shapes do not fit.
    #[must_use]
    pub fn linear(&self, weight: &Self, bias: Option<&Self>) -> Self {
        let (rows, to) = (self.rows(), weight.rows());
        let mut values = vec![0.0; rows * to];
        if let Some(bias) = bias {
            let results = values.chunks_exact_mut(to);
            results.for_each(|result| result.copy_from_slice(bias.values()));
        }
        add_product(
            self.matrix(),
            weight.matrix().reversed_axes(),
            view_mut(&mut values, rows, to),
        );

        let (input, map, start) = (self.clone(), weight.clone(), bias.cloned());
        let inputs: Vec<&Self> = [self, weight].into_iter().chain(bias).collect();
        Self::from_operation([rows, to], values, &inputs, move |gradient, all| {
            let gradient_rows = view(gradient, rows, to);
            all.add(&input, || product(gradient_rows, map.matrix()));
            all.add(&map, || {
                product(gradient_rows.reversed_axes(), input.matrix())
            });
            if let Some(start) = &start {
                all.add(start, || sum_columns(gradient, to));
            }
        })
    }
}
