use domain::{
    edit::{Edit, EditKind},
    work::navigation::NavigationUnit,
};
use leptos::prelude::*;

use super::{class, output::UnitNavigation, quoted, unit_id};
use crate::islands::workspace::{WorkspaceState, state::PointerTarget};

/// A navigation unit: a word, an edit's words, its caret or its bars.
#[component]
pub(super) fn UnitView(
    walk: UnitNavigation,
    /// The number of the unit in the output.
    at: usize,
    unit: NavigationUnit,
    /// The words of the unit.
    words: String,
    /// The edit that the unit belongs to.
    edit: Option<Edit>,
    /// Whether it is a word that the source has in another place.
    has_moved: bool,
) -> impl IntoView {
    let id = unit_id(walk.output, at);
    let Some(number) = unit.edit() else {
        // A plain span, because nothing about the unit changes: words without an edit are quick to draw.
        return view! {
            <span id=id class="unit" class:moved=has_moved role="button" aria-haspopup="dialog" data-at=at tabindex="-1">
                {words}
            </span>
        }
        .into_any();
    };

    let WorkspaceState { pointed, draft, .. } = walk.editing.work;
    let target = Some(PointerTarget {
        output: walk.output,
        edit: Some(number),
    });
    let on = move || pointed.get() == target;
    let unsure = move || walk.unsure.with(|list| list.contains(&number));

    let left_out = match (unit, &edit) {
        (NavigationUnit::Caret { .. }, Some(edit)) => {
            Some(draft.with_untracked(|draft| quoted(&draft.task().source, &edit.source)))
        }
        _ => None,
    };

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
        (NavigationUnit::Caret { .. }, _) => Some("left out: "),
        (NavigationUnit::Bars { .. }, _) => Some("sentence split here"),
        (NavigationUnit::Stretch { .. }, Some(EditKind::Split)) => Some(", split"),
        (NavigationUnit::Stretch { .. }, _) => Some(", paraphrase"),
        _ => None,
    };

    let hidden = matches!(
        unit,
        NavigationUnit::Caret { .. } | NavigationUnit::Bars { .. }
    );
    let chip = left_out.clone();

    view! {
        <span
            id=id
            class=classes
            class:on=on
            class:unsure=unsure
            role="button"
            aria-haspopup="dialog"
            data-at=at
            data-words=chip
            tabindex="-1"
        >
            <span aria-hidden=hidden.then_some("true")>{drawn}</span>
            {spoken.map(|text| view! {
                <span class="visually-hidden">{text}{left_out}{move || unsure().then_some(", not sure")}</span>
            })}
        </span>
    }
    .into_any()
}
