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

/// A text as one head sees it.
#[derive(Debug, Clone)]
struct AttentionBlock {
    rows: Range<usize>,
    columns: Range<usize>,
    /// Index of its first share among those of all blocks.
    first: usize,
}

/// Settings that all blocks share.
#[derive(Debug, Clone, Copy)]
struct Grading {
    /// The factor on the products of queries and keys.
    scale: f32,
    mask: Option<Mask>,
}

impl AttentionBlock {
    fn cut<'a>(&self, matrix: ArrayView2<'a, f32>) -> ArrayView2<'a, f32> {
        cut_columns(cut_rows(matrix, self.rows.clone()), self.columns.clone())
    }

    /// The softmax shares of the pieces for each other, and the values weighted by these shares.
    fn attend(&self, inputs: [&Tensor; 3], grading: Grading) -> (Vec<f32>, Vec<f32>) {
        let [queries, keys, values] = inputs.map(|input| self.cut(input.matrix()));
        let length = self.rows.len();

        let mut shares = product(queries, keys.reversed_axes());
        for row in shares.chunks_exact_mut(length) {
            row.iter_mut().for_each(|grade| *grade *= grading.scale);
            softmax_row(row);
        }

        let mut kept_shares = shares.clone();
        self.drop_from(&mut kept_shares, grading);
        let context = product(view(&kept_shares, length, length), values);
        (shares, context)
    }

    /// The gradients of queries, keys and values, given that of the result.
    fn go_back(
        &self,
        inputs: [&Tensor; 3],
        shares: &[f32],
        gradient: ArrayView2<'_, f32>,
        grading: Grading,
    ) -> [Vec<f32>; 3] {
        let [queries, keys, values] = inputs.map(|input| self.cut(input.matrix()));
        let gradient = self.cut(gradient);
        let length = self.rows.len();

        let mut kept_shares = shares.to_vec();
        self.drop_from(&mut kept_shares, grading);
        let to_values = product(view(&kept_shares, length, length).reversed_axes(), gradient);

        let mut grades = product(gradient, values.reversed_axes());
        self.drop_from(&mut grades, grading);
        let rows = grades.chunks_exact_mut(length);
        for (row, shares) in rows.zip(shares.chunks_exact(length)) {
            softmax_backward(shares, row);
            row.iter_mut().for_each(|grade| *grade *= grading.scale);
        }

        let grades = view(&grades, length, length);
        let to_queries = product(grades, keys);
        let to_keys = product(grades.reversed_axes(), queries);
        [to_queries, to_keys, to_values]
    }

    /// Applies dropout to the shares.
    fn drop_from(&self, shares: &mut [f32], grading: Grading) {
        if let Some(mask) = grading.mask {
            for (at, share) in shares.iter_mut().enumerate() {
                *share *= mask.factor(self.first + at);
            }
        }
    }
}

impl Tensor {
    /// For each piece, the values of the pieces of its text, weighted by the softmax of its query's products with their
    /// keys. All are `[pieces, width]`.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a head sees some hundred columns"
    )]
    pub fn attention(queries: &Self, keys: &Self, values: &Self, attention: Attention<'_>) -> Self {
        let (pieces, width) = (queries.rows(), queries.columns());
        let grading = Grading {
            scale: 1.0 / ((width / attention.heads) as f32).sqrt(),
            mask: attention.dropout.deal(),
        };

        let blocks = cut_blocks(&attention, width);
        let inputs = [queries, keys, values];
        let (shares, contexts): (Vec<_>, Vec<_>) = blocks
            .par_iter()
            .map(|block| block.attend(inputs, grading))
            .unzip();
        let contexts = contexts.iter().map(|context| &context[..]);
        let results = join_blocks(&blocks, contexts, pieces, width);

        let kept_inputs = inputs.map(Clone::clone);
        Self::from_operation([pieces, width], results, &inputs, move |gradient, all| {
            let gradient = view(gradient, pieces, width);
            let inputs = kept_inputs.each_ref();
            let parts: Vec<_> = blocks
                .par_iter()
                .zip(&shares)
                .map(|(block, shares)| block.go_back(inputs, shares, gradient, grading))
                .collect();
            for (at, input) in inputs.into_iter().enumerate() {
                let own = parts.iter().map(|part| &part[at][..]);
                all.add(input, || join_blocks(&blocks, own, pieces, width));
            }
        })
    }
}

fn cut_blocks(attention: &Attention<'_>, width: usize) -> Vec<AttentionBlock> {
    let head_width = width / attention.heads;
    let mut first = 0;
    let mut blocks = Vec::with_capacity(attention.texts.len() * attention.heads);
    for rows in attention.texts {
        for head in 0..attention.heads {
            blocks.push(AttentionBlock {
                rows: rows.clone(),
                columns: head * head_width..(head + 1) * head_width,
                first,
            });
            first += rows.len() * rows.len();
        }
    }
    blocks
}

/// The matrices of all blocks as one.
fn join_blocks<'a>(
    blocks: &[AttentionBlock],
    parts: impl Iterator<Item = &'a [f32]>,
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
