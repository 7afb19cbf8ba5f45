use std::sync::Arc;

use domain::statistics::{UndefinedReason, correlation::Correlation};
use leptos::prelude::*;

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, MarkShape, decimal,
};
use service::{figures::comprehension::ComprehensionAnalysis, findings};

/// Metrics' rankings of systems, compared with readers' comprehension.
#[component]
pub(super) fn Metrics(of: Arc<ComprehensionAnalysis>) -> impl IntoView {
    let correlations: Vec<_> = of
        .metrics
        .iter()
        .filter_map(|(name, correlation)| Some((name, correlation.ok()?)))
        .collect();
    if correlations.is_empty() {
        let why = of
            .metrics
            .iter()
            .find_map(|(_, correlation)| correlation.err());
        let why = why.map_or_else(|| "no text has a score".to_owned(), |why| why.to_string());
        return view! {
            <section aria-labelledby="metrics">
                <h2 id="metrics">"Do metrics order systems as readers do?"</h2>
                <p class="soft">{format!("There is no answer yet: {why}. At least three systems are needed.")}</p>
            </section>
        }
        .into_any();
    }

    let people = &of.asked.people;
    let references = match &people.references[..] {
        [] => "there are no references, so metrics that need some are left out".to_owned(),
        names => format!("references are those of {}", names.join(" and ")),
    };

    let found: Vec<_> = correlations
        .iter()
        .map(|(name, correlation)| (&name[..], *correlation))
        .collect();
    let caption = ChartCaption {
        name: "Do metrics order systems as readers do?".to_owned(),
        finding: findings::metrics::systems_as_readers(&found),
        line: "Spearman’s ρ between a metric’s mean score of each system’s texts and the share of right \
               answers: 1 where both rank the systems the same way."
            .to_owned(),
        method: format!(
            "Texts are scored against {}; {references}. With few systems even a large ρ may be chance: the \
             heading corrects p for the number of metrics by Holm, and the table has each p.",
            people.original
        ),
        basis: String::new(),
    };

    let row = |(name, correlation): &(&String, Correlation)| IntervalRow {
        name: (*name).clone(),
        shape: MarkShape::Circle,
        value: correlation.coefficient,
        interval: None,
        shown: decimal(correlation.coefficient, 2),
        description: format!(
            "{name}: ρ {}, p {}, {} systems",
            decimal(correlation.coefficient, 2),
            decimal(correlation.p, 3),
            correlation.n
        ),
    };
    let groups = vec![IntervalRowGroup {
        name: None,
        rows: correlations.iter().map(row).collect(),
    }];

    let axis = Axis::from_values("Spearman’s ρ", [-1.0, 1.0], 8);
    let table = table(&of.metrics);

    view! {
        <Chart caption file="reading-metrics" table>
            <IntervalChart label="Correlation of each metric with accuracy" axis groups/>
        </Chart>
    }
    .into_any()
}

fn table(all: &[(String, Result<Correlation, UndefinedReason>)]) -> ChartTable {
    let row =
        |(name, correlation): &(String, Result<Correlation, UndefinedReason>)| match correlation {
            Ok(correlation) => vec![
                ChartCell::text(name),
                ChartCell::number(correlation.coefficient, 3),
                ChartCell::p(correlation.p),
                ChartCell::count(correlation.n),
            ],
            Err(why) => vec![
                ChartCell::text(format!("{name} (undefined: {why})")),
                ChartCell::none(),
                ChartCell::none(),
                ChartCell::none(),
            ],
        };
    ChartTable {
        columns: vec![
            ChartColumn::text("Metric"),
            ChartColumn::number("ρ"),
            ChartColumn::number("p"),
            ChartColumn::number("Systems"),
        ],
        rows: all.iter().map(row).collect(),
    }
}
