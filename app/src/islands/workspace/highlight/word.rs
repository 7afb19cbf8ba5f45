use domain::{
    edit::{Edit, EditKind},
    work::navigation::NavigationUnit,
};
use leptos::prelude::*;

use super::{class, output::UnitNavigation, unit_id};
use crate::islands::workspace::state::PointerTarget;

/// A navigation unit: a word, an edit's words, its caret or its bars.
#[component]
pub(super) fn UnitView(
    walk: UnitNavigation,
    /// The number of the unit in the output.
    at: usize,
    unit: NavigationUnit,
    /// The words of the unit.
    words: String,
    /// The edit that it belongs to.
    edit: Option<Edit>,
) -> impl IntoView {
    let pointed = walk.editing.work.pointed;
    let target = PointerTarget {
        output: walk.output,
        edit: unit.edit(),
    };
    let on = move || target.edit.is_some() && pointed.get() == Some(target);
    let unsure = edit.as_ref().is_some_and(Edit::is_unsure);
    let (classes, drawn) = match unit {
        NavigationUnit::Caret { .. } => ("unit caret", "‸".to_owned()),
        NavigationUnit::Bars { .. } => ("unit bars", "‖".to_owned()),
        NavigationUnit::Stretch { .. } => match edit.as_ref().map(|edit| class(edit.kind)) {
            Some("spl") => ("unit spl", words),
            _ => ("unit par", words),
        },
        NavigationUnit::Word(_) | NavigationUnit::Gap(_) => ("unit", words),
    };
    let spoken = match (unit, edit.as_ref().map(|edit| edit.kind)) {
        (NavigationUnit::Caret { .. }, _) => Some("words left out here"),
        (NavigationUnit::Bars { .. }, _) => Some("sentence split here"),
        (NavigationUnit::Stretch { .. }, Some(EditKind::Split)) => Some(", split"),
        (NavigationUnit::Stretch { .. }, _) => Some(", paraphrase"),
        _ => None,
    };
    let hidden = matches!(
        unit,
        NavigationUnit::Caret { .. } | NavigationUnit::Bars { .. }
    );
    view! {
        <span
            id=unit_id(walk.output, at)
            class=classes
            class:on=on
            class:unsure=unsure
            role="button"
            aria-haspopup="dialog"
            data-at=at.to_string()
            tabindex=move || if walk.at.get() == at { "0" } else { "-1" }
        >
            <span aria-hidden=hidden.then_some("true")>{drawn}</span>
            {spoken.map(|text| view! {
                <span class="visually-hidden">{text}{unsure.then_some(", aligner unsure")}</span>
            })}
        </span>
    }
}
