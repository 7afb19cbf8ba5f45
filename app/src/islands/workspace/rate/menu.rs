use domain::{
    category::Category,
    ids::OutputId,
    work::{
        entry::typed_place,
        history::Joining,
        order::{self, Move},
    },
};
use leptos::{ev::SubmitEvent, prelude::*};

use super::{Open, keys::write_note};
use crate::{
    browser,
    islands::workspace::{Work, work::place_id},
};

/// What can be done with a row without dragging it.
#[component]
pub(super) fn Menu() -> impl IntoView {
    let (work, open) = (expect_context::<Work>(), expect_context::<Open>());
    let output = open.output.get_untracked()?;
    let (category, group) = work.draft.with_untracked(|draft| {
        let category = draft.category(output).category;
        (category, draft.group(category))
    });
    let of = group.len();
    let several = of > 1;
    let wrong = RwSignal::new(None::<String>);
    let place = RwSignal::new(String::new());
    let shift = move |by| {
        open.menu.set(None);
        shift(work, category, output, by);
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        match place.with_untracked(|text| typed_place(text, of)) {
            Ok(at) => shift(Move::To(at)),
            Err(error) => wrong.set(Some(error.to_string())),
        }
    };
    let button = move |label: &'static str, by: Move| {
        view! {
            <button on:click=move |_| shift(by)>{label}</button>
        }
    };
    Some(view! {
        <Show when=move || several>
            <h2>"Move"</h2>
            <div class="choices">
                {button("Up", Move::Up(1))}
                {button("Down", Move::Down(1))}
                {button("To the first place", Move::First)}
                {button("To the last place", Move::Last)}
            </div>
            <form class="to-place" on:submit=submit>
                <label for="to-place">{format!("To place (1–{of})")}</label>
                <input
                    id="to-place"
                    type="text"
                    inputmode="numeric"
                    autocomplete="off"
                    aria-invalid=move || wrong.with(Option::is_some).then_some("true")
                    on:input=move |event| place.set(event_target_value(&event))
                />
                <button type="submit">"Move"</button>
            </form>
            {move || wrong.get().map(|it| view! { <p class="warn" role="alert">{it}</p> })}
        </Show>
        <div class="choices">
            <button on:click=move |_| {
                open.menu.set(None);
                write_note(open, output);
            }>"Write a note"</button>
        </div>
    })
}

fn shift(work: Work, category: Category, output: OutputId, by: Move) {
    let group = work.draft.with_untracked(|draft| draft.group(category));
    if let Some(moved) = order::moved(&group, output, by) {
        let ordered = work.draft.with_untracked(|draft| draft.ordered(&moved));
        work.act([ordered], Joining::Apart);
        let at = moved
            .iter()
            .position(|it| *it == output)
            .unwrap_or_default();
        work.say(order::announcement(category, at, moved.len()));
    }
    browser::focus_soon(place_id(output));
}
