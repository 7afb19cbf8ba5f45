//! Features binned to small integers, for histogram-based split search.

use super::FeatureRows;

/// The largest number of bins of a column.
const MAX_BINS: usize = 255;

/// The bin of each value, column by column.
pub(super) struct BinnedFeatures {
    pub(super) rows: usize,
    pub(super) columns: Vec<BinnedColumn>,
}

/// One column.
pub(super) struct BinnedColumn {
    /// The bin of each row.
    pub(super) bins: Vec<u8>,
    /// The inclusive upper edges of all bins but the last.
    pub(super) upper_edges: Vec<f32>,
}

impl BinnedFeatures {
    pub(super) fn new(rows: FeatureRows<'_>) -> Self {
        let columns = 0..rows.columns;
        Self {
            rows: rows.iter().len(),
            columns: columns
                .map(|at| BinnedColumn::new(rows.iter().map(|row| row[at]).collect()))
                .collect(),
        }
    }
}

impl BinnedColumn {
    fn new(values: Vec<f32>) -> Self {
        let mut sorted = values.clone();
        sorted.sort_by(f32::total_cmp);
        let ends = compute_upper_edges(&sorted);
        let bins = values
            .iter()
            .map(|value| {
                u8::try_from(ends.partition_point(|end| end < value))
                    .expect("there are 255 bins at most")
            })
            .collect();
        Self {
            bins,
            upper_edges: ends,
        }
    }
}

/// The midpoints between neighbouring values; if they are more than the bins, those at quantiles.
fn compute_upper_edges(sorted: &[f32]) -> Vec<f32> {
    let mut ends: Vec<f32> = sorted
        .windows(2)
        .filter(|pair| pair[0] < pair[1])
        .map(|pair| pair[0].midpoint(pair[1]))
        .collect();
    if ends.len() >= MAX_BINS {
        ends = (1..MAX_BINS)
            .map(|at| {
                let row = at * sorted.len() / MAX_BINS;
                sorted[row - 1].midpoint(sorted[row])
            })
            .collect();
        ends.dedup();
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_a_bin_each() {
        let column = BinnedColumn::new(vec![2.0, 1.0, 2.0, 5.0]);
        assert_eq!(column.upper_edges, [1.5, 3.5]);
        assert_eq!(column.bins, [1, 0, 1, 2]);
    }

    #[test]
    fn many_values_share_bins_of_like_size() {
        let column = BinnedColumn::new((0..10_200_u16).map(f32::from).collect());
        assert_eq!(column.upper_edges.len(), MAX_BINS - 1);
        let mut rows = [0; MAX_BINS];
        for bin in column.bins {
            rows[usize::from(bin)] += 1;
        }
        assert!(rows.iter().all(|count| *count == 40), "{rows:?}");
    }
}
