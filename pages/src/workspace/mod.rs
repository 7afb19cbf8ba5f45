//! The workspace page: one source, as its annotator judges it.

mod keys;
mod preview;

use domain::{
    ids::AssignmentId,
    study::{AssignmentState, SourcePurpose},
    work::{
        pace::each_in_words,
        task::{AnnotationTask, LeadQuestion},
    },
};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use store::assignments::UpcomingWork;
use tokio::task::spawn_blocking;

use self::keys::Keys;
pub use self::preview::{StudyPreviewPage, TemplatePreviewPage};
use crate::annotator::{AnnotatorPace, BreakHint, load_pace};
use app::{
    components::PageDialog,
    error::Refusal,
    islands::{Workspace, WorkspaceInput},
    layout::{Commands, KeepPage, KeepStorage, PageTitle, RememberRows, refusal_page},
    links, markdown,
    page_script::{BuiltAssets, PageScript},
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
    let load = async || {
        let task = services.store.task(access.person.id, assignment).await;
        let task = task.map_err(refuse)?;
        task.filter(|task| task.study == access.study.id)
            .ok_or(Refusal::NotFound)
    };

    // A task whose comparisons are planned only now is loaded again.
    let mut task = load().await?;
    let planner = &services.comparison_planner;
    let planned = planner.plan(&services.store, &task, rendered).await;
    if planned.map_err(refuse)? {
        task = load().await?;
    }

    // The ids on the page must not reveal anything about the outputs.
    let hidden = services.store.hide_outputs(&mut task).await;
    hidden.map_err(refuse)?;
    let task = with_marks(task).await;

    let outlook = services
        .store
        .upcoming_work(task.study, access.person.id, rendered)
        .await
        .map_err(refuse)?
        .ok_or(Refusal::NotFound)?;

    let place = position_label(&task, &outlook);
    let title = format!("{place} · {} · Rank & Rate", task.study_name);
    let AnnotatorPace {
        source_ms,
        long_session,
    } = load_pace(task.study, access.person.id).await?;

    let is_open = task.state == AssignmentState::Open && !task.is_study_closed;
    let is_one_of_many = task.purpose == SourcePurpose::Main && outlook.main.available > 1;
    let pace = source_ms
        .filter(|_| is_open && is_one_of_many)
        .map_or_else(String::new, |ms| format!(", {}", each_in_words(ms)));
    let place = place + &pace;

    // Between two sources, not in the middle of one.
    let rest = long_session.filter(|_| is_open && task.answers.is_empty());
    let question = questions(&task);

    let above = view! {
        {rest.map(|session| view! { <BreakHint session/> })}
        {question}
    };

    let input = WorkspaceInput {
        task,
        person: access.person.id,
        rendered,
        place,
        preview: None,
    };
    let page = WorkspaceFrame {
        title,
        guidelines: access.study.guidelines.clone(),
        introduced: is_introduced(&outlook),
    };

    Ok(page.draw(input, above.into_any()).await)
}

/// The page around a workspace.
struct WorkspaceFrame {
    title: String,
    /// The guidelines, as Markdown.
    guidelines: String,
    /// Whether a line is enough of an introduction to a step.
    introduced: bool,
}

