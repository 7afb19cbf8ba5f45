//! Step 2: each output with its edits of the source, marked automatically and corrected by hand.

mod dialog;
mod output;
mod word;
mod word_selection;

use domain::{
    edit::{Edit, EditKind, ops},
    ids::OutputId,
    protocol::ProtocolStep,
    span::Span,
    work::{
        change::{AnnotationAnswer, AnnotationSlot, AnnotationStep},
        draft::AnnotationDraft,
        history::UndoGrouping,
        labels,
        navigation::{NavigationUnit, find_stop, split_units},
        question_and_mark_feedback::first_uncorrected,
        unsure::{list_unsure_edits, next_unsure_edit},
        walk::list_outputs,
    },
};
use leptos::{ev, prelude::*};

pub(super) use self::{
    dialog::quoted,
    output::EditableText,
    word_selection::{PickWords, PickedMark, WordSelection},
};
use self::{
    dialog::{UnitDialog, next_shown, texts},
    output::{OutputEdits, edits_of},
};
use super::{WorkspaceState, state::PointerTarget};
use crate::{browser, islands::parts::Popup};

/// State that the components of this step share.
#[derive(Clone, Copy)]
pub(super) struct HighlightState {
    work: WorkspaceState,
    /// The element whose dialog is open.
    about: RwSignal<Option<String>>,
    /// The unit that the dialog is about.
    opened: RwSignal<Option<UnitDialogTarget>>,
    /// The current selection of source words.
    picking: RwSignal<Option<WordSelection>>,
    /// The only outputs to show, if set: those that had doubtful marks when the filter was switched on.
    only: RwSignal<Option<Vec<OutputId>>>,
    /// Whether all words left out are shown.
    pub(super) shows_left_out: RwSignal<bool>,
}

/// A unit of an output whose dialog is open.
#[derive(Debug, Clone, Copy, PartialEq)]
struct UnitDialogTarget {
    output: OutputId,
    unit: NavigationUnit,
}

impl HighlightState {
    /// Creates the state and provides it to the caller's components.
    pub(super) fn provide(work: WorkspaceState) -> Self {
        let editing = Self {
            work,
            about: RwSignal::new(None),
            opened: RwSignal::new(None),
            picking: expect_context(),
            only: RwSignal::new(None),
            shows_left_out: RwSignal::new(false),
        };

        provide_context(editing);
        on_cleanup(move || editing.picking.set(None));
        work.listen_for_unsure();

        // Read once the page is hydrated, because the server does not know it.
        Effect::new(move |_| {
            let kept = browser::session_item(LEFT_OUT);
            editing
                .shows_left_out
                .set(kept.is_some_and(|kept| kept == "true"));
        });
        editing
    }

    /// Replaces the edits of an output and closes the dialog.
    fn set(self, output: OutputId, offset: usize, how: impl FnOnce(Vec<Edit>) -> Vec<Edit>) {
        self.about.set(None);
        self.work.set_edits(output, offset, how);
    }

    /// Changes the edits of an output at a word without a mark.
    fn set_word(
        self,
        output: OutputId,
        word: Span,
        how: impl FnOnce(Vec<Edit>, &str) -> Vec<Edit>,
    ) {
        let (_, text) = texts(self, output);
        self.set(output, word.start, |edits| how(edits, &text));
    }

    /// Accepts an edit in doubt. Returns whether it was in doubt.
    fn confirm(self, output: OutputId, offset: usize, index: usize) -> bool {
        let is_unsure = self.work.draft.with_untracked(|draft| {
            let edits = draft.edits(output);
            edits
                .get(index)
                .is_some_and(|edit| draft.is_unsure(output, edit))
        });

        if is_unsure && self.work.takes(output) {
            self.set(output, offset, |edits| ops::confirm(edits, index));
            let left = self.work.draft.with_untracked(unsure_edits).len();
            let left = labels::format_edit_count(left);
            self.work
                .announce(["Accepted. Left to check: ", &left].concat());
        }
        is_unsure
    }

