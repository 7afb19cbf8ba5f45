use domain::{
    edit::Edit,
    work::navigation::{NavigationUnit, split_units},
};
use leptos::prelude::*;

use crate::islands::workspace::highlight::{class, quoted};

/// A text, and how it differs from its source.
pub(super) struct ChangedWords {
    pub(super) source: String,
    pub(super) text: String,
    pub(super) edits: Vec<Edit>,
}

/// A text with the marks of its edits.
#[component]
pub(super) fn MarkedText(words: ChangedWords) -> impl IntoView {
    let ChangedWords {
        source,
        text,
        edits,
    } = words;

    let draw = |unit: &NavigationUnit| {
        let words = unit.span().slice(&text).unwrap_or_default().to_owned();
        let Some(edit) = unit.edit().and_then(|index| edits.get(index)) else {
            return words.into_any();
        };

        let (class, words) = match unit {
            NavigationUnit::Caret { .. } => ("caret", "‸".to_owned()),
            NavigationUnit::Bars { .. } => ("bars", "‖".to_owned()),
            _ => (class(edit.kind), words),
        };

        let left_out = (class == "caret").then(|| quoted(&source, &edit.source));
        view! { <span class=class data-words=left_out>{words}</span> }.into_any()
    };

    let units = split_units(&text, &edits);
    view! { <p class="text with-left-out">{units.iter().map(draw).collect_view()}</p> }.into_any()
}
