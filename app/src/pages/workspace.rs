//! The workspace page: one source, as its annotator judges it.

use domain::{
    ids::AssignmentId,
    study::{AssignmentState, SourcePurpose},
    work::task::AnnotationTask,
};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use store::assignments::UpcomingWork;

use crate::{
    error::Refusal,
    islands::Workspace,
    layout::{KeepStorage, PageTitle, refusal_page},
    markdown,
    request::{access, refuse},
    services,
};

/// The workspace of the signed-in annotator for the source that the address names.
#[component]
pub fn WorkspacePage() -> impl IntoView {
    let (slug, assignment) = use_params_map().with_untracked(|params| {
        (
            params.get("slug").unwrap_or_default(),
            params.get("assignment").unwrap_or_default(),
        )
    });
    Suspend::new(async move {
        match content(&slug, &assignment).await {
            Ok(view) => view.into_any(),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

async fn content(slug: &str, assignment: &str) -> Result<impl IntoView + use<>, Refusal> {
    let access = access(slug).await?;
    access.require_annotator()?;
    if access.must_consent() {
        return Err(Refusal::invalid(
            "Read the study's information sheet and agree to take part first.",
        ));
    }
    let assignment: AssignmentId = assignment.parse().map_err(|_| Refusal::NotFound)?;
    let services = services();
    // Read before the task: anything stored later is then known to be newer than the page.
    let rendered = services.context.now_ms();
    let task = services
        .store
        .task(access.person.id, assignment)
        .await
        .map_err(refuse)?;
    let task = task
        .filter(|task| task.study == access.study.id)
        .ok_or(Refusal::NotFound)?;
    let outlook = services
        .store
        .upcoming_work(task.study, access.person.id, rendered)
        .await
        .map_err(refuse)?
        .ok_or(Refusal::NotFound)?;
    let place = position_label(&task, &outlook);
    let title = format!("{place} · {} · Rank & Rate", task.study_name);
    let question = services
        .store
        .discussion_question(assignment)
        .await
        .map_err(refuse)?;
    let question = question.map(|(note, text)| {
        view! {
            <aside class="caution look-again" aria-label="To check again">
                <p><strong>"The lead asks you to look again: "</strong> {note}</p>
                <blockquote>{text}</blockquote>
            </aside>
        }
    });
    let guidelines = markdown::lay_out(access.study.guidelines.clone()).await;
    let person = access.person.id;
    Ok(view! {
        <PageTitle text=title/>
        <a class="skip" href="#main">"Skip to the content"</a>
        <noscript>
            <p class="alert">
                "You need JavaScript to judge texts. Turn it on for this site, then reload the page."
            </p>
        </noscript>
        <KeepStorage/>
        {question}
        <Workspace task person rendered place>
            <div inner_html=guidelines></div>
        </Workspace>
    })
}

/// The source's position: training items are counted exactly; main sources with an estimate of how many
/// are still to come.
fn position_label(task: &AnnotationTask, outlook: &UpcomingWork) -> String {
    let number = task.number;
    let (name, part) = match task.purpose {
        SourcePurpose::Tutorial => ("Tutorial", outlook.tutorial),
        SourcePurpose::Training => ("Training", outlook.training),
        SourcePurpose::Qualification => ("Qualification", outlook.qualification),
        SourcePurpose::Main => {
            let this_one = u32::from(task.state == AssignmentState::Open);
            return match outlook.main.available.saturating_sub(this_one) {
                0 => format!("Source {number} · no more for now"),
                more => format!("Source {number} · about {more} more"),
            };
        }
    };
    format!("{name} {number} of {}", part.sources.max(number))
}
