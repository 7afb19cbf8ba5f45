use leptos::prelude::*;

use super::alpha::shown;
use crate::{
    charts::{Axis, Cell, Chart, Column, LineChart, Point, Table},
    live,
};

/// α as ratings came in: by their number, since imported ones all came at once.
#[component]
pub(super) fn History(points: Vec<live::Point>) -> impl IntoView {
    let several = points.len() > 1;
    let said = |of: &live::Point| {
        let alpha = |of: Result<f64, _>| of.map_or_else(|_| "undefined".to_owned(), shown);
        format!(
            "After {} ratings: α {} on z-scores, {} raw",
            of.ratings,
            alpha(of.z),
            alpha(of.raw)
        )
    };
    let point = |of: &live::Point| Point {
        x: of.ratings as f64,
        y: of.z.ok(),
        interval: None,
        said: said(of),
    };
    let drawn: Vec<_> = points.iter().map(point).collect();
    let x = Axis::over("ratings", drawn.iter().map(|point| point.x), 6);
    let y = Axis::over(
        "α, z-scores",
        drawn.iter().filter_map(|point| point.y).chain([0.0, 1.0]),
        5,
    );
    let alpha =
        |of: Result<f64, _>| of.map_or_else(|_| Cell::none(), |alpha| Cell::number(alpha, 3));
    let table = Table {
        columns: vec![
            Column::number("Ratings"),
            Column::number("α, z-scores"),
            Column::number("α, raw"),
        ],
        rows: points
            .iter()
            .map(|of| vec![Cell::count(of.ratings), alpha(of.z), alpha(of.raw)])
            .collect(),
    };
    several.then(|| view! {
        <Chart
            title="Over time"
            note="α after so many ratings, in the order in which they were given; z-scores by the means and \
                  standard deviations of that time."
            file="agreement-over-time"
            table
        >
            <LineChart label="α over time" x y points=drawn/>
        </Chart>
    })
}
