use domain::work::history::UndoGrouping;
use leptos::{ev::KeyboardEvent, prelude::*};

use super::{begin_score, go_on, level_id, score::ScoreControl, starts_score};

/// The levels of a scale, one to choose.
#[component]
pub(super) fn Levels(scoring: ScoreControl, labels: Vec<String>) -> impl IntoView {
    let ScoreControl {
        work, output, at, ..
    } = scoring;
    let scale = scoring.dimension.with_value(|dimension| dimension.scale);

    let press = move |event: KeyboardEvent| {
        let key = event.key();
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }

        if key == "Enter" {
            go_on(work, output, at);
        } else if starts_score(&key) && work.takes(output) {
            begin_score(work, output, at, &key);
        } else {
            return;
        }
        event.prevent_default();
    };

    let level = move |(level, label): (i32, String)| {
        let score = scale.clamp(scale.low + level);
        let is_chosen = move || scoring.given.get() == Some(score);
        view! {
            <label class="level">
                <input
                    type="radio"
                    id=level_id(output, at, level)
                    name=format!("levels-{output}-{at}")
                    checked=untrack(is_chosen)
                    prop:checked=is_chosen
                    tabindex=work.tab_index(output)
                    on:change=move |_| scoring.give(Some(score), UndoGrouping::Separate)
                />
                <span><b aria-hidden="true">{level + 1}</b>" "{label}</span>
            </label>
        }
    };

    view! {
        <fieldset
            class="levels"
            disabled=move || !work.takes(output)
            aria-label=move || scoring.label()
            on:keydown=press
        >
            {(0..).zip(labels).map(level).collect_view()}
        </fieldset>
    }
    .into_any()
}
