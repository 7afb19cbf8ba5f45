use domain::{
    category::Category,
    ids::OutputId,
    work::{
        entry::parse_place,
        history::UndoGrouping,
        order::{self, OrderMove},
    },
};
use leptos::{ev::SubmitEvent, prelude::*};

use super::OpenPanels;
use crate::{
    browser,
    islands::workspace::{
        WorkspaceState, categorise::CategoryChoices, scores::write_note, state::place_id,
    },
};

/// The menu of a row: moving it without dragging, its category, and its note.
#[component]
pub(super) fn Menu() -> impl IntoView {
    let (work, open) = (
        expect_context::<WorkspaceState>(),
        expect_context::<OpenPanels>(),
    );
    let output = open.output.get_untracked()?;
    let (category, ranking) = work.draft.with_untracked(|draft| {
        let category = draft.placement(output).category;
        (category, draft.outputs_in(category))
    });

    let output_count = ranking.len();
    let several = output_count > 1;
    let wrong = RwSignal::new(None::<String>);
    let place = RwSignal::new(String::new());

    let shift = move |by| {
        open.menu.set(None);
        shift(work, category, output, by);
    };

    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        match place.with_untracked(|text| parse_place(text, output_count)) {
            Ok(at) => shift(OrderMove::To(at)),
            Err(error) => wrong.set(Some(error.to_string())),
        }
    };

    let button = move |label: &'static str, by: OrderMove| {
        view! {
            <button on:click=move |_| shift(by)>{label}</button>
        }
    };

    Some(view! {
        <Show when=move || several>
            <h2>"Move"</h2>
            <div class="choices">
                {button("Up", OrderMove::Up(1))}
                {button("Down", OrderMove::Down(1))}
                {button("To the first place", OrderMove::First)}
                {button("To the last place", OrderMove::Last)}
            </div>
            <form class="to-place" on:submit=submit>
                <label for="to-place">{format!("To place (1–{output_count})")}</label>
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
            {move || wrong.get().map(|sentence| view! { <p class="warn" role="alert">{sentence}</p> })}
        </Show>
        <h2>"Category"</h2>
        <CategoryChoices output menu=open.menu/>
        <div class="choices">
            <button on:click=move |_| {
                open.menu.set(None);
                write_note(open.note, output);
            }>"Write a note"</button>
        </div>
    })
}

fn shift(work: WorkspaceState, category: Category, output: OutputId, by: OrderMove) {
    let ranking = work
        .draft
        .with_untracked(|draft| draft.outputs_in(category));
    if let Some(moved) = order::move_output(&ranking, output, by) {
        let ordered = work
            .draft
            .with_untracked(|draft| draft.order_answer(&moved));
        work.act([ordered], UndoGrouping::Separate);

        let at = moved
            .iter()
            .position(|candidate| *candidate == output)
            .unwrap_or_default();
        work.announce(order::announce_place(category, at, moved.len()));
    }
    browser::focus_soon(place_id(output));
}
