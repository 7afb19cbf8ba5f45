//! The annotator's workspace: one source, its outputs, three steps.

mod background_tasks;
mod categorise;
mod conflicts;
mod finish;
mod foot;
mod header;
mod highlight;
mod hotkeys;
mod input;
mod marked_output;
mod pause;
mod rate;
mod save_mark;
mod source;
mod state;
mod steps;
mod teaching;

use domain::work::change::AnnotationStep;
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
pub use input::WorkspaceInput;
pub use state::WorkspaceState;

/// The workspace of one annotator on one source.
///
/// The page brings the task in its [`WorkspaceInput`]; from then on answers live in a draft, and the browser stores
/// each of them before it is sent.
#[island]
pub fn Workspace(
    /// The buttons beside undo and redo that need no more than the page's script.
    children: Children,
) -> impl IntoView {
    let WorkspaceInput {
        task,
        person,
        rendered,
        place,
    } = WorkspaceInput::find();
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
