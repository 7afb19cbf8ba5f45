use domain::{
    category::Category,
    metrics::meta::{IntervalEstimate, MetaEvaluation},
    statistics::{UndefinedReason, tau_like::TauLike},
};
use leptos::prelude::*;

use super::groups::{cell, ends, group, row, shape, values};
use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRowGroup,
    MarkShape,
};
use service::{
    figures::metrics::{HumanCeiling, MetricEntry, WriterGroup},
    findings::metrics as finding,
};

/// τ with intervals and counts: over all outputs, by kind of writer, and by category.
#[component]
pub(super) fn TauCharts(
    /// The metrics, in the order in which the study got them.
    entries: Vec<MetricEntry>,
    /// The upper limit: a rater's agreement with the others.
    limit: Option<HumanCeiling>,
    /// The displayed tie threshold of ratings.
    tie: String,
    /// The end of a chart's line, on the metrics that are missing here.
    lacking: String,
    /// The numbers behind the figures, for downloads.
    basis: String,
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
    let [caption, of_groups] = captions(&entries, limit, (&tie, &lacking, &basis));
    let (table, by_group) = (table(&entries, limit, &tie), category_table(&entries, &tie));

    view! {
        <Chart caption file="metrics-tau" table>
            <IntervalChart label="Kendall-tau-like of each metric" axis=all groups/>
        </Chart>
        <Chart caption=of_groups file="metrics-tau-by-group" table=by_group>
            <IntervalChart
                label="Kendall-tau-like of each metric by category"
                axis=of_category
                groups=by_category
            />
        </Chart>
    }
}

/// The captions of both charts.
fn captions(
    entries: &[MetricEntry],
    limit: Option<HumanCeiling>,
    (tie, lacking, basis): (&str, &str, &str),
) -> [ChartCaption; 2] {
    let limit = limit.map_or_else(String::new, |limit| {
        let basis = finding::limit_basis(&limit.tau);
        format!(" The upper limit is the mean over raters: {basis}.")
    });

    let caption = ChartCaption {
        name: "Do metrics order outputs as people do?".to_owned(),
        finding: order_finding(entries),
        line: format!(
            "Kendall-tau-like of each metric: 1 is always like people, −1 never; the line is its 95 % \
             interval.{limit}{lacking}"
        ),
        method: tau_method(tie),
        basis: basis.to_owned(),
    };

    let of_groups = ChartCaption {
        name: "The same by category".to_owned(),
        finding: "How metrics order outputs within each category".to_owned(),
        line: format!("Kendall-tau-like of each metric by category, without intervals.{lacking}"),
        method: format!(
            "An output belongs to the category that most raters chose. Ratings tie up to {tie}. Without \
             intervals, small differences mean little."
        ),
        basis: basis.to_owned(),
    };

    [caption, of_groups]
}

/// The computation of τ, and when metrics are told apart.
fn tau_method(tie: &str) -> String {
    format!(
        "Over pairs of outputs of the same source and category. A rater whose two ratings differ by no more \
         than the threshold ({tie}) sees a tie; the majority of raters decides; pairs that they do not tell \
         apart are skipped, and a metric’s own ties count against it. The upper limit is over pairs that both the \
         rater and the others tell apart, by the same threshold. Intervals: 95 % percentile bootstrap \
         over sources, 1,000 resamples from a fixed seed. The heading calls metrics apart only where their \
         intervals over all outputs do not overlap; to test one against the others, choose it above. Scores \
         of metrics where lower is better are negated, as their names show."
    )
}

/// The heading, over all outputs.
fn order_finding(entries: &[MetricEntry]) -> String {
    let found = entries.iter().filter_map(|entry| {
        let evaluation = find_evaluation(entry, WriterGroup::All)?;
        let estimate = IntervalEstimate {
            value: evaluation.tau.tau(),
            interval: evaluation.tau_interval,
        };
        let pairs = evaluation.tau.concordant + evaluation.tau.discordant;
        Some(((&entry.label[..], estimate), pairs))
    });
    let (estimates, pairs): (Vec<_>, Vec<usize>) = found.unzip();
    finding::order(&estimates, pairs.into_iter().max().unwrap_or(0))
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
        value: Ok(limit.tau.mean),
        interval: Err(UndefinedReason::NoPreference),
    };
    let name = "one rater against the others";
    let what = format!(
        "mean Kendall-tau-like ({})",
        finding::limit_basis(&limit.tau)
    );
    group(
        "The upper limit",
        row(name, &what, MarkShape::Diamond, estimate).into_iter(),
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
            limit.tau.counts,
            [ChartCell::none(), ChartCell::none()],
            None,
            tie,
        );
        row[2] = ChartCell::number(limit.tau.mean, 3);
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
