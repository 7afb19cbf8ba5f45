//! Loops over all numbers of matrices, and their products, on all threads.

use std::ops::Range;

use gemm_common::Parallelism;
use gemm_f32::gemm::f32::get_gemm_fn;
use ndarray::{ArrayBase, ArrayView2, ArrayViewMut2, Axis, Ix2, RawData, Slice};
use rayon::prelude::*;

/// The numbers that a thread processes at a time.
pub(crate) const CHUNK_LENGTH: usize = 1 << 13;
/// A product of fewer multiplications is computed on one thread.
const MIN_SHARED_PRODUCT: usize = 1 << 18;

/// The numbers as a matrix.
pub(crate) fn view(values: &[f32], rows: usize, columns: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((rows, columns), values).expect("the numbers fill the matrix")
}

/// The numbers as a matrix that can be changed.
pub(crate) fn view_mut(values: &mut [f32], rows: usize, columns: usize) -> ArrayViewMut2<'_, f32> {
    ArrayViewMut2::from_shape((rows, columns), values).expect("the numbers fill the matrix")
}

/// Some columns of a matrix.
pub(crate) fn cut_columns<S: RawData>(
    mut matrix: ArrayBase<S, Ix2>,
    columns: Range<usize>,
) -> ArrayBase<S, Ix2> {
    matrix.slice_axis_inplace(Axis(1), Slice::from(columns));
    matrix
}

/// Some rows of a matrix.
pub(crate) fn cut_rows<S: RawData>(
    mut matrix: ArrayBase<S, Ix2>,
    rows: Range<usize>,
) -> ArrayBase<S, Ix2> {
    matrix.slice_axis_inplace(Axis(0), Slice::from(rows));
    matrix
}

/// Adds the product of two matrices to `sum`.
pub(crate) fn add_product(
    left: ArrayView2<'_, f32>,
    right: ArrayView2<'_, f32>,
    mut sum: ArrayViewMut2<'_, f32>,
) {
    let (rows, columns) = sum.dim();
    let threads = rayon::current_num_threads();
    if threads == 1 || rows * columns * left.ncols() < MIN_SHARED_PRODUCT {
        add_product_on_thread(left, right, sum);
        return;
    }

    // Each thread computes some rows or some columns of the result, whichever are more.
    let (axis, length) = if rows >= columns {
        (Axis(0), rows)
    } else {
        (Axis(1), columns)
    };
    let size = length.div_ceil(threads);
    let factor = if rows >= columns { left } else { right };
    let parts: Vec<_> = sum
        .axis_chunks_iter_mut(axis, size)
        .zip(factor.axis_chunks_iter(axis, size))
        .collect();
    parts.into_par_iter().for_each(|(sum, part)| {
        let (left, right) = if rows >= columns {
            (part, right)
        } else {
            (left, part)
        };
        add_product_on_thread(left, right, sum);
    });
}

