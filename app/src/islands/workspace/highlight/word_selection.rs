//! Selecting words of the source, for an edit or as left out.

use std::collections::BTreeSet;

use domain::{
    edit::ops,
    ids::OutputId,
    span::Span,
    span_marks::SpanMark,
    text::{display::caret_place, tokenise::tokenise},
    work::navigation::{find_words, join_words},
};
use leptos::{ev::KeyboardEvent, prelude::*};

use super::{HighlightState, output::edits_of, texts};
use crate::{
    browser,
    islands::workspace::{WorkspaceState, state::place_id},
};

/// A selection of source words in progress.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct WordSelection {
    output: OutputId,
    purpose: SelectionPurpose,
    /// The selected words, by their numbers in the source.
    chosen: BTreeSet<usize>,
}

/// The purpose of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SelectionPurpose {
    /// The source words of an edit.
    Source {
        /// The number of the edit.
        edit: usize,
        /// Its position in the output.
        offset: usize,
    },
    /// Words that were left out at this offset of the output.
    Deleted(usize),
    /// The source words of a mark.
    Mark(PickedMark),
}

/// The mark that receives the selected words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum PickedMark {
    /// A new mark of the type with this number.
    New { kind: usize },
    /// An existing mark. It may have another number by then, or be gone.
    Existing(SpanMark),
}

impl WordSelection {
    /// Creates a selection for a new mark of a type.
    pub(in super::super) fn for_new_mark(output: OutputId, kind: usize) -> Self {
        Self {
            output,
            purpose: SelectionPurpose::Mark(PickedMark::New { kind }),
            chosen: BTreeSet::new(),
        }
    }

    /// Creates a selection of the source words of a mark, which may have some already.
    pub(in super::super) fn for_mark(output: OutputId, mark: SpanMark, source: &str) -> Self {
        Self {
            output,
            chosen: choose_words(source, &mark.source),
            purpose: SelectionPurpose::Mark(PickedMark::Existing(mark)),
        }
    }

    /// Starts the selection.
    pub(in super::super) fn begin(self, picking: RwSignal<Option<Self>>) {
        let first = self.chosen.first().copied().unwrap_or_default();
        picking.set(Some(self));
        browser::focus_soon(word_id(first));
    }
}

/// The numbers of the words inside stretches of the source.
fn choose_words(source: &str, stretches: &[Span]) -> BTreeSet<usize> {
    let inside = find_words(source, stretches);
    let all = words(source);
    let chosen = all.iter().enumerate();
    let chosen = chosen.filter(|(_, word)| inside.contains(word));
    chosen.map(|(at, _)| at).collect()
}

impl HighlightState {
    /// Starts the selection of an edit's source words.
    pub(super) fn pick_source(self, output: OutputId, edit: usize) {
        let edits = edits_of(self, output);
        let Some(current_edit) = edits.get(edit) else {
            return;
        };

        let offset = current_edit
            .output
            .first()
            .map(|span| span.start)
            .unwrap_or_default();

        let chosen = self
            .work
            .draft
            .with_untracked(|draft| choose_words(&draft.task().source, &current_edit.source));

        self.pick(WordSelection {
            output,
            purpose: SelectionPurpose::Source { edit, offset },
            chosen,
        });
    }

    /// Starts the selection of words that were left out at an offset of the output.
    pub(super) fn pick_deleted(self, output: OutputId, offset: usize) {
        // The place where the caret is drawn; the focus returns to it.
        let (_, text) = texts(self, output);
        let purpose = SelectionPurpose::Deleted(caret_place(&text, offset));
        self.pick(WordSelection {
            output,
            purpose,
            chosen: BTreeSet::new(),
        });
    }

    fn pick(self, picking: WordSelection) {
        self.about.set(None);
        picking.begin(self.picking);
    }
}

fn words(source: &str) -> Vec<Span> {
    tokenise(source)
        .into_iter()
        .map(|token| token.span)
        .collect()
}

fn word_id(at: usize) -> String {
    format!("source-word-{at}")
}

