use domain::metrics::meta::{IntervalEstimate, MetricComparison, MetricDifference};
use leptos::prelude::*;

use super::groups::{cell, ends, group, row, values};
use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRowGroup,
    MarkShape,
};
use service::findings;

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
pub(super) fn ComparisonChart(
    rows: Vec<MetricComparisonRow>,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
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
        let label = format!("{name} minus each other metric");
        let differences: Vec<_> = rows
            .iter()
            .map(|row| (&row.other[..], row.comparison.tau))
            .collect();
        let (finding, corrected) = findings::metrics::against(&name, &differences);

        let caption = ChartCaption {
            name: format!("Is {name} better than the others?"),
            finding,
            line: format!(
                "The difference of {name} to each other metric, with its 95 % interval: above 0, {name} is \
                 better."
            ),
            method: "On outputs that both score; intervals by the paired bootstrap over sources. The heading \
                     is by the paired permutation test of Kendall-tau-like, in which the two swap places \
                     source by source, at .05 after Holm’s correction for the number of metrics. The table \
                     has its p-values, and those of the bootstrap, which are not corrected."
                .to_owned(),
            basis,
        };

        view! {
            <Chart caption file="metrics-against" table=table(&rows, &corrected)>
                <IntervalChart label axis groups/>
            </Chart>
        }
    })
}

/// The differences. `corrected` holds the corrected p-values of those in Kendall-tau-like.
fn table(rows: &[MetricComparisonRow], corrected: &[Option<f64>]) -> ChartTable {
    let texts = ["A", "B", "Figure"].map(ChartColumn::text);
    let numbers = [
        "A − B",
        "95 % interval, low",
        "95 % interval, high",
        "p, paired bootstrap",
        "p, paired permutation",
        "p, paired permutation, Holm",
        "Outputs",
    ];

    let cells = |(row, corrected): (&MetricComparisonRow, &Option<f64>)| {
        [
            ("Kendall-tau-like", row.comparison.tau, *corrected),
            ("Pearson’s r", row.comparison.pearson, None),
        ]
        .map(|(name, difference, corrected)| {
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
                    corrected.map_or_else(ChartCell::none, ChartCell::p),
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
        rows: rows.iter().zip(corrected).flat_map(cells).collect(),
    }
}
