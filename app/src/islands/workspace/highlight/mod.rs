//! Step 2: each output with its edits against the source, marked automatically and corrected by hand.

mod dialog;
mod output;
mod word;
mod word_selection;

use domain::{
    category::Category,
    edit::{Edit, EditKind},
    ids::OutputId,
    work::{
        change::{AnnotationAnswer, AnnotationSlot, AnnotationStep},
        draft::AnnotationDraft,
        history::UndoGrouping,
        labels,
        navigation::{NavigationUnit, find_stop, split_units},
        unsure::{list_unsure_edits, next_unsure_edit},
    },
};
use leptos::prelude::*;

use self::{dialog::UnitDialog, output::OutputEdits};
pub(super) use self::{
    dialog::aligner_confidence,
    word_selection::{PickWords, WordSelection},
};
use super::{
    WorkspaceState,
    categorise::outputs_in_category,
    state::{PointerTarget, STEP_HEADING},
};
use crate::{browser, islands::parts::Popup};

/// State that the components of this step share.
#[derive(Clone, Copy)]
struct HighlightState {
    work: WorkspaceState,
    /// The element whose dialog is open.
    about: RwSignal<Option<String>>,
    /// The unit that the dialog is for.
    opened: RwSignal<Option<UnitDialogTarget>>,
    /// The current selection of source words.
    picking: RwSignal<Option<WordSelection>>,
}

/// A unit of an output whose dialog is open.
#[derive(Debug, Clone, Copy, PartialEq)]
struct UnitDialogTarget {
    output: OutputId,
    unit: NavigationUnit,
}

impl HighlightState {
    /// Saves other edits and closes the dialog.
    fn set(self, output: OutputId, offset: usize, how: impl FnOnce(Vec<Edit>) -> Vec<Edit>) {
        self.about.set(None);
        self.work.set_edits(output, offset, how);
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
        if self.work.takes_answers() {
            self.opened.set(Some(UnitDialogTarget { output, unit }));
            self.about.set(Some(unit_id(output, at)));
        }
    }
}

impl WorkspaceState {
    /// Saves other edits, and returns the focus to the same place in the output.
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

    /// Goes to the next edit that the aligner is unsure of: the next one after `from`, else after the last
    /// one visited this way.
    pub(super) fn to_unsure(self, from: Option<PointerTarget>) {
        let from = from.or(self.last_unsure.get_untracked());
        let next = self.draft.with_untracked(|draft| {
            let from = from.map(|target| (target.output, target.edit));
            let (output, edit) = next_unsure_edit(draft, &outputs_in_order(draft), from)?;
            let units = split_units(&draft.item(output)?.text, &draft.edits(output));
            let at = units.iter().position(|unit| unit.edit() == Some(edit))?;
            Some((output, edit, at))
        });
        if let Some((output, edit, at)) = next {
            let edit = Some(edit);
            self.last_unsure.set(Some(PointerTarget { output, edit }));
            browser::focus_soon(unit_id(output, at));
        }
    }

    /// Focuses the unit at an offset of an output.
    fn focus_text(self, output: OutputId, offset: usize) {
        let at = self.draft.with_untracked(|draft| {
            draft
                .item(output)
                .map(|item| find_stop(&split_units(&item.text, &draft.edits(output)), offset))
        });
        browser::focus_soon(unit_id(output, at.unwrap_or_default()));
    }
}

/// The id of a unit, by its number in the output.
fn unit_id(output: OutputId, at: usize) -> String {
    format!("unit-{output}-{at}")
}

/// Every output with its edits.
#[component]
pub(super) fn Highlight() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let editing = HighlightState {
        work,
        about: RwSignal::new(None),
        opened: RwSignal::new(None),
        picking: expect_context(),
    };
    provide_context(editing);
    on_cleanup(move || editing.picking.set(None));
    let outputs = work.draft.with_untracked(outputs_in_order);
    let count = Memo::new(move |_| {
        work.draft
            .with(|draft| list_unsure_edits(draft, &outputs_in_order(draft)).len())
    });
    view! {
        <header class="step-head">
            <h1 id=STEP_HEADING tabindex="-1">{AnnotationStep::Highlight.title()}</h1>
            <p class="soft legend">
                <span><span class="caret">"‸"</span>" words left out"</span>
                <span><span class="par">"new or changed"</span></span>
                <span><span class="bars">"‖"</span>" sentence split"</span>
                <span>"Click a word or an edit to correct it."</span>
                {move || (count.get() > 0).then(|| view! {
                    <button class="link" title="To the next one (U)" on:click=move |_| work.to_unsure(None)>
                        {labels::format_edit_count(count.get())}
                        " to check first: the aligner is "
                        <span class="unsure">"not sure"</span>
                    </button>
                })}
            </p>
        </header>
        <ol class="texts">
            {outputs.into_iter().map(|output| view! { <OutputEdits output/> }).collect_view()}
        </ol>
        <Popup about=editing.about label=Signal::derive(move || dialog::name(editing))>
            <UnitDialog/>
        </Popup>
    }
    .into_any()
}

/// The outputs by category, in the order in which they were first shown.
fn outputs_in_order(draft: &AnnotationDraft) -> Vec<OutputId> {
    let categories = Category::ALL.into_iter();
    categories
        .flat_map(|category| outputs_in_category(draft, category))
        .collect()
}

/// The CSS class of an edit kind.
pub(super) const fn class(kind: EditKind) -> &'static str {
    match kind {
        EditKind::Deletion => "caret",
        EditKind::Paraphrase => "par",
        EditKind::Split => "spl",
    }
}
