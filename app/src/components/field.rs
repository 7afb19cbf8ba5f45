use leptos::prelude::*;

/// A label, its field, and a word of help below: the field has the id `id` and, where there is
/// help, names `id-help` in `aria-describedby`.
#[component]
pub fn Field(
    /// The field's id.
    id: &'static str,
    /// What is entered.
    #[prop(into)]
    label: String,
    /// What to know before it is entered.
    #[prop(optional, into)]
    help: Option<String>,
    /// The field.
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