    /// Joins an edit with the next one that has a mark.
    fn join_next(self, output: OutputId, offset: usize, index: usize) {
        if let Some(next) = next_shown(&edits_of(self, output), index) {
            self.set(output, offset, |edits| ops::join(edits, index, next));
        }
    }

    /// Restores the automatic edits.
    fn reset(self, output: OutputId) {
        self.work.act(
            [(
                AnnotationSlot::Edits { output },
                AnnotationAnswer::Edits(None),
            )],
            UndoGrouping::Separate,
        );
        self.work.announce("The automatic edits are restored");
        self.work.focus_text(output, 0);
    }

    fn open(self, output: OutputId, at: usize, unit: NavigationUnit) {
        if self.work.takes(output) {
            self.opened.set(Some(UnitDialogTarget { output, unit }));
            self.about.set(Some(unit_id(output, at)));
        }
    }
}

impl WorkspaceState {
    /// Replaces the edits of an output, and returns the focus to the same place in it.
    fn set_edits(self, output: OutputId, offset: usize, how: impl FnOnce(Vec<Edit>) -> Vec<Edit>) {
        let before = self.draft.with_untracked(|draft| draft.edits(output));
        let after = how(before.clone());

        if after != before {
            let edits = (
                AnnotationSlot::Edits { output },
                AnnotationAnswer::Edits(Some(after)),
            );
            self.act([edits], UndoGrouping::Separate);
        }

        self.focus_text(output, offset);
    }

    /// Goes to the next doubtful edit at the key U, except in text fields, as long as the step is shown.
    fn listen_for_unsure(self) {
        Effect::new(move |_| {
            let listener = window_event_listener(ev::keydown, move |event| {
                let is_command = event.ctrl_key() || event.meta_key();
                let is_elsewhere = event.default_prevented()
                    || browser::is_typing(&event)
                    || browser::has_dialog();
                if !is_elsewhere && !is_command && event.key().eq_ignore_ascii_case("u") {
                    event.prevent_default();
                    self.to_unsure(None);
                }
            });
            on_cleanup(move || listener.remove());
        });
    }

    /// Goes to the next doubtful edit after `from`, or else after the last one visited this way.
    pub(super) fn to_unsure(self, from: Option<PointerTarget>) {
        let from = from.or(self.last_unsure.get_untracked());

        let next = self.draft.with_untracked(|draft| {
            let from = from.map(|target| (target.output, target.edit));
            let (output, edit) = next_unsure_edit(draft, &outputs_in_order(draft), from)?;
            let units = split_units(&draft.item(output)?.text, &draft.shown_edits(output));
            let at = units.iter().position(|unit| unit.edit() == Some(edit))?;
            Some((output, edit, at))
        });

        if let Some((output, edit, at)) = next {
            let edit = Some(edit);
            self.last_unsure.set(Some(PointerTarget { output, edit }));
            self.pointed.set(Some(PointerTarget { output, edit }));
            browser::focus_soon(unit_id(output, at));
        }
    }

    /// Focuses the unit at an offset of an output.
    fn focus_text(self, output: OutputId, offset: usize) {
        let at = self.draft.with_untracked(|draft| {
            draft
                .item(output)
                .map(|item| find_stop(&split_units(&item.text, &draft.shown_edits(output)), offset))
        });

        browser::focus_soon(unit_id(output, at.unwrap_or_default()));
    }
}

/// The id of a unit, by its number in the output.
fn unit_id(output: OutputId, at: usize) -> String {
    format!("unit-{output}-{at}")
}

/// The session item that keeps, from source to source, whether all words left out are shown.
const LEFT_OUT: &str = "rankrate/left-out";

/// Every output with its edits.
#[component]
pub(super) fn Highlight() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let editing = HighlightState::provide(work);
    work.uncorrected.set_value(first_uncorrected);
    let outputs = work.draft.with_untracked(outputs_in_order);

    view! {
        <header class="step-head">
            <h1>{ProtocolStep::CheckEdits.title()}</h1>
            <Legend/>
        </header>
        <ol class="texts" class:with-left-out=move || editing.shows_left_out.get()>
            {outputs
                .into_iter()
                .map(|output| work.in_turn(output, move || view! { <OutputEdits output/> }.into_any()))
                .collect_view()}
        </ol>
        <UnitPopup/>
    }
    .into_any()
}

