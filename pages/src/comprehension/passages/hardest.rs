use std::{collections::HashMap, sync::Arc};

use domain::comprehension::{AnswerChoice, ItemFigures};
use leptos::prelude::*;

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, MarkShape, decimal,
};
use service::{
    figures::comprehension::StudyComprehension,
    findings::comprehension::{self as finding, NamedShare},
    wording::count_noun,
};

/// The most passages and questions drawn; the tables have all.
const DRAWN: usize = 12;

/// The passages and questions that readers got wrong most often.
#[component]
pub(super) fn Hardest(reading: Arc<StudyComprehension>) -> impl IntoView {
    let answers = &reading.answers;
    let wordings: HashMap<(&str, &str), &str> = reading
        .material
        .passages
        .iter()
        .flat_map(|own| {
            let passage = own.passage.name.as_str();
            let questions = own.passage.questions.iter();
            questions.map(move |(name, question)| ((passage, name.as_str()), question.text()))
        })
        .collect();

    let passage = |item: &ItemFigures| answers.passages()[item.passage].clone();
    let question = |item: &ItemFigures| {
        let (passage, name) = item.question.map(|at| &answers.questions()[at])?;
        Some((&*answers.passages()[*passage], &**name))
    };
    let named = |item: &ItemFigures| match question(item) {
        None => passage(item),
        Some((passage, name)) => format!("{passage} {name}"),
    };
    let words = |item: &ItemFigures| {
        let text = question(item).and_then(|key| wordings.get(&key).copied());
        text.unwrap_or_default().to_owned()
    };

    let chart = |items: &[ItemFigures], noun: &'static str, file: &'static str| {
        let mut items = items.to_vec();
        let right = |item: &ItemFigures| item.all.share(AnswerChoice::A).rate().unwrap_or(f64::NAN);
        items.sort_by(|a, b| right(a).total_cmp(&right(b)));
        let rows = items.iter().take(DRAWN);
        let rows = rows.filter_map(|item| row(item, named(item), &words(item)));
        let groups = vec![IntervalRowGroup {
            name: None,
            rows: rows.collect(),
        }];
        let table = ChartTable {
            columns: columns(noun),
            rows: items
                .iter()
                .map(|item| cells(item, named(item), words(item)))
                .collect(),
        };
        let caption = caption(&items, named, noun);
        let axis = Axis::from_values("Right answers (%)", [0.0, 100.0], 5);

        view! {
            <Chart caption file table>
                <IntervalChart label=format!("Right answers of the hardest {noun}s") axis groups/>
            </Chart>
        }
    };

    view! {
        {chart(&reading.passages, "passage", "reading-passages")}
        {chart(&reading.questions, "question", "reading-questions")}
    }
}

/// The caption of a chart of `items`, the hardest first.
fn caption(
    items: &[ItemFigures],
    named: impl Fn(&ItemFigures) -> String,
    noun: &str,
) -> ChartCaption {
    let first = items.first().map(|item| (named(item), item));
    let hardest = first.as_ref().map(|(name, item)| NamedShare {
        name,
        share: item.all.share(AnswerChoice::A),
        interval: None,
    });
    let answers: usize = items.iter().map(|item| item.all.n()).sum();

    ChartCaption {
        name: format!("The hardest {noun}s"),
        finding: finding::hardest(hardest.as_slice(), noun),
        line: format!(
            "The {} {noun}s with the fewest right answers, over all conditions, with Wilson’s 95 % \
             interval; the table has all {}.",
            items.len().min(DRAWN),
            items.len()
        ),
        method: String::new(),
        basis: count_noun(answers, "answer"),
    }
}

fn row(of: &ItemFigures, name: String, words: &str) -> Option<IntervalRow> {
    let share = of.all.share(AnswerChoice::A);
    let value = 100.0 * share.rate().ok()?;
    let (low, high) = share.wilson(0.95).ok()?;
    let interval = (100.0 * low, 100.0 * high);

    Some(IntervalRow {
        description: format!(
            "{name}: {} % right of {} answers, 95 % interval {} to {}. {words}",
            decimal(value, 1),
            share.total,
            decimal(interval.0, 1),
            decimal(interval.1, 1),
        ),
        name,
        shape: MarkShape::Circle,
        value,
        interval: Some(interval),
        shown: format!("{} %", decimal(value, 1)),
    })
}

fn columns(what: &str) -> Vec<ChartColumn> {
    let first = if what == "passage" {
        "Passage"
    } else {
        "Question"
    };
    let numbers = [
        "Answers",
        "A, right (%)",
        "B (%)",
        "C (%)",
        "D (%)",
        "Unanswerable (%)",
    ];
    let wording = (what == "question").then(|| ChartColumn::text("Wording"));

    std::iter::once(ChartColumn::text(first))
        .chain(numbers.map(ChartColumn::number))
        .chain(wording)
        .collect()
}

fn cells(of: &ItemFigures, name: String, words: String) -> Vec<ChartCell> {
    let share = |choice| {
        let rate = of.all.share(choice).rate().ok();
        rate.map_or_else(ChartCell::none, |rate| ChartCell::number(100.0 * rate, 1))
    };
    let wording = of.question.map(|_| ChartCell::text(words));
    [ChartCell::text(name), ChartCell::count(of.all.n())]
        .into_iter()
        .chain(AnswerChoice::ALL.map(share))
        .chain(wording)
        .collect()
}
