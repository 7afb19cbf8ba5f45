use domain::metrics::meta::{Difference, Estimate, MetricComparison};
use leptos::prelude::*;

use super::groups::{cell, ends, group, row, values};
use crate::charts::{Axis, Cell, Chart, Column, IntervalChart, RowGroup, Shape, Table};

/// One metric against another.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// The metric that the others are tested against.
    pub(super) one: String,
    /// The other.
    pub(super) other: String,
    /// How many rated outputs both score.
    pub(super) outputs: usize,
    /// The first minus the second.
    pub(super) of: MetricComparison,
}

/// Whether one metric agrees with people better than each of the others.
#[component]
pub(super) fn Against(rows: Vec<Row>) -> impl IntoView {
    let name = rows.first().map(|row| row.one.clone());
    name.map(|name| {
        let of = |title: &str, pick: fn(&MetricComparison) -> Difference| {
            let rows = rows.iter().filter_map(|it| {
                let of = pick(&it.of);
                let estimate = Estimate {
                    value: of.value,
                    interval: of.interval,
                };
                let what = format!("{name} minus {}, {title}", it.other);
                row(&it.other, &what, Shape::Circle, estimate)
            });
            group(title, rows)
        };
        let groups: Vec<RowGroup> = [
            of("Kendall-tau-like", |of| of.tau),
            of("Pearson’s r", |of| of.pearson),
        ]
        .into_iter()
        .flatten()
        .collect();
        let axis = Axis::over(format!("{name} minus the other"), values(&groups).chain([0.0]), 8);
        let title = format!("Is {name} better than the others?");
        let label = format!("{name} minus each other metric");
        view! {
            <Chart
                title
                note="The difference on outputs that both score, with its 95 % interval by the paired \
                      bootstrap over sources: above 0 it is better. The table has the p-values of this \
                      bootstrap and of the paired permutation test, in which the two change places \
                      source by source; they are not corrected for how many metrics are tested."
                file="metrics-against"
                table=table(&rows)
            >
                <IntervalChart label axis groups/>
            </Chart>
        }
    })
}

fn table(rows: &[Row]) -> Table {
    let texts = ["A", "B", "Figure"].map(Column::text);
    let numbers = [
        "A − B",
        "95 % interval, low",
        "95 % interval, high",
        "p, paired bootstrap",
        "p, paired permutation",
        "Outputs",
    ];
    let of = |row: &Row| {
        [
            ("Kendall-tau-like", row.of.tau),
            ("Pearson’s r", row.of.pearson),
        ]
        .map(|(name, of)| {
            let p = |p: Result<f64, _>| p.map_or_else(|_| Cell::none(), Cell::p);
            let texts = [&row.one[..], &row.other, name].map(Cell::text).into_iter();
            texts
                .chain([cell(of.value)])
                .chain(ends(of.interval))
                .chain([
                    p(of.bootstrap_p),
                    p(of.permutation_p),
                    Cell::count(row.outputs),
                ])
                .collect()
        })
    };
    Table {
        columns: texts
            .into_iter()
            .chain(numbers.map(Column::number))
            .collect(),
        rows: rows.iter().flat_map(of).collect(),
    }
}
