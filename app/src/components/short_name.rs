use leptos::prelude::*;

use super::Field;

/// The field for the short name of a new study. The help says what an empty one means.
#[component]
pub fn ShortNameField(
    id: &'static str,
    #[prop(into)] label: String,
    #[prop(into)] help: String,
) -> impl IntoView {
    view! {
        <Field id label help>
            <input
                id=id
                name="short_name"
                maxlength="40"
                pattern="[a-z0-9][a-z0-9\\-]*"
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                aria-describedby=format!("{id}-help")
            />
        </Field>
    }
}
