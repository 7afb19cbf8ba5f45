//! Answers to questions about the outputs of each system.

use leptos::prelude::*;
use service::{
    figures::questions::{OptionShares, QuestionFigures},
    wording::decimal,
};

/// The share of each option, for the outputs of each system.
#[component]
pub(super) fn AnsweredSystems(of: Vec<QuestionFigures>) -> impl IntoView {
    let tables = of.iter().filter(|figures| !figures.systems.is_empty());
    let tables = tables.map(table).collect_view();
    view! {
        <h2>"Answers to questions"</h2>
        <p class="soft">
            "The share of answers with each option, by system. Of a question with several options, an answer may count for \
             more than one. An answer about an output that several systems wrote counts for each of them."
        </p>
        {tables}
    }
}

fn table(of: &QuestionFigures) -> impl IntoView + use<> {
    let options = of.question.options().iter().map(|option| {
        let label = option.label.clone();
        view! { <th scope="col" class="number">{label}</th> }
    });
    let options = options.collect_view();

    let share = |share: &f64| {
        let percent = decimal(share * 100.0, 0);
        view! { <td class="number">{percent} " %"</td> }
    };
    let row = |system: &OptionShares| {
        let shares = system.shares.iter().map(share).collect_view();
        let name = system.system.clone();
        view! {
            <tr>
                <th scope="row">{name}</th>
                {shares}
                <td class="number">{system.answers}</td>
            </tr>
        }
    };
    let rows = of.systems.iter().map(row).collect_view();
    let text = of.question.text.clone();

    view! {
        <h3>{text.clone()}</h3>
        <div class="table-scroll" role="group" aria-label=text tabindex="0">
            <table>
                <thead>
                    <tr>
                        <th scope="col">"System"</th>
                        {options}
                        <th scope="col" class="number">"Answers"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}
