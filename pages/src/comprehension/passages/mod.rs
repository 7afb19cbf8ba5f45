//! Passages and questions, each with readers' answers.

mod edit;
mod hardest;
mod list;
mod one;

use std::sync::Arc;

use domain::{
    comprehension::{AnswerChoice, ChoiceTally, PassagePurpose},
    ids::{PassageId, StudyId},
};
use leptos::prelude::*;
use service::figures::comprehension::StudyComprehension;
use store::comprehension::StudyMaterial;

pub use self::{list::ReadingPassagesPage, one::ReadingPassagePage};
use crate::charts::decimal;
use app::{
    components::{ShownFigure, figure_or_notice},
    error::Refusal,
    links::StudyPage,
    request::refuse,
    services,
};

/// The passages and questions of a study, with readers' answers.
struct PassagesFacts {
    /// The number of the newest event that is included.
    event: i64,
    material: Arc<StudyMaterial>,
    reading: ShownFigure<Arc<StudyComprehension>>,
}

impl PassagesFacts {
    /// Loads the passages. They are there to read and to edit even if no figure can be computed.
    async fn load(study: StudyId) -> Result<Self, Refusal> {
        let services = services();
        let store = &services.store;
        let reading = StudyComprehension::load(&services.live, store, study).await;

        let reading = figure_or_notice(reading)?;
        let (event, material) = match &reading {
            Ok(reading) => (reading.event, reading.material.clone()),
            Err(_) => {
                let event = store.newest_event(study).await.map_err(refuse)?;
                let material = store.comprehension_material(study).await;
                (event.unwrap_or(0), Arc::new(material.map_err(refuse)?))
            }
        };
        Ok(Self {
            event,
            material,
            reading,
        })
    }
}

/// The displayed name of a passage's purpose.
const fn purpose_title(purpose: PassagePurpose) -> &'static str {
    match purpose {
        PassagePurpose::Main => "passage of the study",
        PassagePurpose::Practice => "practice",
        PassagePurpose::Check => "attention check",
    }
}

/// The purpose as a sentence, with its consequences.
const fn purpose_said(purpose: PassagePurpose) -> &'static str {
    match purpose {
        PassagePurpose::Main => "A passage of the study: answers to it count in the figures.",
        PassagePurpose::Practice => "Practice: it is read first and does not count in figures.",
        PassagePurpose::Check => {
            "An attention check: anyone who reads it answers A. It does not count in the figures of conditions."
        }
    }
}

/// The address of a passage.
fn address(slug: &str, id: PassageId) -> String {
    StudyPage::ReadingPassage(id).address(slug)
}

/// The share of an answer among all, in percent.
fn share(of: ChoiceTally, choice: AnswerChoice) -> String {
    of.share(choice).rate().map_or_else(
        |_| "–".to_owned(),
        |rate| format!("{} %", decimal(100.0 * rate, 0)),
    )
}

/// A row with the share of each answer.
#[component]
fn Answered(
    /// The heading of the row, with its link.
    name: String,
    #[prop(optional_no_strip)] link: Option<String>,
    of: ChoiceTally,
) -> impl IntoView {
    let cell = |(label, choice)| {
        view! { <td data-label=label class="number">{share(of, choice)}</td> }
    };
    let name = match link {
        Some(link) => view! { <a href=link>{name}</a> }.into_any(),
        None => name.into_any(),
    };

    view! {
        <tr>
            <th scope="row" data-label="">{name}</th>
            <td data-label="Answers" class="number">{of.n()}</td>
            {ANSWERS.map(cell)}
        </tr>
    }
}

/// The answers as columns.
const ANSWERS: [(&str, AnswerChoice); 5] = [
    ("A, right", AnswerChoice::A),
    ("B", AnswerChoice::B),
    ("C", AnswerChoice::C),
    ("D", AnswerChoice::D),
    ("Unanswerable", AnswerChoice::Unanswerable),
];

/// The table head. `rows` names what the rows are.
#[component]
fn AnsweredHead(rows: &'static str) -> impl IntoView {
    let head = |(label, _)| view! { <th scope="col" class="number">{label}</th> };
    view! {
        <thead>
            <tr>
                <th scope="col">{rows}</th>
                <th scope="col" class="number">"Answers"</th>
                {ANSWERS.map(head)}
            </tr>
        </thead>
    }
}
