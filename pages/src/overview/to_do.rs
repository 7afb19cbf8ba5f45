use leptos::prelude::*;

use super::tasks::{LeadTask, TaskFacts, setup_tasks, urgent_tasks};
use crate::members::WaitingAnnotator;
use app::links::StudyPage;

/// The lead's tasks, most urgent first, each with a link; nothing if there are none.
#[component]
pub fn ToDo(
    facts: TaskFacts,
    /// The annotators who are waiting to be admitted.
    waiting: Vec<WaitingAnnotator>,
) -> impl IntoView {
    let (urgent, setup) = (urgent_tasks(&facts), setup_tasks(&facts));
    if urgent.is_empty() && setup.is_empty() && waiting.is_empty() {
        return ().into_any();
    }

    let address = |page: StudyPage, section: &str| page.address(&facts.study.slug) + section;
    let admit = |annotator: WaitingAnnotator| {
        let answers = annotator.answered.then(|| {
            let page = address(StudyPage::Qualification(annotator.person), "");
            view! { " " <a href=page>{format!("See the answers of {}", annotator.name)}</a> }
        });
        view! {
            <li>
                <a href=address(StudyPage::Members, "#members")>{format!("{} is waiting to be admitted", annotator.name)}</a>
                <span class="soft">" " {annotator.result}</span>
                {answers}
            </li>
        }
    };
    let item = |task: LeadTask| {
        view! {
            <li>
                <a href=address(task.page, task.section)>{task.todo}</a>
                <span class="soft">" " {task.why}</span>
            </li>
        }
    };

    view! {
        <section class="card to-do" aria-labelledby="to-do">
            <h2 id="to-do">"To do"</h2>
            <ol>
                {urgent.into_iter().map(item).collect_view()}
                {waiting.into_iter().map(admit).collect_view()}
                {setup.into_iter().map(item).collect_view()}
            </ol>
        </section>
    }
    .into_any()
}
