//! Agreement on the answers to questions.

use leptos::prelude::*;
use service::figures::questions::{OptionAgreement, QuestionFigures};

use super::alpha::format_alpha;

/// The agreement on the answers to each question with options.
#[component]
pub(super) fn AnsweredQuestions(of: Vec<QuestionFigures>) -> impl IntoView {
    let rows = of.iter().flat_map(|figures| {
        figures
            .agreement
            .iter()
            .map(move |agreement| row(figures, agreement))
    });
    let rows = rows.collect_view();

    view! {
        <h2>"Answers to questions"</h2>
        <p class="soft">
            "Krippendorff’s α at the nominal level for each question with options: whether raters chose the same one. A \
             question with several options has one α for each, on whether it was chosen. A unit is an output, or a \
             source. Intervals are percentile intervals of 1,000 resamples of sources. Answers to hidden questions, and \
             options that are no longer offered, do not count."
        </p>
        <div class="table-scroll" role="group" aria-label="Agreement on the answers to questions" tabindex="0">
            <table class="fold">
                <thead>
                    <tr>
                        <th scope="col">"Question"</th>
                        <th scope="col" class="number">"α"</th>
                        <th scope="col">"95 % interval"</th>
                        <th scope="col" class="number">"Answers"</th>
                        <th scope="col" class="number">"By two or more"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn row(figures: &QuestionFigures, of: &OptionAgreement) -> impl IntoView + use<> {
    let question = figures.question.text.clone();
    let option = of.option.clone().map(|option| format!(" · {option}"));
    let alpha = match of.agreement.alpha {
        Ok(alpha) => format_alpha(alpha),
        Err(reason) => format!("undefined: {reason}"),
    };
    let interval = match (of.agreement.alpha, of.interval) {
        (Ok(_), Ok(interval)) => format!(
            "{} to {}",
            format_alpha(interval.low),
            format_alpha(interval.high)
        ),
        _ => "–".to_owned(),
    };

    view! {
        <tr>
            <th scope="row" data-label="Question">{question} {option}</th>
            <td data-label="α" class="number">{alpha}</td>
            <td data-label="95 % interval">{interval}</td>
            <td data-label="Answers" class="number">{of.agreement.ratings}</td>
            <td data-label="By two or more" class="number">{of.agreement.pairable_units}</td>
        </tr>
    }
}
