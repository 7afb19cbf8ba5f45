use std::{collections::BTreeSet, sync::Arc};

use domain::{
    comprehension::{AnswerChoice, AnswerTable, ConditionFigures, DoubleAgreement},
    statistics::quality::Proportion,
};
use leptos::{either::Either, prelude::*};
use store::comprehension::{CellProgress, ParticipantEntry};

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, MarkShape, decimal,
};
use service::{
    figures::comprehension::StudyComprehension,
    findings::comprehension::{self as finding, NamedShare},
    wording::count_noun,
};

/// The comprehension figures of each condition.
#[component]
pub(super) fn Figures(reading: Arc<StudyComprehension>) -> impl IntoView {
    let cells = &reading.cells;
    let progress = (!cells.is_empty()).then(|| {
        view! { <p>{describe_progress(cells, &reading.entries)}</p> }
    });
    let answers = reading.answers.clone();
    if answers.answers().is_empty() {
        return Either::Left(view! {
            {progress}
            <section class="empty">
                <h2>"No answers yet"</h2>
                <p>
                    "Figures appear as soon as a participant has answered, or a file with answers has been \
                     imported."
                </p>
            </section>
        });
    }

    let mut conditions = reading.conditions.clone();
    conditions.sort_by_key(|figures| figures.rank.unwrap_or(usize::MAX));

    Either::Right(view! {
        {progress}
        <Accuracy answers=answers.clone() conditions=conditions.clone()/>
        <Conditions answers=answers conditions/>
        <ReaderAgreement agreement=reading.agreement/>
    })
}

/// The passages to read, and how often they were read here. Imported participants were not assigned
/// texts.
fn describe_progress(cells: &[CellProgress], participants: &[ParticipantEntry]) -> String {
    let distinct = |names: BTreeSet<&str>, noun| count_noun(names.len(), noun);
    let passages = distinct(
        cells.iter().map(|cell| &cell.passage[..]).collect(),
        "passage",
    );
    let conditions = distinct(
        cells.iter().map(|cell| &cell.condition[..]).collect(),
        "condition",
    );

    let (given, done) = cells.iter().fold((0, 0), |(given, done), cell| {
        (given + cell.given, done + cell.done)
    });
    let imported = participants
        .iter()
        .filter(|entry| entry.is_imported())
        .count();

    let texts = format!("{passages} in {conditions}");
    let own = format!("assigned {given} times, finished {done} times");

    match (imported, imported == participants.len()) {
        (0, _) => format!("{texts}; {own}."),
        (_, true) => format!(
            "{texts}. The answers of {} were imported.",
            count_noun(imported, "participant")
        ),
        (_, false) => format!(
            "{texts}; {own}. The answers of {} more were imported.",
            count_noun(imported, "participant")
        ),
    }
}

#[component]
fn Accuracy(answers: AnswerTable, conditions: Vec<ConditionFigures>) -> impl IntoView {
    let name = |figures: &ConditionFigures| answers.conditions()[figures.condition].clone();
    let measured = |figures: &ConditionFigures| {
        let share = figures.tally.share(AnswerChoice::A);
        Some((100.0 * share.rate().ok()?, share.wilson(0.95).ok()?))
    };

    let row = |figures: &ConditionFigures| {
        let (value, (low, high)) = measured(figures)?;
        let (low, high) = (100.0 * low, 100.0 * high);
        let rank = figures.rank.unwrap_or_default();
        Some(IntervalRow {
            name: format!("{rank} · {}", name(figures)),
            shape: MarkShape::Circle,
            value,
            interval: Some((low, high)),
            shown: format!("{} %", decimal(value, 1)),
            description: format!(
                "{}: {} % right, 95 % interval {} to {}, rank {rank}, {} answers",
                name(figures),
                decimal(value, 1),
                decimal(low, 1),
                decimal(high, 1),
                figures.tally.n(),
            ),
        })
    };

    let groups = vec![IntervalRowGroup {
        name: None,
        rows: conditions.iter().filter_map(row).collect(),
    }];

    let cells = |figures: &ConditionFigures| {
        let (value, (low, high)) = measured(figures)?;
        let over = figures.over_passages.ok();
        Some(vec![
            ChartCell::text(name(figures)),
            ChartCell::number(value, 2),
            ChartCell::number(100.0 * low, 2),
            ChartCell::number(100.0 * high, 2),
            over.map_or_else(ChartCell::none, |over| {
                ChartCell::number(100.0 * over.low, 2)
            }),
            over.map_or_else(ChartCell::none, |over| {
                ChartCell::number(100.0 * over.high, 2)
            }),
        ])
    };
    let table = ChartTable {
        columns: vec![
            ChartColumn::text("Condition"),
            ChartColumn::number("Right (%)"),
            ChartColumn::number("Wilson low"),
            ChartColumn::number("Wilson high"),
            ChartColumn::number("Passages low"),
            ChartColumn::number("Passages high"),
        ],
        rows: conditions.iter().filter_map(cells).collect(),
    };

    let axis = Axis::from_values("Right answers (%)", [0.0, 100.0], 5);
    let caption = caption(&answers, &conditions);

    view! {
        <Chart caption file="reading-accuracy" table>
            <IntervalChart label="Share of right answers in each condition" axis groups/>
        </Chart>
    }
}

