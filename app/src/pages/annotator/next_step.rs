use domain::study::SourcePurpose;
use leptos::prelude::*;
use store::assignments::{PurposeProgress, UpcomingAssignment, UpcomingWork};

use super::preparing::Preparing;
use crate::{
    api::NextSource,
    islands::EnhancedForm,
    links::{self, StudyPage},
};

/// The parts of the study, and the next thing to do.
#[component]
pub fn NextStep(
    slug: String,
    /// The annotator's remaining work.
    outlook: UpcomingWork,
    closed: bool,
) -> impl IntoView {
    let next = if closed {
        render_sentence("This study is closed: there is nothing more to judge. Thank you!")
            .into_any()
    } else {
        match outlook.next {
            UpcomingAssignment::Open(assignment, purpose) => {
                let href = StudyPage::Workspace(assignment).address(&slug);
                let label = format!("Continue with {}", purpose_name(purpose));
                view! { <a class="button primary" href=href>{label}</a> }.into_any()
            }
            UpcomingAssignment::Source(purpose) => {
                view! { <NextSourceButton slug=slug.clone() purpose/> }.into_any()
            }
            UpcomingAssignment::AwaitsAdmission => render_sentence(
                "The study's lead is checking your answers. There is nothing for you to do now: come back \
                 later.",
            )
            .into_any(),
            UpcomingAssignment::Preparing => view! { <Preparing slug=slug.clone()/> }.into_any(),
            UpcomingAssignment::Nothing => render_sentence(
                "There is nothing for you to judge at the moment: all sources are finished or with other \
                 annotators. Come back later, in case one becomes free.",
            )
            .into_any(),
        }
    };
    view! {
        <section class="card ahead" aria-label="What to do next">
            <Stages outlook/>
            <div class="next">{next}</div>
            <p class="soft">
                "How to judge is explained in the "
                <a href=StudyPage::Guidelines.address(&slug)>"guidelines"</a> "."
            </p>
        </section>
    }
}

fn render_sentence(sentence: &'static str) -> impl IntoView {
    view! { <p>{sentence}</p> }
}

/// The button that assigns the next source.
#[component]
fn NextSourceButton(slug: String, purpose: SourcePurpose) -> impl IntoView {
    let action = links::action::<NextSource>();
    let (label, why) = match purpose {
        SourcePurpose::Tutorial => (
            "Begin the tutorial",
            "It shows for each output what a good answer is, and why.",
        ),
        SourcePurpose::Training => (
            "Continue with the training",
            "You judge, hand in, and then see the expected answers.",
        ),
        SourcePurpose::Qualification => (
            "Continue with the qualification",
            "Your answers decide whether you can begin. You can hand in each source only once.",
        ),
        SourcePurpose::Main => (
            "Next source",
            "It is yours until you hand it in or skip it.",
        ),
    };
    view! {
        <EnhancedForm action=action label="Next">
            <input type="hidden" name="slug" value=slug/>
            <div class="actions">
                <button class="primary">{label}</button>
                <span class="soft">{why}</span>
            </div>
        </EnhancedForm>
    }
}

/// The parts of the study in order, with the annotator's progress.
#[component]
fn Stages(outlook: UpcomingWork) -> impl IntoView {
    let current = match outlook.next {
        UpcomingAssignment::Open(_, purpose) | UpcomingAssignment::Source(purpose) => Some(purpose),
        UpcomingAssignment::AwaitsAdmission => Some(SourcePurpose::Qualification),
        UpcomingAssignment::Preparing | UpcomingAssignment::Nothing => None,
    };
    let waits = outlook.next == UpcomingAssignment::AwaitsAdmission;
    let prepared = |title: &'static str, part: PurposeProgress, purpose| {
        let shown = part.sources > 0 || (purpose == SourcePurpose::Qualification && waits);
        shown.then(|| {
            let state = match (part.done >= part.sources, waits && current == Some(purpose)) {
                (_, true) => "waiting for the lead".to_owned(),
                (true, false) => "done".to_owned(),
                (false, false) => format!("{} of {}", part.done, part.sources),
            };
            stage(title, state, current == Some(purpose))
        })
    };
    let sources = stage(
        "Sources",
        match outlook.main.available {
            0 => format!("{} done", outlook.main.done),
            ahead => format!("{} done · about {ahead} more", outlook.main.done),
        },
        current == Some(SourcePurpose::Main),
    );
    view! {
        <ol class="stages">
            {prepared("Tutorial", outlook.tutorial, SourcePurpose::Tutorial)}
            {prepared("Training", outlook.training, SourcePurpose::Training)}
            {prepared("Qualification", outlook.qualification, SourcePurpose::Qualification)}
            {sources}
        </ol>
    }
}

fn stage(title: &'static str, state: String, here: bool) -> impl IntoView {
    view! {
        <li aria-current=here.then_some("step")>
            <b>{title}</b>
            <span class="soft numbers">{state}</span>
        </li>
    }
}

/// The name for one source of each purpose.
pub fn purpose_name(purpose: SourcePurpose) -> &'static str {
    match purpose {
        SourcePurpose::Tutorial => "the tutorial",
        SourcePurpose::Training => "the training",
        SourcePurpose::Qualification => "the qualification",
        SourcePurpose::Main => "the source you have begun",
    }
}
