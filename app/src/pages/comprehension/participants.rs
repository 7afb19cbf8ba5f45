use std::sync::Arc;

use domain::comprehension::{AnswerChoice, ParticipantConcern, ParticipantConduct};
use leptos::prelude::*;
use store::comprehension::{ExitReason, ParticipantEntry};

use crate::{
    api::{EraseParticipant, ExcludeReader, IncludeReader},
    charts::decimal,
    components::{Field, format_duration},
    enhanced::EnhancedForm,
    links,
};
use service::figures::comprehension::StudyComprehension;

/// The participants, with what stands out.
#[component]
pub(super) fn Participants(reading: Arc<StudyComprehension>) -> impl IntoView {
    let (answers, entries) = (&reading.answers, &reading.entries);
    let row = |entry: ParticipantEntry| {
        let at = answers
            .participants()
            .iter()
            .position(|label| *label == entry.label);
        let of = at.and_then(|at| reading.conduct.get(at)).cloned();
        view! { <Participant entry of/> }
    };
    (!entries.is_empty()).then(|| {
        let rows = entries.iter().cloned().map(row).collect_view();
        view! {
            <section aria-labelledby="participants">
                <h2 id="participants">"Participants"</h2>
                <div class="table-scroll" role="group" aria-labelledby="participants" tabindex="0">
                    <table class="fold">
                        <thead>
                            <tr>
                                <th scope="col">"Participant"</th>
                                <th scope="col">"State"</th>
                                <th scope="col" class="number">"Texts"</th>
                                <th scope="col" class="number">"Right"</th>
                                <th scope="col" class="number">"Active"</th>
                                <th scope="col">"To check"</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </section>
        }
    })
}

#[component]
fn Participant(entry: ParticipantEntry, of: Option<ParticipantConduct>) -> impl IntoView {
    let right = of
        .as_ref()
        .and_then(|conduct| conduct.tally.share(AnswerChoice::A).rate().ok());
    let right = right.map_or_else(
        || "–".to_owned(),
        |rate| format!("{} %", decimal(100.0 * rate, 0)),
    );
    let (texts, active) = match entry.is_imported() {
        true => ("–".to_owned(), "–".to_owned()),
        false => (
            format!("{} of {}", entry.done, entry.texts),
            format_duration(entry.passages_ms.iter().sum()),
        ),
    };
    let concerns = of.map(|conduct| conduct.concerns).unwrap_or_default();
    view! {
        <tr class:past=entry.left.is_some()>
            <th scope="row" data-label="Participant">{entry.label.clone()}</th>
            <td data-label="State">{state(&entry)}</td>
            <td data-label="Texts" class="number">{texts}</td>
            <td data-label="Right" class="number">{right}</td>
            <td data-label="Active" class="number">{active}</td>
            <td data-label="To check">{marks(concerns)}</td>
        </tr>
    }
}

fn state(of: &ParticipantEntry) -> String {
    match of.left {
        Some(ExitReason::Withdrawn) => "withdrawn".to_owned(),
        Some(ExitReason::Excluded) => format!("excluded: {}", of.reason),
        Some(ExitReason::Lapsed) => "gave up".to_owned(),
        None if of.is_imported() => "imported".to_owned(),
        None if of.finished_at.is_some() => "finished".to_owned(),
        None if of.begun_at.is_some() => "reading".to_owned(),
        None => "not begun".to_owned(),
    }
}

fn marks(concerns: Vec<ParticipantConcern>) -> impl IntoView {
    let mark = |concern: ParticipantConcern| view! { <li class="mark" title=concern.sentence()>{concern.title()}</li> };
    (!concerns.is_empty()).then(|| {
        view! { <ul class="marks">{concerns.into_iter().map(mark).collect_view()}</ul> }
    })
}

/// The forms that exclude a participant, include them again and erase them. They are separate from the
/// table, which is replaced while the user types.
#[component]
pub(super) fn ParticipantForms(slug: String, entries: Vec<ParticipantEntry>) -> impl IntoView {
    let options_for = |is_listed: &dyn Fn(&ParticipantEntry) -> bool| {
        let those = entries.iter().filter(|entry| is_listed(entry));
        let option = |entry: &ParticipantEntry| {
            view! { <option value=entry.id.to_string()>{entry.label.clone()}</option> }.into_any()
        };
        let options: Vec<_> = those.map(option).collect();
        (!options.is_empty()).then_some(options)
    };
    let exclude = options_for(&|entry| entry.left.is_none())
        .map(|options| view! { <Exclude slug=slug.clone() options/> });
    let include = options_for(&|entry| entry.left == Some(ExitReason::Excluded))
        .map(|options| view! { <IncludeForm slug=slug.clone() options/> });
    let erase = options_for(&|_| true).map(|options| view! { <EraseForm slug options/> });
    view! { {exclude} {include} {erase} }
}

#[component]
fn Exclude(slug: String, options: Vec<AnyView>) -> impl IntoView {
    let action = links::action::<ExcludeReader>();
    view! {
        <EnhancedForm action=action class="card side-by-side" label="Exclude a participant">
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
fn IncludeForm(slug: String, options: Vec<AnyView>) -> impl IntoView {
    let action = links::action::<IncludeReader>();
    view! {
        <EnhancedForm action=action class="card side-by-side" label="Include a participant again">
            <input type="hidden" name="slug" value=slug/>
            <Field id="include" label="Include again">
                <select id="include" name="participant">{options}</select>
            </Field>
            <button>"Include again"</button>
        </EnhancedForm>
    }
}

#[component]
fn EraseForm(slug: String, options: Vec<AnyView>) -> impl IntoView {
    let action = links::action::<EraseParticipant>();
    view! {
        <details class="leave">
            <summary>"Erase a participant"</summary>
            <p>
                "Deletes the participant with all of their answers, times, comments and the ID of their \
                 platform. The figures no longer count them, their texts go to others, and you cannot undo \
                 this. To keep the answers but leave them out of the figures, exclude the participant \
                 instead. Backups made before still hold the data."
            </p>
            <EnhancedForm action=action label="Erase a participant">
                <input type="hidden" name="slug" value=slug/>
                <Field id="erase" label="Erase">
                    <select id="erase" name="participant">{options}</select>
                </Field>
                <p class="choice">
                    <input id="erase-sure" type="checkbox" name="sure" value="yes" required/>
                    <label for="erase-sure">"Yes, erase this participant"</label>
                </p>
                <div class="actions"><button class="danger">"Erase"</button></div>
            </EnhancedForm>
        </details>
    }
}
