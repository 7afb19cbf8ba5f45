use leptos::prelude::*;

use super::numbers::format_coordinate;

const WIDTH: f64 = 320.0;
const MIDDLE: f64 = 12.0;

/// Dots on a line as one image, for pages that show many: without tab stops. The page shows the
/// values next to it.
#[component]
pub fn Strip(
    /// A description of the drawing.
    #[prop(into)]
    label: String,
    /// The position of each dot along the line: 0 to 1.
    dots: Vec<f64>,
    /// The labels below the two ends.
    ends: (String, String),
) -> impl IntoView {
    let place = |share: f64| format_coordinate(8.0 + (WIDTH - 16.0) * share.clamp(0.0, 1.0));
    let (low, high) = dots.iter().fold((1.0_f64, 0.0_f64), |(low, high), dot| {
        (low.min(*dot), high.max(*dot))
    });

    let between = (dots.len() > 1).then(|| {
        view! { <line class="interval" x1=place(low) x2=place(high) y1=format_coordinate(MIDDLE) y2=format_coordinate(MIDDLE)></line> }
    });
    let dots = dots.into_iter().map(|dot| {
        view! { <circle class="dot" cx=place(dot) cy=format_coordinate(MIDDLE) r="5"></circle> }
    });
    let shape = format!(
        "0 0 {} {}",
        format_coordinate(WIDTH),
        format_coordinate(2.0 * MIDDLE)
    );

    view! {
        <div class="strip">
            <svg viewBox=shape role="img" aria-label=label>
                <line class="grid" x1=place(0.0) x2=place(1.0) y1=format_coordinate(MIDDLE) y2=format_coordinate(MIDDLE)></line>
                {between}
                {dots.collect_view()}
            </svg>
            <p aria-hidden="true"><span>{ends.0}</span> <span>{ends.1}</span></p>
        </div>
    }
    .into_any()
}
