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
    islands::workspace::{state::PointerTarget, teaching::feedback_on_marks},
};

/// An output with its navigation units.
#[derive(Clone, Copy)]
pub(super) struct UnitNavigation {
    pub(super) editing: HighlightState,
    pub(super) output: OutputId,
    pub(super) units: Memo<Vec<NavigationUnit>>,
    /// The numbers of the doubtful edits.
    pub(super) unsure: Memo<Vec<usize>>,
    /// The unit that receives the focus.
    pub(super) at: RwSignal<usize>,
}

/// One output in step 2.
#[component]
pub(super) fn OutputEdits(output: OutputId) -> impl IntoView {
    let HighlightState { work, only, .. } = expect_context();
    view! {
        <li
            class="edits-of"
            hidden=move || only.with(|only| only.as_ref().is_some_and(|only| !only.contains(&output)))
        >
            <div class="place" aria-hidden="true">{move || work.draft.with(|draft| describe_place(draft, output))}</div>
            <EditableText output/>
        </li>
    }
    .into_any()
}

/// An output's words and edits; arrow keys move between them.
#[component]
pub(in super::super) fn EditableText(output: OutputId) -> impl IntoView {
    let editing = expect_context::<HighlightState>();
    let work = editing.work;
    let texts = work.draft.with_untracked(|draft| {
        let item = draft.item(output)?;
        Some((item.text.clone(), item.moved.clone()))
    });
    let (text, moved) = texts.unwrap_or_default();
    let (text, moved) = (StoredValue::new(text), StoredValue::new(moved));

    let edits = Memo::new(move |_| work.draft.with(|draft| draft.shown_edits(output)));
    let units =
        Memo::new(move |_| text.with_value(|text| edits.with(|edits| split_units(text, edits))));
    let unsure = Memo::new(move |_| {
        edits.with(|edits| {
            let is_unsure = |at: &usize| {
                work.draft
                    .with_untracked(|draft| draft.is_unsure(output, &edits[*at]))
            };
            (0..edits.len()).filter(is_unsure).collect::<Vec<_>>()
        })
    });

    let walk = UnitNavigation {
        editing,
        output,
        units,
        unsure,
        at: RwSignal::new(0),
    };

    // The Tab key stops at the text, which passes the focus on to a unit; from there it leaves the text.
    let (has_focus, set_has_focus) = signal(false);
    // A browser may not report that the focus is lost because its unit is gone.
    Effect::new(move |_| {
        units.track();
        set_has_focus.set(false);
    });

    let tab_index = move || {
        if work.is_current(output) && !has_focus.get() {
            "0"
        } else {
            "-1"
        }
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
            moved.with_value(|moved| {
                let view = |(at, unit): (usize, &NavigationUnit)| {
                    unit_view(walk, at, *unit, (text, moved), &edits)
                };
                units.iter().enumerate().map(view).collect_view()
            })
        })
    };

    view! {
        <div
            id=work.text_place()(output)
            class="text words"
            role="toolbar"
            aria-label=name
            tabindex=tab_index
            on:click=move |event| click(walk, &event)
            on:keydown=move |event| press(walk, &event)
            on:pointerover=move |event| point(walk, browser::number_at_target(&event, "data-at"))
            on:pointerleave=move |_| {
                let row = PointerTarget { output, edit: None };
                show(walk, work.is_merged().then_some(row));
            }
            on:focusout=move |_| set_has_focus.set(false)
            on:focusin=move |event| {
                work.make_current(output);
                set_has_focus.set(true);
                let at = browser::number_at_target(&event, "data-at");
                match at {
                    Some(at) => walk.at.set(at),
                    None => {
                        // An undo may have put a gap where a unit was.
                        let at = walk.at.get_untracked();
                        let at = units.with_untracked(|units| move_to_stop(units, at, 0));
                        // Deferred, because focusing at once would call this handler while it is running.
                        browser::focus_soon(unit_id(output, at));
                    }
                }
                if browser::shows_focus(&event) {
                    point(walk, at);
                }
            }
        >
            {views}
        </div>
        <div class="after">
            <Show when=move || corrected.get()>
                <span class="soft">"corrected"</span>
                <button
                    class="ghost small"
                    title="Back to the automatic marks"
                    on:click=move |_| editing.reset(output)
                >
                    "Reset" <span class="visually-hidden">" to automatic"</span>
                </button>
            </Show>
        </div>
        {feedback_on_marks(work, output)}
    }
    .into_any()
}

fn unit_view(
    walk: UnitNavigation,
    at: usize,
    unit: NavigationUnit,
    (text, moved): (&str, &[Span]),
    edits: &[Edit],
) -> AnyView {
    let words = unit.span().slice(text).unwrap_or_default().to_owned();
    if !unit.is_stop() {
        return words.into_any();
    }

    let edit = unit.edit().and_then(|index| edits.get(index)).cloned();
    let span = unit.span();
    let has_moved = matches!(unit, NavigationUnit::Word(_))
        && moved
            .iter()
            .any(|stretch| stretch.start <= span.start && span.end <= stretch.end);
    view! { <UnitView walk at unit words edit has_moved/> }.into_any()
}

fn point(walk: UnitNavigation, at: Option<usize>) {
    let edit = at.and_then(|at| walk.units.with_untracked(|units| units.get(at)?.edit()));
    let output = walk.output;
    show(walk, Some(PointerTarget { output, edit }));
}

/// Marks the source words of the unit under the pointer; while a dialog is open, its unit stays marked.
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
        "ArrowRight" => 1,
        "ArrowLeft" => -1,
        up_or_down @ ("ArrowUp" | "ArrowDown") => {
            event.prevent_default();
            let by = if up_or_down == "ArrowUp" { -1 } else { 1 };
            let work = walk.editing.work;
            return work.travel(walk.output, by, work.text_place());
        }
        "Home" => isize::MIN,
        "End" => isize::MAX,
        key @ ("Enter" | " ") => {
            event.prevent_default();
            if key == " " || !confirm(walk, at) {
                open(walk, at);
            }
            return;
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

/// Accepts the edit of a unit if it is in doubt. Returns whether it was.
fn confirm(walk: UnitNavigation, at: usize) -> bool {
    let unit = walk.units.with_untracked(|units| units.get(at).copied());
    unit.and_then(|unit| Some((unit.span().start, unit.edit()?)))
        .is_some_and(|(offset, edit)| walk.editing.confirm(walk.output, offset, edit))
}

/// Handles the keys that correct without the dialog. Returns whether the key was one of them.
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
            match key {
                "j" | "J" => walk.editing.join_next(walk.output, span.start, edit),
                _ => {
                    let remove = |edits| ops::remove(edits, edit);
                    walk.editing.set(walk.output, span.start, remove);
                }
            }
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
        None => walk.editing.set_word(walk.output, span, |edits, text| {
            mark(edits, span, kind, text)
        }),
    }
    true
}

/// Marks a word that has no mark as a new edit.
pub(super) fn mark(edits: Vec<Edit>, word: Span, kind: EditKind, text: &str) -> Vec<Edit> {
    let edits = ops::add_word(edits, word, text);
    match edits.iter().position(|edit| edit.output == [word]) {
        Some(index) if kind != EditKind::Paraphrase => ops::retype(edits, index, kind),
        _ => edits,
    }
}

/// The current edits of an output, as drawn.
pub(super) fn edits_of(editing: HighlightState, output: OutputId) -> Vec<Edit> {
    editing
        .work
        .draft
        .with_untracked(|draft: &AnnotationDraft| draft.shown_edits(output))
}
