use domain::comprehension::{Answers, Choice, Concern, Conduct};
use leptos::prelude::*;
use store::comprehension::{Entry, Left};

use crate::{
    api::{ExcludeReader, IncludeReader},
    charts::decimal,
    components::duration,
    islands::EnhancedForm,
    links,
};

/// The participants, with what stands out, and the way to leave one out.
#[component]
pub(super) fn Participants(
    slug: String,
    leads: bool,
    entries: Vec<Entry>,
    answers: Answers,
    conduct: Vec<Conduct>,
) -> impl IntoView {
    let row = |entry: Entry| {
        let at = answers
            .participants()
            .iter()
            .position(|label| *label == entry.label);
        let of = at.and_then(|at| conduct.get(at)).cloned();
        view! { <Participant slug=slug.clone() leads entry of/> }
    };
    (!entries.is_empty()).then(|| {
        let rows = entries.into_iter().map(row).collect_view();
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
                                <th scope="col">"To be looked at"</th>
                                <th scope="col"><span class="visually-hidden">"Actions"</span></th>
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
fn Participant(slug: String, leads: bool, entry: Entry, of: Option<Conduct>) -> impl IntoView {
    let right = of
        .as_ref()
        .and_then(|of| of.tally.share(Choice::A).rate().ok());
    let right = right.map_or_else(
        || "–".to_owned(),
        |rate| format!("{} %", decimal(100.0 * rate, 0)),
    );
    let active = duration(entry.passages_ms.iter().sum());
    let concerns = of.map(|of| of.concerns).unwrap_or_default();
    let name = entry.label.clone();
    let action = leads.then(|| match entry.left {
        None => {
            view! { <Exclude slug name=name.clone() participant=entry.id.to_string()/> }.into_any()
        }
        Some(Left::Excluded) => {
            view! { <Include slug name=name.clone() participant=entry.id.to_string()/> }.into_any()
        }
        Some(_) => ().into_any(),
    });
    view! {
        <tr class:past=entry.left.is_some()>
            <th scope="row" data-label="Participant">{entry.label.clone()}</th>
            <td data-label="State">{state(&entry)}</td>
            <td data-label="Texts" class="number">{format!("{} of {}", entry.done, entry.texts)}</td>
            <td data-label="Right" class="number">{right}</td>
            <td data-label="Active" class="number">{active}</td>
            <td data-label="To be looked at">{marks(concerns)}</td>
            <td data-label="Actions">{action}</td>
        </tr>
    }
}

fn state(of: &Entry) -> String {
    match of.left {
        Some(Left::Withdrawn) => "withdrawn".to_owned(),
        Some(Left::Excluded) => format!("left out: {}", of.reason),
        Some(Left::Lapsed) => "gave up".to_owned(),
        None if of.finished_at.is_some() => "finished".to_owned(),
        None if of.begun_at.is_some() => "reading".to_owned(),
        None => "not begun".to_owned(),
    }
}

fn marks(concerns: Vec<Concern>) -> impl IntoView {
    let mark = |of: Concern| view! { <li class="mark" title=of.sentence()>{of.title()}</li> };
    (!concerns.is_empty()).then(|| {
        view! { <ul class="marks">{concerns.into_iter().map(mark).collect_view()}</ul> }
    })
}

#[component]
fn Exclude(slug: String, name: String, participant: String) -> impl IntoView {
    let action = links::action::<ExcludeReader>();
    let label = format!("Why {name} is left out");
    view! {
        <EnhancedForm action=action class="inline" label=format!("Leave {name} out")>
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="participant" value=participant/>
            <input
                name="reason"
                required
                maxlength="200"
                placeholder="Reason"
                aria-label=label
                class="short"
                autocomplete="off"
            />
            <button>"Leave out"</button>
        </EnhancedForm>
    }
}

#[component]
fn Include(slug: String, name: String, participant: String) -> impl IntoView {
    let action = links::action::<IncludeReader>();
    view! {
        <EnhancedForm action=action class="inline" label=format!("Count {name} again")>
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="participant" value=participant/>
            <button>"Count again"</button>
        </EnhancedForm>
    }
}
