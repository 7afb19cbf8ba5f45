//! The controls for the scores of an output, in every step that rates: sliders with numbers, and levels.

mod anchors;
mod levels;
mod note;
mod number;
mod question;
mod remark;
mod score;
mod slider;

use domain::{
    ids::OutputId,
    score_input::ScoreInput,
    study::Dimension,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        history::UndoGrouping,
    },
};
use leptos::{ev::KeyboardEvent, prelude::*};

pub(super) use self::{
    note::{Note, write_note},
    question::draw_questions,
    score::Scores,
};
use super::{
    WorkspaceState,
    state::place_id,
    unjudged::{ReasonMenu, judge_again_id},
};
use crate::browser;

/// Handles a key anywhere at an output that the focused element does not handle: a digit gives the first
/// score, X opens the reasons for giving none, Escape goes back to the output.
pub(super) fn press_within(
    work: WorkspaceState,
    menu: ReasonMenu,
    output: OutputId,
    event: &KeyboardEvent,
) {
    match event.key().as_str() {
        "Escape" => browser::focus(&place_id(output)),
        "x" | "X" => menu.open(output),
        key if starts_score(key) && work.takes(output) => begin_score(work, output, 0, key),
        _ => return,
    }
    event.prevent_default();
}

/// Whether a key begins to type a score, or chooses a level.
fn starts_score(key: &str) -> bool {
    key == "-" || (key.len() == 1 && key.as_bytes()[0].is_ascii_digit())
}

/// Gives the score on a dimension with a key that [`starts_score`]: chooses the level with that number, or
/// begins to type the number.
fn begin_score(work: WorkspaceState, output: OutputId, at: usize, key: &str) {
    let Some(dimension) = find_dimension(work, at).filter(|_| !is_unjudged(work, output)) else {
        return;
    };

    match dimension.input {
        ScoreInput::Levels(labels) => {
            let place = match key {
                "0" => Some(9),
                key => key
                    .parse()
                    .ok()
                    .and_then(|digit: usize| digit.checked_sub(1)),
            };

            if let Some(level) = place.filter(|level| *level < labels.len()) {
                let level = i32::try_from(level).unwrap_or_default();
                let score = dimension.scale.clamp(dimension.scale.low + level);
                let slot = AnnotationSlot::Rating {
                    output,
                    dimension: dimension.name,
                };
                let answer = AnnotationAnswer::Rating(Some(score));
                work.act([(slot, answer)], UndoGrouping::Separate);
                go_on(work, output, at);
            }
        }
        ScoreInput::Slider(slider) if slider.hides_number => focus_score(work, output, at),
        ScoreInput::Slider(_) => browser::type_into(&number_id(output, at), key),
    }
}

/// Goes to the next score of the output, or after the last one to the next output.
fn go_on(work: WorkspaceState, output: OutputId, at: usize) {
    let next = at + 1;
    if find_dimension(work, next).is_some() {
        focus_score(work, output, next);
    } else {
        work.travel(output, 1, place_id);
    }
}

/// Focuses the control of a score: the number if shown, otherwise the slider, or the chosen level.
fn focus_score(work: WorkspaceState, output: OutputId, at: usize) {
    let Some(Dimension { name, scale, input }) = find_dimension(work, at) else {
        return;
    };
    match input {
        ScoreInput::Levels(_) => {
            let score = work
                .draft
                .with_untracked(|draft| draft.rating(output, &name));
            let level = score.map_or(0, |score| score.get() - scale.low);
            browser::focus(&level_id(output, at, level));
        }
        ScoreInput::Slider(slider) if slider.hides_number => browser::focus(&slider_id(output, at)),
        ScoreInput::Slider(_) => browser::select_text(&number_id(output, at)),
    }
}

/// Focuses the first score of an output, with the arrow keys ready to change it. For an output that cannot be
/// judged, focuses the button that takes this back.
pub(super) fn focus_first_score(work: WorkspaceState, output: OutputId) {
    if is_unjudged(work, output) {
        return browser::focus(&judge_again_id(output));
    }
    match find_dimension(work, 0).map(|dimension| dimension.input) {
        Some(ScoreInput::Slider(_)) => browser::focus(&slider_id(output, 0)),
        _ => focus_score(work, output, 0),
    }
}

fn is_unjudged(work: WorkspaceState, output: OutputId) -> bool {
    (work.draft).with_untracked(|draft| draft.unjudged(output).is_some())
}

fn find_dimension(work: WorkspaceState, at: usize) -> Option<Dimension> {
    work.draft
        .with_untracked(|draft| draft.task().dimensions.get(at).cloned())
}

/// The id of a slider, by the number of its dimension.
fn slider_id(output: OutputId, dimension: usize) -> String {
    format!("slider-{output}-{dimension}")
}

/// The id of a number field, by the number of its dimension.
fn number_id(output: OutputId, dimension: usize) -> String {
    format!("number-{output}-{dimension}")
}

/// The id of a level, by the number of its dimension and its own number from 0.
fn level_id(output: OutputId, dimension: usize, level: i32) -> String {
    format!("level-{output}-{dimension}-{level}")
}
