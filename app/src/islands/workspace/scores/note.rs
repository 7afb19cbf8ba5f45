use domain::{
    ids::OutputId,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        history::UndoGrouping,
    },
};
use leptos::prelude::*;

use crate::{
    browser,
    islands::workspace::{WorkspaceState, state::place_id},
};

/// The note on an output, where there is one, one is being written, or one has to say why the output cannot be judged.
#[component]
pub(crate) fn Note(
    output: OutputId,
    /// The output whose note is being written.
    writing: RwSignal<Option<OutputId>>,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let text = Memo::new(move |_| work.draft.with(|draft| draft.note(output)));
    let shown = Memo::new(move |_| {
        writing.get() == Some(output)
            || text.with(|text| !text.is_empty())
            || work.draft.with(|draft| draft.lacks_reason_note(output))
    });
    let save = move |event| {
        let note = AnnotationAnswer::Note(event_target_value(&event).trim().to_owned());
        work.act(
            [(AnnotationSlot::Note { output }, note)],
            UndoGrouping::Separate,
        );
    };
    view! {
        <Show when=move || shown.get()>
            <p class="note-of">
                <label for=note_id(output)>"Note"</label>
                <textarea
                    id=note_id(output)
                    rows="1"
                    prop:value=text
                    disabled=move || !work.takes(output)
                    on:change=save
                    on:keydown=move |event| {
                        if event.key() == "Escape" {
                            browser::focus(&place_id(output));
                        }
                    }
                ></textarea>
            </p>
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
