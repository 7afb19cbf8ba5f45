//! Normalisation of rows.

use crate::{
    matrix::{for_rows, sum_columns},
    tensor::Tensor,
};

impl Tensor {
    /// Each row, less its mean and divided by its standard deviation, times `scale` and plus `offset`, both
    /// `[columns]` (Ba et al. 2016, “Layer Normalization”).
    #[must_use]
    pub fn layer_norm(&self, scale: &Self, offset: &Self, epsilon: f32) -> Self {
        let columns = self.columns();
        let mut moments = vec![0.0; 2 * self.rows()];
        for_rows(&mut moments, 2, |row, moments| {
            let values = &self.values()[row * columns..][..columns];
            moments.copy_from_slice(&compute_moments(values, epsilon));
        });

        let mut values = vec![0.0; self.values().len()];
        for_rows(&mut values, columns, |row, results| {
            let inputs = &self.values()[row * columns..][..columns];
            let [mean, inverse] = [moments[2 * row], moments[2 * row + 1]];
            let line = scale.values().iter().zip(offset.values());
            for ((result, input), (scale, offset)) in results.iter_mut().zip(inputs).zip(line) {
                *result = (input - mean) * inverse * scale + offset;
            }
        });

        let (input, factor, start) = (self.clone(), scale.clone(), offset.clone());
        let inputs = [self, scale, offset];
        Self::from_operation(self.shape(), values, &inputs, move |gradient, all| {
            // The rows before scale and offset.
            let mut standard = input.values().to_vec();
            for_rows(&mut standard, columns, |row, values| {
                for value in values {
                    *value = (*value - moments[2 * row]) * moments[2 * row + 1];
                }
            });

            all.add(&start, || sum_columns(gradient, columns));
            all.add(&factor, || {
                let mut products = gradient.to_vec();
                multiply(&mut products, &standard);
                sum_columns(&products, columns)
            });
            all.add(&input, || {
                let mut results = gradient.to_vec();
                for_rows(&mut results, columns, |row, results| {
                    multiply(results, factor.values());
                    let standard = &standard[row * columns..][..columns];
                    center(results, standard, moments[2 * row + 1]);
                });
                results
            });
        })
    }
}

/// The mean of a row, and the inverse of its standard deviation.
#[expect(
    clippy::cast_precision_loss,
    reason = "rows have some thousand elements"
)]
fn compute_moments(values: &[f32], epsilon: f32) -> [f32; 2] {
    let count = values.len() as f32;
    let mean = values.iter().sum::<f32>() / count;
    let squares: f32 = values
        .iter()
        .map(|value| (value - mean) * (value - mean))
        .sum();
    [mean, 1.0 / (squares / count + epsilon).sqrt()]
}

fn multiply(values: &mut [f32], factors: &[f32]) {
    for (value, factor) in values.iter_mut().zip(factors) {
        *value *= factor;
    }
}

/// Turns the gradient of a standardised row into that of the row itself.
#[expect(
    clippy::cast_precision_loss,
    reason = "rows have some thousand elements"
)]
fn center(gradient: &mut [f32], standard: &[f32], inverse: f32) {
    let count = gradient.len() as f32;
    let mean = gradient.iter().sum::<f32>() / count;
    let products = gradient.iter().zip(standard);
    let slope = products
        .map(|(gradient, standard)| gradient * standard)
        .sum::<f32>()
        / count;
    for (gradient, standard) in gradient.iter_mut().zip(standard) {
        *gradient = (*gradient - mean - standard * slope) * inverse;
    }
}
