//! Step 3: each category in order, every output scored. If the steps are merged, categories and edits are
//! corrected here too.

mod keys;
mod menu;
mod ranking;
mod row;

use domain::{category::Category, ids::OutputId, protocol::ProtocolStep};
use leptos::prelude::*;

use self::{menu::Menu, ranking::CategoryList};
use super::{
    WorkspaceState,
    highlight::{HighlightState, Legend, UnitPopup},
    unjudged::{ReasonMenu, Reasons},
};
use crate::islands::parts::Popup;

/// State that the categories share: the open menu and the open note.
#[derive(Clone, Copy)]
pub(super) struct OpenPanels {
    /// The element whose menu is open.
    menu: RwSignal<Option<String>>,
    /// The output whose menu is open.
    output: RwSignal<Option<OutputId>>,
    /// The output whose note is being written.
    note: RwSignal<Option<OutputId>>,
}

/// The categories, each a list from best to worst.
#[component]
pub(super) fn RankAndRate() -> impl IntoView {
    let open = OpenPanels {
        menu: RwSignal::new(None),
        output: RwSignal::new(None),
        note: RwSignal::new(None),
    };
    provide_context(open);

    let work = expect_context::<WorkspaceState>();
    let menu = ReasonMenu::provide(work, open.note);
    let editing = work.is_merged().then(|| HighlightState::provide(work));

    let (title, task) = match editing {
        Some(_) => (
            "Check & rate",
            "Check the category and the edits of each output, then give it a score. Put each category in order, \
             best first. Ties are fine.",
        ),
        None => (
            ProtocolStep::RankAndRate.title(),
            "Put each category in order, best first, and give every output a score. Ties are fine.",
        ),
    };

    let unjudged_hint = match work.accepts_unjudged() {
        true => " If you cannot judge an output, press ⊘ next to its score and say why.",
        false => "",
    };

    let shows_left_out = move || editing.is_some_and(|editing| editing.shows_left_out.get());
    view! {
        <header class="step-head">
            <h1>{title}</h1>
            <p class="soft">
                {task}
                {unjudged_hint}
            </p>
            {editing.map(|_| view! { <Legend/> })}
        </header>
        <div class:merged=editing.is_some() class:with-left-out=shows_left_out>
            {Category::ALL.map(|category| view! { <CategoryList category/> })}
        </div>
        <Popup about=open.menu label="Move and note">
            <Menu/>
        </Popup>
        <Reasons menu/>
        {editing.map(|_| view! { <UnitPopup/> })}
    }
    .into_any()
}
