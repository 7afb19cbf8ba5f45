use leptos::prelude::*;

use super::{
    Axis,
    frame::{FOOT, WIDTH, axis_below, axis_beside, canvas},
    numbers::at,
};

/// A bar over a stretch of the axis below.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Where it begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// How high it is.
    pub value: f64,
    /// The bar in words: “20 to 30: 12 ratings”.
    pub said: String,
}

/// How many values lie in each of `bins` stretches of the same width between `low` and `high`, as
/// (begin, end, count). A stretch holds its begin and not its end; the last holds both. What is
/// beyond the ends or not a number counts nowhere.
pub fn histogram(
    values: impl IntoIterator<Item = f64>,
    (low, high): (f64, f64),
    bins: usize,
) -> Vec<(f64, f64, usize)> {
    let width = (high - low) / bins as f64;
    let begin = |bin: usize| low + width * bin as f64;
    let mut counts: Vec<_> = (0..bins)
        .map(|bin| (begin(bin), begin(bin + 1), 0))
        .collect();
    for value in values {
        if (low..=high).contains(&value)
            && let Some(last) = bins.checked_sub(1)
        {
            let bin = ((value - low) / width) as usize;
            counts[bin.min(last)].2 += 1;
        }
    }
    counts
}

/// Bars side by side, such as how often each score was given.
#[component]
pub fn BarChart(
    /// What is drawn, in words.
    #[prop(into)]
    label: String,
    /// What lies below the bars.
    x: Axis,
    /// How high they are, from zero.
    y: Axis,
    /// From the left.
    bars: Vec<Bar>,
    /// The width of the drawing.
    #[prop(default = WIDTH)]
    width: f64,
    /// The height of the drawing.
    #[prop(default = 260.0)]
    height: f64,
) -> impl IntoView {
    let (left, right, top, bottom) = (44.0, width - 14.0, 28.0, height - FOOT);
    let (across, up) = (x.scale(left, right), y.scale(bottom, top));
    let bar = |of: Bar| {
        let (from, to) = (across.at(of.low) + 1.0, across.at(of.high) - 1.0);
        let (from, wide) = (at(from), at((to - from).max(1.0)));
        let y = up.at(of.value);
        view! {
            <g class="mark" tabindex="0" role="img" aria-label=of.said>
                <title>{of.said.clone()}</title>
                <rect class="reach" x=from.clone() y=at(top) width=wide.clone() height=at(bottom - top)></rect>
                <rect class="bar" x=from y=at(y) width=wide height=at(up.at(0.0) - y)></rect>
            </g>
        }
    };
    let (beside, below) = (
        axis_beside(&y, left, right, top, bottom),
        axis_below(&x, left, right, bottom, bottom),
    );
    let bars = bars.into_iter().map(bar).collect_view();
    canvas(
        "",
        label,
        (width, height),
        view! { {beside} {below} {bars} },
    )
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::histogram;

    #[test]
    fn a_value_counts_in_the_stretch_that_it_begins() {
        let values = [0.0, 9.9, 10.0, 20.0, 100.0, 101.0, -1.0, f64::NAN];
        let found = histogram(values, (0.0, 100.0), 10);
        let counts: Vec<_> = found.iter().map(|(.., count)| *count).collect();
        assert_eq!(counts, [2, 1, 1, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(found[1], (10.0, 20.0, 1));
        assert!(histogram([1.0], (0.0, 1.0), 0).is_empty());
    }
}
