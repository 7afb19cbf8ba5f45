use domain::study::Role;
use leptos::prelude::*;
use store::{Member, Study, overview::StudyOverview};

use crate::{links::StudyPage, pages::members::WaitingAnnotator};

/// The lead's tasks, most urgent first, each with a link; nothing where there are none.
#[component]
pub fn ToDo(
    study: Study,
    /// The counts of the study.
    holds: StudyOverview,
    /// The members.
    members: Vec<Member>,
    /// The annotators who are waiting to be admitted.
    waiting: Vec<WaitingAnnotator>,
    /// Whether readers would take part without an information sheet.
    uninformed_readers: bool,
) -> impl IntoView {
    let annotators = members.iter().any(|member| member.role == Role::Annotator);
    let missing = missing(&study, &holds, annotators, uninformed_readers);
    if missing.is_empty() && waiting.is_empty() {
        return ().into_any();
    }
    let address = |page: StudyPage, section: &str| page.address(&study.slug) + section;
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
    let item = |task: &SetupTask| {
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
                {waiting.into_iter().map(admit).collect_view()}
                {missing.iter().map(item).collect_view()}
            </ol>
        </section>
    }
    .into_any()
}

/// One missing thing.
#[derive(Debug, PartialEq, Eq)]
struct SetupTask {
    todo: &'static str,
    why: &'static str,
    page: StudyPage<'static>,
    /// The anchor on the page; empty for its top.
    section: &'static str,
}

fn missing(
    study: &Study,
    holds: &StudyOverview,
    annotators: bool,
    uninformed_readers: bool,
) -> Vec<SetupTask> {
    let mut missing = vec![];
    if study.closed_at.is_some() {
        return missing;
    }
    if holds.sources == 0 {
        missing.push(SetupTask {
            todo: "Import sources and system outputs",
            why: "There is nothing to judge yet.",
            page: StudyPage::Import,
            section: "",
        });
    }
    // Guidelines help annotators to come: in a study that is done, or whose ratings all come from files,
    // nobody would read them.
    let judging = annotators || holds.raters.is_empty();
    let done = holds.sources > 0 && holds.done == holds.sources;
    if study.guidelines.is_empty() && judging && !done {
        missing.push(SetupTask {
            todo: "Write the guidelines",
            why: "Raters who follow the same rules agree better.",
            page: StudyPage::Settings,
            section: "#texts",
        });
    }
    if !annotators && holds.raters.is_empty() {
        missing.push(SetupTask {
            todo: "Invite annotators",
            why: "There are no annotators yet.",
            page: StudyPage::Members,
            section: "#invitations",
        });
    }
    if uninformed_readers {
        missing.push(SetupTask {
            todo: "Write the information sheet for readers",
            why: "You need it before you can make a link for readers.",
            page: StudyPage::Reading,
            section: "#reading-information",
        });
    }
    missing
}

#[cfg(test)]
mod tests {
    use domain::{
        ids::StudyId,
        study::{RaterKind, StudySettings},
    };
    use store::overview::RaterProgress;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn guidelines_are_asked_for_while_somebody_will_read_them() {
        let study = Study {
            id: StudyId(Uuid::nil()),
            slug: "river".parse().unwrap(),
            name: "River".to_owned(),
            guidelines: String::new(),
            information: String::new(),
            settings: StudySettings::default(),
            events: 0,
            created_at: 0,
            closed_at: None,
            personal_data_erased_at: None,
        };
        let imported = RaterProgress {
            rater: domain::ids::RaterId(Uuid::nil()),
            kind: RaterKind::Imported,
            label: "from a file".to_owned(),
            withdrawn: false,
            open: 0,
            handed_in: 0,
            skipped: 0,
            ratings: 9,
            active_ms: 0,
        };
        let holds = |done, raters: &[RaterProgress]| StudyOverview {
            sources: 3,
            done,
            raters: raters.to_vec(),
            ..StudyOverview::default()
        };
        let asks = |study: &Study, holds: &StudyOverview, annotators| {
            let missing = missing(study, holds, annotators, false);
            missing
                .iter()
                .any(|task| task.todo == "Write the guidelines")
        };
        assert!(asks(&study, &holds(0, &[]), false));
        assert!(asks(
            &study,
            &holds(2, std::slice::from_ref(&imported)),
            true
        ));
        assert!(!asks(&study, &holds(3, &[]), true), "all is judged");
        assert!(!asks(&study, &holds(0, &[imported]), false), "no annotator");
        let closed = Study {
            closed_at: Some(1),
            ..study
        };
        assert!(missing(&closed, &StudyOverview::default(), false, true).is_empty());
    }
}
