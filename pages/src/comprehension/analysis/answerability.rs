use std::sync::Arc;

use domain::statistics::quality::Proportion;
use leptos::prelude::*;

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, MarkShape, decimal,
};
use service::{
    figures::comprehension::ComprehensionAnalysis,
    findings::comprehension::{self as finding, NamedShare},
    wording::count_noun,
};

/// Answerability on the questions that the chosen conditions make answerable.
#[component]
pub(super) fn Answerable(
    names: Vec<String>,
    of: Arc<ComprehensionAnalysis>,
    /// The number of questions with answers.
    all: usize,
) -> impl IntoView {
    let mut shares: Vec<_> = names.into_iter().zip(of.answerability.clone()).collect();
    let rate = |share: Proportion| share.rate().unwrap_or(f64::NEG_INFINITY);
    shares.sort_by(|(_, a), (_, b)| rate(b.0).total_cmp(&rate(a.0)));
    let rows = shares
        .iter()
        .filter_map(|(name, (share, _))| row(name, *share));
    let rows: Vec<_> = rows.collect();

    let chosen = &of.asked.answerable_in;
    let basis = match &chosen[..] {
        [] => "All questions count because no condition is chosen above.".to_owned(),
        names => format!(
            "{} of {} count: more than half of the readers in {} gave an answer other than \
             unanswerable.",
            of.questions,
            count_noun(all, "question"),
            names.join(" and in "),
        ),
    };

    let named = shares.iter().map(|(name, (share, _))| NamedShare {
        name,
        share: *share,
        interval: share.wilson(0.95).ok(),
    });
    let named: Vec<_> = named.collect();
    let caption = ChartCaption {
        name: "Answerability on chosen questions".to_owned(),
        finding: finding::most_answerable(&named),
        line: "Share of the answers to chosen questions that are not “unanswerable”, with Wilson’s 95 % \
               interval."
            .to_owned(),
        method: format!(
            "{basis} The table also has the paper’s variant, which divides by all answers and treats those \
             to other questions as answerable: it is higher, and not comparable between choices."
        ),
        basis: count_noun(of.questions, "question"),
    };

    let table = table(&shares);
    let none = rows.is_empty().then(|| {
        view! { <p class="caution">"No question is answerable in all of these conditions."</p> }
    });
    let axis = Axis::from_values("Answerable (%)", [0.0, 100.0], 5);
    let groups = vec![IntervalRowGroup { name: None, rows }];

    view! {
        <Chart caption file="reading-answerability" table>
            {none}
            <IntervalChart label="Answerability of each condition on chosen questions" axis groups/>
        </Chart>
    }
}

fn row(name: &str, share: Proportion) -> Option<IntervalRow> {
    let value = 100.0 * share.rate().ok()?;
    let (low, high) = share.wilson(0.95).ok()?;
    let interval = (100.0 * low, 100.0 * high);

    Some(IntervalRow {
        name: name.to_owned(),
        shape: MarkShape::Circle,
        value,
        interval: Some(interval),
        shown: format!("{} %", decimal(value, 1)),
        description: format!(
            "{name}: {} % of {} answers, 95 % interval {} to {}",
            decimal(value, 1),
            share.total,
            decimal(interval.0, 1),
            decimal(interval.1, 1),
        ),
    })
}

fn table(shares: &[(String, (Proportion, Proportion))]) -> ChartTable {
    let rate = |share: Proportion| {
        let rate = share.rate().ok();
        rate.map_or_else(ChartCell::none, |rate| ChartCell::number(100.0 * rate, 2))
    };
    let row = |(name, (chosen, paper)): &(String, (Proportion, Proportion))| {
        let ends = chosen.wilson(0.95).ok();
        let end = |value: Option<f64>| {
            value.map_or_else(ChartCell::none, |value| ChartCell::number(100.0 * value, 2))
        };
        vec![
            ChartCell::text(name),
            ChartCell::count(chosen.total),
            rate(*chosen),
            end(ends.map(|ends| ends.0)),
            end(ends.map(|ends| ends.1)),
            ChartCell::count(paper.total),
            rate(*paper),
        ]
    };

    ChartTable {
        columns: vec![
            ChartColumn::text("Condition"),
            ChartColumn::number("Answers to these questions"),
            ChartColumn::number("Answerable (%)"),
            ChartColumn::number("Wilson low"),
            ChartColumn::number("Wilson high"),
            ChartColumn::number("All answers"),
            ChartColumn::number("Paper’s variant (%)"),
        ],
        rows: shares.iter().map(row).collect(),
    }
}
