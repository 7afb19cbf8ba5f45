use domain::rater_groups::RaterGroup;
use leptos::prelude::*;

use super::Field;

/// The form field that chooses a group of annotators; nothing if the study has none.
#[component]
pub fn GroupChoice(id: &'static str, groups: Vec<RaterGroup>) -> impl IntoView {
    (!groups.is_empty()).then(|| {
        view! {
            <Field id label="Group">
                <select id=id name="group">
                    <GroupOptions groups chosen=None/>
                </select>
            </Field>
        }
    })
}

/// The name of a rater's group as a small label; nothing if they are in none.
#[component]
pub fn GroupTag(
    groups: Vec<RaterGroup>,
    /// The id of the rater's group.
    group: Option<String>,
) -> impl IntoView {
    let group = groups
        .into_iter()
        .find(|own| Some(&own.id) == group.as_ref());
    group.map(|group| view! { " " <span class="tag">{group.name}</span> })
}

/// The filter by the raters' group; nothing if the study has none.
#[component]
pub fn GroupFilter(
    groups: Vec<RaterGroup>,
    /// The id of the chosen group; `None` for all raters.
    chosen: Option<String>,
) -> impl IntoView {
    (!groups.is_empty()).then(|| {
        view! {
            <label class="field">
                <span>"Group"</span>
                <select name="group">
                    <GroupOptions groups chosen none="All raters"/>
                </select>
            </label>
        }
    })
}

/// The options of a choice of one group or none.
#[component]
pub fn GroupOptions(
    groups: Vec<RaterGroup>,
    /// The id of the chosen group.
    chosen: Option<String>,
    /// The label of the option for no group.
    #[prop(default = "no group")]
    none: &'static str,
) -> impl IntoView {
    let option = move |group: RaterGroup| {
        let selected = chosen.as_ref() == Some(&group.id);
        view! { <option value=group.id selected=selected>{group.name}</option> }
    };

    view! {
        <option value="">{none}</option>
        {groups.into_iter().map(option).collect_view()}
    }
}
