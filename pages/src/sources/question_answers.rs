//! Raters' answers to questions about a source or one of its outputs.

use domain::{ids::OutputId, protocol::AnswerStep, questions::QuestionAnswer};
use leptos::prelude::*;
use store::question_answers::AnswerRecord;

/// Each rater's answers, question by question. Texts are shown as they were written, never as HTML.
#[component]
pub(super) fn QuestionAnswers(
    /// The questions of the study.
    step: AnswerStep,
    /// All answers about the source and its outputs.
    answers: Vec<AnswerRecord>,
    /// The output; `None` for the source.
    output: Option<OutputId>,
) -> impl IntoView {
    let mut keys: Vec<_> = step
        .questions
        .iter()
        .map(|question| question.key.clone())
        .collect();
    for record in &answers {
        if !keys.contains(&record.question) {
            keys.push(record.question.clone());
        }
    }

    let line = |key: String| {
        let question = step.find(&key);
        let given: Vec<_> = answers
            .iter()
            .filter(|record| record.output == output && record.question == key)
            .map(|record| {
                let words = match &record.answer {
                    QuestionAnswer::Text(text) => text.clone(),
                    chosen => {
                        let label = |option: &String| {
                            let mut options = question.into_iter().flat_map(|own| own.options());
                            let known = options.find(|own| own.key == *option);
                            known.map_or_else(|| option.clone(), |own| own.label.clone())
                        };
                        let labels: Vec<_> = chosen.options().iter().map(label).collect();
                        labels.join(", ")
                    }
                };
                let rater = record.rater.clone();
                view! { <li><span class="soft">{rater}</span> " " <b>{words}</b></li> }
            })
            .collect();

        let text = question.map_or_else(|| key.clone(), |question| question.text.clone());
        (!given.is_empty()).then(|| {
            // An output has a heading of its own above, one level deeper.
            let heading = match output {
                Some(_) => view! { <h4>{text}</h4> }.into_any(),
                None => view! { <h3>{text}</h3> }.into_any(),
            };
            view! { <div class="rating-line">{heading}<ul>{given}</ul></div> }
        })
    };

    let lines: Vec<_> = keys.into_iter().filter_map(line).collect();
    let title = output
        .is_none()
        .then(|| view! { <h2>"Answers about the source"</h2> });
    (!lines.is_empty())
        .then(|| view! { <section class="ratings question-answers">{title} {lines}</section> })
}
