//! Parts of all drawings: the canvas, which scrolls where it is too wide, and the axes.

use leptos::prelude::*;

use super::{
    Axis, AxisTick,
    numbers::{format_coordinate, width_of},
};

/// The width of a drawing: that of a card on a wide page.
pub(super) const WIDTH: f64 = 1_070.0;
/// The width of a drawing for phones.
pub(super) const NARROW_WIDTH: f64 = 280.0;
/// The space below a drawing for an axis: its ticks and its label.
pub(super) const FOOT: f64 = 46.0;

/// The space above a drawing for the words of reference lines.
pub(super) const REFERENCE_HEAD: f64 = 18.0;

/// The canvas: a group that also scrolls sideways by keyboard. `form` tells style sheets for which
/// screens it is.
pub(super) fn canvas(
    form: &'static str,
    label: String,
    (width, height): (f64, f64),
    content: impl IntoView,
) -> impl IntoView {
    let shape = format!(
        "0 0 {} {}",
        format_coordinate(width),
        format_coordinate(height)
    );
    let group = format!("{label}, drawing");

    view! {
        <div class=format!("chart-scroll {form}") role="group" aria-label=group tabindex="0">
            <svg viewBox=shape width=format_coordinate(width) height=format_coordinate(height) role="group" aria-label=label>
                {content}
            </svg>
        </div>
    }
}

/// Vertical grid lines at the ticks of the lower axis, with their values and the axis label. Zero is
/// marked where it lies inside. The words of reference lines take [`REFERENCE_HEAD`] above `top`.
pub(super) fn axis_below(axis: &Axis, left: f64, right: f64, top: f64, bottom: f64) -> AnyView {
    let scale = axis.scale(left, right);
    let widest = axis.ticks.iter().map(|tick| width_of(&tick.label));
    let room = (right - left) / (axis.ticks.len() as f64 - 1.0).max(1.0);

    // Leave out labels that would overlap.
    let every = ((widest.fold(0.0, f64::max) + 8.0) / room).ceil().max(1.0) as usize;

    let tick = |(number, axis_tick): (usize, &AxisTick)| {
        let x = format_coordinate(scale.position(axis_tick.value));
        let class = grid_class(axis, axis_tick.value);
        let label = if number.is_multiple_of(every) {
            &axis_tick.label[..]
        } else {
            ""
        };
        view! {
            <line class=class x1=x.clone() x2=x.clone() y1=format_coordinate(top) y2=format_coordinate(bottom)></line>
            <text class="tick" x=x y=format_coordinate(bottom + 16.0) text-anchor="middle">{label.to_owned()}</text>
        }
    };
    let ticks = axis.ticks.iter().enumerate().map(tick);

    // The words are above the plot, where no line crosses them. They lean outwards, so that those
    // of close lines do not overlap.
    let last = axis.references.len().saturating_sub(1);
    let reference = |(number, reference): (usize, &AxisTick)| {
        let x = format_coordinate(scale.position(reference.value));
        let anchor = match number {
            _ if last == 0 => "middle",
            0 => "end",
            number if number == last => "start",
            _ => "middle",
        };
        view! {
            <line class="reference" x1=x.clone() x2=x.clone() y1=format_coordinate(top) y2=format_coordinate(bottom)></line>
            <text class="tick" x=x y=format_coordinate(top - 5.0) text-anchor=anchor>{reference.label.clone()}</text>
        }
    };

    view! {
        <g aria-hidden="true">
            {ticks.collect_view()}
            {axis.references.iter().enumerate().map(reference).collect_view()}
            <text class="axis" x=format_coordinate(f64::midpoint(left, right)) y=format_coordinate(bottom + 38.0) text-anchor="middle">
                {axis.label.clone()}
            </text>
        </g>
    }
    .into_any()
}

/// Horizontal grid lines at the ticks of the left axis, with their values and, above, the axis label.
pub(super) fn axis_beside(axis: &Axis, left: f64, right: f64, top: f64, bottom: f64) -> AnyView {
    let scale = axis.scale(bottom, top);

    let tick = |value: f64, label: String| {
        let y = scale.position(value);
        let class = grid_class(axis, value);
        view! {
            <line class=class x1=format_coordinate(left) x2=format_coordinate(right) y1=format_coordinate(y) y2=format_coordinate(y)></line>
            <text class="tick" x=format_coordinate(left - 8.0) y=format_coordinate(y + 4.0) text-anchor="end">{label}</text>
        }
    };
    let ticks = axis
        .ticks
        .iter()
        .map(|axis_tick| tick(axis_tick.value, axis_tick.label.clone()));

    let reference = |reference: &AxisTick| {
        let y = format_coordinate(scale.position(reference.value));
        view! { <line class="reference" x1=format_coordinate(left) x2=format_coordinate(right) y1=y.clone() y2=y></line> }
    };

    view! {
        <g aria-hidden="true">
            {ticks.collect_view()}
            {axis.references.iter().map(reference).collect_view()}
            <text class="axis" x="0" y="14">{axis.label.clone()}</text>
        </g>
    }
    .into_any()
}

/// The words next to the reference lines of the left axis. They come after the data, which would
/// cross them.
pub(super) fn references_beside(axis: &Axis, right: f64, top: f64, bottom: f64) -> AnyView {
    let scale = axis.scale(bottom, top);
    let words = |reference: &AxisTick| {
        let y = format_coordinate(scale.position(reference.value) - 4.0);
        view! { <text class="tick over" x=format_coordinate(right) y=y text-anchor="end">{reference.label.clone()}</text> }
    };
    view! { <g aria-hidden="true">{axis.references.iter().map(words).collect_view()}</g> }
        .into_any()
}

fn grid_class(axis: &Axis, value: f64) -> &'static str {
    if value == 0.0 && axis.crosses_zero() {
        "zero"
    } else {
        "grid"
    }
}
