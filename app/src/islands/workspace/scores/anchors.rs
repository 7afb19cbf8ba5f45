use domain::ids::OutputId;
use leptos::prelude::*;

use super::score::ScoreControl;

/// The meaning of the score, below the slider while it has the focus.
#[component]
pub(super) fn ScoreMeaning(scoring: ScoreControl) -> impl IntoView {
    let words = move || {
        let score = scoring.shown()?.get();
        let words = scoring
            .work
            .draft
            .with_untracked(|draft| draft.task().anchors.describe(score).to_owned());
        (!words.is_empty()).then(|| {
            view! { <p id=meaning_id(scoring.output) class="anchor">{words}</p> }
        })
    };
    view! { {words} }
}

/// The id of the meaning of an output's score.
pub(super) fn meaning_id(output: OutputId) -> String {
    format!("meaning-{output}")
}
