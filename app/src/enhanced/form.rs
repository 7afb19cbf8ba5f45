use leptos::prelude::*;

/// A form that posts to a server function.
///
/// Without JavaScript it is an ordinary form: the server answers with a redirect, and the next page shows a
/// refusal. With JavaScript the page stays while the form is sent, a refusal appears next to the fields with
/// everything entered kept, and success leads to the same page as without.
#[component]
pub fn EnhancedForm(
    /// The address to post to: see [`crate::links::action`].
    action: String,
    #[prop(optional, into)] class: Option<String>,
    /// The form's name for screen readers.
    #[prop(optional, into)]
    label: Option<String>,
    /// Whether the form sends files.
    #[prop(optional)]
    multipart: bool,
    children: Children,
) -> impl IntoView {
    view! {
        <form
            method="post"
            action=action
            enctype=multipart.then_some("multipart/form-data")
            class=class
            aria-label=label
            data-enhanced=""
        >
            {children()}
            <div class="form-alert" role="alert"></div>
        </form>
    }
    .into_any()
}
