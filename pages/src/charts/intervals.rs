use leptos::prelude::*;

use super::{
    Axis, AxisScale,
    frame::{FOOT, NARROW_WIDTH, REFERENCE_HEAD, WIDTH, axis_below, canvas},
    numbers::{format_coordinate, shortened, width_of},
};

/// The height of a group's heading.
const HEAD: f64 = 32.0;
/// The largest width of row names.
const WIDEST_NAME: f64 = 260.0;
const SPACE: f64 = 14.0;

/// A row of an interval chart: the value of one system or rater.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalRow {
    /// The name of the row.
    pub name: String,
    /// The form of the mark.
    pub shape: MarkShape,
    /// The value, on the axis.
    pub value: f64,
    /// The ends of its interval, if it has one.
    pub interval: Option<(f64, f64)>,
    /// The text at the end of the row, such as the value.
    pub shown: String,
    /// The whole row in words: “T5-3B: mean 0.49, 95 % interval 0.40 to 0.58, rank 5”.
    pub description: String,
}

/// The form of a mark, which tells kinds apart without colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkShape {
    #[default]
    Circle,
    Square,
    Diamond,
}

/// A group of rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntervalRowGroup {
    /// The heading of the group; `None` if there is only one group.
    pub name: Option<String>,
    /// The rows, from the top.
    pub rows: Vec<IntervalRow>,
}

/// A chart with one row for each system or rater: a mark at its value, a line over its interval. It is
/// drawn twice, and a screen shows the drawing that it has room for.
#[component]
pub fn IntervalChart(
    /// A description of the drawing.
    #[prop(into)]
    label: String,
    /// The axis of the values.
    axis: Axis,
    /// The groups of rows, from the top.
    groups: Vec<IntervalRowGroup>,
) -> impl IntoView {
    let top = match axis.references.is_empty() {
        true => 0.0,
        false => REFERENCE_HEAD,
    };

    let wide = drawing(
        "wide",
        label.clone(),
        &axis,
        &groups,
        &IntervalLayout::wide(&groups, top),
    );
    let narrow = drawing(
        "narrow",
        label,
        &axis,
        &groups,
        &IntervalLayout::narrow(&groups, top),
    );

    view! { {wide} {narrow} }.into_any()
}

fn drawing(
    form: &'static str,
    label: String,
    axis: &Axis,
    groups: &[IntervalRowGroup],
    layout: &IntervalLayout,
) -> AnyView {
    let scale = axis.scale(layout.left, layout.right);
    let group = |(row_group, top): (&IntervalRowGroup, &f64)| {
        let head = row_group.name.clone().map(|name| {
            let y = format_coordinate(top + HEAD - 11.0);
            view! { <text class="group" x="0" y=y aria-hidden="true">{name}</text> }
        });
        let first = if head.is_some() { top + HEAD } else { *top };
        let rows = row_group.rows.iter().enumerate();
        let rows = rows.map(|(number, row)| {
            mark(
                row.clone(),
                first + layout.row * number as f64,
                layout,
                scale,
            )
        });
        let rows = rows.collect_view();
        view! { {head} {rows} }
    };

    let marks = groups.iter().zip(&layout.tops).map(group).collect_view();
    let below = axis_below(axis, layout.left, layout.right, layout.top, layout.bottom);
    let size = (layout.width, layout.bottom + FOOT);
    canvas(form, label, size, view! { {below} {marks} }).into_any()
}

fn mark(
    row: IntervalRow,
    top: f64,
    layout: &IntervalLayout,
    scale: AxisScale,
) -> impl IntoView + use<> {
    let place = |value| scale.position(value);
    let (x, y) = (place(row.value), top + layout.mark);
    let interval = row.interval.map(|(low, high)| {
        let path = format!(
            "M{0} {1}H{2}M{0} {3}v8M{2} {3}v8",
            format_coordinate(place(low)),
            format_coordinate(y),
            format_coordinate(place(high)),
            format_coordinate(y - 4.0)
        );
        view! { <path class="interval" d=path></path> }
    });

    let name = shortened(&row.name, layout.name_width);
    let anchor = if layout.name_at_end { "end" } else { "start" };
    let (reach, high) = (
        format_coordinate(layout.width - 2.0),
        format_coordinate(layout.row - 2.0),
    );
    let line = format_coordinate(top + layout.line);

    view! {
        <g class="mark" tabindex="0" role="img" aria-label=row.description>
            <rect class="reach" x="1" y=format_coordinate(top + 1.0) width=reach height=high rx="4"></rect>
            <text class="name" x=format_coordinate(layout.name) y=line.clone() text-anchor=anchor>{name}</text>
            {interval}
            <path class=row.shape.class() d=row.shape.path(x, y)></path>
            <text class="value" x=format_coordinate(layout.width - 6.0) y=line text-anchor="end">{row.shown}</text>
        </g>
    }
}

