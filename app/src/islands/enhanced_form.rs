use leptos::{ev::SubmitEvent, prelude::*, task::spawn_local, wasm_bindgen::JsCast};
use web_sys::{FormData, HtmlButtonElement, HtmlFormElement};

use crate::browser::{self, FormOutcome};

/// A form that posts to a server function.
///
/// Without JavaScript it is an ordinary form: the server answers with a redirect, and the next page shows
/// a refusal. With JavaScript the page stays while the form is sent, a refusal appears beside the fields
/// with everything entered kept, and success leads to the same page as without.
#[island]
pub fn EnhancedForm(
    /// The address that it posts to: see [`crate::links::action`].
    action: String,
    #[prop(optional, into)] class: Option<String>,
    /// The form's name for screen readers.
    #[prop(optional, into)]
    label: Option<String>,
    /// Whether the form sends files.
    #[prop(optional)]
    multipart: Option<bool>,
    children: Children,
) -> impl IntoView {
    let (refused, set_refused) = signal(None::<String>);
    let (pending, set_pending) = signal(false);
    let multipart = multipart.unwrap_or(false);

    let submit = move |event: SubmitEvent| {
        let Some(form) = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlFormElement>().ok())
        else {
            return;
        };
        event.prevent_default();
        if pending.get_untracked() {
            return;
        }
        let Ok(fields) = FormData::new_with_form(&form) else {
            return;
        };
        let button = event
            .submitter()
            .and_then(|submitter| submitter.dyn_into::<HtmlButtonElement>().ok());
        if let Some(button) = button.filter(|button| !button.name().is_empty()) {
            // Fails only for an empty text.
            let _ = fields.append_with_str(&button.name(), &button.value());
        }
        set_pending.set(true);
        set_refused.set(None);
        spawn_local(async move {
            match browser::post_form(&form.action(), fields, multipart).await {
                Ok(FormOutcome::GoTo(address)) => browser::go_to(&address),
                Ok(FormOutcome::Done) => browser::reload(),
                Err(refusal) => {
                    set_pending.set(false);
                    set_refused.set(Some(refusal.to_string()));
                }
            }
        });
    };

    view! {
        <form
            method="post"
            action=action
            enctype=multipart.then_some("multipart/form-data")
            class=class
            aria-label=label
            aria-busy=move || pending.get().to_string()
            on:submit=submit
        >
            {children()}
            <div class="form-alert" role="alert">
                {move || refused.get().map(|sentence| view! { <p class="alert">{sentence}</p> })}
            </div>
        </form>
    }
}
