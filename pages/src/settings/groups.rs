use std::collections::HashMap;

use domain::{
    rater_groups::{RaterAttribute, RaterGroup},
    study::StudySettings,
};
use leptos::prelude::*;
use service::wording::count_noun;

use app::{
    api::SetGroups,
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The number of empty groups for new ones.
const SPARE: usize = 2;

/// The form for groups of raters: the current ones and a few empty ones for more.
#[component]
pub fn Groups(
    slug: String,
    /// The current settings.
    settings: StudySettings,
    /// The number of annotators of each group, by its id.
    members: HashMap<String, usize>,
) -> impl IntoView {
    let action = links::action::<SetGroups>();

    let dimensions = settings.dimensions.into_iter();
    let dimensions: Vec<_> = dimensions.map(|dimension| dimension.name).collect();
    let groups = settings.groups.into_iter().map(Some);
    let groups = groups
        .chain([const { None }; SPARE])
        .take(RaterGroup::MOST)
        .enumerate();

    let groups = groups.map(move |(at, group)| {
        let group = group.unwrap_or_default();
        let people = members.get(&group.id).copied().unwrap_or(0);
        view! { <GroupFields at group people dimensions=dimensions.clone()/> }
    });
    let page = StudyPage::Members.address(&slug);

    view! {
        <section>
            <p class="soft">
                "Groups of annotators, such as experts and target readers. A group can have a number of annotators of its \
                 own for each source, and rate only some of the dimensions. Annotators do not see groups. Put people into a \
                 group under " <a href=page>"Members"</a> ", or with the link by which you invite them. Clear a name to \
                 remove a group: its annotators are then in no group. What you change here holds at once, also for sources that \
                 annotators of the group have open."
            </p>
            <EnhancedForm action=action label="Groups">
                <input type="hidden" name="slug" value=slug/>
                <div class="rater-groups">{groups.collect_view()}</div>
                <div class="actions">
                    <button class="primary">"Save the groups"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}

/// The fields of one group.
#[component]
fn GroupFields(
    at: usize,
    /// The group; a new one has no id.
    group: RaterGroup,
    /// The number of its annotators.
    people: usize,
    /// The dimensions of the study.
    dimensions: Vec<String>,
) -> impl IntoView {
    let is_new = group.id.is_empty();
    let title = match is_new {
        true => format!("Another group ({})", at + 1),
        false => format!("{}, {}", group.name, count_noun(people, "annotator")),
    };
    let named = move |part: &str| format!("groups[{at}][{part}]");
    let id = move |part: &str| format!("group-{at}-{part}");
    let check =
        move |list: &'static str, number: usize, value: String, label: String, checked: bool| {
            let id = id(&format!("{list}-{number}"));
            view! {
                <div class="choice">
                    <input
                        type="checkbox"
                        id=id.clone()
                        name=named(&format!("{list}][{number}"))
                        value=value
                        checked=checked
                    />
                    <label for=id>{label}</label>
                </div>
            }
        };

    let attributes = RaterAttribute::ALL
        .iter()
        .enumerate()
        .map(|(number, attribute)| {
            let checked = group.attributes.contains(attribute);
            let (value, label) = (attribute.name().to_owned(), attribute.title().to_owned());
            check("attributes", number, value, label, checked)
        });
    let attributes = attributes.collect_view();

    let dimensions = (dimensions.len() > 1).then(|| {
        let all = dimensions.into_iter().enumerate();
        let boxes = all.map(|(number, name)| {
            let checked = group.dimensions.contains(&name);
            check("dimensions", number, name.clone(), name, checked)
        });
        view! {
            <fieldset aria-describedby=id("dimensions-help")>
                <legend>"They rate"</legend>
                {boxes.collect_view()}
                <p class="help" id=id("dimensions-help")>"Choose none for all dimensions. The first one decides the ranking."</p>
            </fieldset>
        }
    });

    view! {
        <details class="more rater-group" open=!is_new>
            <summary>{title}</summary>
            <input type="hidden" name=named("id") value=group.id/>
            <div class="field">
                <label for=id("name")>"Name"</label>
                <input
                    id=id("name")
                    name=named("name")
                    value=group.name
                    maxlength=RaterGroup::LONGEST_NAME.to_string()
                    autocomplete="off"
                />
            </div>
            <div class="field">
                <label for=id("overlap")>"Annotators of the group for each source"</label>
                <input
                    id=id("overlap")
                    name=named("overlap")
                    type="number"
                    min="1"
                    max="100"
                    class="short"
                    value=group.overlap.map(|number| number.to_string())
                    aria-describedby=id("overlap-help")
                />
                <p class="help" id=id("overlap-help")>
                    "Beside those of everybody else. Leave it empty, and they count among the annotators for each source under General."
                </p>
            </div>
            <fieldset>
                <legend>"They are"</legend>
                {attributes}
            </fieldset>
            {dimensions}
        </details>
    }
}
