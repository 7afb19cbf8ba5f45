//! Operations on the numbers of tensors of one shape, and sums.

use std::ops::{Add, Mul, Sub};

use rayon::prelude::*;

use crate::{
    matrix::{CHUNK_LENGTH, combine, for_rows, map},
    random::{Dropout, Mask},
    tensor::Tensor,
};

impl Tensor {
    /// The result of `function` for each number. `function` returns its value and its derivative.
    pub(super) fn map(&self, function: impl Fn(f32) -> (f32, f32) + Sync) -> Self {
        let inputs = self.values();
        if !self.is_tracked() {
            let values = map(inputs, |input| function(input).0);
            return Self::new(self.shape(), values);
        }

        let mut values = vec![0.0; inputs.len()];
        let mut slopes = vec![0.0; inputs.len()];
        inputs
            .par_chunks(CHUNK_LENGTH)
            .zip(values.par_chunks_mut(CHUNK_LENGTH))
            .zip(slopes.par_chunks_mut(CHUNK_LENGTH))
            .for_each(|((inputs, values), slopes)| {
                for ((input, value), slope) in inputs.iter().zip(values).zip(slopes) {
                    (*value, *slope) = function(*input);
                }
            });

        let input = self.clone();
        Self::from_operation(self.shape(), values, &[self], move |gradient, all| {
            all.add(&input, || {
                combine(gradient, &slopes, |by, slope| by * slope)
            });
        })
    }

    /// The sum of all numbers.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "networks compute with single precision"
    )]
    pub fn sum(&self) -> Self {
        let sum = self.values().iter().map(|value| f64::from(*value));
        let (input, count) = (self.clone(), self.values().len());
        let sum = sum.sum::<f64>() as f32;
        Self::from_operation([1], vec![sum], &[self], move |gradient, all| {
            all.add(&input, || vec![gradient[0]; count]);
        })
    }

    /// The mean of all numbers.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "tensors have far fewer numbers than 2⁵³"
    )]
    pub fn mean(&self) -> Self {
        &self.sum() * (1.0 / self.values().len() as f32)
    }

    /// Each row times its factor.
    ///
    /// # Panics
    /// If there are more or fewer rows than factors.
    #[must_use]
    pub fn scale_rows(&self, factors: &[f32]) -> Self {
        assert_eq!(self.rows(), factors.len(), "each row has a factor");
        let columns = self.columns();
        let (input, factors) = (self.clone(), factors.to_vec());
        let values = multiply_rows(self.values(), &factors, columns);
        Self::from_operation(self.shape(), values, &[self], move |gradient, all| {
            all.add(&input, || multiply_rows(gradient, &factors, columns));
        })
    }

    /// All numbers times the single one of `factor`.
    ///
    /// # Panics
    /// If `factor` has more than one number.
    #[must_use]
    pub fn scale(&self, factor: &Self) -> Self {
        let by = factor.scalar();
        let (input, scale) = (self.clone(), factor.clone());
        let values = map(self.values(), |value| value * by);
        Self::from_operation(
            self.shape(),
            values,
            &[self, factor],
            move |gradient, all| {
                all.add(&input, || map(gradient, |value| value * by));
                all.add(&scale, || {
                    let products = gradient.iter().zip(input.values());
                    vec![products.map(|(gradient, value)| gradient * value).sum()]
                });
            },
        )
    }

    /// Numbers left out at random, and the others enlarged.
    #[must_use]
    pub fn dropout(&self, dropout: Dropout<'_>) -> Self {
        let Some(mask) = dropout.deal() else {
            return self.clone();
        };
        let (input, columns) = (self.clone(), self.columns());
        let values = drop_from(self.values(), columns, mask);
        Self::from_operation(self.shape(), values, &[self], move |gradient, all| {
            all.add(&input, || drop_from(gradient, columns, mask));
        })
    }

    fn combine(&self, other: &Self, function: impl Fn(f32, f32) -> f32 + Sync) -> Vec<f32> {
        assert_eq!(self.shape(), other.shape(), "tensors of one shape");
        combine(self.values(), other.values(), function)
    }
}

fn multiply_rows(values: &[f32], factors: &[f32], columns: usize) -> Vec<f32> {
    let mut results = values.to_vec();
    for_rows(&mut results, columns, |row, result| {
        result.iter_mut().for_each(|value| *value *= factors[row]);
    });
    results
}

fn drop_from(values: &[f32], columns: usize, mask: Mask) -> Vec<f32> {
    let mut results = values.to_vec();
    for_rows(&mut results, columns, |row, results| {
        for (column, result) in results.iter_mut().enumerate() {
            *result *= mask.factor(row * columns + column);
        }
    });
    results
}

impl Add for &Tensor {
    type Output = Tensor;

    fn add(self, other: Self) -> Tensor {
        let values = self.combine(other, |left, right| left + right);
        let inputs = [self.clone(), other.clone()];
        Tensor::from_operation(
            self.shape(),
            values,
            &[self, other],
            move |gradient, all| {
                for input in &inputs {
                    all.add(input, || gradient.to_vec());
                }
            },
        )
    }
}

impl Sub for &Tensor {
    type Output = Tensor;

    fn sub(self, other: Self) -> Tensor {
        let values = self.combine(other, |left, right| left - right);
        let (left, right) = (self.clone(), other.clone());
        Tensor::from_operation(
            self.shape(),
            values,
            &[self, other],
            move |gradient, all| {
                all.add(&left, || gradient.to_vec());
                all.add(&right, || map(gradient, |value| -value));
            },
        )
    }
}

impl Mul for &Tensor {
    type Output = Tensor;

    fn mul(self, other: Self) -> Tensor {
        let values = self.combine(other, |left, right| left * right);
        let (left, right) = (self.clone(), other.clone());
        Tensor::from_operation(
            self.shape(),
            values,
            &[self, other],
            move |gradient, all| {
                all.add(&left, || {
                    combine(gradient, right.values(), |by, value| by * value)
                });
                all.add(&right, || {
                    combine(gradient, left.values(), |by, value| by * value)
                });
            },
        )
    }
}

impl Mul<f32> for &Tensor {
    type Output = Tensor;

    fn mul(self, factor: f32) -> Tensor {
        let input = self.clone();
        let values = map(self.values(), |value| value * factor);
        Tensor::from_operation(self.shape(), values, &[self], move |gradient, all| {
            all.add(&input, || map(gradient, |value| value * factor));
        })
    }
}
