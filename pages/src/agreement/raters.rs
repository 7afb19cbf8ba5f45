use domain::statistics::{agreement::Agreement, standardise::RaterScale};
use leptos::prelude::*;

use super::alpha::format_alpha;
use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, MarkShape, signed,
};
use service::{
    figures::RaterAgreement,
    findings::agreement::{self as finding, PULLS_DOWN, change_without, lowers_agreement},
};

/// Each rater's mean and spread, and α without them.
#[component]
pub(super) fn Raters(
    raters: Vec<RaterAgreement>,
    all: Agreement,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let row = |rater: &RaterAgreement| {
        let without = rater.others.alpha.ok()?;
        let label = &rater.rater.label;
        let change = change_without(rater, all)
            .map(|change| signed(change, 3))
            .unwrap_or_default();
        Some(IntervalRow {
            name: label.clone(),
            shape: if lowers_agreement(rater, all) {
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

    let with_all = all
        .alpha
        .map(|alpha| format!(" With all raters it is {}.", format_alpha(alpha)));
    let caption = ChartCaption {
        name: "Agreement without each rater".to_owned(),
        finding: finding::raters(&raters, all),
        line: format!(
            "α of all other raters when one rater is left out.{}",
            with_all.unwrap_or_default()
        ),
        method: format!(
            "Where α rises without a rater, that rater lowers agreement. Raters without whom it rises by \
             {PULLS_DOWN} or more are named, and drawn as diamonds."
        ),
        basis,
    };

    let groups = vec![IntervalRowGroup { name: None, rows }];

    view! {
        <Chart caption file="agreement-raters" table>
            <IntervalChart label="α without each rater" axis groups/>
        </Chart>
    }
}

fn cells(of: &RaterAgreement, all: Agreement) -> Vec<ChartCell> {
    let (mean, sd) = match of.scale {
        Ok(RaterScale { mean, sd }) => (ChartCell::number(mean, 1), ChartCell::number(sd, 1)),
        Err(_) => (ChartCell::none(), ChartCell::text("no spread")),
    };
    let alpha = |value: Option<f64>| {
        value.map_or_else(ChartCell::none, |value| ChartCell::number(value, 3))
    };
    let change = change_without(of, all).map(|change| ChartCell {
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
