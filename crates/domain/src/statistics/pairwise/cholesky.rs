//! Systems of linear equations with a symmetric and positive definite matrix.

/// The lower triangular factor L of a matrix A = L·Lᵀ, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CholeskyFactor(Vec<Vec<f64>>);

impl CholeskyFactor {
    /// Decomposes a matrix that is symmetric and positive definite; above the diagonal it is not read.
    pub(super) fn new(mut matrix: Vec<Vec<f64>>) -> Self {
        for column in 0..matrix.len() {
            let (above, below) = matrix.split_at_mut(column);
            let row = &mut below[0];
            for (other, factors) in above.iter().enumerate() {
                row[other] = (row[other] - dot(&factors[..other], &row[..other])) / factors[other];
            }

            let diagonal = row[column];
            let squares = dot(&row[..column], &row[..column]);
            // Rounding must not make a pivot negative.
            row[column] = (diagonal - squares).max(1e-14 * diagonal).sqrt();
        }
        Self(matrix)
    }

    /// The solution x of A·x = b.
    pub(super) fn solve(&self, mut vector: Vec<f64>) -> Vec<f64> {
        let Self(factors) = self;
        let size = vector.len();
        for row in 0..size {
            let earlier = dot(&factors[row][..row], &vector[..row]);
            vector[row] = (vector[row] - earlier) / factors[row][row];
        }

        for row in (0..size).rev() {
            let later = (row + 1..size).map(|other| factors[other][row] * vector[other]);
            vector[row] = (vector[row] - later.sum::<f64>()) / factors[row][row];
        }
        vector
    }

    /// The inverse of A, row by row.
    pub(super) fn inverse(&self) -> Vec<Vec<f64>> {
        let size = self.0.len();
        let rows = (0..size).map(|place| {
            let mut unit_vector = vec![0.0; size];
            unit_vector[place] = 1.0;
            self.solve(unit_vector)
        });
        rows.collect()
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}
