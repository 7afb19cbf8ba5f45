use domain::{
    edit::{Edit, EditKind},
    work::units::Unit,
};
use leptos::prelude::*;

use super::{class, output::Walk, unit_id};
use crate::islands::workspace::work::Pointed;

/// A word, an edit's words, its caret or its bars.
#[component]
pub(super) fn UnitView(
    walk: Walk,
    /// The number of the unit in the output.
    at: usize,
    unit: Unit,
    /// What stands there.
    words: String,
    /// The edit that it belongs to.
    edit: Option<Edit>,
) -> impl IntoView {
    let pointed = walk.editing.work.pointed;
    let here = Pointed {
        output: walk.output,
        edit: unit.edit(),
    };
    let on = move || here.edit.is_some() && pointed.get() == Some(here);
    let unsure = edit.as_ref().is_some_and(Edit::is_unsure);
    let (classes, drawn) = match unit {
        Unit::Caret { .. } => ("unit caret", "‸".to_owned()),
        Unit::Bars { .. } => ("unit bars", "‖".to_owned()),
        Unit::Stretch { .. } => match edit.as_ref().map(|it| class(it.kind)) {
            Some("spl") => ("unit spl", words),
            _ => ("unit par", words),
        },
        Unit::Word(_) | Unit::Gap(_) => ("unit", words),
    };
    let spoken = match (unit, edit.as_ref().map(|it| it.kind)) {
        (Unit::Caret { .. }, _) => Some("words left out here"),
        (Unit::Bars { .. }, _) => Some("sentence split here"),
        (Unit::Stretch { .. }, Some(EditKind::Split)) => Some(", split"),
        (Unit::Stretch { .. }, _) => Some(", paraphrase"),
        _ => None,
    };
    let hidden = matches!(unit, Unit::Caret { .. } | Unit::Bars { .. });
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
            {spoken.map(|it| view! {
                <span class="visually-hidden">{it}{unsure.then_some(", aligner not sure")}</span>
            })}
        </span>
    }
}
