use leptos::prelude::*;

use super::{
    Axis,
    frame::{FOOT, axis_below, axis_beside, canvas},
    intervals::MarkShape,
    numbers::format_coordinate,
};

/// Narrower than other drawings: a small screen shows it whole, with larger type.
const WIDTH: f64 = 600.0;
/// The radius in which a dot responds to the pointer: a target of 24 pixels.
const REACH: f64 = 12.0;

/// A dot of a scatter plot.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPoint {
    /// The position on the lower axis.
    pub x: f64,
    /// The position on the axis at the side.
    pub y: f64,
    /// Its form, which tells kinds apart.
    pub shape: MarkShape,
    /// Its name and numbers in words.
    pub description: String,
    /// The address that it links to.
    pub address: String,
}

/// A scatter plot: one dot for each item, with a tooltip and a link. There are too many dots for a tab
/// stop each: the table behind the chart lists them with their addresses.
#[component]
pub fn Scatter(
    /// A description of the drawing.
    #[prop(into)]
    label: String,
    x: Axis,
    /// The axis at the side.
    y: Axis,
    /// The dots.
    dots: Vec<ScatterPoint>,
) -> impl IntoView {
    let height = 420.0;
    let (left, right, top, bottom) = (44.0, WIDTH - 20.0, 30.0, height - FOOT);
    let (across, up) = (x.scale(left, right), y.scale(bottom, top));
    // Drawn below all dots, so that no dot's target covers another dot.
    let reach = |point: &ScatterPoint| {
        let (x, y) = (across.position(point.x), up.position(point.y));
        view! {
            <a href=point.address.clone() tabindex="-1">
                <title>{point.description.clone()}</title>
                <circle class="reach" cx=format_coordinate(x) cy=format_coordinate(y) r=format_coordinate(REACH)></circle>
            </a>
        }
    };
    let reaches = dots.iter().map(reach).collect_view();
    let dot = |point: ScatterPoint| {
        let (x, y) = (across.position(point.x), up.position(point.y));
        view! {
            <a href=point.address tabindex="-1">
                <title>{point.description}</title>
                <path class="dot faint" d=point.shape.path(x, y)></path>
            </a>
        }
    };
    let (beside, below) = (
        axis_beside(&y, left, right, top, bottom),
        axis_below(&x, left, right, top, bottom),
    );
    let dots = dots.into_iter().map(dot).collect_view();
    let content = view! { {beside} {below} <g aria-hidden="true">{reaches} {dots}</g> };
    canvas("dots", label, (WIDTH, height), content).into_any()
}