impl MarkShape {
    fn class(self) -> &'static str {
        match self {
            Self::Circle | Self::Square => "dot",
            Self::Diamond => "dot empty",
        }
    }

    pub(super) fn path(self, x: f64, y: f64) -> String {
        let (left, x, y) = (
            format_coordinate(x - 4.5),
            format_coordinate(x),
            format_coordinate(y),
        );
        match self {
            Self::Circle => format!("M{left} {y}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"),
            Self::Square => format!("M{left} {y}m0 -4.5h9v9h-9z"),
            Self::Diamond => format!("M{x} {y}m0 -6l6 6l-6 6l-6 -6z"),
        }
    }
}

/// The layout of rows and plot.
#[derive(Debug, PartialEq)]
struct IntervalLayout {
    width: f64,
    /// The ends of the plot.
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// The height of a row, and the offsets of its text line and its mark from its top.
    row: f64,
    line: f64,
    mark: f64,
    /// The anchor of names, their alignment, and their largest width.
    name: f64,
    name_at_end: bool,
    name_width: f64,
    /// The top of each group.
    tops: Vec<f64>,
}

impl IntervalLayout {
    /// The wide layout: names left of the plot, values right of it.
    fn wide(groups: &[IntervalRowGroup], top: f64) -> Self {
        let rows = || groups.iter().flat_map(|group| &group.rows);
        let widest = |text: fn(&IntervalRow) -> &str| {
            let widths = rows().map(|row| width_of(text(row)));
            widths.fold(0.0, f64::max)
        };
        let names = widest(|row| &row.name).min(WIDEST_NAME);
        let row = 26.0;
        let (tops, bottom) = stacked(groups, row, top);

        Self {
            width: WIDTH,
            left: names + 2.0 * SPACE,
            right: WIDTH - widest(|row| &row.shown) - 2.0 * SPACE,
            top,
            bottom,
            row,
            line: 17.0,
            mark: 13.0,
            name: names + SPACE,
            name_at_end: true,
            name_width: names,
            tops,
        }
    }

    /// The phone layout: name and value above the mark.
    fn narrow(groups: &[IntervalRowGroup], top: f64) -> Self {
        let (width, row) = (NARROW_WIDTH, 42.0);
        let (tops, bottom) = stacked(groups, row, top);

        Self {
            width,
            left: SPACE,
            right: width - SPACE,
            top,
            bottom,
            row,
            line: 16.0,
            mark: 29.0,
            name: 6.0,
            name_at_end: false,
            name_width: width - 70.0,
            tops,
        }
    }
}

/// The tops of groups that follow each other from `top` on, and the position below the last one.
fn stacked(groups: &[IntervalRowGroup], row: f64, top: f64) -> (Vec<f64>, f64) {
    let mut bottom = top;
    let tops = groups.iter().map(|group| {
        let top = bottom;
        let head = if group.name.is_some() { HEAD } else { 0.0 };
        bottom += head + row * group.rows.len() as f64;
        top
    });
    (tops.collect(), bottom + 4.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: Option<&str>, rows: &[&str]) -> IntervalRowGroup {
        let row = |name: &&str| IntervalRow {
            name: (*name).to_owned(),
            shape: MarkShape::Circle,
            value: 0.0,
            interval: None,
            shown: "0.00".to_owned(),
            description: String::new(),
        };
        IntervalRowGroup {
            name: name.map(str::to_owned),
            rows: rows.iter().map(row).collect(),
        }
    }

    #[test]
    fn groups_follow_each_other_and_names_take_the_room_they_need() {
        let groups = [
            group(Some("Human"), &["a"]),
            group(Some("Machine"), &["bcd", "e"]),
        ];
        let layout = IntervalLayout::wide(&groups, 0.0);
        assert_eq!(layout.tops, [0.0, HEAD + layout.row]);
        assert_eq!(layout.bottom, 2.0 * HEAD + 3.0 * layout.row + 4.0);
        assert_eq!(layout.left, 21.0 + 2.0 * SPACE);
        assert_eq!(layout.right, WIDTH - 28.0 - 2.0 * SPACE);
        let long = "x".repeat(200);
        let layout = IntervalLayout::wide(&[group(None, &[&long])], 0.0);
        assert_eq!(layout.left, WIDEST_NAME + 2.0 * SPACE);
        assert_eq!(IntervalLayout::wide(&[], 0.0).bottom, 4.0);
    }

    #[test]
    fn a_phone_shows_a_row_whole() {
        let layout = IntervalLayout::narrow(&[group(None, &["a", "b"])], 0.0);
        assert!(layout.width <= 320.0 - 2.0 * 16.0);
        assert_eq!(
            (layout.tops, layout.bottom),
            (vec![0.0], 2.0 * layout.row + 4.0)
        );
        assert!(layout.name + layout.name_width < layout.width);
    }
}
