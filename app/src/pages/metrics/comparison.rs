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
        let comparison_group = |title: &str, pick: fn(&MetricComparison) -> MetricDifference| {
            let rows = rows.iter().filter_map(|comparison_row| {
                let difference = pick(&comparison_row.comparison);
                let estimate = IntervalEstimate {
                    value: difference.value,
                    interval: difference.interval,
                };
                let description = format!("{name} minus {}, {title}", comparison_row.other);
                row(&comparison_row.other, &description, MarkShape::Circle, estimate)
            });
            group(title, rows)
        };
        let groups: Vec<IntervalRowGroup> = [
            comparison_group("Kendall-tau-like", |comparison| comparison.tau),
            comparison_group("Pearson’s r", |comparison| comparison.pearson),
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
    let cells = |row: &MetricComparisonRow| {
        [
            ("Kendall-tau-like", row.comparison.tau),
            ("Pearson’s r", row.comparison.pearson),
        ]
        .map(|(name, difference)| {
            let p = |p: Result<f64, _>| p.map_or_else(|_| ChartCell::none(), ChartCell::p);
            let texts = [&row.baseline[..], &row.other, name]
                .map(ChartCell::text)
                .into_iter();
            texts
                .chain([cell(difference.value)])
                .chain(ends(difference.interval))
                .chain([
                    p(difference.bootstrap_p),
                    p(difference.permutation_p),
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
        rows: rows.iter().flat_map(cells).collect(),
    }
}
