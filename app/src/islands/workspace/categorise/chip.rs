use domain::{
    category::Category,
    ids::OutputId,
    work::draft::{AnnotationDraft, CategoryPlacement},
};
use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    html::Button,
    prelude::*,
};

use super::{CategoriseState, category_of_digit};
use crate::{
    browser,
    islands::{
        parts::drag::{self, DragEvent},
        workspace::{WorkspaceState, state::place_id},
    },
};

/// One output: its text, and the reason for its category.
#[component]
pub(super) fn Chip(output: OutputId) -> impl IntoView {
    let columns = expect_context::<CategoriseState>();
    let work = columns.work;
    let text = work
        .draft
        .with_untracked(|d| d.item(output).map(|item| item.text.clone()));
    let moved = move || work.draft.with(|draft| draft.placement(output).moved);
    let chip = NodeRef::<Button>::new();
    let dragged = StoredValue::new(false);
    let (lifted, set_lifted) = signal(false);

    let press = move |event: PointerEvent| {
        dragged.set_value(false);
        if !work.takes(output) || (event.pointer_type() == "touch" && !browser::is_on_grip(&event))
        {
            return;
        }
        drag::follow(&event, move |drag| {
            let over = columns.over;
            match drag {
                DragEvent::Lift => {
                    dragged.set_value(true);
                    set_lifted.set(true);
                }
                DragEvent::Move { at, by } => {
                    if let Some(chip) = chip.get_untracked() {
                        browser::set_length(&chip, "--dx", by.0);
                        browser::set_length(&chip, "--dy", by.1);
                    }
                    over.set(category_at(at));
                }
                DragEvent::Drop | DragEvent::Cancel => {
                    let target = over.get_untracked().filter(|_| drag == DragEvent::Drop);
                    over.set(None);
                    set_lifted.set(false);
                    if let Some(category) = target {
                        work.put(output, category);
                    }
                }
            }
        });
    };
    let click = move |_| {
        if !dragged.get_value() && work.takes(output) {
            columns.chosen.set(Some(output));
            columns.menu.set(Some(place_id(output)));
        }
    };

    view! {
        <button
            node_ref=chip
            id=place_id(output)
            class="chip"
            class:moved=moved
            class:lift=lifted
            tabindex=work.tab_index(output)
            aria-haspopup="dialog"
            on:focus=move |_| work.make_current(output)
            on:pointerdown=press
            on:click=click
            on:keydown=move |event| press_key(columns, output, &event)
        >
            <span class="grip" aria-hidden="true">"⠿"</span>
            <span class="text">{text}</span>
            <CategoryReason output/>
        </button>
    }
}

fn press_key(columns: CategoriseState, output: OutputId, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let work = columns.work;

    let category = work.draft.with_untracked(|d| d.placement(output).category);
    let at = Category::ALL
        .iter()
        .position(|candidate| *candidate == category)
        .unwrap_or_default();

    let beside = |by: isize| {
        at.checked_add_signed(by)
            .and_then(|at| Category::ALL.get(at))
    };

    let key = event.key();
    let target = match key.as_str() {
        "ArrowLeft" => beside(-1).copied(),
        "ArrowRight" => beside(1).copied(),
        "ArrowUp" | "k" | "K" => {
            event.prevent_default();
            return work.travel(output, -1, place_id);
        }
        "ArrowDown" | "j" | "J" => {
            event.prevent_default();
            return work.travel(output, 1, place_id);
        }
        digit => match category_of_digit(digit) {
            None => return,
            category => category,
        },
    };

    event.prevent_default();
    if let Some(target) = target.filter(|_| work.takes(output)) {
        work.put(output, target);
    }
}

/// The category whose column is at a point of the window.
fn category_at(place: (f64, f64)) -> Option<Category> {
    browser::attribute_at(place, "data-category")?.parse().ok()
}

/// The reason for an output's category.
#[component]
pub(in super::super) fn CategoryReason(output: OutputId) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let reason = Memo::new(move |_| work.draft.with(|draft| why(draft, output)));
    view! { <small>{reason}</small> }
}

/// The reason for an output's category, in one line.
fn why(draft: &AnnotationDraft, output: OutputId) -> String {
    let Some(item) = draft.item(output) else {
        return String::new();
    };

    let CategoryPlacement {
        category,
        moved,
        automatic,
    } = draft.placement(output);

    let mut why = if moved && category != automatic {
        format!("moved by you, was: {automatic}")
    } else if item.reason.is_empty() {
        "automatic".to_owned()
    } else {
        format!("automatic: {}", item.reason)
    };

    if item.copies > 1 {
        why.push_str(&format!(" · {} systems wrote this", item.copies));
    }
    why
}
