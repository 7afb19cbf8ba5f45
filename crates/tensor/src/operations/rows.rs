//! Operations on whole rows of matrices.

use crate::{
    matrix::{add_row, for_rows},
    tensor::Tensor,
};

impl Tensor {
    /// The rows at these places, in their order.
    #[must_use]
    pub fn select_rows(&self, places: &[usize]) -> Self {
        let (count, columns) = (self.rows(), self.columns());
        let (input, places) = (self.clone(), places.to_vec());
        let values = gather(self.values(), &places, columns);
        let shape = self.shape_with_rows(places.len());
        Self::from_operation(shape, values, &[self], move |gradient, all| {
            all.add(&input, || scatter(gradient, &places, count, columns));
        })
    }

    /// `count` rows, each the sum of the rows with its place.
    ///
    /// # Panics
    /// If there are more or fewer rows than places.
    #[must_use]
    pub fn sum_rows(&self, places: &[usize], count: usize) -> Self {
        assert_eq!(self.rows(), places.len(), "each row has a place");
        let columns = self.columns();
        let (input, places) = (self.clone(), places.to_vec());

        let values = scatter(self.values(), &places, count, columns);
        let shape = self.shape_with_rows(count);
        Self::from_operation(shape, values, &[self], move |gradient, all| {
            all.add(&input, || gather(gradient, &places, columns));
        })
    }

    /// `count` rows, each the element-wise maximum of the rows with its place; each place has at least one.
    ///
    /// # Panics
    /// If there are more or fewer rows than places.
    #[must_use]
    pub fn max_rows(&self, places: &[usize], count: usize) -> Self {
        assert_eq!(self.rows(), places.len(), "each row has a place");
        let columns = self.columns();

        let mut values = vec![f32::NEG_INFINITY; count * columns];
        let mut origins = vec![0; count * columns];
        for (row, place) in places.iter().enumerate() {
            let range = place * columns..(place + 1) * columns;
            let largest = values[range.clone()].iter_mut().zip(&mut origins[range]);
            let own = &self.values()[row * columns..][..columns];
            for ((largest, origin), value) in largest.zip(own) {
                if value > largest {
                    (*largest, *origin) = (*value, row);
                }
            }
        }

        let input = self.clone();
        let shape = self.shape_with_rows(count);
        Self::from_operation(shape, values, &[self], move |gradient, all| {
            all.add(&input, || {
                let mut result = vec![0.0; input.values().len()];
                for (at, (gradient, origin)) in gradient.iter().zip(&origins).enumerate() {
                    result[origin * columns + at % columns] += gradient;
                }
                result
            });
        })
    }

    /// Adds to each row the row of `other` at its place.
    ///
    /// # Panics
    /// If there are more or fewer rows than places, or rows differ in length.
    #[must_use]
    pub fn add_rows(&self, other: &Self, places: &[usize]) -> Self {
        let (count, columns) = (other.rows(), self.columns());
        assert_eq!(self.rows(), places.len(), "each row has a place");
        assert_eq!(columns, other.columns(), "rows of one length");

        let mut values = self.values().to_vec();
        for_rows(&mut values, columns, |row, result| {
            add_row(result, &other.values()[places[row] * columns..]);
        });

        let (input, places) = ([self.clone(), other.clone()], places.to_vec());
        Self::from_operation(
            self.shape(),
            values,
            &[self, other],
            move |gradient, all| {
                all.add(&input[0], || gradient.to_vec());
                all.add(&input[1], || scatter(gradient, &places, count, columns));
            },
        )
    }

    /// The rows of all parts, one part after the other.
    ///
    /// # Panics
    /// If `parts` is empty.
    #[must_use]
    pub fn stack_rows(parts: &[Self]) -> Self {
        let rows = parts.iter().map(Self::rows).sum();
        let values: Vec<f32> = parts.iter().flat_map(Self::values).copied().collect();
        let inputs = parts.to_vec();
        let shape = parts[0].shape_with_rows(rows);
        let all_parts: Vec<&Self> = parts.iter().collect();
        Self::from_operation(shape, values, &all_parts, move |gradient, all| {
            let mut begin = 0;
            for input in &inputs {
                let length = input.values().len();
                all.add(input, || gradient[begin..begin + length].to_vec());
                begin += length;
            }
        })
    }

    /// The columns of all parts side by side.
    ///
    /// # Panics
    /// If `parts` is empty, or parts differ in their number of rows.
    #[must_use]
    pub fn join_columns(parts: &[Self]) -> Self {
        let rows = parts[0].rows();
        assert!(
            parts.iter().all(|part| part.rows() == rows),
            "parts have as many rows"
        );

        let columns: usize = parts.iter().map(Self::columns).sum();
        let mut values = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for part in parts {
                values.extend(&part.values()[row * part.columns()..][..part.columns()]);
            }
        }

        let inputs = parts.to_vec();
        let all_parts: Vec<&Self> = parts.iter().collect();
        Self::from_operation([rows, columns], values, &all_parts, move |gradient, all| {
            let mut begin = 0;
            for input in &inputs {
                let own = begin..begin + input.columns();
                all.add(input, || {
                    let rows = gradient.chunks_exact(columns);
                    rows.flat_map(|row| &row[own.clone()]).copied().collect()
                });
                begin = own.end;
            }
        })
    }

    fn shape_with_rows(&self, rows: usize) -> Vec<usize> {
        let mut shape = self.shape().to_vec();
        shape[0] = rows;
        shape
    }
}

/// The rows at these places.
fn gather(values: &[f32], places: &[usize], columns: usize) -> Vec<f32> {
    let mut results = vec![0.0; places.len() * columns];
    for_rows(&mut results, columns, |row, result| {
        result.copy_from_slice(&values[places[row] * columns..][..columns]);
    });
    results
}

/// `count` rows, each the sum of the rows with its place.
fn scatter(values: &[f32], places: &[usize], count: usize, columns: usize) -> Vec<f32> {
    let mut sums = vec![0.0; count * columns];
    for (row, place) in values.chunks_exact(columns).zip(places) {
        add_row(&mut sums[place * columns..][..columns], row);
    }
    sums
}
