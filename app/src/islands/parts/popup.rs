use leptos::{ev::MouseEvent, html::Dialog, prelude::*};
use web_sys::{DomRect, HtmlDialogElement};

use super::is_open;
use crate::browser;

/// A small dialog beside an element; at phone width it lies at the window's bottom.
#[component]
pub fn Popup(
    /// The id of the element it belongs to; `None` while it is closed.
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
                    // Fails only where it is already open.
                    let _ = dialog.show_modal();
                }
                // Once its content is drawn, which decides where there is room.
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

/// The position below the element, or above where there is no room; never outside the window.
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
