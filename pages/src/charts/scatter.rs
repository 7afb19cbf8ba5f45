use leptos::prelude::*;

use super::{
    Axis,
    frame::{FOOT, NARROW_WIDTH, WIDTH, axis_below, axis_beside, canvas},
    intervals::MarkShape,
    numbers::format_coordinate,
};

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

/// A scatter plot: one dot for each item, with its values and a link. It is drawn twice, and a screen
/// shows the drawing that it has room for. There are too many dots for a tab stop each: with scripts the
/// chart is one tab stop, and the table behind it lists them with their addresses.
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
    let draw = |form, size| drawing(form, label.clone(), (&x, &y), &dots, size);
    let wide = draw("wide", (WIDTH, 540.0));
    let narrow = draw("narrow", (NARROW_WIDTH, 320.0));
    view! { {wide} {narrow} }.into_any()
}

fn drawing(
    form: &'static str,
    label: String,
    (x, y): (&Axis, &Axis),
    dots: &[ScatterPoint],
    (width, height): (f64, f64),
) -> AnyView {
    let (left, right, top, bottom) = (44.0, width - 20.0, 30.0, height - FOOT);
    let (across, up) = (x.scale(left, right), y.scale(bottom, top));

    // Drawn below all dots and in the same order, so that no dot's target covers another dot.
    let reach = |point: &ScatterPoint| {
        let (x, y) = (across.position(point.x), up.position(point.y));
        view! {
            <a href=point.address.clone() tabindex="-1" aria-hidden="true">
                <circle class="reach" cx=format_coordinate(x) cy=format_coordinate(y) r=format_coordinate(REACH)></circle>
            </a>
        }
    };
    let dot = |point: &ScatterPoint| {
        let (x, y) = (across.position(point.x), up.position(point.y));
        view! {
            <a class="mark" href=point.address.clone() tabindex="-1" aria-label=point.description.clone()>
                <path class="dot faint" d=point.shape.path(x, y)></path>
            </a>
        }
    };

    let (beside, below) = (
        axis_beside(y, left, right, top, bottom),
        axis_below(x, left, right, top, bottom),
    );
    let reaches = dots.iter().map(reach).collect_view();
    let dots = dots.iter().map(dot).collect_view();

    let content =
        view! { {beside} {below} <g class="reaches">{reaches}</g> <g class="dots">{dots}</g> };
    canvas(form, label, (width, height), content).into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_has_a_name_and_a_target_of_24_pixels() {
        let owner = Owner::new();
        let html = owner.with(|| {
            let dots = vec![ScatterPoint {
                x: 1.0,
                y: 2.0,
                shape: MarkShape::Circle,
                description: "one".to_owned(),
                address: "/s/a".to_owned(),
            }];
            let axis = |end| Axis::from_values("", [0.0, end], 5);
            view! { <Scatter label="Dots" x=axis(1.0) y=axis(2.0) dots/> }
                .into_any()
                .to_html()
        });
        // One drawing for wide screens and one for phones.
        assert_eq!(html.matches(r#"class="reach""#).count(), 2, "{html}");
        assert_eq!(html.matches(r#"r="12""#).count(), 2, "{html}");
        assert_eq!(html.matches(r#"aria-label="one""#).count(), 2, "{html}");
        assert!(html.contains(r#"class="chart-scroll narrow""#), "{html}");
    }
}
