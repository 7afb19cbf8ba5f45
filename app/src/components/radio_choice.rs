use leptos::prelude::*;

/// One of several answers to a question that takes one answer.
#[component]
pub fn RadioChoice(
    /// The name of the field.
    name: &'static str,
    value: &'static str,
    label: &'static str,
    /// A sentence on the meaning of the answer.
    #[prop(optional)]
    help: &'static str,
    checked: bool,
) -> impl IntoView {
    let id = format!("{name}-{value}");
    let help_id = (!help.is_empty()).then(|| format!("{id}-help"));

    view! {
        <div class="choice">
            <input
                type="radio"
                id=id.clone()
                name=name
                value=value
                checked=checked
                aria-describedby=help_id.clone()
            />
            <div>
                <label for=id>{label}</label>
                {help_id.map(|id| view! { <p class="help" id=id>{help}</p> })}
            </div>
        </div>
    }
}
