use leptos::prelude::*;

/// A form field with its label and an optional help text below. The field has the id `id` and, if there is
/// help, names `id-help` in `aria-describedby`.
#[component]
pub fn Field(
    id: &'static str,
    #[prop(into)] label: String,
    /// The help text.
    #[prop(optional, into)]
    help: Option<String>,
    children: Children,
) -> impl IntoView {
    view! {
        <div class="field">
            <label for=id>{label}</label>
            {children()}
            {help.map(|help| view! { <p class="help" id=format!("{id}-help")>{help}</p> })}
        </div>
    }
}
