use domain::{
    edit::{Edit, EditKind, ops},
    ids::OutputId,
    span::Span,
    work::{
        draft::AnnotationDraft,
        missing::describe_place,
        navigation::{NavigationUnit, move_to_stop, split_units},
    },
};
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    prelude::*,
};

use super::{HighlightState, unit_id, word::UnitView};
use crate::{
    browser,
    islands::workspace::state::{PointerTarget, place_id},
};

/// An output with its navigation units.
#[derive(Clone, Copy)]
pub(super) struct UnitNavigation {
    pub(super) editing: HighlightState,
    pub(super) output: OutputId,
    pub(super) units: Memo<Vec<NavigationUnit>>,
    /// The unit that takes the focus.
    pub(super) at: RwSignal<usize>,
}

/// One output: its words and edits, with arrow keys between them.
#[component]
pub(super) fn OutputEdits(output: OutputId) -> impl IntoView {
    let editing = expect_context::<HighlightState>();
    let work = editing.work;
    let text = work
        .draft
        .with_untracked(|draft| draft.item(output).map(|item| item.text.clone()));
    let text = StoredValue::new(text.unwrap_or_default());
    let edits = Memo::new(move |_| work.draft.with(|draft| draft.edits(output)));
    let units =
        Memo::new(move |_| text.with_value(|text| edits.with(|edits| split_units(text, edits))));
    let walk = UnitNavigation {
        editing,
        output,
        units,
        at: RwSignal::new(0),
    };
    let name = Memo::new(move |_| {
        let place = work.draft.with(|draft| describe_place(draft, output));
        text.with_value(|text| format!("{place}: {text}"))
    });
    let corrected = Memo::new(move |_| work.draft.with(|draft| draft.edits_corrected(output)));
    let views = move || {
        let units = units.get();
        let edits = edits.get();
        text.with_value(|text| {
            let view =
                |(at, unit): (usize, &NavigationUnit)| unit_view(walk, at, *unit, text, &edits);
            units.iter().enumerate().map(view).collect_view()
        })
    };
    view! {
        <li class="edits-of" on:pointerleave=move |_| show(walk, None)>
            <div class="place" aria-hidden="true">{move || work.draft.with(|draft| describe_place(draft, output))}</div>
            <div
                id=place_id(output)
                class="text words"
                role="toolbar"
                aria-label=name
                tabindex="-1"
                on:click=move |event| click(walk, &event)
                on:keydown=move |event| press(walk, &event)
                on:pointerover=move |event| point(walk, browser::number_at_target(&event, "data-at"))
                on:focusin=move |event| {
                    let at = browser::number_at_target(&event, "data-at");
                    match at {
                        Some(at) => walk.at.set(at),
                        // Deferred: focusing at once would call this handler while it is running.
                        None => browser::focus_soon(unit_id(output, walk.at.get_untracked())),
                    }
                    point(walk, at);
                }
            >
                {views}
            </div>
            <div class="after">
                <Show when=move || corrected.get()>
                    <span class="soft">"corrected by you"</span>
                    <button class="ghost small" on:click=move |_| editing.reset(output)>
                        "Reset to automatic"
                    </button>
                </Show>
            </div>
        </li>
    }
    .into_any()
}

fn unit_view(
    walk: UnitNavigation,
    at: usize,
    unit: NavigationUnit,
    text: &str,
    edits: &[Edit],
) -> AnyView {
    let words = unit.span().slice(text).unwrap_or_default().to_owned();
    if !unit.is_stop() {
        return words.into_any();
    }
    let edit = unit.edit().and_then(|index| edits.get(index)).cloned();
    view! { <UnitView walk at unit words edit/> }.into_any()
}

fn point(walk: UnitNavigation, at: Option<usize>) {
    let edit = at.and_then(|at| walk.units.with_untracked(|units| units.get(at)?.edit()));
    let output = walk.output;
    show(walk, Some(PointerTarget { output, edit }));
}

/// Marks the source words of the unit under the pointer; an open dialog's unit stays marked.
fn show(walk: UnitNavigation, pointed: Option<PointerTarget>) {
    let HighlightState { work, about, .. } = walk.editing;
    if about.with_untracked(Option::is_none) && work.pointed.get_untracked() != pointed {
        work.pointed.set(pointed);
    }
}

fn click(walk: UnitNavigation, event: &MouseEvent) {
    if let Some(at) = browser::number_at_target(event, "data-at") {
        open(walk, at);
    }
}

fn open(walk: UnitNavigation, at: usize) {
    walk.at.set(at);
    point(walk, Some(at));
    if let Some(unit) = walk.units.with_untracked(|units| units.get(at).copied()) {
        walk.editing.open(walk.output, at, unit);
    }
}

fn press(walk: UnitNavigation, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let at = walk.at.get_untracked();
    let by = match event.key().as_str() {
        "ArrowRight" | "ArrowDown" => 1,
        "ArrowLeft" | "ArrowUp" => -1,
        "Home" => isize::MIN,
        "End" => isize::MAX,
        "Enter" | " " => {
            event.prevent_default();
            return open(walk, at);
        }
        "u" | "U" => {
            event.prevent_default();
            let edit = walk.units.with_untracked(|units| {
                let before = units.iter().take(at + 1).rev();
                before.copied().find_map(NavigationUnit::edit)
            });
            let output = walk.output;
            return walk
                .editing
                .work
                .to_unsure(Some(PointerTarget { output, edit }));
        }
        key => {
            if correct(walk, at, key) {
                event.prevent_default();
            }
            return;
        }
    };
    event.prevent_default();
    let next = walk
        .units
        .with_untracked(|units| move_to_stop(units, at, by));
    walk.at.set(next);
    browser::focus(&unit_id(walk.output, next));
}

/// Handles the keys that correct without the dialog; returns whether the key was one of them.
fn correct(walk: UnitNavigation, at: usize, key: &str) -> bool {
    let Some(unit) = walk.units.with_untracked(|units| units.get(at).copied()) else {
        return false;
    };
    let span: Span = unit.span();
    let kind = match key.to_lowercase().as_str() {
        "d" => EditKind::Deletion,
        "p" => EditKind::Paraphrase,
        "s" => EditKind::Split,
        "j" | "delete" | "backspace" => {
            let Some(edit) = unit.edit() else {
                return false;
            };
            walk.editing
                .set(walk.output, span.start, |edits| match key {
                    "j" | "J" => ops::join_with_next(edits, edit),
                    _ => ops::remove(edits, edit),
                });
            return true;
        }
        _ => return false,
    };
    match unit.edit() {
        Some(edit) => {
            walk.editing.set(walk.output, span.start, |edits| {
                ops::retype(edits, edit, kind)
            });
        }
        None if kind == EditKind::Deletion => walk.editing.pick_deleted(walk.output, span.start),
        None => walk
            .editing
            .set(walk.output, span.start, |edits| mark(edits, span, kind)),
    }
    true
}

/// Marks a word outside any edit as a new edit.
pub(super) fn mark(edits: Vec<Edit>, word: Span, kind: EditKind) -> Vec<Edit> {
    let edits = ops::add_word(edits, word);
    match edits.iter().position(|edit| edit.output == [word]) {
        Some(index) if kind != EditKind::Paraphrase => ops::retype(edits, index, kind),
        _ => edits,
    }
}

/// The current edits of an output.
pub(super) fn edits_of(editing: HighlightState, output: OutputId) -> Vec<Edit> {
    editing
        .work
        .draft
        .with_untracked(|draft: &AnnotationDraft| draft.edits(output))
}