/// The meaning of the marks, and which of them to check.
#[component]
pub(super) fn Legend() -> impl IntoView {
    let editing = expect_context::<HighlightState>();
    let had_unsure = editing.work.draft.with_untracked(|draft| {
        let mut items = draft.task().items.iter();
        items.any(|item| !item.unsure.is_empty())
    });

    let switch = move |_| {
        let on = !editing.shows_left_out.get_untracked();
        editing.shows_left_out.set(on);
        browser::set_session_item(LEFT_OUT, &on.to_string());
    };

    view! {
        <p class="soft legend">
            <span><span class="caret">"‸"</span>" words left out"</span>
            <span><span class="par">"new or changed"</span></span>
            <span><span class="bars">"‖"</span>" sentence split"</span>
            <span><span class="moved">"moved"</span>" is not an edit"</span>
            <span>"Click a word or an edit to correct it."</span>
        </p>
        <p class="legend">
            {had_unsure.then(|| view! { <UnsureMarks editing/> })}
            <button
                class="small"
                aria-pressed=move || editing.shows_left_out.get().to_string()
                on:click=switch
            >
                "Show words left out"
            </button>
        </p>
    }
    .into_any()
}

/// The dialog for a word or an edit that was chosen.
#[component]
pub(super) fn UnitPopup() -> impl IntoView {
    let editing = expect_context::<HighlightState>();
    view! {
        <Popup about=editing.about label=Signal::derive(move || dialog::name(editing))>
            <UnitDialog/>
        </Popup>
    }
}

/// The number of doubtful marks, with a link to the next one; and, unless the layout is merged, a switch that
/// hides outputs without any.
#[component]
fn UnsureMarks(editing: HighlightState) -> impl IntoView {
    let HighlightState { work, only, .. } = editing;
    let outputs = work.draft.with_untracked(|draft| draft.task().items.len());
    let unsure = Memo::new(move |_| work.draft.with(unsure_edits));

    let switch = move |_| {
        only.update(|only| {
            *only = match only {
                Some(_) => None,
                None => Some(distinct_outputs(unsure.get_untracked())),
            }
        });
    };

    let label = move || {
        let with_unsure = distinct_outputs(unsure.get()).len();
        format!("Only outputs with doubtful marks ({with_unsure} of {outputs})")
    };

    view! {
        <button
            class="link"
            title="To the next one (U); Enter accepts it"
            disabled=move || unsure.with(Vec::is_empty)
            on:click=move |_| work.to_unsure(None)
        >
            {move || labels::format_edit_count(unsure.with(Vec::len))}
            " to check first: the computer is "
            <span class="unsure">"not sure"</span>
        </button>
        <button
            class="small"
            aria-pressed=move || only.with(Option::is_some).to_string()
            disabled=move || unsure.with(Vec::is_empty) && only.with(Option::is_none)
            hidden=work.is_merged()
            on:click=switch
        >
            {label}
        </button>
    }
    .into_any()
}

/// The distinct outputs of edits in page order.
fn distinct_outputs(edits: Vec<(OutputId, usize)>) -> Vec<OutputId> {
    let mut outputs: Vec<OutputId> = edits.into_iter().map(|(output, _)| output).collect();
    outputs.dedup();
    outputs
}

/// The doubtful edits, in page order.
fn unsure_edits(draft: &AnnotationDraft) -> Vec<(OutputId, usize)> {
    list_unsure_edits(draft, &outputs_in_order(draft))
}

/// The outputs in page order.
fn outputs_in_order(draft: &AnnotationDraft) -> Vec<OutputId> {
    list_outputs(draft, draft.shown_step(AnnotationStep::Highlight))
}

/// The CSS class of an edit kind.
pub(super) const fn class(kind: EditKind) -> &'static str {
    match kind {
        EditKind::Deletion => "caret",
        EditKind::Paraphrase => "par",
        EditKind::Split => "spl",
    }
}
