use domain::study::SourcePurpose;
use leptos::prelude::*;
use store::assignments::UpcomingAssignment;

use super::preparing::Preparing;
use app::{
    api::NextSource,
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The keys of the main action, which in the workspace go to the next step and submit.
const MAIN_KEYS: &str = "Control+Enter";

/// The button or link to the next source, or the reason why none is left.
#[component]
pub fn NextAction(
    slug: String,
    next: UpcomingAssignment,
    /// The reason why work has ended, if the study is closed or the annotator is done.
    ended: Option<String>,
    /// Whether it is the main action of the page.
    primary: bool,
) -> impl IntoView {
    if let Some(sentence) = ended {
        return render_sentence(sentence).into_any();
    }
    match next {
        UpcomingAssignment::Open(assignment, purpose) => {
            let href = StudyPage::Workspace(assignment).address(&slug);
            let label = format!("Continue with {}", purpose_name(purpose));
            view! {
                <a
                    class="button"
                    class:primary=primary
                    data-command=primary.then_some("")
                    aria-keyshortcuts=primary.then_some(MAIN_KEYS)
                    href=href
                >
                    {label}
                </a>
            }
            .into_any()
        }
        UpcomingAssignment::Source(purpose) => {
            view! { <NextSourceButton slug purpose primary/> }.into_any()
        }
        UpcomingAssignment::AwaitsAdmission => render_sentence(
            "The study's lead is checking your answers. There is nothing you need to do. Please come back \
             later.",
        )
        .into_any(),
        UpcomingAssignment::Preparing => view! { <Preparing slug/> }.into_any(),
        UpcomingAssignment::Nothing => render_sentence(
            "There is nothing for you to judge at the moment: all sources are finished or with other \
             annotators. Please come back later, in case one becomes free.",
        )
        .into_any(),
    }
}

fn render_sentence(sentence: impl Into<String>) -> impl IntoView {
    let sentence = sentence.into();
    view! { <p>{sentence}</p> }
}

/// The button that assigns the next source.
#[component]
fn NextSourceButton(slug: String, purpose: SourcePurpose, primary: bool) -> impl IntoView {
    let action = links::action::<NextSource>();
    let (label, why) = match purpose {
        SourcePurpose::Tutorial => (
            "Begin the tutorial",
            "After each of your answers it shows what a good one is, and why.",
        ),
        SourcePurpose::Training => (
            "Continue with the training",
            "You judge and submit. Then you see the expected answers.",
        ),
        SourcePurpose::Qualification => (
            "Continue with the qualification",
            "Your answers decide whether you can begin. You can submit each source only once.",
        ),
        SourcePurpose::Main | SourcePurpose::Attention => {
            ("Next source", "It is yours until you submit or skip it.")
        }
    };

    view! {
        <EnhancedForm action=action label="Next">
            <input type="hidden" name="slug" value=slug/>
            <div class="actions">
                <button
                    class:primary=primary
                    data-command=primary.then_some("")
                    aria-keyshortcuts=primary.then_some(MAIN_KEYS)
                >
                    {label}
                </button>
                <span class="soft">{why}</span>
            </div>
        </EnhancedForm>
    }
}

/// The words for a source of each purpose.
fn purpose_name(purpose: SourcePurpose) -> &'static str {
    match purpose {
        SourcePurpose::Tutorial => "the tutorial",
        SourcePurpose::Training => "the training",
        SourcePurpose::Qualification => "the qualification",
        SourcePurpose::Main | SourcePurpose::Attention => "the source you have begun",
    }
}
