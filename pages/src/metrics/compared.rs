//! The agreement of metrics with comparisons of outputs.

use domain::{
    metrics::meta::{IntervalEstimate, UpperLimit},
    statistics::{UndefinedReason, tau_like::TauLike},
};
use leptos::prelude::*;

use super::{
    groups::{cell, ends, group, row, values},
    missing_metrics::learned_from_note,
};
use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRowGroup,
    MarkShape,
};
use service::{
    figures::metrics::{ComparedMetricEntry, ComparedMetrics},
    findings::metrics as finding,
    wording::count_noun,
};

/// Charts of how often metrics prefer the outputs that raters prefer, and of how well they order
/// systems.
#[component]
pub(super) fn ComparedMetricsCharts(of: ComparedMetrics) -> impl IntoView {
    let basis = format!(
        "{}, {}",
        count_noun(of.outputs, "output"),
        count_noun(of.sources, "source")
    );

    let left_out = of.entries.iter().filter(|entry| entry.learned_from > 0);
    let left_out = left_out.map(|entry| {
        let text = learned_from_note(&entry.label, entry.learned_from);
        view! { <p class="caution">{text}</p> }
    });
    let missing: Vec<_> = of.missing.iter().map(|metric| &metric.label[..]).collect();
    let missing = (!missing.is_empty()).then(|| {
        let names = missing.join(", ");
        view! { <p class="soft">"Without scores of compared outputs: " {names} "."</p> }
    });

    view! {
        <dl class="facts">
            <div><dt>"Outputs compared"</dt><dd>{of.outputs}</dd></div>
            <div><dt>"Sources"</dt><dd>{of.sources}</dd></div>
            <div><dt>"Systems"</dt><dd>{of.systems}</dd></div>
            <div><dt>"Metrics"</dt><dd>{of.entries.len()}</dd></div>
            <div><dt>"Dimension"</dt><dd>{of.dimension.clone()}</dd></div>
        </dl>
        {left_out.collect_view()}
        {missing}
        {preference_chart(&of, &basis)}
        {system_chart(&of, &basis)}
    }
}

fn tau(of: &ComparedMetricEntry) -> IntervalEstimate {
    IntervalEstimate {
        value: of.pairs.tau.tau(),
        interval: of.pairs.tau_interval,
    }
}

const UPPER_LIMIT: &str = "one rater against the others";

fn preference_chart(of: &ComparedMetrics, basis: &str) -> impl IntoView + use<> {
    let metrics = of.entries.iter().filter_map(|entry| {
        row(
            &entry.label,
            "Kendall-tau-like",
            MarkShape::Circle,
            tau(entry),
        )
    });

    let limit = UpperLimit::from_raters(of.held_out_raters.iter().copied());
    let people = limit.and_then(|limit| {
        let estimate = IntervalEstimate {
            value: Ok(limit.mean),
            interval: Err(UndefinedReason::NoPreference),
        };
        let what = format!("mean Kendall-tau-like ({})", finding::limit_basis(&limit));
        let row = row(UPPER_LIMIT, &what, MarkShape::Diamond, estimate);
        group("The upper limit", row.into_iter())
    });

    let groups: Vec<_> = group("All outputs", metrics)
        .into_iter()
        .chain(people)
        .collect();
    let axis = axis("Kendall-tau-like", &groups);

    let estimates: Vec<_> = of
        .entries
        .iter()
        .map(|entry| (&entry.label[..], tau(entry)))
        .collect();
    let decided = of.entries.iter().map(|entry| entry.pairs.tau);
    let decided = decided.map(|tau| tau.concordant + tau.discordant);

    let caption = ChartCaption {
        name: "Do metrics prefer the outputs that raters prefer?".to_owned(),
        finding: finding::order(&estimates, decided.max().unwrap_or(0)),
        line: format!(
            "Kendall-tau-like of each metric: 1 is always like people, −1 never; the line is its 95 % interval.{}",
            limit.map_or_else(String::new, |limit| format!(
                " The upper limit is the mean over raters: {}.",
                finding::limit_basis(&limit)
            ))
        ),
        method: "Over pairs of outputs that raters compared. A choice of the best and the worst decides the pairs that \
                 follow from it. The majority of answers on a pair decides; pairs without one are skipped, and a \
                 metric’s own ties count against it. The upper limit is over pairs that both the rater and the others \
                 decided. Intervals: 95 % percentile bootstrap over sources, 1,000 resamples \
                 from a fixed seed. Scores of metrics where lower is better are negated, as their names show."
            .to_owned(),
        basis: basis.to_owned(),
    };

    let table = preference_table(of, limit);

    view! {
        <Chart caption file="metrics-preferences" table>
            <IntervalChart label="Kendall-tau-like of each metric against comparisons" axis groups/>
        </Chart>
    }
}

