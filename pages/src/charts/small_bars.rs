use leptos::prelude::*;

use super::numbers::format_coordinate;

/// The width of the drawing, which is stretched to the available space.
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 56.0;

/// Bars side by side as one image, for pages that show many: without tab stops. The page holds the
/// values as a table elsewhere.
#[component]
pub fn SmallBars(
    /// A description of the drawing with its main values.
    #[prop(into)]
    label: String,
    /// The height of each bar from the left: 0 to 1.
    bars: Vec<f64>,
    /// The position of the mean along the bars: 0 to 1.
    mean: f64,
    /// The labels below the two ends.
    ends: (String, String),
) -> impl IntoView {
    let wide = WIDTH / bars.len().max(1) as f64;
    let bar = |(number, share): (usize, f64)| {
        let high = (HEIGHT - 4.0) * share.clamp(0.0, 1.0);
        // Keep every non-empty bar visible.
        let high = if share > 0.0 { high.max(1.0) } else { 0.0 };
        let (x, y) = (wide * number as f64 + 0.5, HEIGHT - high);
        view! { <rect class="bar" x=format_coordinate(x) y=format_coordinate(y) width=format_coordinate(wide - 1.0) height=format_coordinate(high)></rect> }
    };

    let mean = format_coordinate(WIDTH * mean.clamp(0.0, 1.0));
    let shape = format!(
        "0 0 {} {}",
        format_coordinate(WIDTH),
        format_coordinate(HEIGHT)
    );

    view! {
        <div class="small-bars">
            <svg viewBox=shape preserveAspectRatio="none" role="img" aria-label=label>
                {bars.into_iter().enumerate().map(bar).collect_view()}
                <line class="mean" x1=mean.clone() x2=mean y1="0" y2=format_coordinate(HEIGHT)></line>
            </svg>
            <p aria-hidden="true"><span>{ends.0}</span> <span>{ends.1}</span></p>
        </div>
    }
    .into_any()
}
