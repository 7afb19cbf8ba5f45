use domain::{
    category::Category,
    metrics::meta::{IntervalEstimate, MetaEvaluation},
    statistics::UndefinedReason,
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
    wording::count_noun,
};

/// A kind of correlation: its name, and its estimate in an evaluation.
type CorrelationKind = (
    &'static str,
    fn(&MetaEvaluation<Category>) -> IntervalEstimate,
);

const OF_OUTPUTS: [CorrelationKind; 2] = [
    ("Pearson’s r", |evaluation| evaluation.segment.pearson),
    ("Spearman’s ρ", |evaluation| evaluation.segment.spearman),
];
const OF_SYSTEMS: [CorrelationKind; 2] = [
    ("Pearson’s r", |evaluation| evaluation.system.pearson),
    ("Spearman’s ρ", |evaluation| evaluation.system.spearman),
];

/// Pearson's and Spearman's correlations over outputs and over systems.
#[component]
pub(super) fn CorrelationCharts(
    /// The metrics, in the order in which the study got them.
    entries: Vec<MetricEntry>,
    /// The upper limit: a rater's agreement with the others.
    limit: Option<HumanCeiling>,
    /// The end of a chart's line, on the metrics that are missing here.
    lacking: String,
    /// The number of systems that wrote outputs.
    systems: usize,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let mut outputs = groups(&entries, &OF_OUTPUTS);
    outputs.extend(limit.and_then(people));
    let of_each = groups(&entries, &OF_SYSTEMS);

    let axis = |groups: &[IntervalRowGroup]| {
        Axis::from_values("Correlation", values(groups).chain([0.0]), 8)
    };
    let (of_outputs, of_systems) = (axis(&outputs), axis(&of_each));
    let many = !of_each.is_empty();

    let (segment, system) = (
        table(&entries, &OF_OUTPUTS, true),
        table(&entries, &OF_SYSTEMS, false),
    );
    let [caption, systems_caption] = captions(&entries, systems, &lacking, &basis);

    let of_systems = many.then(|| {
        view! {
            <Chart caption=systems_caption file="metrics-systems" table=system>
                <IntervalChart
                    label="Correlation of metrics with people over systems"
                    axis=of_systems
                    groups=of_each
                />
            </Chart>
        }
    });

    view! {
        <Chart caption file="metrics-outputs" table=segment>
            <IntervalChart
                label="Correlation of metrics with people over outputs"
                axis=of_outputs
                groups=outputs
            />
        </Chart>
        {of_systems}
    }
}

/// The captions of the charts over outputs and over systems.
fn captions(
    entries: &[MetricEntry],
    systems: usize,
    lacking: &str,
    basis: &str,
) -> [ChartCaption; 2] {
    let caption = ChartCaption {
        name: "Scores and ratings of outputs".to_owned(),
        finding: outputs_finding(entries),
        line: format!(
            "Correlation of each metric’s scores with mean z-scores of ratings, over outputs; the line is \
             its 95 % interval.{lacking}"
        ),
        method: "Intervals: 95 % bootstrap over sources, z-scores held fixed. The heading is about Pearson’s \
                 r over all outputs, and calls metrics apart only where their intervals do not overlap. Where \
                 both machines and people wrote, look at each separately: across both, judgements of system \
                 outputs correlate so strongly that a metric can look good for the wrong reason. The table \
                 also has Kendall’s τ-b."
            .to_owned(),
        basis: basis.to_owned(),
    };

    let estimates = all_estimates(entries, OF_SYSTEMS[0].1);
    let systems_caption = ChartCaption {
        name: "Scores and ratings of systems".to_owned(),
        finding: finding::correlation(&estimates, (systems, "system"), finding::FEWEST_SYSTEMS),
        line: format!("The same over systems, of the means of their outputs.{lacking}"),
        method:
            "The heading is about Pearson’s r over all systems. Few systems mean wide intervals."
                .to_owned(),
        basis: format!("{}, {basis}", count_noun(systems, "system")),
    };

    [caption, systems_caption]
}

