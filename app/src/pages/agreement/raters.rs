use domain::statistics::{agreement::Agreement, standardise::RaterScale};
use leptos::prelude::*;

use super::alpha::format_alpha;
use crate::charts::{
    Axis, Chart, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow, IntervalRowGroup,
    MarkShape, signed,
};
use service::figures::RaterAgreement;

/// A rise of α without a rater that is worth a look.
const PULLS_DOWN: f64 = 0.02;

/// Each rater's mean and spread, and α without them.
#[component]
pub(super) fn Raters(raters: Vec<RaterAgreement>, all: Agreement) -> impl IntoView {
    let pulls =
        |rater: &RaterAgreement| change(rater, all).is_some_and(|change| change >= PULLS_DOWN);
    let down: Vec<_> = raters
        .iter()
        .filter(|rater| pulls(rater))
        .map(|rater| rater.rater.label.clone())
        .collect();
    let row = |rater: &RaterAgreement| {
        let without = rater.others.alpha.ok()?;
        let label = &rater.rater.label;
        let change = change(rater, all)
            .map(|change| signed(change, 3))
            .unwrap_or_default();
        Some(IntervalRow {
            name: label.clone(),
            shape: if pulls(rater) {
                MarkShape::Diamond
            } else {
                MarkShape::Circle
            },
            value: without,
            interval: None,
            shown: format!("{} ({change})", format_alpha(without)),
            description: format!(
                "Without {label}: α {} of the others, {change}",
                format_alpha(without)
            ),
        })
    };
    let rows: Vec<_> = raters.iter().filter_map(row).collect();
    let values = rows.iter().map(|row| row.value).chain(all.alpha.ok());
    let axis = Axis::from_values("α of the others, z-scores", values, 6);
    let table = ChartTable {
        columns: vec![
            ChartColumn::text("Rater"),
            ChartColumn::text("Kind"),
            ChartColumn::number("Ratings"),
            ChartColumn::number("Mean"),
            ChartColumn::number("Standard deviation"),
            ChartColumn::number("α without the rater"),
            ChartColumn::number("Change"),
        ],
        rows: raters.iter().map(|rater| cells(rater, all)).collect(),
    };
    let note = format!(
        "α of all other raters when one rater is left out{}. Where it rises, that rater lowers agreement.",
        all.alpha
            .map(|alpha| format!("; with all raters it is {}", format_alpha(alpha)))
            .unwrap_or_default()
    );
    let groups = vec![IntervalRowGroup { name: None, rows }];
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

/// The rise of α without the rater.
fn change(of: &RaterAgreement, all: Agreement) -> Option<f64> {
    Some(of.others.alpha.ok()? - all.alpha.ok()?)
}

fn cells(of: &RaterAgreement, all: Agreement) -> Vec<ChartCell> {
    let (mean, sd) = match of.scale {
        Ok(RaterScale { mean, sd }) => (ChartCell::number(mean, 1), ChartCell::number(sd, 1)),
        Err(_) => (ChartCell::none(), ChartCell::text("no spread")),
    };
    let alpha = |value: Option<f64>| {
        value.map_or_else(ChartCell::none, |value| ChartCell::number(value, 3))
    };
    let change = change(of, all).map(|change| ChartCell {
        shown: signed(change, 3),
        exact: Some(change.to_string()),
    });
    vec![
        ChartCell::text(of.rater.label.clone()),
        ChartCell::text(of.rater.kind.name()),
        ChartCell::count(of.ratings),
        mean,
        sd,
        alpha(of.others.alpha.ok()),
        change.unwrap_or_else(ChartCell::none),
    ]
}
