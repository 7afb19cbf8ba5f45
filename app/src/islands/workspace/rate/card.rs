use domain::ids::OutputId;
use leptos::{ev::KeyboardEvent, prelude::*};

use crate::{
    browser,
    islands::workspace::{
        WorkspaceState,
        marked_output::MarkedOutput,
        scores::{self, Note, Scores, draw_questions, focus_first_score, write_note},
        state::place_id,
        teaching::OutputFeedback,
        unjudged::{CannotJudge, ReasonMenu},
    },
};

/// One output with its scores.
#[component]
pub(super) fn Card(
    output: OutputId,
    /// The number of the output, from 0.
    at: usize,
    /// The number of outputs.
    count: usize,
    /// The output whose note is being written.
    writing: RwSignal<Option<OutputId>>,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let menu = expect_context::<ReasonMenu>();
    let place = format!("Output {}", at + 1);

    let item = work
        .draft
        .with_untracked(|draft| draft.item(output).cloned());
    let (text, copies) = item
        .map(|item| (item.text, item.copies))
        .unwrap_or_default();

    let todo = Memo::new(move |_| work.draft.with(|draft| draft.is_unrated(output)));
    let is_elsewhere = move || work.shows_one() && !work.is_current(output);

    view! {
        <li
            class="output-card"
            class:todo=todo
            // Makes the card focusable, so that keys reach it after a click on its text.
            tabindex="-1"
            hidden=is_elsewhere
            on:focusin=move |_| work.make_current(output)
            on:keydown=move |event| press(work, menu, output, writing, &event)
        >
            {draw_questions(work, output)}
            <h2
                id=place_id(output)
                tabindex=work.tab_index(output)
                on:keydown=move |event| {
                    // Enter with Ctrl is the key for the next step.
                    if event.key() == "Enter" && !event.ctrl_key() && !event.meta_key() {
                        event.prevent_default();
                        focus_first_score(work, output);
                    }
                }
            >
                {place.clone()} <span class="soft">" of "{count}</span>
            </h2>
            <MarkedOutput output text/>
            {(copies > 1).then(|| view! { <p class="aside">{copies}" systems wrote this · rated once"</p> })}
            <Scores output place=place.clone()/>
            <OutputFeedback output/>
            <Note output writing/>
            <div class="card-actions">
                <CannotJudge output place/>
                <button
                    class="small"
                    tabindex=work.tab_index(output)
                    hidden=move || writing.get() == Some(output)
                    disabled=move || !work.takes(output)
                    on:click=move |_| write_note(writing, output)
                >
                    "Write a note"
                </button>
            </div>
        </li>
    }
    .into_any()
}

/// Handles a key on an output.
fn press(
    work: WorkspaceState,
    menu: ReasonMenu,
    output: OutputId,
    writing: RwSignal<Option<OutputId>>,
    event: &KeyboardEvent,
) {
    let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
    if event.default_prevented() || browser::is_typing(event) || modified {
        return;
    }

    match event.key().as_str() {
        "j" | "J" => work.travel(output, 1, place_id),
        "k" | "K" => work.travel(output, -1, place_id),
        "n" | "N" => write_note(writing, output),
        _ => return scores::press_within(work, menu, output, event),
    }
    event.prevent_default();
}
