use leptos::{ev::SubmitEvent, prelude::*, task::spawn_local, wasm_bindgen::JsCast};
use web_sys::{FormData, HtmlButtonElement, HtmlFormElement};

use crate::browser::{self, FormOutcome};

/// A form that posts to a server function.
///
/// Without JavaScript it is an ordinary form: the server answers with a redirect, and a refusal
/// is shown by the next page. With it, the page stays while the form is sent, a refusal is said
/// beside the fields with everything entered kept, and success leads on as it would without.
#[island]
pub fn EnhancedForm(
    /// Where it posts to: [`crate::links::action`].
    action: String,
    /// The form's class.
    #[prop(optional, into)]
    class: Option<String>,
    /// The form's name for screen readers.
    #[prop(optional, into)]
    label: Option<String>,
    /// Whether files are sent along.
    #[prop(optional)]
    multipart: Option<bool>,
    /// The fields and buttons.
    children: Children,
) -> impl IntoView {
    let (refused, set_refused) = signal(None::<String>);
    let (pending, set_pending) = signal(false);
    let multipart = multipart.unwrap_or(false);

    let submit = move |event: SubmitEvent| {
        let Some(form) = event
            .target()
            .and_then(|it| it.dyn_into::<HtmlFormElement>().ok())
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
            .and_then(|it| it.dyn_into::<HtmlButtonElement>().ok());
        if let Some(button) = button.filter(|button| !button.name().is_empty()) {
            // Fails for no text.
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