impl WorkspaceFrame {
    /// Draws the page, with something above the workspace.
    async fn draw(self, input: WorkspaceInput, above: AnyView) -> impl IntoView + use<> {
        let Self {
            title,
            guidelines,
            introduced,
        } = self;

        let (protocol, layout) = (input.task.protocol.clone(), input.task.layout);
        let has_context = !input.task.context.is_empty();
        let accepts_unjudged = input.task.accepts_unjudged;
        let guidelines = markdown::lay_out(guidelines).await;

        let (work, opens_later) = (input.to_attribute(), input.opens_later());
        provide_context(input);
        let assets = expect_context::<BuiltAssets>();
        let stylesheet = links::to(&assets.workspace_stylesheet);
        let later_steps = links::to(&assets.later_steps);

        view! {
            <PageTitle text=title/>
            // In the body, which is drawn once it has arrived: `leptos_meta` takes no links this late.
            <link rel="stylesheet" href=stylesheet/>
            <a class="skip" href="#main">"Skip to the content"</a>
            <noscript>
                <p class="alert">
                    "You need JavaScript to judge texts. Turn it on for this site, then reload the page."
                </p>
            </noscript>
            <KeepStorage/>
            <KeepPage/>
            <RememberRows/>
            {has_context.then(|| view! { <PageScript name="fold"/> })}
            {above}
            {opens_later
                .then(|| {
                    let href = later_steps.clone();
                    view! { <link rel="preload" href=href r#as="fetch" crossorigin="anonymous"/> }
                })}
            <div
                class="annotating"
                class:introduced=introduced
                data-work=work
                data-opens-later=opens_later.then_some("")
                data-later-steps=later_steps
            >
                <Workspace>
                    <Tools/>
                </Workspace>
            </div>
            <PageDialog id="guidelines" title="Guidelines">
                <div class="prose" inner_html=guidelines></div>
            </PageDialog>
            <Keys protocol layout accepts_unjudged/>
            <Commands/>
        }
    }
}

/// The buttons that the page's scripts answer.
#[component]
fn Tools() -> impl IntoView {
    view! {
        <button class="ghost" data-command="" data-opens="guidelines">"Guidelines"</button>
        <button
            class="ghost"
            aria-label="Compact rows"
            aria-pressed="false"
            title="Compact rows"
            data-command=""
            data-compact=""
        >
            "≡"
        </button>
        <button
            class="ghost"
            aria-label="Commands"
            aria-haspopup="dialog"
            title="Commands (Ctrl+K)"
            data-lists-commands=""
        >
            "⋯"
        </button>
        <button
            class="ghost"
            aria-label="Keys and help"
            aria-keyshortcuts="?"
            title="Keys and help (?)"
            data-command=""
            data-opens="keys"
        >
            "?"
        </button>
    }
}

/// Whether the annotator has finished a source of this study before, so that a line is enough of an
/// introduction to a step.
const fn is_introduced(outlook: &UpcomingWork) -> bool {
    let UpcomingWork {
        tutorial,
        training,
        qualification,
        main,
        ..
    } = outlook;
    tutorial.done + training.done + qualification.done + main.done > 0
}

/// The task with its marks, which are computed on a blocking thread.
async fn with_marks(mut task: AnnotationTask) -> AnnotationTask {
    let marking = spawn_blocking(move || {
        task.find_marks();
        task
    });
    marking
        .await
        .expect("finding marks does not panic and is not cancelled")
}

/// The lead's questions about outputs of the source.
fn questions(task: &AnnotationTask) -> impl IntoView + use<> {
    let question = |(number, question): (usize, &LeadQuestion)| {
        let item = task
            .items
            .iter()
            .find(|item| item.output == question.output);
        let text = item.map(|item| item.text.clone());
        let place = WorkspaceInput::output_address(question.output);
        view! {
            <p><strong>"The lead asks you to look again: "</strong> {question.note.clone()}</p>
            <blockquote>{text}</blockquote>
            <p><a href=place data-question=number>"Go to this output"</a></p>
        }
    };

    let all = task
        .questions
        .iter()
        .enumerate()
        .map(question)
        .collect_view();

    let reply = "You can write a reply at the output.";
    let rule = task.only_questions.then(|| {
        view! {
            <p class="soft">
                "Only the marked output can be changed. Your other answers stay as they are. Submit the source when you \
                 are done, even if you change nothing."
            </p>
        }
    });
    (!task.questions.is_empty()).then(|| {
        view! { <aside class="caution look-again" aria-label="To check again">{all} <p class="soft">{reply}</p> {rule}</aside> }
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
        SourcePurpose::Main | SourcePurpose::Attention => {
            let is_open = task.state == AssignmentState::Open && !task.is_study_closed;
            return match outlook.main.available.saturating_sub(u32::from(is_open)) {
                0 if is_open => format!("Source {number}, the last one for now"),
                0 => format!("Source {number}"),
                more => format!("Source {number} of about {}", number + more),
            };
        }
    };

    format!("{name} {number} of {}", part.sources.max(number))
}
