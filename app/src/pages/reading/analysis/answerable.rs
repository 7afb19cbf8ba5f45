use std::sync::Arc;

use domain::statistics::quality::Share;
use leptos::prelude::*;

use crate::{
    charts::{Axis, Cell, Chart, Column, IntervalChart, Row, RowGroup, Shape, Table, decimal},
    components::counted,
    figures::reading::Analysis,
};

/// Answerability on the questions that the chosen conditions make answerable.
#[component]
pub(super) fn Answerable(
    /// The conditions.
    names: Vec<String>,
    of: Arc<Analysis>,
    /// How many questions were answered at all.
    all: usize,
) -> impl IntoView {
    let mut shares: Vec<_> = names.into_iter().zip(of.answerability.clone()).collect();
    let rate = |share: Share| share.rate().unwrap_or(f64::NEG_INFINITY);
    shares.sort_by(|(_, a), (_, b)| rate(b.0).total_cmp(&rate(a.0)));
    let rows = shares
        .iter()
        .filter_map(|(name, (share, _))| row(name, *share));
    let rows: Vec<_> = rows.collect();
    let chosen = &of.asked.answerable_in;
    let which = match &chosen[..] {
        [] => "All questions count, for no condition is chosen above.".to_owned(),
        names => format!(
            "{} of {} count: more than half of the readers in {} gave another answer than \
             unanswerable.",
            of.questions,
            counted(all, "question"),
            names.join(" and in "),
        ),
    };
    let note = format!(
        "{which} The share of the answers to these questions that are not unanswerable, with Wilson’s \
         95 % interval. The table also has the paper’s variant, which divides by all answers and takes \
         those to other questions as answerable: it is higher, and not comparable between choices."
    );
    let table = table(&shares);
    let none = rows.is_empty().then(|| {
        view! { <p class="caution">"No question is answerable in all of these conditions."</p> }
    });
    let axis = Axis::over("Answerable (%)", [0.0, 100.0], 5);
    let groups = vec![RowGroup { name: None, rows }];
    view! {
        <Chart title="Answerability on chosen questions" note file="reading-answerability" table>
            {none}
            <IntervalChart label="Answerability of each condition on chosen questions" axis groups/>
        </Chart>
    }
}

fn row(name: &str, share: Share) -> Option<Row> {
    let value = 100.0 * share.rate().ok()?;
    let (low, high) = share.wilson(0.95).ok()?;
    let interval = (100.0 * low, 100.0 * high);
    Some(Row {
        name: name.to_owned(),
        shape: Shape::Circle,
        value,
        interval: Some(interval),
        shown: format!("{} %", decimal(value, 1)),
        said: format!(
            "{name}: {} % of {} answers, 95 % interval {} to {}",
            decimal(value, 1),
            share.of,
            decimal(interval.0, 1),
            decimal(interval.1, 1),
        ),
    })
}

fn table(shares: &[(String, (Share, Share))]) -> Table {
    let rate = |share: Share| {
        let rate = share.rate().ok();
        rate.map_or_else(Cell::none, |rate| Cell::number(100.0 * rate, 2))
    };
    let row = |(name, (chosen, paper)): &(String, (Share, Share))| {
        let ends = chosen.wilson(0.95).ok();
        let end = |of: Option<f64>| of.map_or_else(Cell::none, |of| Cell::number(100.0 * of, 2));
        vec![
            Cell::text(name),
            Cell::count(chosen.of),
            rate(*chosen),
            end(ends.map(|ends| ends.0)),
            end(ends.map(|ends| ends.1)),
            Cell::count(paper.of),
            rate(*paper),
        ]
    };
    Table {
        columns: vec![
            Column::text("Condition"),
            Column::number("Answers to these questions"),
            Column::number("Answerable (%)"),
            Column::number("Wilson low"),
            Column::number("Wilson high"),
            Column::number("All answers"),
            Column::number("Paper’s variant (%)"),
        ],
        rows: shares.iter().map(row).collect(),
    }
}
