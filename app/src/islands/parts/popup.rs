use leptos::{ev::MouseEvent, html::Dialog, prelude::*};
use web_sys::{DomRect, HtmlDialogElement};

use super::is_open;
use crate::browser;

/// A small dialog next to an element; at phone width it is at the bottom of the window.
#[component]
pub fn Popup(
    /// The id of the element that the dialog is about; `None` while it is closed.
    about: RwSignal<Option<String>>,
    #[prop(into)] label: Signal<String>,
    /// The content, rendered again each time it opens.
    children: ChildrenFn,
) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    let children = StoredValue::new(children);

    Effect::new(move |_| {
        let (Some(dialog), about) = (dialog.get(), about.get()) else {
            return;
        };
        match (about, dialog.open()) {
            (Some(about), open) => {
                if !open {
                    // Fails only if it is already open.
                    let _ = dialog.show_modal();
                }
                // The position depends on the size of the content, which is drawn first.
                browser::soon(move || {
                    if let Some(rect) = browser::rect_of(&about) {
                        put_beside(&dialog, &rect);
                    }
                });
            }
            (None, true) => dialog.close(),
            (None, false) => {}
        }
    });

    let close_outside = move |event: MouseEvent| {
        if dialog
            .get_untracked()
            .is_some_and(|element| event.target().as_ref() == Some(element.as_ref()))
        {
            about.set(None);
        }
    };

    view! {
        <dialog
            node_ref=dialog
            class="popup"
            aria-label=label
            on:close=move |_| {
                if !is_open(dialog) {
                    about.set(None);
                }
            }
            on:click=close_outside
        >
            <div class="popup-body">
                {move || about.with(Option::is_some).then(|| children.with_value(|render| render()))}
            </div>
        </dialog>
    }
    .into_any()
}

/// Positions the dialog below the element, or above if there isn't room below; never outside the window.
fn put_beside(dialog: &HtmlDialogElement, about: &DomRect) {
    const GAP: f64 = 8.0;

    let (width, height) = browser::window_size();
    let (own_width, own_height) = (
        f64::from(dialog.offset_width()),
        f64::from(dialog.offset_height()),
    );

    let below = about.bottom() + GAP;
    let above = about.top() - GAP - own_height;
    let top = if below + own_height > height && above > 0.0 {
        above
    } else {
        below
    };
    let top = top.min(height - own_height - GAP).max(GAP);
    let left = about.left().min(width - own_width - GAP).max(GAP);

    browser::set_length(dialog, "--left", left);
    browser::set_length(dialog, "--top", top);
}
