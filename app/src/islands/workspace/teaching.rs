//! The teaching part of a tutorial and of a submitted training: the expected answers, next to the output
//! concerned, and never before the annotator's own try.

use domain::{
    ids::OutputId,
    score::RatingScale,
    study::SourcePurpose,
    work::{
        change::AnnotationStep,
        comparison_feedback,
        feedback::{self, AnswerFeedback},
        question_and_mark_feedback,
    },
};
use leptos::{html::Span, prelude::*};

use super::{
    WorkspaceState,
    later_steps::{self, LaterPart},
    state::place_id,
};
use crate::browser;

/// The task of the current step in a tutorial; the summary of a submitted training.
#[component]
pub(super) fn Teaching() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let (is_tutorial, is_open) = work.draft.with_untracked(|draft| {
        let purpose = draft.task().purpose;
        (purpose == SourcePurpose::Tutorial, draft.is_open())
    });
    if !is_open {
        return (move || later_steps::draw(work, LaterPart::Summary)).into_any();
    }

    let words = move || match work.is_merged() {
        true => MERGED_INSTRUCTION.to_owned(),
        false => instruction(work),
    };

    is_tutorial
        .then(|| view! { <p class="callout">{words}</p> })
        .into_any()
}

/// The number of answers in a submitted training that were as expected.
#[component]
pub(super) fn TrainingSummary() -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let summary = work.draft.with_untracked(feedback::summarise);
    summary.map(|words| view! { <p class="callout">{words}</p> })
}

const MERGED_INSTRUCTION: &str = "Tutorial: check each output from top to bottom. Correct its category, \
     choose a mark that is wrong, then give a score. After each score you see what is expected, and why.";

const RATE_INSTRUCTION: &str = "read each output and score it. After each score you see what is expected, \
     and why.";

/// The task of the current step of a tutorial.
fn instruction(work: WorkspaceState) -> String {
    let step = work.step.get();
    let number = work.draft.with_untracked(|draft| {
        let steps = draft.protocol().steps();
        let at = steps.iter().position(|it| it.place() == step);
        at.filter(|_| steps.len() > 1).map(|at| at + 1)
    });
    let number = number.map_or_else(String::new, |number| format!(", step {number}"));

    let task = match step {
        AnnotationStep::Answer => {
            "read each output and answer the questions about it. Where an answer is expected, you see it after yours."
        }
        AnnotationStep::Write => {
            "write what the source says in simpler words. The guidelines show an example. Your text is for practice."
        }
        AnnotationStep::Rate
            if work
                .draft
                .with_untracked(|draft| draft.protocol().compares()) =>
        {
            "read the outputs and choose. After each choice you see what is expected, and why. Then continue \
             with the next comparison."
        }
        AnnotationStep::Rate if !work.draft.with_untracked(|draft| draft.protocol().ranks()) => {
            RATE_INSTRUCTION
        }
        AnnotationStep::Categorise => {
            "our software sorted these outputs, and it makes mistakes. Move any that are in \
             the wrong category, then continue."
        }
        AnnotationStep::Highlight if work.marks_spans() => {
            "mark the words that the guidelines ask for, and say what each mark is. Where marks are expected, you see \
             below yours what is missing. Then continue."
        }
        AnnotationStep::Highlight => {
            "the marks show what changed. ‸ marks where words were left out, ‖ where a \
             sentence was split, and coloured words are new or changed. Words that only moved have no mark. \
             Choose a mark that is wrong to correct it."
        }
        AnnotationStep::Rate => {
            "put the best output of each category first, and score all of them. After each \
             score you see what is expected, and why."
        }
    };

    format!("Tutorial{number}: {task}")
}

/// The feedback on the category of an output.
#[component]
pub(super) fn CategoryNote(output: OutputId) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let words = move || {
        let tried = has_tried(work, AnnotationStep::Categorise);
        let feedback = work
            .draft
            .with(|draft| feedback::category_feedback(draft, output, tried));
        feedback.map(feedback_callout)
    };
    is_taught(work, output).then(|| view! { <div role="status">{words}</div> })
}

