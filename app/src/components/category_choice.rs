use domain::category::Category;
use leptos::prelude::*;

/// The filter by category of outputs.
#[component]
pub fn CategoryChoice(
    /// The chosen category; `None` for all outputs.
    chosen: Option<Category>,
) -> impl IntoView {
    let option = move |category: Category| {
        view! { <option value=category.name() selected=chosen == Some(category)>{category.title()}</option> }
    };
    view! {
        <label class="field">
            <span>"Category"</span>
            <select name="category">
                <option value="">"All outputs"</option>
                {Category::ALL.map(option)}
            </select>
        </label>
    }
}
