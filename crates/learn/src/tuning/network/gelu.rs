//! GELU, the activation in an encoder's feed-forward blocks; apart from matrix products, most of a step's time.

use std::f32::consts::FRAC_2_SQRT_PI;

use burn::tensor::{Tensor, TensorData};
use rayon::prelude::*;

use crate::tuning::task::into_values;

/// The numbers that a core processes at a time.
const CHUNK_LENGTH: usize = 1 << 14;

/// x·Φ(x), Φ being the share of a normal distribution below x (Hendrycks & Gimpel 2016, “Gaussian Error
/// Linear Units”).
///
/// The value and the derivative of each number are computed together, on all cores, where burn's own takes
/// one core twice. The result is the tangent line, with that value and derivative: the gradient with respect to `x` is
/// the derivative.
pub(super) fn gelu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    let (shape, device) = (x.dims(), x.device());
    let at = into_values(x.clone().detach());
    let (mut slopes, mut starts) = (vec![0.0; at.len()], vec![0.0; at.len()]);
    at.par_chunks(CHUNK_LENGTH)
        .zip(slopes.par_chunks_mut(CHUNK_LENGTH))
        .zip(starts.par_chunks_mut(CHUNK_LENGTH))
        .for_each(|((at, slopes), starts)| {
            for ((x, slope), start) in at.iter().zip(slopes).zip(starts) {
                let (below, density) = compute_normal_cdf(*x);
                *slope = below + x * density;
                *start = -x * x * density;
            }
        });
    let tensor = |values| Tensor::from_data(TensorData::new(values, shape), &device);
    x * tensor(slopes) + tensor(starts)
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
    let density = 0.25 * std::f32::consts::SQRT_2 * FRAC_2_SQRT_PI * (-0.5 * x * x).exp();
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let above = TERMS.iter().rev().fold(0.0, |sum, term| (sum + term) * t) * density;
    (if x < 0.0 { above } else { 1.0 - above }, density)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use statrs::distribution::{Continuous, ContinuousCDF, Normal};

    use super::*;

    #[test]
    fn value_and_slope_are_those_of_the_formula() {
        let device = Device::flex().autodiff();
        let values: Vec<f32> = (-1_200..=1_200).map(|at| at as f32 / 100.0).collect();
        let x = Tensor::<1>::from_data(TensorData::new(values.clone(), [values.len()]), &device)
            .require_grad();
        let y = gelu(x.clone());
        let slopes = into_values(x.grad(&y.clone().sum().backward()).unwrap());
        let exact = Normal::standard();
        for ((x, y), slope) in values.iter().zip(into_values(y)).zip(slopes) {
            let at = f64::from(*x);
            let (below, density) = (exact.cdf(at), exact.pdf(at));
            assert!((f64::from(y) - at * below).abs() < 2e-6, "{x}: {y}");
            let off = f64::from(slope) - (below + at * density);
            assert!(off.abs() < 1e-6, "{x}: slope {slope}");
        }
    }
}
