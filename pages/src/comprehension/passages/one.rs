use std::sync::Arc;

use domain::{
    comprehension::{ChoiceTally, EvidenceSpans, ItemFigures, MaterialName, Question},
    ids::QuestionId,
    span::Span,
};
use leptos::prelude::*;
use store::comprehension::StoredPassage;

use super::{
    Answered, AnsweredHead, PassagesFacts,
    edit::{AddQuestionForm, EditPurpose, EditQuestion},
    purpose_said,
};
use crate::comprehension::sections::{ComprehensionSection, Sections};
use app::{
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    request::{RequestAccess, parse, path_parameter},
};
use service::figures::comprehension::StudyComprehension;

/// One passage: its texts and questions, readers' answers, and editing.
#[component]
pub fn ReadingPassagePage() -> impl IntoView {
    let id = path_parameter("passage");
    study_page(
        "Passage",
        StudyTab::Reading,
        RequestAccess::require_panel_access,
        move |access| content(access, id),
    )
}

async fn content(access: RequestAccess, id: String) -> Result<impl IntoView, Refusal> {
    let id: domain::ids::PassageId = parse::id(&id)?;
    let PassagesFacts {
        event,
        material,
        reading,
    } = PassagesFacts::load(access.study.id).await?;
    let (reading, notice) = match reading {
        Ok(reading) => (Some(reading), None),
        Err(notice) => (None, Some(notice)),
    };

    let mut passages = material.passages.iter();
    let passage = passages.find(|own| own.id == id).cloned();
    let passage = passage.ok_or(Refusal::NotFound)?;
    let leads = access.require_lead().is_ok() && access.study.closed_at.is_none();
    let slug = access.study.slug.to_string();

    let texts = passage.passage.texts.iter().map(|(condition, text)| {
        let spans = passage.passage.spans.iter();
        let own: Vec<_> = spans.filter(|(own, ..)| own == condition).collect();
        view! {
            <h3>{condition.to_string()}</h3>
            <p class="passage-text">{text.as_str().to_owned()}</p>
            {evidence(text.as_str(), &own)}
        }
    });
    let texts = texts.collect_view();

    let questions = passage.passage.questions.iter().zip(&passage.questions);
    let questions = questions.map(|((name, question), id)| {
        let edit = (leads && !passage.given).then(|| {
            view! { <EditQuestion slug=slug.clone() id=*id question=question.clone()/> }
        });
        view! {
            <OneQuestion id=*id name=name.clone() question=question.clone() of=passage.clone() reading=reading.clone()/>
            {edit}
        }
    });
    let questions = questions.collect_view();

    let add = (leads && !passage.given).then(|| {
        view! { <AddQuestionForm slug=slug.clone() passage=passage.id/> }
    });
    let purpose = leads.then(|| {
        view! { <EditPurpose slug=slug.clone() of=passage.clone()/> }
    });
    let heading = format!("{} {}", passage.passage.name, passage.passage.title);

    Ok(view! {
        <div class="title-row">
            <h1>{heading}</h1>
            <LiveSign slug=slug.clone() event/>
        </div>
        <Sections slug here=ComprehensionSection::Passages/>
        <p class="lead">{purpose_said(passage.passage.purpose)}</p>
        {purpose}
        <section aria-labelledby="questions">
            <h2 id="questions">"Questions"</h2>
            {notice}
            {questions}
            {add}
        </section>
        <section aria-labelledby="texts">
            <h2 id="texts">"Texts"</h2>
            {texts}
        </section>
    })
}

/// The evidence in the text, question by question.
fn evidence(
    text: &str,
    spans: &[&(MaterialName, MaterialName, EvidenceSpans)],
) -> Option<impl IntoView + use<>> {
    let words = |spans: &[Span]| {
        let parts = spans.iter().filter_map(|span| span.slice(text));
        parts
            .map(|part| format!("“{part}”"))
            .collect::<Vec<_>>()
            .join(", ")
    };

    let item = |(_, question, spans): &&(MaterialName, MaterialName, EvidenceSpans)| {
        let named = [
            ("critical", &spans.critical),
            ("distractor", &spans.distractor),
        ];
        let evidence = named.into_iter().filter(|(_, spans)| !spans.is_empty());
        let evidence = evidence.map(|(kind, spans)| format!("{kind} {}", words(spans)));
        let evidence = evidence.collect::<Vec<_>>().join("; ");
        view! { <li>{format!("{question}: {evidence}")}</li> }
    };

    (!spans.is_empty()).then(|| {
        let items = spans.iter().map(item).collect_view();
        view! {
            <details>
                <summary>"Where the evidence is"</summary>
                <ul>{items}</ul>
            </details>
        }
    })
}

/// A question with its answers, and how often each was given in each condition.
#[component]
fn OneQuestion(
    id: QuestionId,
    name: MaterialName,
    question: Question,
    of: StoredPassage,
    /// `None` if the figures cannot be computed.
    reading: Option<Arc<StudyComprehension>>,
) -> impl IntoView {
    let table = reading.as_ref().and_then(|reading| {
        let answers = &reading.answers;
        let figures = find_figures(reading, of.passage.name.as_str(), name.as_str())?;
        let each = answers.conditions().iter().zip(&figures.by_condition);
        let read = each.filter(|(_, tally)| tally.n() > 0);
        let row = |name: String, of: ChoiceTally| view! { <Answered name link=None of/> };
        let rows = read
            .map(|(name, tally)| row(name.clone(), *tally))
            .collect_view();
        let label = format!("Answers to question {name}");
        Some(view! {
            <div class="table-scroll" role="group" aria-label=label tabindex="0">
                <table class="fold">
                    <AnsweredHead rows="Condition"/>
                    <tbody>{rows} {row("All".to_owned(), figures.all)}</tbody>
                </table>
            </div>
        })
    });

    let list = question
        .answers()
        .clone()
        .map(|answer| view! { <li>{answer}</li> });

    view! {
        <h3>{name.to_string()} ": " {question.text().to_owned()}</h3>
        <ol type="A">{list}</ol>
        <div id=format!("answers-{id}") data-live>{table}</div>
    }
}

/// The figures of a question of a passage.
fn find_figures<'a>(
    reading: &'a StudyComprehension,
    passage: &str,
    question: &str,
) -> Option<&'a ItemFigures> {
    let answers = &reading.answers;
    reading.questions.iter().find(|figures| {
        let key = figures.question.map(|at| &answers.questions()[at]);
        key.is_some_and(|(its_passage, name)| {
            answers.passages()[*its_passage] == passage && name == question
        })
    })
}
