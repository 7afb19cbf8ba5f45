use domain::{
    ids::OutputId,
    work::navigation::{NavigationUnit, split_units},
};
use leptos::prelude::*;

use super::{
    WorkspaceState,
    highlight::{class, quoted},
    state::PointerTarget,
};

/// An output's text with its edits, read-only.
#[component]
pub(super) fn MarkedOutput(output: OutputId, text: String) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let edits = Memo::new(move |_| work.draft.with(|draft| draft.shown_edits(output)));

    let draw = move |unit: &NavigationUnit, text: &str| {
        let words = unit.span().slice(text).unwrap_or_default().to_owned();
        let Some(index) = unit.edit() else {
            return words.into_any();
        };

        let edit = edits.with(|edits| edits.get(index).cloned());
        let point = move |_| {
            work.pointed.set(Some(PointerTarget {
                output,
                edit: Some(index),
            }))
        };

        let (class, words) = match unit {
            NavigationUnit::Caret { .. } => ("caret", "‸".to_owned()),
            NavigationUnit::Bars { .. } => ("bars", "‖".to_owned()),
            _ => (edit.as_ref().map_or("", |edit| class(edit.kind)), words),
        };

        let left_out = edit.filter(|_| class == "caret").map(|edit| {
            work.draft
                .with_untracked(|draft| quoted(&draft.task().source, &edit.source))
        });

        view! { <span class=class data-words=left_out on:pointerenter=point>{words}</span> }
            .into_any()
    };

    view! {
        <p class="text">
            {move || edits.with(|edits| {
                split_units(&text, edits).iter().map(|unit| draw(unit, &text)).collect_view()
            })}
        </p>
    }
}
