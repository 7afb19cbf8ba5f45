use domain::statistics::{agreement::Agreement, standardise::Scale};
use leptos::prelude::*;

use super::alpha::shown;
use crate::{
    charts::{Axis, Cell, Chart, Column, IntervalChart, Row, RowGroup, Shape, Table, signed},
    figures::RaterFigures,
};

/// α without whom it rises by so much is worth a look.
const PULLS_DOWN: f64 = 0.02;

/// Each rater's mean and spread, and how far the others agree without them.
#[component]
pub(super) fn Raters(raters: Vec<RaterFigures>, all: Agreement) -> impl IntoView {
    let pulls = |of: &RaterFigures| change(of, all).is_some_and(|change| change >= PULLS_DOWN);
    let down: Vec<_> = raters
        .iter()
        .filter(|of| pulls(of))
        .map(|of| of.rater.label.clone())
        .collect();
    let row = |of: &RaterFigures| {
        let without = of.others.alpha.ok()?;
        let label = &of.rater.label;
        let change = change(of, all)
            .map(|change| signed(change, 3))
            .unwrap_or_default();
        Some(Row {
            name: label.clone(),
            shape: if pulls(of) {
                Shape::Diamond
            } else {
                Shape::Circle
            },
            value: without,
            interval: None,
            shown: format!("{} ({change})", shown(without)),
            said: format!(
                "Without {label}: α {} of the others, {change}",
                shown(without)
            ),
        })
    };
    let rows: Vec<_> = raters.iter().filter_map(row).collect();
    let values = rows.iter().map(|row| row.value).chain(all.alpha.ok());
    let axis = Axis::over("α of the others, z-scores", values, 6);
    let table = Table {
        columns: vec![
            Column::text("Rater"),
            Column::text("Kind"),
            Column::number("Ratings"),
            Column::number("Mean"),
            Column::number("Standard deviation"),
            Column::number("α without"),
            Column::number("Change"),
        ],
        rows: raters.iter().map(|of| cells(of, all)).collect(),
    };
    let note = format!(
        "α of all others when a rater is left out{}. Where it rises, the rater pulls agreement down.",
        all.alpha
            .map(|alpha| format!("; of all it is {}", shown(alpha)))
            .unwrap_or_default()
    );
    let groups = vec![RowGroup { name: None, rows }];
    view! {
        <Chart title="Without each rater" note file="agreement-raters" table>
            <IntervalChart label="α without each rater" axis groups/>
            {(!down.is_empty()).then(|| view! {
                <p class="caution">
                    {format!("Agreement rises by {PULLS_DOWN} or more without: {}.", down.join(", "))}
                </p>
            })}
        </Chart>
    }
}

/// By how much α rises without the rater.
fn change(of: &RaterFigures, all: Agreement) -> Option<f64> {
    Some(of.others.alpha.ok()? - all.alpha.ok()?)
}

fn cells(of: &RaterFigures, all: Agreement) -> Vec<Cell> {
    let (mean, sd) = match of.scale {
        Ok(Scale { mean, sd }) => (Cell::number(mean, 1), Cell::number(sd, 1)),
        Err(_) => (Cell::none(), Cell::text("no spread")),
    };
    let alpha = |value: Option<f64>| value.map_or_else(Cell::none, |value| Cell::number(value, 3));
    let change = change(of, all).map(|change| Cell {
        shown: signed(change, 3),
        exact: Some(change.to_string()),
    });
    vec![
        Cell::text(of.rater.label.clone()),
        Cell::text(of.rater.kind.name()),
        Cell::count(of.ratings),
        mean,
        sd,
        alpha(of.others.alpha.ok()),
        change.unwrap_or_else(Cell::none),
    ]
}
