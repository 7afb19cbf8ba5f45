use domain::{
    ids::OutputId,
    questions::{AnswerOption, AskedQuestion, QuestionAnswer, QuestionKind},
    work::{
        change::{AnnotationAnswer, AnnotationSlot, AnnotationStep},
        history::UndoGrouping,
        question_and_mark_feedback,
    },
};
use leptos::{ev::KeyboardEvent, prelude::*, wasm_bindgen::JsCast};

use super::focus_subject;
use crate::{
    browser,
    islands::workspace::{WorkspaceState, teaching::feedback_callout},
};

/// The place of a question: an output, or the source.
#[derive(Clone, Copy)]
pub(super) struct QuestionPlace {
    pub(super) output: Option<OutputId>,
}

impl QuestionPlace {
    /// The id of a question's element, which is a prefix of the ids of its parts.
    fn id(self, key: &str) -> String {
        match self.output {
            Some(output) => format!("asked-{output}-{key}"),
            None => format!("asked-source-{key}"),
        }
    }

    /// Whether the annotator may answer the question.
    fn takes(self, work: WorkspaceState) -> bool {
        match self.output {
            Some(output) => work.takes(output),
            None => {
                let only_questions =
                    |draft: &domain::work::draft::AnnotationDraft| draft.task().only_questions;
                work.takes_answers() && !work.draft.with(only_questions)
            }
        }
    }

    fn give(self, work: WorkspaceState, key: &str, answer: Option<QuestionAnswer>) {
        let slot = AnnotationSlot::Question {
            output: self.output,
            key: key.to_owned(),
        };
        let answer = AnnotationAnswer::Question(answer);
        work.act([(slot, answer)], UndoGrouping::Separate);
    }

    fn has(self, work: WorkspaceState, key: &str, option: &str) -> bool {
        let answer = work
            .draft
            .with(|draft| draft.question_answer(self.output, key));
        answer.is_some_and(|answer| answer.options().iter().any(|own| own == option))
    }

    /// Chooses the option with that number, from 0. If the question takes several answers, this adds the
    /// option or removes it again; otherwise it replaces the chosen one.
    pub(super) fn choose(self, work: WorkspaceState, question: &AskedQuestion, number: usize) {
        let Some(option) = question.options().get(number) else {
            return;
        };
        if !untrack(|| self.takes(work)) {
            return;
        }

        let has = untrack(|| self.has(work, &question.key, &option.key));
        match question.kind {
            QuestionKind::One(_) => {
                let answer = QuestionAnswer::One(option.key.clone());
                self.give(work, &question.key, Some(answer));
            }
            QuestionKind::Several(_) => self.set_option(work, question, option, !has),
            QuestionKind::Text(_) => return,
        }

        browser::focus_soon(option_id(&self.id(&question.key), number));
    }

    fn set_option(
        self,
        work: WorkspaceState,
        question: &AskedQuestion,
        option: &AnswerOption,
        is_chosen: bool,
    ) {
        let own = |other: &AnswerOption| match other.key == option.key {
            true => is_chosen,
            false => untrack(|| self.has(work, &question.key, &other.key)),
        };

        let options = question.options().iter().filter(|other| own(other));
        let keys: Vec<_> = options.map(|option| option.key.clone()).collect();

        let answer = (!keys.is_empty()).then_some(QuestionAnswer::Several(keys));
        self.give(work, &question.key, answer);
    }
}

/// A question, shown while its condition holds.
#[component]
pub(super) fn Question(place: QuestionPlace, question: AskedQuestion) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let key = question.key.clone();

    let is_shown = Memo::new(move |_| {
        work.draft.with(|draft| {
            let shown = draft.shown_questions(place.output);
            shown.iter().any(|question| question.key == key)
        })
    });

    let question = StoredValue::new(question);
    view! {
        <Show when=move || is_shown.get()>
            {question.with_value(|question| draw(work, place, question))}
        </Show>
    }
    .into_any()
}