/// The feedback on the score of an output.
#[component]
pub(super) fn OutputFeedback(output: OutputId) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let id = format!("feedback-{output}");
    let place = id.clone();

    let feedback = move || {
        work.draft
            .with(|draft| feedback::output_feedback(draft, output))
    };

    // The focus has moved on to the next row, which may leave the feedback on this one out of sight.
    Effect::new(move |was_wrong: Option<bool>| {
        let is_wrong = feedback().is_some_and(|feedback| !feedback.is_right);
        if is_wrong && was_wrong == Some(false) {
            browser::show_soon(place.clone());
        }
        is_wrong
    });

    let words = move || feedback().map(feedback_callout);
    is_taught(work, output)
        .then(|| view! { <div role="status" class="feedback" id=id>{words}</div> })
}

/// The feedback on a comparison.
#[component]
pub(super) fn ComparisonFeedback(shown: Vec<OutputId>, dimension: String) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let is_taught = shown.iter().all(|output| is_taught(work, *output));

    let words = move || {
        let feedback = work
            .draft
            .with(|draft| comparison_feedback::comparison_feedback(draft, &shown, &dimension));
        feedback.map(feedback_callout)
    };

    is_taught.then(|| view! { <div role="status" class="feedback">{words}</div> })
}

pub(super) fn feedback_callout(feedback: AnswerFeedback) -> impl IntoView {
    let class = match feedback.is_right {
        true => "callout right",
        false => "callout wrong",
    };
    view! { <p class=class>{feedback.text}</p> }
}

/// The feedback on the marks, or on the edits, of an output.
pub(super) fn feedback_on_marks(work: WorkspaceState, output: OutputId) -> Option<AnyView> {
    let words = move || {
        let tried = has_tried(work, AnnotationStep::Highlight);
        let feedback = work
            .draft
            .with(|draft| question_and_mark_feedback::marks_feedback(draft, output, tried));
        feedback.map(feedback_callout)
    };

    is_taught(work, output)
        .then(|| view! { <div role="status" class="feedback">{words}</div> }.into_any())
}

/// The expected range on the track of a slider, once the output has a score.
#[component]
pub(super) fn ExpectedRange(output: OutputId, scale: RatingScale) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let range = work.draft.with_untracked(|draft| {
        let expected = draft.item(output)?.expected.as_ref()?;
        expected.range(scale)
    });

    range.map(|(low, high)| {
        let place = NodeRef::<Span>::new();
        Effect::new(move |_| {
            if let Some(place) = place.get() {
                let steps = f64::from((scale.high - scale.low).max(1));
                for (name, score) in [("--from", low), ("--to", high)] {
                    let part = f64::from(score - scale.low) / steps;
                    browser::set_number(&place, name, part);
                }
            }
        });

        let shown = move || {
            work.draft
                .with(|draft| !draft.is_open() || draft.ranking_score(output).is_some())
        };
        view! { <span node_ref=place class="expected-range" class:shown=shown aria-hidden="true"></span> }
    })
}

/// Whether the output has expected answers, which the annotator may see.
pub(super) fn is_taught(work: WorkspaceState, output: OutputId) -> bool {
    work.draft.with_untracked(|draft| {
        draft
            .item(output)
            .is_some_and(|item| item.expected.is_some())
    })
}

/// Whether the annotator of a tutorial tried to leave a step, so that all of its answers get feedback.
fn has_tried(work: WorkspaceState, step: AnnotationStep) -> bool {
    work.tried.get() >= Some(step)
}

/// Keeps a tutorial once in a step that corrects automatic proposals, if one is wrong, and shows why. Returns
/// whether it did. The next time the annotator continues with or without a correction.
pub(super) fn holds_back(work: WorkspaceState, to: AnnotationStep) -> bool {
    let step = work.step.get_untracked();
    if to <= step || untrack(|| has_tried(work, step)) {
        return false;
    }

    let wrong = match step {
        AnnotationStep::Categorise => work.draft.with_untracked(feedback::first_misplaced),
        AnnotationStep::Highlight => work.draft.with_untracked(work.uncorrected.get_value()),
        AnnotationStep::Rate | AnnotationStep::Answer | AnnotationStep::Write => return false,
    };

    work.tried.set(Some(step));
    match wrong {
        Some(output) => {
            browser::focus_soon(place_id(output));
            true
        }
        None => false,
    }
}
