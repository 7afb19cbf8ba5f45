//! The annotator's workspace: one source, its outputs, the steps of the study's protocol.

mod answer;
mod background_tasks;
mod categorise;
mod compare;
mod conflicts;
mod finish;
mod foot;
mod header;
mod highlight;
mod input;
mod later_steps;
mod mark_spans;
mod marked_output;
mod pause;
mod rank;
mod rate;
mod remaining;
mod save_mark;
mod scores;
mod source;
mod state;
mod steps;
mod teaching;
mod unjudged;
mod write;

use domain::protocol::{AnnotationStep, ProtocolStep};
use leptos::prelude::*;

use self::{
    categorise::Categorise,
    finish::Closed,
    foot::Footer,
    header::Header,
    highlight::WordSelection,
    later_steps::{LaterPart, draw},
    source::Source,
    teaching::Teaching,
};
pub use input::WorkspaceInput;
pub use state::WorkspaceState;

/// Loads the code that hydrating the workspace of this page needs.
#[cfg(feature = "hydrate")]
pub async fn load_first_step() {
    if crate::browser::page_attribute("data-opens-later").is_some() {
        later_steps::load().await;
    }
}

/// The workspace of one annotator on one source.
///
/// The page passes the task in its [`WorkspaceInput`]; from then on answers live in a draft, and the browser
/// stores each of them before it is sent.
#[island]
pub fn Workspace(
    /// The buttons next to undo and redo that need only the page's script.
    children: Children,
) -> impl IntoView {
    let WorkspaceInput {
        task,
        person,
        rendered,
        place,
        preview,
    } = WorkspaceInput::find();

    let work = WorkspaceState::new(task.clone(), preview);
    provide_context(work);
    provide_context(RwSignal::new(None::<WordSelection>));
    background_tasks::start(work, task, person, rendered);

    view! {
        <div class="work" data-ready=move || work.ready.get().then_some("")>
            <Header place>{children()}</Header>
            <Source/>
            <main
                id="main"
                tabindex="-1"
                inert=work.is_not_ready()
                aria-busy=move || work.is_drawing().then_some("true")
            >
                <Closed/>
                {move || work.later_steps.get().then(|| draw(work, LaterPart::Conflicts))}
                <Teaching/>
                {move || draw_step(work, work.step.get())}
            </main>
            <Footer/>
            <p class="visually-hidden" role="status">{move || work.announcement()}</p>
        </div>
    }
    .into_any()
}

/// The view of the protocol's step at a place.
fn draw_step(work: WorkspaceState, place: AnnotationStep) -> AnyView {
    let step = work
        .draft
        .with_untracked(|draft| draft.protocol().find(place).cloned());
    match step {
        Some(ProtocolStep::Categorise) => view! { <Categorise/> }.into_any(),
        Some(step) => later_steps::draw_step(work, step),
        None => ().into_any(),
    }
}
