//! Step 2: each output with its edits against the source, automatic first, corrected by hand.

mod dialog;
mod output;
mod picking;
mod word;

use domain::{
    category::Category,
    edit::{Edit, EditKind},
    ids::OutputId,
    work::{
        change::{Answer, Slot, Step},
        draft::Draft,
        history::Joining,
        units::{Unit, stop_at, units},
        unsure::{next_unsure, unsure},
        words,
    },
};
use leptos::prelude::*;

use self::{dialog::UnitDialog, output::OutputEdits};
pub(super) use self::{
    dialog::sure,
    picking::{PickWords, Picking},
};
use super::{
    Work,
    categorise::in_group,
    work::{Pointed, STEP_HEADING},
};
use crate::{browser, islands::parts::Popup};

/// What the parts of this step share.
#[derive(Clone, Copy)]
struct Editing {
    work: Work,
    /// The element whose dialog is open.
    about: RwSignal<Option<String>>,
    /// What the dialog is about.
    opened: RwSignal<Option<Opened>>,
    /// The words of the source that are being chosen.
    picking: RwSignal<Option<Picking>>,
}

/// A unit of an output whose dialog is open.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Opened {
    output: OutputId,
    unit: Unit,
}

impl Editing {
    /// Answers with other edits and closes the dialog.
    fn set(self, output: OutputId, offset: usize, how: impl FnOnce(Vec<Edit>) -> Vec<Edit>) {
        self.about.set(None);
        self.work.set_edits(output, offset, how);
    }

    /// Puts the automatic edits back.
    fn reset(self, output: OutputId) {
        self.work.act(
            [(Slot::Edits { output }, Answer::Edits(None))],
            Joining::Apart,
        );
        self.work.say("The automatic edits are back");
        self.work.focus_text(output, 0);
    }

    fn open(self, output: OutputId, at: usize, unit: Unit) {
        if self.work.takes_answers() {
            self.opened.set(Some(Opened { output, unit }));
            self.about.set(Some(unit_id(output, at)));
        }
    }
}

impl Work {
    /// Answers with other edits, and leads the focus back to where one was in the output.
    fn set_edits(self, output: OutputId, offset: usize, how: impl FnOnce(Vec<Edit>) -> Vec<Edit>) {
        let before = self.draft.with_untracked(|draft| draft.edits(output));
        let after = how(before.clone());
        if after != before {
            let edits = (Slot::Edits { output }, Answer::Edits(Some(after)));
            self.act([edits], Joining::Apart);
        }
        self.focus_text(output, offset);
    }

    /// Leads to the next edit that the aligner is not sure of: the next after `from`, else after the
    /// one that this led to last.
    pub(super) fn to_unsure(self, from: Option<Pointed>) {
        let from = from.or(self.led_to.get_untracked());
        let next = self.draft.with_untracked(|draft| {
            let from = from.map(|it| (it.output, it.edit));
            let (output, edit) = next_unsure(draft, &shown(draft), from)?;
            let units = units(&draft.item(output)?.text, &draft.edits(output));
            let at = units.iter().position(|unit| unit.edit() == Some(edit))?;
            Some((output, edit, at))
        });
        if let Some((output, edit, at)) = next {
            let edit = Some(edit);
            self.led_to.set(Some(Pointed { output, edit }));
            browser::focus_soon(unit_id(output, at));
        }
    }

    /// Focuses what stands at an offset of an output.
    fn focus_text(self, output: OutputId, offset: usize) {
        let at = self.draft.with_untracked(|draft| {
            draft
                .item(output)
                .map(|item| stop_at(&units(&item.text, &draft.edits(output)), offset))
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
    let work = expect_context::<Work>();
    let editing = Editing {
        work,
        about: RwSignal::new(None),
        opened: RwSignal::new(None),
        picking: expect_context(),
    };
    provide_context(editing);
    on_cleanup(move || editing.picking.set(None));
    let outputs = work.draft.with_untracked(shown);
    let count = Memo::new(move |_| work.draft.with(|draft| unsure(draft, &shown(draft)).len()));
    view! {
        <header class="step-head">
            <h1 id=STEP_HEADING tabindex="-1">{Step::Highlight.title()}</h1>
            <p class="soft legend">
                <span><span class="caret">"‸"</span>" words left out"</span>
                <span><span class="par">"new or changed"</span></span>
                <span><span class="bars">"‖"</span>" sentence split"</span>
                <span>"Click a word or an edit to correct it."</span>
                {move || (count.get() > 0).then(|| view! {
                    <button class="link" title="To the next (U)" on:click=move |_| work.to_unsure(None)>
                        {words::edits(count.get())}
                        " to look at first: the aligner is "
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

/// The outputs, group by group, in the order in which they were first shown.
fn shown(draft: &Draft) -> Vec<OutputId> {
    let groups = Category::ALL.into_iter();
    groups.flat_map(|it| in_group(draft, it)).collect()
}

/// The class that draws a kind.
pub(super) const fn class(kind: EditKind) -> &'static str {
    match kind {
        EditKind::Deletion => "caret",
        EditKind::Paraphrase => "par",
        EditKind::Split => "spl",
    }
}
