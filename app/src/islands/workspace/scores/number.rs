use domain::work::{entry::parse_score, history::UndoGrouping};
use leptos::{ev::KeyboardEvent, leptos_dom::helpers::TimeoutHandle, prelude::*};
use std::time::Duration;

use super::{go_on, number_id, score::ScoreControl};
use crate::{browser, islands::workspace::state::place_id};

/// The pause after which a typed score is saved; leaving the field saves it at once.
const PAUSE: Duration = Duration::from_millis(900);

/// The score as a number field.
#[component]
pub(super) fn Number(scoring: ScoreControl) -> impl IntoView {
    let typed = RwSignal::new(None::<String>);
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let begun = StoredValue::new(false);

    let take = move || {
        if let Some(timer) = timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
        // The pause may end after the annotator left the step.
        let Some(text) = typed.try_get_untracked().flatten() else {
            return false;
        };

        let scale = scoring.dimension.with_value(|dimension| dimension.scale);
        match parse_score(&text, scale) {
            Ok(score) => {
                // All keys typed in one go are one undoable action.
                let onward =
                    begun.try_update_value(|begun| std::mem::replace(begun, true)) == Some(true);
                scoring.give(
                    score,
                    if onward {
                        UndoGrouping::MergeWithPrevious
                    } else {
                        UndoGrouping::Separate
                    },
                );
                true
            }
            Err(wrong) => {
                scoring.wrong.set(Some(wrong.to_string()));
                false
            }
        }
    };

    let input = move |event| {
        typed.set(Some(event_target_value(&event)));
        if let Some(timer) = timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
        let later = move || {
            take();
        };
        timer.set_value(set_timeout_with_handle(later, PAUSE).ok());
    };

    let leave = move || {
        if take() || scoring.wrong.with_untracked(Option::is_none) {
            typed.set(None);
        }
        begun.set_value(false);
    };

    let press = move |event: KeyboardEvent| {
        let key = event.key();
        if (key != "Enter" && key != "Escape") || event.ctrl_key() || event.meta_key() {
            return;
        }
        // Otherwise Enter would also press the handle, which has the focus by then.
        event.prevent_default();

        if key == "Escape" {
            typed.set(None);
            scoring.wrong.set(None);
            browser::focus(&place_id(scoring.output));
        } else {
            take();
            if scoring.wrong.with_untracked(Option::is_none) {
                go_on(scoring.work, scoring.output, scoring.at);
            }
        }
    };

    let shown = move || {
        typed.get().unwrap_or_else(|| {
            scoring
                .shown()
                .map(|score| score.to_string())
                .unwrap_or_default()
        })
    };

    view! {
        <input
            id=number_id(scoring.output, scoring.at)
            class="num"
            type="text"
            inputmode="numeric"
            autocomplete="off"
            placeholder="–"
            prop:value=shown
            value=untrack(shown)
            aria-label=move || format!("{}, as a number", scoring.label())
            aria-invalid=move || scoring.wrong.with(Option::is_some).then_some("true")
            disabled=move || !scoring.work.takes(scoring.output)
            tabindex=scoring.work.tab_index(scoring.output)
            on:input=input
            on:blur=move |_| leave()
            on:keydown=press
        />
    }
}