fn caption(answers: &AnswerTable, conditions: &[ConditionFigures]) -> ChartCaption {
    let shares: Vec<NamedShare<'_>> = conditions
        .iter()
        .map(|figures| NamedShare {
            name: &answers.conditions()[figures.condition],
            share: figures.tally.share(AnswerChoice::A),
            interval: interval_to_compare(figures),
        })
        .collect();

    ChartCaption {
        name: "Right answers".to_owned(),
        finding: finding::best_understood(&shares),
        line: "Share of questions answered right, with its 95 % interval; the number before a name is the \
               rank."
            .to_owned(),
        method: "Right is answer A. Intervals are Wilson's, which treat answers as independent. The table \
                 also has the interval over resampled passages: how well the share holds for other passages. \
                 The heading calls conditions apart only where these do not overlap. Ties share the smallest \
                 rank."
            .to_owned(),
        basis: count_noun(answers.answers().len(), "answer"),
    }
}

/// The interval by which the heading tells conditions apart: over passages, which is usually the
/// wider one, else Wilson's.
fn interval_to_compare(of: &ConditionFigures) -> Option<(f64, f64)> {
    let over_passages = of.over_passages.ok();
    over_passages
        .map(|interval| (interval.low, interval.high))
        .or_else(|| of.tally.share(AnswerChoice::A).wilson(0.95).ok())
}

#[component]
fn Conditions(answers: AnswerTable, conditions: Vec<ConditionFigures>) -> impl IntoView {
    let row = |figures: ConditionFigures| {
        let percent = |choice| percent(figures.tally.share(choice));
        let rank = figures
            .rank
            .map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        view! {
            <tr>
                <th scope="row" data-label="Condition">{answers.conditions()[figures.condition].clone()}</th>
                <td data-label="Answers" class="number">{figures.tally.n()}</td>
                <td data-label="A, right" class="number">{percent(AnswerChoice::A)}</td>
                <td data-label="B" class="number">{percent(AnswerChoice::B)}</td>
                <td data-label="C" class="number">{percent(AnswerChoice::C)}</td>
                <td data-label="D" class="number">{percent(AnswerChoice::D)}</td>
                <td data-label="Unanswerable" class="number">{percent(AnswerChoice::Unanswerable)}</td>
                <td data-label="Answerability" class="number">{self::percent(figures.tally.answerability())}</td>
                <td data-label="Rank" class="number">{rank}</td>
            </tr>
        }
    };

    view! {
        <section aria-labelledby="conditions">
            <h2 id="conditions">"Answers by condition"</h2>
            <div class="table-scroll" role="group" aria-labelledby="conditions" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Condition"</th>
                            <th scope="col" class="number">"Answers"</th>
                            <th scope="col" class="number">"A, right"</th>
                            <th scope="col" class="number">"B, misread"</th>
                            <th scope="col" class="number">"C, elsewhere"</th>
                            <th scope="col" class="number">"D, unsupported"</th>
                            <th scope="col" class="number">"Unanswerable"</th>
                            <th scope="col" class="number">"Answerability"</th>
                            <th scope="col" class="number">"Rank"</th>
                        </tr>
                    </thead>
                    <tbody>{conditions.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

#[component]
fn ReaderAgreement(agreement: DoubleAgreement) -> impl IntoView {
    let kappa = |value: Result<f64, domain::statistics::UndefinedReason>| {
        value.map_or_else(
            |why| format!("undefined ({why})"),
            |kappa| decimal(kappa, 3),
        )
    };

    (agreement.items > 0).then(|| {
        view! {
            <p>
                {format!(
                    "Cohen's κ of the {} questions that two participants answered on the same text: {} \
                     on the five answers, {} on right or not.",
                    agreement.items, kappa(agreement.kappa), kappa(agreement.kappa_correct),
                )}
            </p>
        }
    })
}

fn percent(of: Proportion) -> String {
    of.rate().map_or_else(
        |_| "–".to_owned(),
        |rate| format!("{} %", decimal(100.0 * rate, 1)),
    )
}
