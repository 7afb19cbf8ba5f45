use domain::{
    category::Category,
    metrics::meta::{IntervalEstimate, MetaEvaluation},
    statistics::{UndefinedReason, tau_like::TauLike},
};
use leptos::prelude::*;

use super::groups::{cell, ends, group, row, shape, values};
use crate::charts::{
    Axis, Chart, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRowGroup, MarkShape,
};
use service::figures::metrics::{HumanCeiling, MetricEntry, WriterGroup};

/// τ with intervals and counts: over all outputs, by kind of writer, and by category.
#[component]
pub(super) fn TauCharts(
    /// The metrics, in the order in which the study got them.
    entries: Vec<MetricEntry>,
    /// The upper limit: a rater's agreement with the others.
    limit: Option<HumanCeiling>,
    /// The displayed tie threshold of ratings.
    tie: String,
    /// The end of a note: the metrics that are missing here.
    lacking: String,
) -> impl IntoView {
    let writer_groups = [WriterGroup::All, WriterGroup::People, WriterGroup::Machines];
    let mut groups: Vec<IntervalRowGroup> = writer_groups
        .into_iter()
        .filter_map(|part| {
            let rows = entries.iter().filter_map(|entry| {
                let evaluation = find_evaluation(entry, part)?;
                let estimate = IntervalEstimate {
                    value: evaluation.tau.tau(),
                    interval: evaluation.tau_interval,
                };
                row(&entry.label, "Kendall-tau-like", shape(part), estimate)
            });
            group(part.title(), rows)
        })
        .collect();
    groups.extend(limit.and_then(people));
    let by_category: Vec<IntervalRowGroup> = Category::ALL
        .into_iter()
        .filter_map(|category| {
            let rows = entries.iter().filter_map(|entry| {
                let counts = counts(find_evaluation(entry, WriterGroup::All)?, category)?;
                let estimate = IntervalEstimate {
                    value: counts.tau(),
                    interval: Err(UndefinedReason::NoPreference),
                };
                row(
                    &entry.label,
                    "Kendall-tau-like",
                    MarkShape::Circle,
                    estimate,
                )
            });
            group(category.title(), rows)
        })
        .collect();
    let axis = |groups: &[IntervalRowGroup]| {
        Axis::from_values("Kendall-tau-like", values(groups).chain([0.0]), 8)
    };
    let (all, of_category) = (axis(&groups), axis(&by_category));
    let note = format!(
        "Kendall-tau-like over pairs of outputs of the same source and category: 1 where a metric always \
         prefers what people prefer, −1 where it never does. A rater whose two ratings differ by no more than \
         the threshold ({tie}) sees a tie; the majority of raters decides; pairs that they do not tell apart \
         are skipped, and a metric’s own ties count against it. Intervals: 95 % percentile bootstrap over \
         sources, 1,000 resamples from a fixed seed. Scores of metrics where lower is better are \
         negated, as their names show.{lacking}"
    );
    let by_group_note =
        format!("By the category that most raters chose. Ratings tie up to {tie}.{lacking}");
    let (table, by_group) = (table(&entries, limit, &tie), category_table(&entries, &tie));
    view! {
        <Chart
            title="Do metrics order outputs as people do?"
            note
            file="metrics-tau"
            table
        >
            <IntervalChart label="Kendall-tau-like of each metric" axis=all groups/>
        </Chart>
        <Chart
            title="The same by category"
            note=by_group_note
            file="metrics-tau-by-group"
            table=by_group
        >
            <IntervalChart
                label="Kendall-tau-like of each metric by category"
                axis=of_category
                groups=by_category
            />
        </Chart>
    }
}

fn find_evaluation(entry: &MetricEntry, part: WriterGroup) -> Option<&MetaEvaluation<Category>> {
    let part_evaluation = entry.parts.iter().find(|(writers, _)| *writers == part);
    part_evaluation.map(|(_, evaluation)| evaluation)
}

fn counts(of: &MetaEvaluation<Category>, category: Category) -> Option<TauLike> {
    let category_counts = of
        .by_category
        .iter()
        .find(|(entry_category, _)| *entry_category == category);
    category_counts.map(|(_, counts)| *counts)
}

fn people(limit: HumanCeiling) -> Option<IntervalRowGroup> {
    let estimate = IntervalEstimate {
        value: Ok(limit.mean_tau),
        interval: Err(UndefinedReason::NoPreference),
    };
    let name = "one rater against the others";
    group(
        "The upper limit",
        row(
            name,
            "mean Kendall-tau-like over raters",
            MarkShape::Diamond,
            estimate,
        )
        .into_iter(),
    )
}

fn columns(second: &str) -> Vec<ChartColumn> {
    let numbers = [
        "τ",
        "95 % interval, low",
        "95 % interval, high",
        "Concordant",
        "Discordant",
        "Of these: ties of the metric",
        "Skipped",
        "Outputs",
    ];
    let tie = ChartColumn::text("Ratings tie up to");
    let texts = ["Metric", second].map(ChartColumn::text);
    texts
        .into_iter()
        .chain(numbers.map(ChartColumn::number))
        .chain([tie])
        .collect()
}

fn cells(
    names: [&str; 2],
    of: TauLike,
    interval: [ChartCell; 2],
    outputs: Option<usize>,
    tie: &str,
) -> Vec<ChartCell> {
    let counts = [of.concordant, of.discordant, of.metric_ties, of.skipped];
    let texts = names.map(ChartCell::text).into_iter();
    texts
        .chain([cell(of.tau())])
        .chain(interval)
        .chain(counts.map(ChartCell::count))
        .chain([
            outputs.map_or_else(ChartCell::none, ChartCell::count),
            ChartCell::text(tie),
        ])
        .collect()
}

fn table(entries: &[MetricEntry], limit: Option<HumanCeiling>, tie: &str) -> ChartTable {
    let of_metrics = entries.iter().flat_map(|entry| {
        entry.parts.iter().map(|(writers, evaluation)| {
            let names = [&entry.label[..], writers.title()];
            let interval = ends(evaluation.tau_interval);
            cells(
                names,
                evaluation.tau,
                interval,
                Some(evaluation.outputs),
                tie,
            )
        })
    });
    let of_people = limit.map(|limit| {
        let mut row = cells(
            ["one rater against the others", "All outputs"],
            limit.tau,
            [ChartCell::none(), ChartCell::none()],
            None,
            tie,
        );
        row[2] = ChartCell::number(limit.mean_tau, 3);
        row
    });
    ChartTable {
        columns: columns("Outputs by"),
        rows: of_metrics.chain(of_people).collect(),
    }
}

fn category_table(entries: &[MetricEntry], tie: &str) -> ChartTable {
    let rows = entries.iter().flat_map(|entry| {
        entry.parts.iter().flat_map(|(writers, evaluation)| {
            evaluation.by_category.iter().map(|(category, counts)| {
                let second = format!("{}, {}", category.title(), writers.title().to_lowercase());
                let none = [ChartCell::none(), ChartCell::none()];
                cells([&entry.label, &second], *counts, none, None, tie)
            })
        })
    });
    ChartTable {
        columns: columns("Category"),
        rows: rows.collect(),
    }
}
