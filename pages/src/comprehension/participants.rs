use std::sync::Arc;

use domain::comprehension::{AnswerChoice, ParticipantConcern, ParticipantConduct};
use leptos::prelude::*;
use store::comprehension::{ExitReason, ParticipantEntry};

use crate::{
    charts::decimal,
    participant_forms::{ListedParticipant, ParticipantForms, ParticipantWords},
};
use app::components::format_duration;
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
        Some(ExitReason::ScreenedOut) => "screened out".to_owned(),
        Some(ExitReason::QuotaFull) => "came when all places were taken".to_owned(),
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

const WORDS: ParticipantWords = ParticipantWords {
    one: "a participant",
    this: "this participant",
    include: "Include again",
    include_heading: "Include a participant again",
    erase: "Deletes the participant with all of their answers, times, comments and the ID of their platform. The figures \
            no longer count them, their texts go to others, and you cannot undo this. To keep the answers but leave them \
            out of the figures, exclude the participant instead. Backups made before still hold the data.",
};

/// The forms that exclude a participant, include them again and erase them.
#[component]
pub(super) fn ReaderForms(slug: String, entries: Vec<ParticipantEntry>) -> impl IntoView {
    let listed = |entry: ParticipantEntry| ListedParticipant {
        can_be_excluded: entry.left.is_none(),
        can_be_included: entry.left == Some(ExitReason::Excluded),
        id: entry.id,
        label: entry.label,
    };
    let participants = entries.into_iter().map(listed).collect();
    view! { <ParticipantForms slug words=WORDS participants/> }
}
