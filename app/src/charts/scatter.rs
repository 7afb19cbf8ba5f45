use leptos::prelude::*;

use super::{
    Axis,
    frame::{FOOT, axis_below, axis_beside, canvas},
    intervals::MarkShape,
    numbers::format_coordinate,
};

/// Narrower than other drawings: a small screen shows it whole, with larger type.
const WIDTH: f64 = 600.0;
/// How far from its middle a dot answers to the pointer: a target of 24 pixels.
const REACH: f64 = 12.0;

/// Something with two numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPoint {
    /// Along the lower axis.
    pub x: f64,
    /// Along the axis beside.
    pub y: f64,
    /// Its form, which tells kinds apart.
    pub shape: MarkShape,
    /// What it is and its numbers, in words.
    pub said: String,
    /// Where it leads to.
    pub address: String,
}

/// Two numbers of many things, one dot each, which says itself under the pointer and leads to it. There
/// are too many to stop at each by keyboard: the table behind the chart lists them with their
/// addresses.
#[component]
pub fn Scatter(
    /// What is drawn, in words.
    #[prop(into)]
    label: String,
    /// The lower axis.
    x: Axis,
    /// The axis beside.
    y: Axis,
    /// What is drawn.
    dots: Vec<ScatterPoint>,
) -> impl IntoView {
    let height = 420.0;
    let (left, right, top, bottom) = (44.0, WIDTH - 20.0, 30.0, height - FOOT);
    let (across, up) = (x.scale(left, right), y.scale(bottom, top));
    // Below all dots, so that no dot is covered by the area around another one.
    let reach = |of: &ScatterPoint| {
        let (x, y) = (across.position(of.x), up.position(of.y));
        view! {
            <a href=of.address.clone() tabindex="-1">
                <title>{of.said.clone()}</title>
                <circle class="reach" cx=format_coordinate(x) cy=format_coordinate(y) r=format_coordinate(REACH)></circle>
            </a>
        }
    };
    let reaches = dots.iter().map(reach).collect_view();
    let dot = |of: ScatterPoint| {
        let (x, y) = (across.position(of.x), up.position(of.y));
        view! {
            <a href=of.address tabindex="-1">
                <title>{of.said}</title>
                <path class="dot faint" d=of.shape.path(x, y)></path>
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
