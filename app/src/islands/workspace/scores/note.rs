use domain::{ids::OutputId, work::change::AnnotationSlot};
use leptos::prelude::*;

use super::remark::remark_field;
use crate::{browser, islands::workspace::WorkspaceState};

/// The note on an output, shown if there is one, one is being written, or one must say why the output cannot
/// be judged.
#[component]
pub(crate) fn Note(
    output: OutputId,
    /// The output whose note is being written.
    writing: RwSignal<Option<OutputId>>,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let slot = AnnotationSlot::Note { output };
    let is_shown = Memo::new(move |_| {
        writing.get() == Some(output)
            || (work.draft)
                .with(|draft| !draft.note(output).is_empty() || draft.lacks_reason_note(output))
    });

    view! {
        <Show when=move || is_shown.get()>
            {remark_field(work, output, slot.clone(), note_id(output), "Note")}
        </Show>
    }
}

/// Opens the note of an output.
pub(crate) fn write_note(writing: RwSignal<Option<OutputId>>, output: OutputId) {
    writing.set(Some(output));
    browser::focus_soon(note_id(output));
}

/// The id of a note's field.
fn note_id(output: OutputId) -> String {
    format!("note-{output}")
}