/// The source's words, to select from.
#[component]
pub(in super::super) fn PickWords(picking: RwSignal<Option<WordSelection>>) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let source = work
        .draft
        .with_untracked(|draft| draft.task().source.clone());
    let words = words(&source);
    let count = words.len();

    let focus = RwSignal::new(
        picking
            .with_untracked(|selection| {
                selection
                    .as_ref()
                    .and_then(|selection| selection.chosen.first().copied())
            })
            .unwrap_or(0),
    );

    let press = move |event: KeyboardEvent| {
        let at = focus.get_untracked();
        let next = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => (at + 1).min(count.saturating_sub(1)),
            "ArrowLeft" | "ArrowUp" => at.saturating_sub(1),
            "Home" => 0,
            "End" => count.saturating_sub(1),
            " " => return toggle_on(&event, picking, at),
            "Enter" => {
                event.prevent_default();
                return finish(work, picking);
            }
            "Escape" => return cancel(work, picking),
            _ => return,
        };

        event.prevent_default();
        if event.shift_key() {
            choose(picking, next, true);
        }
        focus.set(next);
        browser::focus(&word_id(next));
    };

    let mut end = 0;
    let views: Vec<_> = words
        .iter()
        .enumerate()
        .map(|(at, word)| {
            let gap = source.get(end..word.start).unwrap_or_default().to_owned();
            end = word.end;
            let text = word.slice(&source).unwrap_or_default().to_owned();
            let chosen = move || {
                picking.with(|selection| {
                    selection
                        .as_ref()
                        .is_some_and(|selection| selection.chosen.contains(&at))
                })
            };
            view! {
                {gap}
                <span
                    id=word_id(at)
                    class="pick"
                    role="button"
                    aria-pressed=move || chosen().to_string()
                    tabindex=move || if focus.get() == at { "0" } else { "-1" }
                    on:focus=move |_| focus.set(at)
                    on:pointerdown=move |_| toggle(picking, at)
                    on:pointerenter=move |event| {
                        // Dragging over words with the button pressed selects them.
                        if event.buttons() == 1 {
                            choose(picking, at, true);
                        }
                    }
                >
                    {text}
                </span>
            }
        })
        .collect();

    view! {
        <p class="text" role="toolbar" aria-label="Words of the source" on:keydown=press>{views}</p>
        <p class="actions pick-actions">
            <span>{move || picking.with(|selection| selection.as_ref().map(prompt))}</span>
            <button class="primary small" on:click=move |_| finish(work, picking)>"Done"</button>
            <button class="small" on:click=move |_| cancel(work, picking)>"Cancel"</button>
        </p>
    }
    .into_any()
}

const fn prompt(picking: &WordSelection) -> &'static str {
    match picking.purpose {
        SelectionPurpose::Source { .. } => "Choose the source words that this edit replaces.",
        SelectionPurpose::Deleted(_) => "Choose the words that were left out here.",
        SelectionPurpose::Mark(_) => "Choose the source words that belong to the mark.",
    }
}

fn toggle(picking: RwSignal<Option<WordSelection>>, at: usize) {
    let chosen = picking.with_untracked(|selection| {
        selection
            .as_ref()
            .is_some_and(|selection| selection.chosen.contains(&at))
    });
    choose(picking, at, !chosen);
}

fn toggle_on(event: &KeyboardEvent, picking: RwSignal<Option<WordSelection>>, at: usize) {
    event.prevent_default();
    toggle(picking, at);
}

fn choose(picking: RwSignal<Option<WordSelection>>, at: usize, chosen: bool) {
    picking.update(|selection| {
        if let Some(selection) = selection {
            if chosen {
                selection.chosen.insert(at);
            } else {
                selection.chosen.remove(&at);
            }
        }
    });
}

fn cancel(work: WorkspaceState, picking: RwSignal<Option<WordSelection>>) {
    if let Some(WordSelection {
        output, purpose, ..
    }) = picking.get_untracked()
    {
        picking.set(None);
        match purpose {
            SelectionPurpose::Source { offset, .. } | SelectionPurpose::Deleted(offset) => {
                work.focus_text(output, offset);
            }
            SelectionPurpose::Mark(_) => browser::focus_soon(place_id(output)),
        }
    }
}

/// Saves the selection.
fn finish(work: WorkspaceState, picking: RwSignal<Option<WordSelection>>) {
    let Some(WordSelection {
        output,
        purpose,
        chosen,
    }) = picking.get_untracked()
    else {
        return;
    };
    picking.set(None);

    let source = work
        .draft
        .with_untracked(|draft| draft.task().source.clone());
    let spans = join_words(&words(&source), |at| chosen.contains(&at));

    match purpose {
        SelectionPurpose::Source { edit, offset } => work.set_edits(output, offset, |edits| {
            ops::set_source(edits, edit, &spans, &source)
        }),
        SelectionPurpose::Deleted(offset) => work.set_edits(output, offset, |edits| {
            spans.iter().fold(edits, |edits, span| {
                ops::mark_deleted(edits, *span, offset, &source)
            })
        }),
        SelectionPurpose::Mark(marked) => work.finish_mark(picking, output, marked, spans),
    }
}