fn draw(work: WorkspaceState, place: QuestionPlace, question: &AskedQuestion) -> AnyView {
    let id = place.id(&question.key);
    let wording = question.text.clone();
    let optional = (!question.required).then(|| view! { <span class="soft">" (optional)"</span> });
    let hint_id = (!question.hint.is_empty()).then(|| format!("{id}-hint"));
    let hint = hint_id.clone().map(|hint_id| {
        view! { <p class="help" id=hint_id>{question.hint.clone()}</p> }
    });

    match &question.kind {
        QuestionKind::Text(most) => {
            let most = *most;
            let own = question.key.clone();
            // A memo, because the property is set whenever the signal changes: an answer that is saved
            // meanwhile must not overwrite what is being typed.
            let text = Memo::new(move |_| {
                let answer = work
                    .draft
                    .with(|draft| draft.question_answer(place.output, &own));
                match answer {
                    Some(QuestionAnswer::Text(text)) => text,
                    _ => String::new(),
                }
            });

            let key = question.key.clone();
            let save = move |event| {
                let text = event_target_value(&event).trim().to_owned();
                let answer = (!text.is_empty()).then_some(QuestionAnswer::Text(text));
                place.give(work, &key, answer);
            };
            view! {
                <div class="step-question">
                    <label for=id.clone()>{wording} {optional}</label>
                    {hint}
                    <textarea
                        id=id
                        rows="2"
                        maxlength=most
                        aria-describedby=hint_id
                        prop:value=text
                        disabled=move || !place.takes(work)
                        on:change=save
                        on:keydown=move |event: KeyboardEvent| {
                            if event.key() == "Escape" {
                                focus_subject(place.output);
                            }
                        }
                    ></textarea>
                </div>
            }
            .into_any()
        }
        QuestionKind::One(options) | QuestionKind::Several(options) => {
            let options = options
                .iter()
                .enumerate()
                .map(|(number, option)| draw_option(work, place, question, (number, option)));

            let asked = question.clone();
            let press = move |event: KeyboardEvent| {
                if event.ctrl_key() || event.meta_key() || event.alt_key() {
                    return;
                }
                match event.key().as_str() {
                    "Enter" => lead_on(work, place.output, Some(&asked.key)),
                    "Escape" => focus_subject(place.output),
                    key => match option_number(key) {
                        Some(number) => place.choose(work, &asked, number),
                        None => return,
                    },
                }
                event.prevent_default();
            };
            view! {
                <fieldset
                    class="step-question levels"
                    id=id
                    disabled=move || !place.takes(work)
                    aria-describedby=hint_id
                    on:keydown=press
                >
                    <legend>{wording} {optional}</legend>
                    {hint}
                    <div class="options">{options.collect_view()}</div>
                    {feedback(work, place, question.key.clone())}
                </fieldset>
            }
            .into_any()
        }
    }
}

fn draw_option(
    work: WorkspaceState,
    place: QuestionPlace,
    question: &AskedQuestion,
    (number, option): (usize, &AnswerOption),
) -> AnyView {
    let id = place.id(&question.key);

    let is_one = matches!(question.kind, QuestionKind::One(_));
    let (key, option_key) = (question.key.clone(), option.key.clone());
    let is_chosen = move || place.has(work, &key, &option_key);
    let is_chosen = Memo::new(move |_| is_chosen());

    let (asked, own) = (question.clone(), option.clone());
    let change = move |event| match is_one {
        true => place.give(work, &asked.key, Some(QuestionAnswer::One(own.key.clone()))),
        false => place.set_option(work, &asked, &own, event_target_checked(&event)),
    };

    let digit = (number < 9).then(|| view! { <b aria-hidden="true">{number + 1}" "</b> });
    view! {
        <label class="level">
            <input
                type=if is_one { "radio" } else { "checkbox" }
                id=option_id(&id, number)
                name=id
                checked=is_chosen.get_untracked()
                prop:checked=is_chosen
                on:change=change
            />
            <span>{digit}{option.label.clone()}</span>
        </label>
    }
    .into_any()
}

/// The expected answer, if there is one and the annotator has given theirs.
fn feedback(work: WorkspaceState, place: QuestionPlace, key: String) -> Option<AnyView> {
    let output = place.output;
    let is_taught = work
        .draft
        .with_untracked(|draft| question_and_mark_feedback::expects_choice(draft, output, &key));

    let words = move || {
        let feedback = work
            .draft
            .with(|draft| question_and_mark_feedback::question_feedback(draft, output, &key));
        feedback.map(feedback_callout)
    };

    is_taught.then(|| view! { <div role="status" class="feedback">{words}</div> }.into_any())
}

/// Focuses the next question shown about the same text, or moves on to the next output.
pub(super) fn lead_on(work: WorkspaceState, subject: Option<OutputId>, after: Option<&str>) {
    let next = work.draft.with_untracked(|draft| {
        let shown = draft.shown_questions(subject);
        let at = after.and_then(|key| shown.iter().position(|question| question.key == key));
        shown
            .get(at.map_or(0, |at| at + 1))
            .map(|question| (**question).clone())
    });

    if let Some(question) = next {
        let id = QuestionPlace { output: subject }.id(&question.key);
        browser::focus(&match question.kind {
            QuestionKind::Text(_) => id,
            _ => {
                let answer = work
                    .draft
                    .with_untracked(|draft| draft.question_answer(subject, &question.key));
                let is_chosen = |option: &AnswerOption| {
                    let mut chosen = question.chosen(answer.as_ref());
                    chosen.any(|own| own == option)
                };
                let at = question.options().iter().position(is_chosen);
                option_id(&id, at.unwrap_or_default())
            }
        });
        return;
    }

    match subject {
        Some(output) => work.travel(output, 1, crate::islands::workspace::state::place_id),
        None => work.go(AnnotationStep::Answer, super::first_output(work)),
    }
}

/// The number, from 0, of the option that a key chooses.
pub(super) fn option_number(key: &str) -> Option<usize> {
    let digit: usize = key.parse().ok()?;
    (1..=9).contains(&digit).then(|| digit - 1)
}

/// Whether a key goes to a text field.
pub(super) fn is_writing(event: &KeyboardEvent) -> bool {
    let target = event.target();
    let target = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| target.tag_name() == "TEXTAREA")
}

fn option_id(question: &str, number: usize) -> String {
    format!("{question}-{number}")
}
