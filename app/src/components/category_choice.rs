use domain::category::Category;
use leptos::prelude::*;

/// The group of outputs that is looked at, or all.
#[component]
pub fn CategoryChoice(
    /// What is chosen.
    chosen: Option<Category>,
) -> impl IntoView {
    let group = move |of: Category| {
        view! { <option value=of.name() selected=chosen == Some(of)>{of.title()}</option> }
    };
    view! {
        <label class="field">
            <span>"Group"</span>
            <select name="category">
                <option value="">"All outputs"</option>
                {Category::ALL.map(group)}
            </select>
        </label>
    }
}
