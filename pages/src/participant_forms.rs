//! The forms that exclude people who came by a link, include them again and erase them.

use domain::ids::ParticipantId;
use leptos::prelude::*;

use app::{
    api::{EraseParticipant, ExcludeReader, IncludeReader},
    components::Field,
    enhanced::EnhancedForm,
    links,
};

/// A person who came by a link, as the forms list them.
#[derive(Debug, Clone)]
pub(super) struct ListedParticipant {
    pub(super) id: ParticipantId,
    pub(super) label: String,
    pub(super) can_be_excluded: bool,
    pub(super) can_be_included: bool,
}

/// The words of a page for the people who came by its links.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParticipantWords {
    /// One of them: “a participant”.
    pub(super) one: &'static str,
    /// The same, once they were named: “this participant”.
    pub(super) this: &'static str,
    /// The button that includes one again.
    pub(super) include: &'static str,
    /// The heading of the form that includes one again.
    pub(super) include_heading: &'static str,
    /// The consequences of erasing one.
    pub(super) erase: &'static str,
}

/// The forms. They are separate from the table, which is replaced while the user types.
#[component]
pub(super) fn ParticipantForms(
    slug: String,
    words: ParticipantWords,
    participants: Vec<ListedParticipant>,
) -> impl IntoView {
    let options_for = |is_listed: fn(&ListedParticipant) -> bool| {
        let those = participants.iter().filter(|listed| is_listed(listed));
        let option = |listed: &ListedParticipant| {
            view! { <option value=listed.id.to_string()>{listed.label.clone()}</option> }.into_any()
        };
        let options: Vec<_> = those.map(option).collect();
        (!options.is_empty()).then_some(options)
    };

    let exclude = options_for(|listed| listed.can_be_excluded)
        .map(|options| view! { <Exclude slug=slug.clone() words options/> });
    let include = options_for(|listed| listed.can_be_included)
        .map(|options| view! { <IncludeForm slug=slug.clone() words options/> });
    let erase = options_for(|_| true).map(|options| view! { <EraseForm slug words options/> });
    view! { {exclude} {include} {erase} }
}

#[component]
fn Exclude(slug: String, words: ParticipantWords, options: Vec<AnyView>) -> impl IntoView {
    let action = links::action::<ExcludeReader>();

    view! {
        <EnhancedForm action=action class="card side-by-side" label=format!("Exclude {}", words.one)>
            <input type="hidden" name="slug" value=slug/>
            <Field id="exclude" label="Exclude">
                <select id="exclude" name="participant">{options}</select>
            </Field>
            <Field id="reason" label="Reason">
                <input id="reason" name="reason" required maxlength="200" autocomplete="off"/>
            </Field>
            <button>"Exclude"</button>
        </EnhancedForm>
    }
}

#[component]
fn IncludeForm(slug: String, words: ParticipantWords, options: Vec<AnyView>) -> impl IntoView {
    let action = links::action::<IncludeReader>();
    view! {
        <EnhancedForm action=action class="card side-by-side" label=words.include_heading>
            <input type="hidden" name="slug" value=slug/>
            <Field id="include" label=words.include>
                <select id="include" name="participant">{options}</select>
            </Field>
            <button>{words.include}</button>
        </EnhancedForm>
    }
}

#[component]
fn EraseForm(slug: String, words: ParticipantWords, options: Vec<AnyView>) -> impl IntoView {
    let action = links::action::<EraseParticipant>();
    let heading = format!("Erase {}", words.one);

    view! {
        <details class="leave">
            <summary>{heading.clone()}</summary>
            <p>{words.erase}</p>
            <EnhancedForm action=action label=heading>
                <input type="hidden" name="slug" value=slug/>
                <Field id="erase" label="Erase">
                    <select id="erase" name="participant">{options}</select>
                </Field>
                <p class="choice">
                    <input id="erase-sure" type="checkbox" name="sure" value="yes" required/>
                    <label for="erase-sure">{format!("Yes, erase {}", words.this)}</label>
                </p>
                <div class="actions"><button class="danger">"Erase"</button></div>
            </EnhancedForm>
        </details>
    }
}
