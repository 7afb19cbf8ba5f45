use leptos::prelude::*;

use super::alpha::format_alpha;
use crate::charts::{Axis, Chart, ChartCell, ChartColumn, ChartTable, LineChart, LinePoint};
use service::live;

/// α as ratings came in, by their number, since imported ratings all came at once.
#[component]
pub(super) fn History(points: Vec<live::AgreementPoint>) -> impl IntoView {
    let several = points.len() > 1;
    let description = |point: &live::AgreementPoint| {
        let alpha =
            |value: Result<f64, _>| value.map_or_else(|_| "undefined".to_owned(), format_alpha);
        format!(
            "After {} ratings: α {} on z-scores, {} raw",
            point.ratings,
            alpha(point.z),
            alpha(point.raw)
        )
    };
    let point = |point: &live::AgreementPoint| LinePoint {
        x: point.ratings as f64,
        y: point.z.ok(),
        interval: None,
        description: description(point),
    };
    let drawn: Vec<_> = points.iter().map(point).collect();
    let x = Axis::from_values("ratings", drawn.iter().map(|point| point.x), 6);
    let y = Axis::from_values(
        "α, z-scores",
        drawn.iter().filter_map(|point| point.y).chain([0.0, 1.0]),
        5,
    );
    let alpha = |value: Result<f64, _>| {
        value.map_or_else(|_| ChartCell::none(), |alpha| ChartCell::number(alpha, 3))
    };
    let table = ChartTable {
        columns: vec![
            ChartColumn::number("Ratings"),
            ChartColumn::number("α, z-scores"),
            ChartColumn::number("α, raw"),
        ],
        rows: points
            .iter()
            .map(|point| {
                vec![
                    ChartCell::count(point.ratings),
                    alpha(point.z),
                    alpha(point.raw),
                ]
            })
            .collect(),
    };
    several.then(|| view! {
        <Chart
            title="Over time"
            note="α after each number of ratings, in the order in which they were given. z-scores use the means \
                  and standard deviations at that point."
            file="agreement-over-time"
            table
        >
            <LineChart label="α over time" x y points=drawn/>
        </Chart>
    })
}