/// Adds the product of two matrices to `sum`, on this thread.
///
/// # Panics
/// If the shapes do not fit.
#[expect(
    unsafe_code,
    reason = "gemm takes pointers; the safe products of ndarray take a third longer for an encoder"
)]
fn add_product_on_thread(
    left: ArrayView2<'_, f32>,
    right: ArrayView2<'_, f32>,
    mut sum: ArrayViewMut2<'_, f32>,
) {
    // gemm is fastest where the columns of the result are contiguous: the product of the transposed matrices is the
    // transposed product.
    if sum.strides()[0].abs() > sum.strides()[1].abs() {
        let (left, right) = (right.reversed_axes(), left.reversed_axes());
        return add_product_on_thread(left, right, sum.reversed_axes());
    }

    let (rows, columns) = sum.dim();
    let inner = left.ncols();
    assert_eq!(
        (left.dim(), right.dim()),
        ((rows, inner), (inner, columns)),
        "the shapes of factors and product fit"
    );
    let [sum_strides, left_strides, right_strides] =
        [sum.strides(), left.strides(), right.strides()].map(|strides| [strides[0], strides[1]]);
    // SAFETY: each pointer is that of a view with the sizes checked above and its own strides, so that gemm reaches
    // only elements of these views. `sum` is borrowed mutably, so it overlaps neither factor.
    unsafe {
        get_gemm_fn()(
            rows,
            columns,
            inner,
            sum.as_mut_ptr(),
            sum_strides[1],
            sum_strides[0],
            true,
            left.as_ptr(),
            left_strides[1],
            left_strides[0],
            right.as_ptr(),
            right_strides[1],
            right_strides[0],
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// The product of two matrices, row by row.
pub(crate) fn product(left: ArrayView2<'_, f32>, right: ArrayView2<'_, f32>) -> Vec<f32> {
    let (rows, columns) = (left.nrows(), right.ncols());
    let mut values = vec![0.0; rows * columns];
    add_product(left, right, view_mut(&mut values, rows, columns));
    values
}

/// The result of `function` for each number.
pub(crate) fn map(values: &[f32], function: impl Fn(f32) -> f32 + Sync) -> Vec<f32> {
    let mut results = vec![0.0; values.len()];
    let chunks = results.par_chunks_mut(CHUNK_LENGTH);
    chunks
        .zip(values.par_chunks(CHUNK_LENGTH))
        .for_each(|(results, values)| {
            for (result, value) in results.iter_mut().zip(values) {
                *result = function(*value);
            }
        });
    results
}

/// The result of `function` for each pair of numbers in the same place.
pub(crate) fn combine(
    left: &[f32],
    right: &[f32],
    function: impl Fn(f32, f32) -> f32 + Sync,
) -> Vec<f32> {
    let mut results = vec![0.0; left.len()];
    let chunks = results.par_chunks_mut(CHUNK_LENGTH);
    chunks
        .zip(left.par_chunks(CHUNK_LENGTH))
        .zip(right.par_chunks(CHUNK_LENGTH))
        .for_each(|((results, left), right)| {
            for ((result, left), right) in results.iter_mut().zip(left).zip(right) {
                *result = function(*left, *right);
            }
        });
    results
}

/// Adds numbers to those in the same places of `sums`.
pub(crate) fn add_to(sums: &mut [f32], values: &[f32]) {
    let chunks = sums.par_chunks_mut(CHUNK_LENGTH);
    chunks
        .zip(values.par_chunks(CHUNK_LENGTH))
        .for_each(|(sums, values)| add_row(sums, values));
}

/// Adds numbers to those in the same places of `sums`, on this thread.
pub(crate) fn add_row(sums: &mut [f32], values: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Runs `work` for each row of a matrix, with the row's number. `results` has `columns` numbers a row.
pub(crate) fn for_rows(
    results: &mut [f32],
    columns: usize,
    work: impl Fn(usize, &mut [f32]) + Sync,
) {
    let rows_at_once = (CHUNK_LENGTH / columns.max(1)).max(1);
    let chunks = results.par_chunks_mut(rows_at_once * columns.max(1));
    chunks.enumerate().for_each(|(chunk, results)| {
        for (row, result) in results.chunks_mut(columns.max(1)).enumerate() {
            work(chunk * rows_at_once + row, result);
        }
    });
}

/// The sum of each column. A thread sums some columns over all rows, in their order.
pub(crate) fn sum_columns(values: &[f32], columns: usize) -> Vec<f32> {
    const COLUMNS_AT_ONCE: usize = 64;
    let mut sums = vec![0.0; columns];
    let chunks = sums.par_chunks_mut(COLUMNS_AT_ONCE).enumerate();
    chunks.for_each(|(chunk, sums)| {
        for row in values.chunks_exact(columns) {
            add_row(sums, &row[chunk * COLUMNS_AT_ONCE..]);
        }
    });
    sums
}
