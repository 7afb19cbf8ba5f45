//! The step that asks questions about the source and about each output.

mod question;

use domain::{
    ids::OutputId,
    protocol::{AnnotationStep, AnswerStep},
    questions::{AskedQuestion, QuestionAbout, QuestionKind},
    work::{draft::AnnotationDraft, missing::describe_place, walk::list_outputs},
};
use leptos::{ev::KeyboardEvent, prelude::*};

use self::question::{Question, QuestionPlace};
use super::{
    WorkspaceState,
    marked_output::MarkedOutput,
    scores::draw_questions,
    state::{SOURCE_QUESTIONS_ID, place_id},
};
use crate::browser;

/// The questions about the source, and the outputs, each with its questions.
#[component]
pub(super) fn Answer(step: AnswerStep) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let outputs = work
        .draft
        .with_untracked(|draft| list_outputs(draft, AnnotationStep::Answer));
    let count = outputs.len();

    let (of_source, of_output): (Vec<_>, Vec<_>) = step
        .questions
        .into_iter()
        .partition(|question| question.about == QuestionAbout::Source);
    let asks_of_outputs = !of_output.is_empty();
    let of_output = StoredValue::new(of_output);

    let card = |output: OutputId| {
        work.in_turn(output, move || {
            let questions = of_output.get_value();
            view! { <OutputQuestions output count questions/> }.into_any()
        })
    };

    let task = match (of_source.is_empty(), asks_of_outputs) {
        (true, _) => "Answer the questions about each output.",
        (false, true) => {
            "Answer the questions about the source, and then the questions about each output."
        }
        (false, false) => "Answer the questions about the source and its outputs.",
    };

    view! {
        <header class="step-head">
            <h1>"Answer"</h1>
            <p class="soft">{task} " Some questions come up only after certain answers."</p>
        </header>
        {(!of_source.is_empty()).then(|| view! { <SourceQuestions questions=of_source/> })}
        <ol class="output-cards">{outputs.into_iter().map(card).collect_view()}</ol>
    }
    .into_any()
}

/// The questions about the source.
#[component]
fn SourceQuestions(questions: Vec<AskedQuestion>) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let todo = Memo::new(move |_| work.draft.with(|draft| has_open(draft, None)));
    view! {
        <section
            class="output-card source-questions"
            class:todo=todo
            tabindex="-1"
            aria-labelledby=SOURCE_QUESTIONS_ID
            on:keydown=move |event| press(work, None, &event)
        >
            <h2 id=SOURCE_QUESTIONS_ID tabindex="-1">"The source"</h2>
            {draw_all(None, questions)}
        </section>
    }
    .into_any()
}

/// One output with its questions.
#[component]
fn OutputQuestions(
    output: OutputId,
    /// The number of outputs.
    count: usize,
    questions: Vec<AskedQuestion>,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let (place, item) = work
        .draft
        .with_untracked(|draft| (describe_place(draft, output), draft.item(output).cloned()));
    let (text, copies) = item
        .map(|item| (item.text, item.copies))
        .unwrap_or_default();

    let todo = Memo::new(move |_| work.draft.with(|draft| has_open(draft, Some(output))));
    let scores = work.draft.with_untracked(|draft| draft.protocol().scores());
    let is_unjudged = Memo::new(move |_| {
        work.draft
            .with(|draft| draft.unjudged(output).is_some() && draft.protocol().scores())
    });

    let total = (!work.draft.with_untracked(|draft| draft.protocol().ranks())).then_some(count);
    let questions = StoredValue::new(questions);
    view! {
        <li
            class="output-card"
            class:todo=todo
            // Makes the card focusable, so that keys reach it after a click on its text.
            tabindex="-1"
            on:focusin=move |_| work.make_current(output)
            on:keydown=move |event| press(work, Some(output), &event)
        >
            {(!scores).then(|| draw_questions(work, output))}
            <h2 id=place_id(output) tabindex="-1">
                {place} {total.map(|total| view! { <span class="soft">" of "{total}</span> })}
            </h2>
            <MarkedOutput output text/>
            {(copies > 1).then(|| view! { <p class="aside">{copies}" systems wrote this · answered once"</p> })}
            <Show
                when=move || !is_unjudged.get()
                fallback=|| view! { <p class="aside">"You cannot judge this output, so nothing is asked about it."</p> }
            >
                {draw_all(Some(output), questions.get_value())}
            </Show>
        </li>
    }
    .into_any()
}

fn draw_all(output: Option<OutputId>, questions: Vec<AskedQuestion>) -> impl IntoView {
    let draw = |question: AskedQuestion| {
        let place = QuestionPlace { output };
        view! { <Question place question/> }
    };
    questions.into_iter().map(draw).collect_view()
}

fn has_open(draft: &AnnotationDraft, subject: Option<OutputId>) -> bool {
    !draft.open_questions(subject).is_empty()
}

/// Handles a key on an output or the source, outside its questions and their text fields.
fn press(work: WorkspaceState, subject: Option<OutputId>, event: &KeyboardEvent) {
    let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
    if event.default_prevented() || modified || question::is_writing(event) {
        return;
    }

    match (event.key().as_str(), subject) {
        ("j" | "J", Some(output)) => work.travel(output, 1, place_id),
        ("k" | "K", Some(output)) => work.travel(output, -1, place_id),
        ("j" | "J", None) => work.go(AnnotationStep::Answer, first_output(work)),
        ("Enter", _) => question::lead_on(work, subject, None),
        (key, _) => {
            let Some(number) = question::option_number(key) else {
                return;
            };

            // The first question with options that has no answer yet.
            let open = work.draft.with_untracked(|draft| {
                let mut open = draft.open_questions(subject).into_iter();
                open.find(|question| !matches!(question.kind, QuestionKind::Text(_)))
                    .cloned()
            });
            if let Some(open) = open {
                QuestionPlace { output: subject }.choose(work, &open, number);
            }
        }
    }

    event.prevent_default();
}

fn first_output(work: WorkspaceState) -> Option<OutputId> {
    let outputs = work
        .draft
        .with_untracked(|draft| list_outputs(draft, AnnotationStep::Answer));
    outputs.first().copied()
}

/// Focuses an output, or the questions about the source.
fn focus_subject(subject: Option<OutputId>) {
    match subject {
        Some(output) => browser::focus(&place_id(output)),
        None => browser::focus(SOURCE_QUESTIONS_ID),
    }
}
