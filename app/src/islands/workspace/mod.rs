//! The annotator's workspace: one source, its outputs, three steps.

mod background_tasks;
mod categorise;
mod conflicts;
mod finish;
mod foot;
mod header;
mod highlight;
mod hotkeys;
mod marked_output;
mod pause;
mod rate;
mod save_mark;
mod source;
mod state;
mod steps;
mod teaching;

use domain::{
    ids::PersonId,
    work::{change::AnnotationStep, task::AnnotationTask},
};
use leptos::prelude::*;

use self::{
    categorise::Categorise,
    conflicts::Conflicts,
    finish::Closed,
    foot::Footer,
    header::Header,
    highlight::{Highlight, WordSelection},
    rate::Rate,
    source::Source,
    teaching::Teaching,
};
pub use state::WorkspaceState;

/// The workspace of one annotator on one source.
///
/// The page brings the task; from then on answers live in a draft, and the browser stores each of them
/// before it is sent.
#[island]
pub fn Workspace(
    /// The task with the answers so far.
    task: AnnotationTask,
    person: PersonId,
    /// The time at which the page was made: the server's clock, in milliseconds since 1970.
    rendered: i64,
    /// The source's position among the annotator's and the time it takes, in words.
    place: String,
    /// The buttons beside undo and redo that need no more than the page's script.
    children: Children,
) -> impl IntoView {
    let work = WorkspaceState::new(task.clone());
    provide_context(work);
    provide_context(RwSignal::new(None::<WordSelection>));
    background_tasks::start(work, task, person, rendered);
    hotkeys::listen(work);
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
                <Conflicts/>
                <Teaching/>
                {move || match work.step.get() {
                    AnnotationStep::Categorise => view! { <Categorise/> }.into_any(),
                    AnnotationStep::Highlight => view! { <Highlight/> }.into_any(),
                    AnnotationStep::Rate => view! { <Rate/> }.into_any(),
                }}
            </main>
            <Footer/>
            <p class="visually-hidden" role="status">{move || work.announcement()}</p>
        </div>
    }
    .into_any()
}
