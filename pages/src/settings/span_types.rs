use domain::{
    protocol::MarkSpansStep,
    span_marks::taxonomy::{EditForm, MarkLevel, MarkedSides, SpanTaxonomy, SpanType},
};
use leptos::prelude::*;

use app::{api::SetSpanTypes, components::TextArea, enhanced::EnhancedForm, links};

/// The number of empty lines for new types and levels.
const SPARE: usize = 2;

/// The form for the types and levels of marked spans: the current ones, and a few empty lines for more.
#[component]
pub fn SpanTypes(
    slug: String,
    /// The current settings.
    step: MarkSpansStep,
) -> impl IntoView {
    let action = links::action::<SetSpanTypes>();
    let SpanTaxonomy {
        types,
        levels,
        rules,
    } = step.taxonomy;
    let types = with_spare(types, SpanTaxonomy::MOST_TYPES);
    let levels = with_spare(levels, SpanTaxonomy::MOST_LEVELS);

    view! {
        <section>
            <h2>"Types of spans"</h2>
            <p class="soft">
                "What annotators mark, and how they judge it. Clear a name to remove a type or level. Marks keep \
                 the name that they have, also where you only change it; in sources that are still in progress, \
                 annotators then have to choose another one."
            </p>
            <EnhancedForm action=action label="Types of spans">
                <input type="hidden" name="slug" value=slug/>
                <fieldset class="dimensions">
                    <legend>"Types"</legend>
                    {types.map(|(at, kind)| view! { <TypeLine at kind/> }).collect_view()}
                </fieldset>
                <fieldset class="dimensions">
                    <legend>"Levels"</legend>
                    <p class="help">
                        "How well each change is made, or how bad each error is. The number counts in sums and means. \
                         Without levels, annotators choose types only."
                    </p>
                    {levels.map(|(at, level)| view! { <LevelLine at level/> }).collect_view()}
                </fieldset>
                <div class="field">
                    <label for="rules">"Rules to judge by"</label>
                    <TextArea
                        id="rules".to_owned()
                        name="rules".to_owned()
                        value=rules.join("\n")
                        rows=6
                        described_by="rules-help".to_owned()
                    />
                    <p class="help" id="rules-help">"One in each line. Annotators open them above the texts."</p>
                </div>
                <div class="actions">
                    <button class="primary">"Save the types"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}

/// The items with their numbers, and a few empty ones.
fn with_spare<T: Clone + Default>(items: Vec<T>, most: usize) -> impl Iterator<Item = (usize, T)> {
    let spare = std::iter::repeat_n(T::default(), SPARE);
    items.into_iter().chain(spare).take(most).enumerate()
}

/// The fields of one type.
#[component]
fn TypeLine(at: usize, kind: SpanType) -> impl IntoView {
    let number = at + 1;
    let named = move |part: &str| format!("types[{at}][{part}]");
    let SpanType {
        name,
        sides,
        description,
        prefill,
    } = kind;

    let side = move |value: &MarkedSides| {
        let label = match value {
            MarkedSides::Source => "words of the source",
            MarkedSides::Output => "words of the output",
            MarkedSides::Both => "words of both",
        };
        view! { <option value=value.name() selected=*value == sides>{label}</option> }
    };

    let current = join_forms(&prefill);
    let form = move |(forms, label): (Vec<EditForm>, &'static str)| {
        let value = join_forms(&forms);
        let selected = value == current;
        view! { <option value=value selected=selected>{label}</option> }
    };

    view! {
        <div class="span-type" role="group" aria-label=format!("Type {number}")>
            <input
                name=named("name")
                aria-label=format!("Name of type {number}")
                value=name
                placeholder="another type"
                maxlength="60"
                autocomplete="off"
            />
            <select name=named("sides") aria-label=format!("Words of type {number}")>
                {MarkedSides::ALL.iter().map(side).collect_view()}
            </select>
            <select name=named("prefill") aria-label=format!("Automatic edits that become type {number}")>
                {offered_forms(&prefill).into_iter().map(form).collect_view()}
            </select>
            <input
                name=named("description")
                aria-label=format!("Description of type {number}")
                value=description
                placeholder="what annotators mark with it"
                autocomplete="off"
            />
        </div>
    }
}

/// The automatic edits that can become marks of a type: each form, both forms of other words, and
/// the type's current forms.
fn offered_forms(current: &[EditForm]) -> Vec<(Vec<EditForm>, &'static str)> {
    let mut offered = vec![
        (vec![], "not from automatic edits"),
        (vec![EditForm::Word], "from one word for another"),
        (vec![EditForm::Phrase], "from other wordings"),
        (
            vec![EditForm::Word, EditForm::Phrase],
            "from other words and wordings",
        ),
        (vec![EditForm::Insertion], "from added words"),
        (vec![EditForm::Deletion], "from words left out"),
        (vec![EditForm::Split], "from sentence splits"),
    ];

    if !offered.iter().any(|(forms, _)| forms == current) {
        offered.push((current.to_vec(), "from several automatic edits"));
    }
    offered
}

fn join_forms(forms: &[EditForm]) -> String {
    let names: Vec<_> = forms.iter().map(|form| form.name()).collect();
    names.join(" ")
}

/// The fields of one level.
#[component]
fn LevelLine(at: usize, level: MarkLevel) -> impl IntoView {
    let number = at + 1;
    let named = move |part: &str| format!("levels[{at}][{part}]");
    let value = match level.name.is_empty() {
        true => String::new(),
        false => level.value.to_string(),
    };

    view! {
        <div class="span-level" role="group" aria-label=format!("Level {number}")>
            <input
                name=named("name")
                aria-label=format!("Name of level {number}")
                value=level.name
                placeholder="another level"
                maxlength="60"
                autocomplete="off"
            />
            <input
                class="short"
                name=named("value")
                aria-label=format!("Number of level {number}")
                value=value
                inputmode="decimal"
                placeholder="0"
                autocomplete="off"
            />
            <input
                name=named("description")
                aria-label=format!("Description of level {number}")
                value=level.description
                placeholder="when annotators choose it"
                autocomplete="off"
            />
        </div>
    }
}
