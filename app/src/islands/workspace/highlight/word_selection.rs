//! Selecting words of the source, for an edit or as left out.

use std::collections::BTreeSet;

use domain::{
    edit::ops,
    ids::OutputId,
    span::Span,
    text::{display::caret_place, tokenise::tokenise},
    work::navigation::{find_words, join_words},
};
use leptos::{ev::KeyboardEvent, prelude::*};

use super::{HighlightState, output::edits_of, texts};
use crate::{browser, islands::workspace::WorkspaceState};

/// A selection of source words in progress.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct WordSelection {
    output: OutputId,
    purpose: SelectionPurpose,
    /// The selected words, by their numbers in the source.
    chosen: BTreeSet<usize>,
}

/// The purpose of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let chosen = self.work.draft.with_untracked(|draft| {
            let source = &draft.task().source;
            let edit_words = find_words(source, &current_edit.source);
            let all = words(source);
            all.iter()
                .enumerate()
                .filter(|(_, word)| edit_words.contains(word))
                .map(|(at, _)| at)
                .collect()
        });
        self.pick(WordSelection {
            output,
            purpose: SelectionPurpose::Source { edit, offset },
            chosen,
        });
    }

    /// Starts the selection of words that were left out at an offset of the output.
    pub(super) fn pick_deleted(self, output: OutputId, offset: usize) {
        // The place at which the caret is drawn, to which the focus returns.
        let (_, text) = texts(self, output);
        let purpose = SelectionPurpose::Deleted(caret_place(&text, offset));
        self.pick(WordSelection {
            output,
            purpose,
            chosen: BTreeSet::new(),
        });
    }

    fn pick(self, picking: WordSelection) {
        let first = picking.chosen.first().copied().unwrap_or_default();
        self.about.set(None);
        self.picking.set(Some(picking));
        browser::focus_soon(word_id(first));
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
        work.focus_text(output, purpose.offset());
    }
}

impl SelectionPurpose {
    const fn offset(self) -> usize {
        match self {
            Self::Source { offset, .. } | Self::Deleted(offset) => offset,
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
    work.set_edits(output, purpose.offset(), |edits| match purpose {
        SelectionPurpose::Source { edit, .. } => ops::set_source(edits, edit, &spans, &source),
        SelectionPurpose::Deleted(offset) => spans.iter().fold(edits, |edits, span| {
            ops::mark_deleted(edits, *span, offset, &source)
        }),
    });
}
