//! Activations: functions of each number, and softmax.

use std::f32::consts::{FRAC_2_SQRT_PI, SQRT_2};

use crate::tensor::Tensor;

impl Tensor {
    /// x·Φ(x), Φ being the share of a normal distribution below x (Hendrycks & Gimpel 2016, “Gaussian Error Linear
    /// Units”).
    #[must_use]
    pub fn gelu(&self) -> Self {
        self.map(|x| {
            let (below, density) = compute_normal_cdf(x);
            (x * below, below + x * density)
        })
    }

    /// The approximation of [`Self::gelu`] by a hyperbolic tangent, of the same paper.
    #[must_use]
    pub fn gelu_tanh(&self) -> Self {
        const FACTOR: f32 = FRAC_2_SQRT_PI / SQRT_2;
        const CUBIC: f32 = 0.044_715;
        self.map(|x| {
            let tanh = (FACTOR * (x + CUBIC * x * x * x)).tanh();
            let inner_slope = FACTOR * (1.0 + 3.0 * CUBIC * x * x);
            let slope = 0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * inner_slope;
            (0.5 * x * (1.0 + tanh), slope)
        })
    }

    /// The larger of each number and 0.
    #[must_use]
    pub fn relu(&self) -> Self {
        self.map(|x| (x.max(0.0), f32::from(u8::from(x > 0.0))))
    }

    /// The hyperbolic tangent of each number.
    #[must_use]
    pub fn tanh(&self) -> Self {
        self.map(|x| {
            let tanh = x.tanh();
            (tanh, 1.0 - tanh * tanh)
        })
    }

    /// The logistic function of each number.
    #[must_use]
    pub fn sigmoid(&self) -> Self {
        self.map(|x| {
            let value = 1.0 / (1.0 + (-x).exp());
            (value, value * (1.0 - value))
        })
    }

    /// ln(1 + eˣ) of each number.
    #[must_use]
    pub fn softplus(&self) -> Self {
        self.map(|x| {
            let value = x.max(0.0) + (-x.abs()).exp().ln_1p();
            (value, 1.0 / (1.0 + (-x).exp()))
        })
    }

    /// The absolute value of each number.
    #[must_use]
    pub fn abs(&self) -> Self {
        self.map(|x| (x.abs(), if x == 0.0 { 0.0 } else { x.signum() }))
    }

    /// The share of each number's exponential in the sum of all exponentials.
    #[must_use]
    pub fn softmax(&self) -> Self {
        let mut values = self.values().to_vec();
        softmax_row(&mut values);

        let (input, shares) = (self.clone(), values.clone());
        Self::from_operation(self.shape(), values, &[self], move |gradient, all| {
            all.add(&input, || {
                let mut result = gradient.to_vec();
                softmax_backward(&shares, &mut result);
                result
            });
        })
    }
}

/// Replaces the numbers by the shares of their exponentials in the sum of all exponentials.
pub(super) fn softmax_row(values: &mut [f32]) {
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in &mut *values {
        *value = (*value - largest).exp();
        sum += *value;
    }
    values.iter_mut().for_each(|value| *value /= sum);
}

/// Replaces the gradient of softmax's results, the shares, by that of its inputs.
pub(super) fn softmax_backward(shares: &[f32], gradient: &mut [f32]) {
    let products = shares.iter().zip(&*gradient);
    let mean: f32 = products.map(|(share, gradient)| share * gradient).sum();
    for (gradient, share) in gradient.iter_mut().zip(shares) {
        *gradient = share * (*gradient - mean);
    }
}

/// The share of a normal distribution below x, off by 7.5e-8 at most, and its density there
/// (Abramowitz & Stegun 1964, 26.2.17).
fn compute_normal_cdf(x: f32) -> (f32, f32) {
    const TERMS: [f32; 5] = [
        0.319_381_53,
        -0.356_563_78,
        1.781_477_9,
        -1.821_255_9,
        1.330_274_4,
    ];
    let density = 0.25 * SQRT_2 * FRAC_2_SQRT_PI * (-0.5 * x * x).exp();
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let above = TERMS.iter().rev().fold(0.0, |sum, term| (sum + term) * t) * density;
    (if x < 0.0 { above } else { 1.0 - above }, density)
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{Continuous, ContinuousCDF, Normal};

    use crate::Tensor;

    #[test]
    fn gelu_and_its_slope_are_those_of_the_formula() {
        let values: Vec<f32> = (-1_200..=1_200).map(|at| at as f32 / 100.0).collect();
        let x = Tensor::new([values.len()], values.clone()).tracked();
        let y = x.gelu();
        let gradients = y.sum().backward();
        let exact = Normal::standard();
        let results = values.iter().zip(y.values());
        for ((x, y), slope) in results.zip(gradients.find(&x).unwrap()) {
            let at = f64::from(*x);
            let (below, density) = (exact.cdf(at), exact.pdf(at));
            assert!((f64::from(*y) - at * below).abs() < 2e-6, "{x}: {y}");
            let off = f64::from(*slope) - (below + at * density);
            assert!(off.abs() < 1e-6, "{x}: slope {slope}");
        }
    }
}
