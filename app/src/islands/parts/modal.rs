use leptos::{ev::MouseEvent, html::Dialog, prelude::*};

use super::is_open;

/// A modal dialog: the browser traps the focus in it, closes it on Escape and restores the focus.
#[component]
pub fn Modal(
    open: RwSignal<bool>,
    #[prop(into)] title: String,
    /// The content, rendered even while the dialog is closed.
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();

    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (open.get(), dialog.open()) {
            // Fails only if it is already open.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });

    let close_outside = move |event: MouseEvent| {
        // A click on the backdrop has the dialog itself as its target, not an element inside.
        if dialog
            .get_untracked()
            .is_some_and(|element| event.target().as_ref() == Some(element.as_ref()))
        {
            open.set(false);
        }
    };

    let name = title.clone();
    view! {
        <dialog
            node_ref=dialog
            class="modal"
            aria-label=name
            on:close=move |_| {
                if !is_open(dialog) {
                    open.set(false);
                }
            }
            on:click=close_outside
        >
            <div class="modal-body">
                <div class="modal-head">
                    <h2>{title}</h2>
                    <button class="ghost" aria-label="Close" on:click=move |_| open.set(false)>
                        "✕"
                    </button>
                </div>
                {children()}
            </div>
        </dialog>
    }
    .into_any()
}
