//! Training examples from alignments made by people.

use domain::text::align::{gold::GoldPair, grid::FeatureTensor};

use super::train::LabelledGrid;

/// The training example of a pair with the feature grid `grid`, in which source and output have swapped places if
/// `turned`.
pub(super) fn label_grid(pair: &GoldPair, turned: bool, grid: FeatureTensor) -> LabelledGrid {
    let mut links = vec![0.0; grid.rows * grid.columns];
    for (source, output) in pair.all_links() {
        let (row, column) = if turned {
            (output, source)
        } else {
            (source, output)
        };
        links[row * grid.columns + column] = 1.0;
    }
    LabelledGrid { grid, links }
}
