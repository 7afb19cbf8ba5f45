use domain::{category::Category, study::Dimension};
use leptos::prelude::*;

use super::Asked;

/// Which ratings are looked at; a plain form that asks for the page anew.
#[component]
pub(super) fn Choice(
    /// The page.
    address: String,
    /// What the study rates.
    dimensions: Vec<Dimension>,
    /// Which of it is shown.
    chosen: String,
    /// What else was asked for.
    asked: Asked,
) -> impl IntoView {
    let several = dimensions.len() > 1;
    let option = move |dimension: Dimension| {
        let selected = dimension.name == chosen;
        view! { <option value=dimension.name selected=selected>{dimension.name.clone()}</option> }
    };
    let select = several.then(|| {
        view! {
            <label class="field">
                <span>"Dimension"</span>
                <select name="dimension">{dimensions.into_iter().map(option).collect_view()}</select>
            </label>
        }
    });
    let group = move |of: Category| {
        let selected = asked.category == Some(of);
        view! { <option value=of.name() selected=selected>{of.title()}</option> }
    };
    view! {
        <form method="get" action=address class="asked">
            {select}
            <label class="field">
                <span>"Group"</span>
                <select name="category">
                    <option value="">"All outputs"</option>
                    {Category::ALL.map(group)}
                </select>
            </label>
            <label class="choice">
                <input type="checkbox" name="count" value="in-work" checked=asked.in_work/>
                <span>"Count sources that are still in work"</span>
            </label>
            <button>"Show"</button>
        </form>
    }
}
