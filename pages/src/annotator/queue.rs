use domain::study::AssignmentState;
use leptos::prelude::*;
use store::assignments::{AssignmentEntry, UpcomingWork};

use app::links::StudyPage;

/// The numbers of sources to do, in progress, submitted and skipped. Those in progress and
/// submitted are links.
#[component]
pub fn Queue(
    slug: String,
    outlook: UpcomingWork,
    /// The annotator's assignments.
    mine: Vec<AssignmentEntry>,
) -> impl IntoView {
    let count = |state| mine.iter().filter(|entry| entry.state == state).count();
    let open = mine
        .iter()
        .find(|entry| entry.state == AssignmentState::Open)
        .map(|entry| StudyPage::Workspace(entry.assignment).address(&slug));
    let submitted = count(AssignmentState::HandedIn);
    let skipped = count(AssignmentState::Skipped);

    let link = |href: Option<String>, words: String| match href {
        Some(href) => view! { <a href=href>{words}</a> }.into_any(),
        None => words.into_any(),
    };

    view! {
        <ul class="queue numbers">
            <li>{pending(&outlook, count(AssignmentState::Open))}</li>
            <li>{link(open, format!("{} in progress", count(AssignmentState::Open)))}</li>
            <li>{link((submitted > 0).then(|| "#submitted".to_owned()), format!("{submitted} submitted"))}</li>
            {(skipped > 0).then(|| view! { <li>{format!("{skipped} skipped")}</li> })}
        </ul>
    }
}

/// The number of sources to come, in words, without the open ones. It is approximate for the
/// study's main sources, which other annotators may take.
fn pending(outlook: &UpcomingWork, open: usize) -> String {
    let parts = [
        outlook.tutorial,
        outlook.training,
        outlook.qualification,
        outlook.main,
    ];
    let available: u32 = parts.iter().map(|part| part.available).sum();
    match (available as usize).saturating_sub(open) {
        0 => "none to do".to_owned(),
        left if outlook.main.available > 0 => format!("about {left} to do"),
        left => format!("{left} to do"),
    }
}

#[cfg(test)]
mod tests {
    use store::assignments::{PurposeProgress, UpcomingAssignment};

    use super::*;

    #[test]
    fn pending_sources_are_those_not_yet_begun() {
        let part = |available| PurposeProgress {
            available,
            ..PurposeProgress::default()
        };
        let outlook = |training, main| UpcomingWork {
            next: UpcomingAssignment::Nothing,
            tutorial: part(0),
            training: part(training),
            qualification: part(0),
            main: part(main),
        };
        assert_eq!(pending(&outlook(1, 8), 1), "about 8 to do");
        assert_eq!(pending(&outlook(2, 0), 0), "2 to do");
        assert_eq!(pending(&outlook(0, 1), 1), "none to do");
    }
}
