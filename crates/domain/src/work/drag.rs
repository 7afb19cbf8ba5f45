//! The geometry of dragging a row through its list.

/// A row's position when the drag began: its upper edge and its height, in pixels of the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowExtent {
    /// Distance of the upper edge from the page's top.
    pub top: f64,
    /// The height, at least 0.
    pub height: f64,
}

impl RowExtent {
    const fn middle(&self) -> f64 {
        self.top + self.height / 2.0
    }
}

/// The index that the row `from` would take if it were dropped after being dragged by `by`
/// pixels: the row passes another once its leading edge crosses the other's middle.
#[must_use]
pub fn drop_place(rows: &[RowExtent], from: usize, by: f64) -> usize {
    let Some(dragged) = rows.get(from) else {
        return from;
    };
    let (top, bottom) = (dragged.top + by, dragged.top + by + dragged.height);
    let passed_up = rows[..from].iter().filter(|row| top < row.middle()).count();
    let passed_down = rows[from + 1..]
        .iter()
        .filter(|row| bottom > row.middle())
        .count();
    from + passed_down - passed_up
}

/// The shift of the row `at` while the row `from` hovers over the index `to`, in pixels
/// downwards.
#[must_use]
pub fn row_shift(rows: &[RowExtent], from: usize, to: usize, at: usize) -> f64 {
    let Some(dragged) = rows.get(from) else {
        return 0.0;
    };

    let gap = rows
        .windows(2)
        .next()
        .map_or(0.0, |w| w[1].top - w[0].top - w[0].height);
    let step = dragged.height + gap;

    if from < at && at <= to {
        -step
    } else if to <= at && at < from {
        step
    } else {
        0.0
    }
}

/// The distance to scroll in one frame while the pointer is at `y` in a window of `height`, in
/// pixels downwards: faster towards the edges, 0 in between.
#[must_use]
pub fn scroll_distance(y: f64, top: f64, height: f64) -> f64 {
    edge_speed(height - y) - edge_speed(y - top)
}

/// The pixels to scroll in one frame at a distance from an edge: fastest at the edge and beyond it, 0 outside its zone.
fn edge_speed(distance: f64) -> f64 {
    const ZONE: f64 = 90.0;
    const FASTEST: f64 = 18.0;

    (1.0 - distance.max(0.0) / ZONE).max(0.0) * FASTEST
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(heights: &[f64]) -> Vec<RowExtent> {
        let mut top = 100.0;
        heights
            .iter()
            .map(|&height| {
                let row = RowExtent { top, height };
                top += height + 8.0;
                row
            })
            .collect()
    }

    #[test]
    fn a_row_passes_another_at_its_middle() {
        let rows = rows(&[40.0, 100.0, 40.0]);
        let check =
            |from, by, expect| assert_eq!(drop_place(&rows, from, by), expect, "{from} {by}");
        check(0, 0.0, 0);
        check(0, 57.0, 0);
        check(0, 59.0, 1);
        check(0, 300.0, 2);
        check(2, -80.0, 1);
        check(2, -59.0, 1);
        check(2, -57.0, 2);
        check(1, -1000.0, 0);
    }

    #[test]
    fn the_others_step_aside() {
        let rows = rows(&[40.0, 100.0, 40.0]);
        let aside: Vec<_> = (0..3).map(|at| row_shift(&rows, 0, 2, at)).collect();
        assert_eq!(aside, [0.0, -48.0, -48.0]);
    }

    #[test]
    fn the_window_scrolls_at_its_edges_only() {
        assert_eq!(scroll_distance(400.0, 0.0, 800.0), 0.0);
        assert!(scroll_distance(790.0, 0.0, 800.0) > 10.0);
        assert!(scroll_distance(150.0, 140.0, 800.0) < -10.0);
    }

    proptest! {
        #[test]
        fn a_place_is_always_in_the_list(
            heights in proptest::collection::vec(10.0f64..300.0, 1..40),
            from in 0usize..40,
            by in -5000.0f64..5000.0,
        ) {
            let rows = rows(&heights);
            let from = from % rows.len();
            let to = drop_place(&rows, from, by);
            prop_assert!(to < rows.len());
            prop_assert_eq!(drop_place(&rows, from, 0.0), from);
            // All shifts together leave room for exactly the dragged row.
            let shifted = (0..rows.len()).filter(|at| row_shift(&rows, from, to, *at) != 0.0).count();
            prop_assert_eq!(shifted, from.abs_diff(to));
        }
    }
}