/// The heading over outputs.
fn outputs_finding(entries: &[MetricEntry]) -> String {
    let outputs = entries
        .iter()
        .filter_map(|entry| Some(over_all(entry)?.outputs));
    let estimates = all_estimates(entries, OF_OUTPUTS[0].1);
    finding::correlation_of_outputs(&estimates, outputs.max().unwrap_or(0))
}

fn over_all(entry: &MetricEntry) -> Option<&MetaEvaluation<Category>> {
    let part = entry
        .parts
        .iter()
        .find(|(writers, _)| *writers == WriterGroup::All);
    part.map(|(_, evaluation)| evaluation)
}

/// A correlation of each metric over outputs by any writer.
fn all_estimates(
    entries: &[MetricEntry],
    pick: fn(&MetaEvaluation<Category>) -> IntervalEstimate,
) -> Vec<finding::NamedEstimate<'_>> {
    let named = entries
        .iter()
        .filter_map(|entry| Some((&entry.label[..], pick(over_all(entry)?))));
    named.collect()
}

fn groups(entries: &[MetricEntry], kinds: &[CorrelationKind]) -> Vec<IntervalRowGroup> {
    let writer_groups = [WriterGroup::All, WriterGroup::People, WriterGroup::Machines];
    let group_of = |(name, pick): &CorrelationKind, part: WriterGroup| {
        let rows = entries.iter().filter_map(|entry| {
            let (_, found) = entry.parts.iter().find(|(writers, _)| *writers == part)?;
            row(&entry.label, name, shape(part), pick(found))
        });
        group(format!("{name} · {}", part.title().to_lowercase()), rows)
    };

    let each = kinds
        .iter()
        .flat_map(|kind| writer_groups.map(|part| (kind, part)));
    each.filter_map(|(kind, part)| group_of(kind, part))
        .collect()
}

fn people(limit: HumanCeiling) -> Option<IntervalRowGroup> {
    let estimate = IntervalEstimate {
        value: Ok(limit.mean_pearson?),
        interval: Err(UndefinedReason::NoPreference),
    };
    let name = "one rater against the others";
    let row = row(
        name,
        "mean Pearson’s r over raters",
        MarkShape::Diamond,
        estimate,
    );
    group("The upper limit · Pearson’s r", row.into_iter())
}

/// The values of a chart; with Kendall's τ-b, which applies to outputs only.
fn table(entries: &[MetricEntry], kinds: &[CorrelationKind], with_kendall: bool) -> ChartTable {
    let mut columns = vec![
        ChartColumn::text("Metric"),
        ChartColumn::text("Outputs by"),
        ChartColumn::number("Outputs"),
    ];

    for (name, _) in kinds {
        let named = [
            (*name).to_owned(),
            format!("{name}, 95 % low"),
            format!("{name}, 95 % high"),
        ];
        columns.extend(named.map(ChartColumn::number));
    }
    if with_kendall {
        columns.extend(["Kendall’s τ-b", "τ-b, p"].map(ChartColumn::number));
    }

    let rows = entries.iter().flat_map(|entry| {
        entry.parts.iter().map(move |(writers, evaluation)| {
            let mut cells = vec![
                ChartCell::text(&entry.label),
                ChartCell::text(writers.title()),
                ChartCell::count(evaluation.outputs),
            ];
            for (_, of) in kinds {
                let estimate = of(evaluation);
                cells.push(cell(estimate.value));
                cells.extend(ends(estimate.interval));
            }
            if with_kendall {
                cells.push(cell(evaluation.kendall.map(|kendall| kendall.coefficient)));
                cells.push(
                    evaluation
                        .kendall
                        .map_or_else(|_| ChartCell::none(), |kendall| ChartCell::p(kendall.p)),
                );
            }
            cells
        })
    });

    ChartTable {
        columns,
        rows: rows.collect(),
    }
}
