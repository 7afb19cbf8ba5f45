use std::sync::Arc;

use domain::statistics::{Undefined, correlation::Correlation};
use leptos::prelude::*;

use crate::{
    charts::{Axis, Cell, Chart, Column, IntervalChart, Row, RowGroup, Shape, Table, decimal},
    figures::reading::Analysis,
};

/// How metrics order systems, held against how readers understood them.
#[component]
pub(super) fn Metrics(of: Arc<Analysis>) -> impl IntoView {
    let known: Vec<_> = of
        .metrics
        .iter()
        .filter_map(|(name, found)| Some((name, found.ok()?)))
        .collect();
    if known.is_empty() {
        let why = of.metrics.iter().find_map(|(_, found)| found.err());
        let why = why.map_or_else(|| "no text has a score".to_owned(), |why| why.to_string());
        return view! {
            <section aria-labelledby="metrics">
                <h2 id="metrics">"Do metrics order systems as readers do?"</h2>
                <p class="soft">{format!("This cannot be said: {why}. It needs three systems or more.")}</p>
            </section>
        }
        .into_any();
    }
    let people = &of.asked.people;
    let references = match &people.references[..] {
        [] => "there are no references, so metrics that need some are left out".to_owned(),
        names => format!("references are those of {}", names.join(" and ")),
    };
    let note = format!(
        "Spearman’s ρ between a metric’s mean score of each system’s texts and the share of right \
         answers: 1 where both order systems alike. Texts are scored against {}; {references}. Of a few \
         systems even a large ρ may be chance: look at p.",
        people.original
    );
    let row = |(name, found): &(&String, Correlation)| Row {
        name: (*name).clone(),
        shape: Shape::Circle,
        value: found.coefficient,
        interval: None,
        shown: decimal(found.coefficient, 2),
        said: format!(
            "{name}: ρ {}, p {}, {} systems",
            decimal(found.coefficient, 2),
            decimal(found.p, 3),
            found.n
        ),
    };
    let groups = vec![RowGroup {
        name: None,
        rows: known.iter().map(row).collect(),
    }];
    let axis = Axis::over("Spearman’s ρ", [-1.0, 1.0], 8);
    let table = table(&of.metrics);
    view! {
        <Chart
            title="Do metrics order systems as readers do?"
            note
            file="reading-metrics"
            table
        >
            <IntervalChart label="Correlation of each metric with accuracy" axis groups/>
        </Chart>
    }
    .into_any()
}

fn table(all: &[(String, Result<Correlation, Undefined>)]) -> Table {
    let row = |(name, found): &(String, Result<Correlation, Undefined>)| match found {
        Ok(of) => vec![
            Cell::text(name),
            Cell::number(of.coefficient, 3),
            Cell::p(of.p),
            Cell::count(of.n),
        ],
        Err(why) => vec![
            Cell::text(format!("{name} (undefined: {why})")),
            Cell::none(),
            Cell::none(),
            Cell::none(),
        ],
    };
    Table {
        columns: vec![
            Column::text("Metric"),
            Column::number("ρ"),
            Column::number("p"),
            Column::number("Systems"),
        ],
        rows: all.iter().map(row).collect(),
    }
}
