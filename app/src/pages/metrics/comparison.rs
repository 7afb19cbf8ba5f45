use domain::metrics::meta::{IntervalEstimate, MetricComparison, MetricDifference};
use leptos::prelude::*;

use super::groups::{cell, ends, group, row, values};
use crate::charts::{
    Axis, Chart, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRowGroup, MarkShape,
};

/// The comparison of one metric with another.
#[derive(Debug, Clone)]
pub(super) struct MetricComparisonRow {
    /// The metric that the others are tested against.
    pub(super) baseline: String,
    pub(super) other: String,
    /// The number of rated outputs that both score.
    pub(super) outputs: usize,
    /// The difference: the first minus the second.
    pub(super) comparison: MetricComparison,
}

/// Tests whether one metric agrees with people better than each of the others.
#[component]
pub(super) fn ComparisonChart(rows: Vec<MetricComparisonRow>) -> impl IntoView {
    let name = rows.first().map(|row| row.baseline.clone());
    name.map(|name| {
        let of = |title: &str, pick: fn(&MetricComparison) -> MetricDifference| {
            let rows = rows.iter().filter_map(|it| {
                let of = pick(&it.comparison);
                let estimate = IntervalEstimate {
                    value: of.value,
                    interval: of.interval,
                };
                let what = format!("{name} minus {}, {title}", it.other);
                row(&it.other, &what, MarkShape::Circle, estimate)
            });
            group(title, rows)
        };
        let groups: Vec<IntervalRowGroup> = [
            of("Kendall-tau-like", |of| of.tau),
            of("Pearson’s r", |of| of.pearson),
        ]
        .into_iter()
        .flatten()
        .collect();
        let axis = Axis::from_values(format!("{name} minus the other"), values(&groups).chain([0.0]), 8);
        let title = format!("Is {name} better than the others?");
        let label = format!("{name} minus each other metric");
        view! {
            <Chart
                title
                note="The difference on outputs that both score, with its 95 % interval by the paired \
                      bootstrap over sources: above 0 it is better. The table has the p-values of this \
                      bootstrap and of the paired permutation test, in which the two swap places source by \
                      source; they are not corrected for the number of metrics tested."
                file="metrics-against"
                table=table(&rows)
            >
                <IntervalChart label axis groups/>
            </Chart>
        }
    })
}

fn table(rows: &[MetricComparisonRow]) -> ChartTable {
    let texts = ["A", "B", "Figure"].map(ChartColumn::text);
    let numbers = [
        "A − B",
        "95 % interval, low",
        "95 % interval, high",
        "p, paired bootstrap",
        "p, paired permutation",
        "Outputs",
    ];
    let of = |row: &MetricComparisonRow| {
        [
            ("Kendall-tau-like", row.comparison.tau),
            ("Pearson’s r", row.comparison.pearson),
        ]
        .map(|(name, of)| {
            let p = |p: Result<f64, _>| p.map_or_else(|_| ChartCell::none(), ChartCell::p);
            let texts = [&row.baseline[..], &row.other, name]
                .map(ChartCell::text)
                .into_iter();
            texts
                .chain([cell(of.value)])
                .chain(ends(of.interval))
                .chain([
                    p(of.bootstrap_p),
                    p(of.permutation_p),
                    ChartCell::count(row.outputs),
                ])
                .collect()
        })
    };
    ChartTable {
        columns: texts
            .into_iter()
            .chain(numbers.map(ChartColumn::number))
            .collect(),
        rows: rows.iter().flat_map(of).collect(),
    }
}
