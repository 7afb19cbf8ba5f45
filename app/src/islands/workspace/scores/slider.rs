use domain::{
    score::RatingScale,
    score_input::SliderInput,
    work::{
        entry::{SliderKey, move_slider},
        history::UndoGrouping,
    },
};
use leptos::{ev::KeyboardEvent, html::Input, prelude::*};

use super::{
    anchors::meaning_id, begin_score, go_on, score::ScoreControl, slider_id, starts_score,
};
use crate::{
    browser,
    islands::workspace::{state::place_id, teaching::ExpectedRange},
};

/// Key presses within this time of each other are one undoable action, in milliseconds.
const ONWARD_MS: u64 = 1_500;

/// The largest number of steps for which a scale is drawn with a mark at each of its points.
const MOST_STEPS: i32 = 10;

/// A slider without a thumb until it is touched.
#[component]
pub(super) fn Slider(scoring: ScoreControl, slider: SliderInput) -> impl IntoView {
    let scale = scoring.dimension.with_value(|dimension| dimension.scale);
    let middle = i32::midpoint(scale.low, scale.high);
    let steps = (scale.high - scale.low).max(1);
    let input = NodeRef::<Input>::new();
    let at = move || scoring.shown().map_or(middle, |score| score.get());

    Effect::new(move |_| {
        let part = f64::from(at() - scale.low) / f64::from(steps);
        if let Some(input) = input.get() {
            browser::set_number(&input, "--at", part);
            if steps <= MOST_STEPS {
                browser::set_number(&input, "--steps", steps.into());
            }
        }
    });

    let value = move || {
        input
            .get_untracked()
            .and_then(|input| input.value().parse().ok())
    };
    let read = move || value().map(|number: i32| scale.clamp(number));

    let keyed = StoredValue::new(0_u64);
    let press = move |event: KeyboardEvent| {
        if let Some(key) = slider_key(&event) {
            event.prevent_default();
            let score = move_slider(scale, scoring.shown(), key);
            if event.repeat() {
                // A held key is one answer, saved when it is released.
                scoring.live.set(Some(score));
            } else {
                let now = browser::now_ms();
                let onward = now.saturating_sub(keyed.get_value()) < ONWARD_MS;
                keyed.set_value(now);
                scoring.give(
                    Some(score),
                    if onward {
                        UndoGrouping::MergeWithPrevious
                    } else {
                        UndoGrouping::Separate
                    },
                );
            }
        } else if event.ctrl_key() || event.meta_key() || event.alt_key() {
            // Left to the row and the workspace.
        } else if event.key() == "Enter" {
            event.prevent_default();
            go_on(scoring.work, scoring.output, scoring.at);
        } else if event.key() == "Escape" {
            event.prevent_default();
            browser::focus(&place_id(scoring.output));
        } else if starts_score(&event.key()) {
            event.prevent_default();
            begin_score(scoring.work, scoring.output, scoring.at, &event.key());
        }
    };

    let settle = move |joining| {
        if let Some(score) = scoring.live.get_untracked() {
            scoring.give(Some(score), joining);
        }
    };

    view! {
        <span class="scale" class:untouched=move || scoring.shown().is_none()>
            {(scoring.at == 0).then(|| view! { <ExpectedRange output=scoring.output scale/> })}
            <input
                node_ref=input
                id=slider_id(scoring.output, scoring.at)
                type="range"
                min=scale.low
                max=scale.high
                step="1"
                value=untrack(at)
                prop:value=at
                aria-label=move || scoring.label()
                aria-valuetext=move || scoring.shown().map_or("not rated".to_owned(), |score| score.to_string())
                aria-describedby=(scoring.at == 0).then(|| meaning_id(scoring.output))
                disabled=move || !scoring.work.takes(scoring.output)
                tabindex=scoring.work.tab_index(scoring.output)
                on:input=move |_| scoring.live.set(read())
                on:change=move |_| settle(UndoGrouping::Separate)
                // A touch that turned into scrolling rates nothing, though a change event follows.
                on:pointercancel=move |_| scoring.live.set(None)
                // A click in the exact middle of an untouched slider fires no change event.
                on:click=move |_| {
                    if scoring.shown().is_none() {
                        scoring.give(read(), UndoGrouping::Separate);
                    }
                }
                on:keydown=press
                on:keyup=move |_| settle(UndoGrouping::MergeWithPrevious)
                on:blur=move |_| settle(UndoGrouping::MergeWithPrevious)
            />
            <Ends slider scale/>
        </span>
    }
}

/// The labels of the ends: the numbers, if they are shown, and their meaning.
#[component]
fn Ends(slider: SliderInput, scale: RatingScale) -> impl IntoView {
    let SliderInput {
        hides_number,
        low,
        high,
    } = slider;

    let or = |label: String, usual: &str| {
        if label.is_empty() {
            usual.to_owned()
        } else {
            label
        }
    };

    let (low, high) = (or(low, "worst"), or(high, "best"));
    let (low, high) = match hides_number {
        true => (low, high),
        false => (
            format!("{} {low}", scale.low),
            format!("{high} {}", scale.high),
        ),
    };

    view! { <span class="ends" aria-hidden="true"><span>{low}</span><span>{high}</span></span> }
}

fn slider_key(event: &KeyboardEvent) -> Option<SliderKey> {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return None;
    }
    Some(match event.key().as_str() {
        "ArrowUp" | "ArrowRight" => SliderKey::Up,
        "ArrowDown" | "ArrowLeft" => SliderKey::Down,
        "PageUp" => SliderKey::PageUp,
        "PageDown" => SliderKey::PageDown,
        "Home" => SliderKey::Home,
        "End" => SliderKey::End,
        _ => return None,
    })
}