fn preference_table(of: &ComparedMetrics, limit: Option<UpperLimit>) -> ChartTable {
    let numbers = [
        "τ",
        "95 % interval, low",
        "95 % interval, high",
        "Concordant",
        "Discordant",
        "Of these: ties of the metric",
        "Skipped",
        "Outputs",
        "Without a score",
    ];
    let counts = |tau: TauLike| {
        [tau.concordant, tau.discordant, tau.metric_ties, tau.skipped].map(ChartCell::count)
    };

    let metrics = of.entries.iter().map(|entry| {
        let figures = [ChartCell::text(&entry.label), cell(entry.pairs.tau.tau())];
        figures
            .into_iter()
            .chain(ends(entry.pairs.tau_interval))
            .chain(counts(entry.pairs.tau))
            .chain([entry.pairs.outputs, entry.pairs.unscored].map(ChartCell::count))
            .collect()
    });

    let people = limit.map(|limit| {
        let none = || [ChartCell::none(), ChartCell::none()];
        [
            ChartCell::text(UPPER_LIMIT),
            ChartCell::number(limit.mean, 3),
        ]
        .into_iter()
        .chain(none())
        .chain(counts(limit.counts))
        .chain(none())
        .collect()
    });

    ChartTable {
        columns: [ChartColumn::text("Metric")]
            .into_iter()
            .chain(numbers.map(ChartColumn::number))
            .collect(),
        rows: metrics.chain(people).collect(),
    }
}

/// A kind of correlation: its name, and its estimate in an entry.
type SystemCorrelation = (&'static str, fn(&ComparedMetricEntry) -> IntervalEstimate);

const CORRELATIONS: [SystemCorrelation; 2] = [
    ("Pearson’s r", |entry| entry.systems.pearson),
    ("Spearman’s ρ", |entry| entry.systems.spearman),
];

/// The correlations over systems; `None` if no metric has one.
fn system_chart(of: &ComparedMetrics, basis: &str) -> Option<impl IntoView + use<>> {
    let groups: Vec<_> = CORRELATIONS
        .iter()
        .filter_map(|(name, pick)| {
            let rows = of
                .entries
                .iter()
                .filter_map(|entry| row(&entry.label, name, MarkShape::Circle, pick(entry)));
            group(*name, rows)
        })
        .collect();
    if groups.is_empty() {
        return None;
    }

    let axis = axis("Correlation", &groups);
    let (_, pearson) = CORRELATIONS[0];
    let estimates: Vec<_> = of
        .entries
        .iter()
        .map(|entry| (&entry.label[..], pearson(entry)))
        .collect();

    let caption = ChartCaption {
        name: "Scores and strengths of systems".to_owned(),
        finding: finding::correlation_with_strengths(&estimates, of.systems),
        line: "Correlation of each metric’s mean score of a system with the system’s strength; the line is its 95 % \
               interval."
            .to_owned(),
        method: "Strengths are the logarithms that the model of Bradley and Terry with Davidson’s ties gives, as on the \
                 page Systems. Means are over the outputs of the compared sources. Intervals: 95 % bootstrap over \
                 sources, strengths and means from the same resample. The heading is about Pearson’s r. Few systems \
                 mean wide intervals."
            .to_owned(),
        basis: format!("{}, {basis}", count_noun(of.systems, "system")),
    };

    let mut columns = vec![ChartColumn::text("Metric")];
    for (name, _) in &CORRELATIONS {
        let named = [
            (*name).to_owned(),
            format!("{name}, 95 % low"),
            format!("{name}, 95 % high"),
        ];
        columns.extend(named.map(ChartColumn::number));
    }

    let rows = of.entries.iter().map(|entry| {
        let mut cells = vec![ChartCell::text(&entry.label)];
        for (_, pick) in &CORRELATIONS {
            let estimate = pick(entry);
            cells.push(cell(estimate.value));
            cells.extend(ends(estimate.interval));
        }
        cells
    });

    let table = ChartTable {
        columns,
        rows: rows.collect(),
    };

    Some(view! {
        <Chart caption file="metrics-strengths" table>
            <IntervalChart label="Correlation of metrics with strengths of systems" axis groups/>
        </Chart>
    })
}

fn axis(name: &str, groups: &[IntervalRowGroup]) -> Axis {
    Axis::from_values(name, values(groups).chain([0.0]), 8)
}
