use leptos::prelude::*;

use super::{
    Axis, Scale,
    frame::{FOOT, WIDTH, axis_below, canvas},
    numbers::{at, shortened, width_of},
};

/// The height of a row, and of the name of a group.
const ROW: f64 = 26.0;
const HEAD: f64 = 32.0;
/// The widest that names of rows get.
const WIDEST_NAME: f64 = 210.0;
const SPACE: f64 = 14.0;

/// A mark with its interval: a system, a rater.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Whose value it is.
    pub name: String,
    /// How it is marked.
    pub shape: Shape,
    /// The value, on the axis.
    pub value: f64,
    /// The ends of its interval, where it has one.
    pub interval: Option<(f64, f64)>,
    /// What is written at the end of the row, such as the value.
    pub shown: String,
    /// The whole row in words: “T5-3B: mean 0.49, 95 % interval 0.40 to 0.58, rank 5”.
    pub said: String,
}

/// The form of a mark, so that kinds are told apart without colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// A filled circle.
    #[default]
    Circle,
    /// A filled square.
    Square,
    /// A diamond, empty.
    Diamond,
}

/// Rows that belong together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowGroup {
    /// What they have in common, written above them; `None` where there is one group.
    pub name: Option<String>,
    /// From the top.
    pub rows: Vec<Row>,
}

/// One row a system or rater: a mark where its value lies, a line over its interval.
#[component]
pub fn IntervalChart(
    /// What is drawn, in words.
    #[prop(into)]
    label: String,
    /// What the values are measured on.
    axis: Axis,
    /// The rows from the top.
    groups: Vec<RowGroup>,
) -> impl IntoView {
    let layout = Layout::of(&groups);
    let scale = axis.scale(layout.left, layout.right);
    let group = |(of, top): (RowGroup, f64)| {
        let head = of.name.map(|name| {
            let y = at(top + HEAD - 11.0);
            view! { <text class="group" x="0" y=y aria-hidden="true">{name}</text> }
        });
        let first = if head.is_some() { top + HEAD } else { top };
        let rows = of.rows.into_iter().enumerate();
        let rows = rows.map(|(number, row)| mark(row, first + ROW * number as f64, &layout, scale));
        view! {
            {head}
            {rows.collect_view()}
        }
    };
    let tops = layout.tops.iter().copied();
    let marks = groups.into_iter().zip(tops).map(group).collect_view();
    let below = axis_below(&axis, layout.left, layout.right, 0.0, layout.bottom);
    let content = view! { {below} {marks} };
    canvas(label, (WIDTH, layout.bottom + FOOT), content).into_any()
}

fn mark(row: Row, top: f64, layout: &Layout, scale: Scale) -> impl IntoView + use<> {
    let place = |value| scale.at(value);
    let (x, y) = (place(row.value), top + ROW / 2.0);
    let interval = row.interval.map(|(low, high)| {
        let path = format!(
            "M{0} {1}H{2}M{0} {3}v8M{2} {3}v8",
            at(place(low)),
            at(y),
            at(place(high)),
            at(y - 4.0)
        );
        view! { <path class="interval" d=path></path> }
    });
    let name = shortened(&row.name, layout.left - SPACE);
    view! {
        <g class="mark" tabindex="0" role="img" aria-label=row.said>
            <title>{row.said.clone()}</title>
            <rect class="reach" x="1" y=at(top + 1.0) width=at(WIDTH - 2.0) height=at(ROW - 2.0) rx="4"></rect>
            <text class="name" x=at(layout.left - SPACE) y=at(y + 4.0) text-anchor="end">{name}</text>
            {interval}
            <path class=row.shape.class() d=row.shape.path(x, y)></path>
            <text class="value" x=at(WIDTH - 6.0) y=at(y + 4.0) text-anchor="end">{row.shown}</text>
        </g>
    }
}

impl Shape {
    fn class(self) -> &'static str {
        match self {
            Self::Circle | Self::Square => "dot",
            Self::Diamond => "dot empty",
        }
    }

    fn path(self, x: f64, y: f64) -> String {
        let (left, x, y) = (at(x - 4.5), at(x), at(y));
        match self {
            Self::Circle => format!("M{left} {y}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"),
            Self::Square => format!("M{left} {y}m0 -4.5h9v9h-9z"),
            Self::Diamond => format!("M{x} {y}m0 -6l6 6l-6 6l-6 -6z"),
        }
    }
}

/// Where rows and the plot lie.
#[derive(Debug, PartialEq)]
struct Layout {
    /// Where the plot begins, right of the names, and where it ends, left of the values.
    left: f64,
    right: f64,
    /// The top of each group.
    tops: Vec<f64>,
    /// Below the last row.
    bottom: f64,
}

impl Layout {
    fn of(groups: &[RowGroup]) -> Self {
        let rows = || groups.iter().flat_map(|group| &group.rows);
        let widest = |text: fn(&Row) -> &str| {
            let widths = rows().map(|row| width_of(text(row)));
            widths.fold(0.0, f64::max)
        };
        let mut bottom = 0.0;
        let tops = groups.iter().map(|group| {
            let top = bottom;
            let head = if group.name.is_some() { HEAD } else { 0.0 };
            bottom += head + ROW * group.rows.len() as f64;
            top
        });
        Self {
            tops: tops.collect(),
            left: widest(|row| &row.name).min(WIDEST_NAME) + 2.0 * SPACE,
            right: WIDTH - widest(|row| &row.shown) - 2.0 * SPACE,
            bottom: bottom + 4.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: Option<&str>, rows: &[&str]) -> RowGroup {
        let row = |name: &&str| Row {
            name: (*name).to_owned(),
            shape: Shape::Circle,
            value: 0.0,
            interval: None,
            shown: "0.00".to_owned(),
            said: String::new(),
        };
        RowGroup {
            name: name.map(str::to_owned),
            rows: rows.iter().map(row).collect(),
        }
    }

    #[test]
    fn groups_follow_each_other_and_names_take_the_room_they_need() {
        let layout = Layout::of(&[
            group(Some("Human"), &["a"]),
            group(Some("Machine"), &["bcd", "e"]),
        ]);
        assert_eq!(layout.tops, [0.0, HEAD + ROW]);
        assert_eq!(layout.bottom, 2.0 * HEAD + 3.0 * ROW + 4.0);
        assert_eq!(layout.left, 21.0 + 2.0 * SPACE);
        assert_eq!(layout.right, WIDTH - 28.0 - 2.0 * SPACE);
        let long = "x".repeat(200);
        assert_eq!(
            Layout::of(&[group(None, &[&long])]).left,
            WIDEST_NAME + 2.0 * SPACE
        );
        assert_eq!(Layout::of(&[]).bottom, 4.0);
    }
}
