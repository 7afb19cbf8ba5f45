use domain::{
    protocol::StudyProtocol,
    study::{AssignmentState, SourcePurpose},
};
use leptos::prelude::*;
use store::assignments::{AssignmentEntry, UpcomingWork};

use super::queue::Queue;
use app::{
    components::{Moment, describe_progress, format_duration, progress_title},
    links::StudyPage,
};

/// The annotator's sources: those in progress first, then what they submitted, then the rest.
#[component]
pub fn MySources(
    slug: String,
    protocol: StudyProtocol,
    /// The annotator's remaining work.
    outlook: UpcomingWork,
    /// The annotator's assignments.
    mut mine: Vec<AssignmentEntry>,
    /// Whether the study takes no more answers.
    is_closed: bool,
) -> impl IntoView {
    if mine.is_empty() {
        return ().into_any();
    }

    let active_ms = mine.iter().map(|entry| entry.progress.active_ms).sum();
    let queue = view! { <Queue slug=slug.clone() outlook mine=mine.clone()/> };
    mine.sort_by_key(|entry| std::cmp::Reverse(entry.ended_at.unwrap_or(entry.created_at)));

    let group = |which: SourceGroup| {
        let sources: Vec<_> = mine
            .iter()
            .filter(|entry| which.holds(entry))
            .cloned()
            .collect();
        (!sources.is_empty())
            .then(|| view! { <GroupTable slug=slug.clone() protocol=protocol.clone() which sources is_closed/> })
    };
    let groups = [
        SourceGroup::InProgress,
        SourceGroup::Submitted,
        SourceGroup::Ended,
    ];

    view! {
        <section aria-labelledby="mine">
            <h2 id="mine">"Your sources"</h2>
            {queue}
            <p class="soft numbers">"Active time: " {format_duration(active_ms)}</p>
            {groups.map(group)}
        </section>
    }
    .into_any()
}

/// Sources that are listed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SourceGroup {
    InProgress,
    Submitted,
    /// Skipped, or no longer the annotator's.
    Ended,
}

impl SourceGroup {
    fn holds(self, entry: &AssignmentEntry) -> bool {
        self == match entry.state {
            _ if entry.takes_answers() => Self::InProgress,
            AssignmentState::Open | AssignmentState::HandedIn => Self::Submitted,
            AssignmentState::Skipped | AssignmentState::Released => Self::Ended,
        }
    }

    /// The heading, its id, and a hint.
    fn texts(self, is_closed: bool) -> (&'static str, &'static str, &'static str) {
        const LOOK: &str = "Open one to look at your answers.";
        match self {
            Self::InProgress => (
                "In progress",
                "in-progress",
                if is_closed {
                    LOOK
                } else {
                    "Open one to continue with it."
                },
            ),
            Self::Submitted => ("Submitted", "submitted", LOOK),
            Self::Ended => ("Skipped or no longer yours", "ended", ""),
        }
    }
}

/// The sources of one group, the newest first.
#[component]
fn GroupTable(
    slug: String,
    protocol: StudyProtocol,
    which: SourceGroup,
    sources: Vec<AssignmentEntry>,
    is_closed: bool,
) -> impl IntoView {
    let (title, id, hint) = which.texts(is_closed);
    let rows = sources
        .into_iter()
        .map(|assigned| row(&slug, &protocol, which, assigned))
        .collect_view();
    let with_state = which == SourceGroup::Ended;
    let progress = progress_title(&protocol);

    view! {
        <h3 id=id>{title}</h3>
        {(!hint.is_empty()).then(|| view! { <p class="soft">{hint}</p> })}
        <div class="table-scroll" role="group" aria-labelledby=id tabindex="0">
            <table class="fold">
                <thead>
                    <tr>
                        <th scope="col">"Source"</th>
                        {with_state.then(|| view! { <th scope="col">"State"</th> })}
                        <th scope="col" class="number">{progress}</th>
                        <th scope="col">"Last change"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn row(
    slug: &str,
    protocol: &StudyProtocol,
    which: SourceGroup,
    assigned: AssignmentEntry,
) -> impl IntoView + use<> {
    let at = assigned.ended_at.unwrap_or(assigned.created_at);
    let AssignmentEntry {
        assignment,
        text,
        purpose,
        state,
        progress,
        reason,
        questions,
        ..
    } = assigned;

    let begins = beginning(&text);
    let source = if state == AssignmentState::Released {
        view! { <span>{begins}</span> }.into_any()
    } else {
        let href = StudyPage::Workspace(assignment).address(slug);
        view! { <a href=href>{begins}</a> }.into_any()
    };

    let to_check = match (state, questions) {
        (AssignmentState::Open, _) if !reason.is_empty() => {
            Some(format!("To check again: {reason}"))
        }
        (AssignmentState::HandedIn, 1) => Some("The lead asks about one output".to_owned()),
        (AssignmentState::HandedIn, 2..) => {
            Some(format!("The lead asks about {questions} outputs"))
        }
        _ => None,
    };
    let check_again = to_check.map(|words| view! { <p class="asked-again">{words}</p> });

    let part = purpose_label(purpose).map(|part| view! { <span class="tag">{part}</span> });
    let state = (which == SourceGroup::Ended)
        .then(|| view! { <td data-label="State">{state_label(state)}</td> });

    view! {
        <tr>
            <th scope="row" data-label="Source">{source} " " {part} {check_again}</th>
            {state}
            <td data-label=progress_title(protocol) class="number">{describe_progress(&progress, protocol)}</td>
            <td data-label="Last change"><Moment ms=at/></td>
        </tr>
    }
}

/// The beginning of a text, cut between words.
fn beginning(text: &str) -> String {
    const MOST: usize = 80;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(MOST).collect();
    let end = cut.rfind(char::is_whitespace).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

fn purpose_label(purpose: SourcePurpose) -> Option<&'static str> {
    match purpose {
        SourcePurpose::Main | SourcePurpose::Attention => None,
        SourcePurpose::Tutorial => Some("tutorial"),
        SourcePurpose::Training => Some("training"),
        SourcePurpose::Qualification => Some("qualification"),
    }
}

fn state_label(state: AssignmentState) -> &'static str {
    match state {
        AssignmentState::Open => "in progress",
        AssignmentState::HandedIn => "submitted",
        AssignmentState::Skipped => "skipped",
        AssignmentState::Released => "no longer yours",
    }
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn a_long_text_is_cut_between_words() {
        assert_eq!(beginning("A short one."), "A short one.");
        let long = "word ".repeat(40);
        let cut = beginning(&long);
        assert!(cut.ends_with("word…") && cut.chars().count() <= 81, "{cut}");
        let one = "ä".repeat(100);
        assert_eq!(beginning(&one), "ä".repeat(80) + "…");
    }
}
