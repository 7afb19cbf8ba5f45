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
    islands::workspace::{
        WorkspaceState,
        state::{COMPARISON_ID, place_id},
    },
};

/// The field for a note, or for a reply to the lead. It is saved when it loses the focus.
pub(super) fn remark_field(
    work: WorkspaceState,
    output: OutputId,
    slot: AnnotationSlot,
    id: String,
    label: &'static str,
) -> AnyView {
    let own = slot.clone();
    // A memo, because the property is set whenever the signal changes: an answer that is saved meanwhile must
    // not overwrite what is being typed.
    let text = Memo::new(move |_| work.draft.with(|draft| draft.remark(&own)));

    let save = move |event| {
        let remark = AnnotationAnswer::Note(event_target_value(&event).trim().to_owned());
        work.act([(slot.clone(), remark)], UndoGrouping::Separate);
    };

    view! {
        <p class="note-of">
            <label for=id.clone()>{label}</label>
            <textarea
                id=id
                rows="1"
                prop:value=text
                disabled=move || !work.takes(output)
                on:change=save
                on:keydown=move |event| {
                    if event.key() == "Escape" {
                        match work.compares() {
                            true => browser::focus(COMPARISON_ID),
                            false => browser::focus(&place_id(output)),
                        }
                    }
                }
            ></textarea>
        </p>
    }
    .into_any()
}
