//! Step 3: each category in order, every output scored.

mod keys;
mod menu;
mod number;
mod ranking;
mod row;
mod score;
mod slider;

use domain::{category::Category, ids::OutputId, work::change::AnnotationStep};
use leptos::prelude::*;

use self::{menu::Menu, ranking::CategoryList};
use super::state::STEP_HEADING;
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
pub(super) fn Rate() -> impl IntoView {
    let open = OpenPanels {
        menu: RwSignal::new(None),
        output: RwSignal::new(None),
        note: RwSignal::new(None),
    };
    provide_context(open);
    view! {
        <header class="step-head">
            <h1 id=STEP_HEADING tabindex="-1">{AnnotationStep::Rate.title()}</h1>
            <p class="soft">
                "Put each category in order, best first, and give every output a score. Ties are fine."
            </p>
        </header>
        {Category::ALL.map(|category| view! { <CategoryList category/> })}
        <Popup about=open.menu label="Move and note">
            <Menu/>
        </Popup>
    }
    .into_any()
}
