use leptos::prelude::*;

use super::{
    Axis, AxisScale,
    frame::{FOOT, NARROW_WIDTH, WIDTH, axis_below, axis_beside, canvas, references_beside},
    numbers::format_coordinate,
};

/// A point of a line chart.
#[derive(Debug, Clone, PartialEq)]
pub struct LinePoint {
    /// The position on the lower axis.
    pub x: f64,
    /// The value; `None` if it is undefined, which interrupts the line.
    pub y: Option<f64>,
    /// The ends of its interval, if it has one.
    pub interval: Option<(f64, f64)>,
    /// The point in words: “after 120 ratings: α 0.61, 95 % interval 0.52 to 0.69”.
    pub description: String,
}

/// A line chart over time, with a band over the intervals. It is drawn twice, and a screen shows the
/// drawing that it has room for. Each point can be reached by keyboard, so thin out a series of more than
/// a few dozen points.
#[component]
pub fn LineChart(
    /// A description of the drawing.
    #[prop(into)]
    label: String,
    x: Axis,
    /// The axis at the left.
    y: Axis,
    /// The points, in the order of time.
    points: Vec<LinePoint>,
    #[prop(default = 280.0)] height: f64,
    /// Whether to draw the diagonal between the lowest and highest values, which shows chance level.
    #[prop(optional)]
    diagonal: bool,
) -> impl IntoView {
    let draw = |form, size| drawing(form, label.clone(), (&x, &y), &points, size, diagonal);
    let wide = draw("wide", (WIDTH, height));
    let narrow = draw("narrow", (NARROW_WIDTH, height.min(260.0)));
    view! { {wide} {narrow} }.into_any()
}

fn drawing(
    form: &'static str,
    label: String,
    (x, y): (&Axis, &Axis),
    points: &[LinePoint],
    (width, height): (f64, f64),
    diagonal: bool,
) -> AnyView {
    let (left, right, top, bottom) = (44.0, width - 20.0, 30.0, height - FOOT);
    let (across, up) = (x.scale(left, right), y.scale(bottom, top));
    let (line, band) = (line(points, across, up), band(points, across, up));
    let (beside, below) = (
        axis_beside(y, left, right, top, bottom),
        axis_below(x, left, right, bottom, bottom),
    );

    let marks = points.iter().filter_map(|point| mark(point, across, up));
    let marks = marks.collect_view();
    let chance = diagonal.then(|| {
        let ((left, right), (low, high)) = (x.ends(), y.ends());
        let path = path([(left, low), (right, high)].into_iter(), across, up);
        view! { <path class="chance" d=path></path> }
    });

    let content = view! {
        {beside}
        {below}
        {chance}
        <path class="band" d=band></path>
        <path class="line" d=line></path>
        {marks}
        {references_beside(y, right, top, bottom)}
    };

    canvas(form, label, (width, height), content).into_any()
}

fn mark(point: &LinePoint, across: AxisScale, up: AxisScale) -> Option<impl IntoView + use<>> {
    let (x, y) = (across.position(point.x), up.position(point.y?));
    Some(view! {
        <g class="mark" tabindex="0" role="img" aria-label=point.description.clone()>
            <rect class="reach" x=format_coordinate(x - 12.0) y=format_coordinate(y - 12.0) width="24" height="24" rx="4"></rect>
            <circle class="dot" cx=format_coordinate(x) cy=format_coordinate(y) r="3.5"></circle>
        </g>
    })
}

/// The path of the points; it starts again after a missing value.
fn line(points: &[LinePoint], across: AxisScale, up: AxisScale) -> String {
    let runs = points.split(|point| point.y.is_none());
    let draw = |run: &[LinePoint]| {
        let places = run.iter().filter_map(|point| Some((point.x, point.y?)));
        path(places, across, up)
    };
    runs.map(draw).collect()
}

/// The outline of the band between the intervals' ends.
fn band(points: &[LinePoint], across: AxisScale, up: AxisScale) -> String {
    let runs = points.split(|point| point.interval.is_none());
    let draw = |run: &[LinePoint]| {
        let above = run
            .iter()
            .filter_map(|point| Some((point.x, point.interval?.1)));
        let below = run
            .iter()
            .rev()
            .filter_map(|point| Some((point.x, point.interval?.0)));
        match path(above.chain(below), across, up) {
            path if path.is_empty() => path,
            path => path + "z",
        }
    };
    runs.map(draw).collect()
}

fn path(places: impl Iterator<Item = (f64, f64)>, across: AxisScale, up: AxisScale) -> String {
    let step = |(number, (x, y))| {
        let letter = if number == 0 { 'M' } else { 'L' };
        format!(
            "{letter}{} {}",
            format_coordinate(across.position(x)),
            format_coordinate(up.position(y))
        )
    };
    places.enumerate().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_interrupted_where_a_value_is_missing() {
        let point = |x, y: Option<f64>| LinePoint {
            x,
            y,
            interval: y.map(|y| (y - 1.0, y + 1.0)),
            description: String::new(),
        };
        let points = [
            point(0.0, Some(5.0)),
            point(1.0, Some(6.0)),
            point(2.0, None),
            point(3.0, Some(2.0)),
        ];
        let axis = Axis::from_values("", [0.0, 10.0], 5);
        let (across, up) = (axis.scale(0.0, 100.0), axis.scale(100.0, 0.0));
        assert_eq!(line(&points, across, up), "M0 50L10 40M30 80");
        assert_eq!(
            band(&points, across, up),
            "M0 40L10 30L10 50L0 60zM30 70L30 90z"
        );
        assert_eq!(line(&[], across, up), "");
    }
}
