//! Attention of the pieces of a text to each other.

use std::ops::Range;

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::activations::{softmax_backward, softmax_row};
use crate::{
    matrix::{cut_columns, cut_rows, product, view},
    random::{Dropout, Mask},
    tensor::Tensor,
};

/// Attention with several heads (Vaswani et al. 2017, “Attention Is All You Need”, section 3.2).
#[derive(Debug, Clone, Copy)]
pub struct Attention<'a> {
    /// The rows of each text, which attend to each other alone.
    pub texts: &'a [Range<usize>],
    /// The number of heads, each of which sees its own columns.
    pub heads: usize,
    /// Leaves out pieces that are attended to.
    pub dropout: Dropout<'a>,
}

/// What a head sees of a text.
#[derive(Debug, Clone)]
struct AttentionBlock {
    rows: Range<usize>,
    columns: Range<usize>,
    /// The number of its first share among those of all blocks.
    first: usize,
}

impl AttentionBlock {
    fn cut<'a>(&self, matrix: ArrayView2<'a, f32>) -> ArrayView2<'a, f32> {
        cut_columns(cut_rows(matrix, self.rows.clone()), self.columns.clone())
    }

    /// The shares as they are where some are left out.
    fn drop_from(&self, shares: &mut [f32], mask: Option<Mask>) {
        if let Some(mask) = mask {
            for (at, share) in shares.iter_mut().enumerate() {
                *share *= mask.factor(self.first + at);
            }
        }
    }
}

impl Tensor {
    /// For each piece, the values of its text's pieces, each by the share that softmax gives its key for the query. All
    /// are `[pieces, width]`.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a head sees some hundred columns"
    )]
    pub fn attention(queries: &Self, keys: &Self, values: &Self, attention: Attention<'_>) -> Self {
        let (pieces, width) = (queries.rows(), queries.columns());
        let scale = 1.0 / ((width / attention.heads) as f32).sqrt();
        let blocks = cut_blocks(&attention, width);
        let mask = attention.dropout.deal();

        let attend = |block: &AttentionBlock| {
            let length = block.rows.len();
            let mut shares = product(
                block.cut(queries.matrix()),
                block.cut(keys.matrix()).reversed_axes(),
            );
            for row in shares.chunks_exact_mut(length) {
                row.iter_mut().for_each(|grade| *grade *= scale);
                softmax_row(row);
            }
            let mut kept = shares.clone();
            block.drop_from(&mut kept, mask);
            let context = product(view(&kept, length, length), block.cut(values.matrix()));
            (shares, context)
        };
        let (shares, contexts): (Vec<_>, Vec<_>) = blocks.par_iter().map(attend).unzip();
        let results = join_blocks(&blocks, contexts, pieces, width);

        let inputs = [queries, keys, values].map(Clone::clone);
        let shape = [pieces, width];
        let all_inputs = [queries, keys, values];
        Self::from_operation(shape, results, &all_inputs, move |gradient, all| {
            let gradient = view(gradient, pieces, width);
            let [queries, keys, values] = inputs.each_ref().map(Tensor::matrix);
            let go_back = |(block, shares): (&AttentionBlock, &Vec<f32>)| {
                let length = block.rows.len();
                let by = block.cut(gradient);
                let mut kept = shares.clone();
                block.drop_from(&mut kept, mask);
                let to_values = product(view(&kept, length, length).reversed_axes(), by);
                let mut grades = product(by, block.cut(values).reversed_axes());
                block.drop_from(&mut grades, mask);
                let rows = grades.chunks_exact_mut(length);
                for (row, shares) in rows.zip(shares.chunks_exact(length)) {
                    softmax_backward(shares, row);
                    row.iter_mut().for_each(|grade| *grade *= scale);
                }
                let grades = view(&grades, length, length);
                let to_queries = product(grades, block.cut(keys));
                let to_keys = product(grades.reversed_axes(), block.cut(queries));
                [to_queries, to_keys, to_values]
            };
            let parts: Vec<_> = blocks.par_iter().zip(&shares).map(go_back).collect();
            let mut parts = parts
                .into_iter()
                .fold([const { Vec::new() }; 3], |mut all, part| {
                    for (all, part) in all.iter_mut().zip(part) {
                        all.push(part);
                    }
                    all
                });
            for (input, parts) in inputs.iter().zip(&mut parts) {
                all.add(input, || {
                    join_blocks(&blocks, std::mem::take(parts), pieces, width)
                });
            }
        })
    }
}

fn cut_blocks(attention: &Attention<'_>, width: usize) -> Vec<AttentionBlock> {
    let each = width / attention.heads;
    let mut first = 0;
    let mut blocks = Vec::with_capacity(attention.texts.len() * attention.heads);
    for rows in attention.texts {
        for head in 0..attention.heads {
            blocks.push(AttentionBlock {
                rows: rows.clone(),
                columns: head * each..(head + 1) * each,
                first,
            });
            first += rows.len() * rows.len();
        }
    }
    blocks
}

/// The matrices of all blocks as one.
fn join_blocks(
    blocks: &[AttentionBlock],
    parts: Vec<Vec<f32>>,
    pieces: usize,
    width: usize,
) -> Vec<f32> {
    let mut all = vec![0.0; pieces * width];
    for (block, part) in blocks.iter().zip(parts) {
        let rows = part.chunks_exact(block.columns.len());
        for (row, values) in block.rows.clone().zip(rows) {
            all[row * width..][block.columns.clone()].copy_from_slice(values);
        }
    }
    all
}
