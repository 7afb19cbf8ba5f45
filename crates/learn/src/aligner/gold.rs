//! Alignments made by people as something to learn from.

use domain::text::align::{gold::GoldPair, grid::Grid};

use super::train::View;

/// What a network is to learn from a pair, whose picture is `grid`; in it source and output have
/// changed places where it is `turned`.
pub(super) fn view(pair: &GoldPair, turned: bool, grid: Grid) -> View {
    let mut links = vec![0.0; grid.rows * grid.columns];
    for (source, output) in pair.all() {
        let (row, column) = if turned {
            (output, source)
        } else {
            (source, output)
        };
        links[row * grid.columns + column] = 1.0;
    }
    View { grid, links }
}
