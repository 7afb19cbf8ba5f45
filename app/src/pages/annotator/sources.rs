use domain::study::{AssignmentState, SourcePurpose};
use leptos::prelude::*;
use store::assignments::AssignmentEntry;

use crate::{
    components::{Moment, format_duration},
    links::StudyPage,
};

/// The annotator's sources so far: open ones first, then the newest.
#[component]
pub fn MySources(slug: String, mut mine: Vec<AssignmentEntry>) -> impl IntoView {
    if mine.is_empty() {
        return ().into_any();
    }
    mine.sort_by_key(|entry| {
        let changed = entry.ended_at.unwrap_or(entry.created_at);
        (
            entry.state != AssignmentState::Open,
            std::cmp::Reverse(changed),
        )
    });
    let counts = counts(&mine);
    let rows = mine
        .into_iter()
        .map(|assigned| row(&slug, assigned))
        .collect_view();
    view! {
        <section aria-labelledby="mine">
            <h2 id="mine">"Your sources"</h2>
            <p class="soft numbers">{counts}</p>
            <div class="table-scroll" role="group" aria-labelledby="mine" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Source"</th>
                            <th scope="col">"State"</th>
                            <th scope="col" class="number">"Rated"</th>
                            <th scope="col">"Last change"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

fn row(slug: &str, assigned: AssignmentEntry) -> impl IntoView + use<> {
    let at = assigned.ended_at.unwrap_or(assigned.created_at);
    let AssignmentEntry {
        assignment,
        text,
        purpose,
        state,
        progress,
        reason,
        ..
    } = assigned;
    let begins = beginning(&text);
    let source = if state == AssignmentState::Released {
        view! { <span>{begins}</span> }.into_any()
    } else {
        let href = StudyPage::Workspace(assignment).address(slug);
        view! { <a href=href>{begins}</a> }.into_any()
    };
    let check_again = (state == AssignmentState::Open && !reason.is_empty()).then(|| {
        view! { <p class="asked-again">{format!("To check again: {reason}")}</p> }
    });
    let part = purpose_label(purpose).map(|part| view! { <span class="tag">{part}</span> });
    view! {
        <tr>
            <th scope="row" data-label="Source">{source} " " {part}</th>
            <td data-label="State">{state_label(state)} {check_again}</td>
            <td data-label="Rated" class="number">{progress.rated} " of " {progress.items}</td>
            <td data-label="Last change"><Moment ms=at/></td>
        </tr>
    }
}

fn counts(mine: &[AssignmentEntry]) -> String {
    let count = |state| mine.iter().filter(|entry| entry.state == state).count();
    let active_ms = mine.iter().map(|entry| entry.progress.active_ms).sum();
    format!(
        "{} handed in · {} in work · {} skipped · active time: {}",
        count(AssignmentState::HandedIn),
        count(AssignmentState::Open),
        count(AssignmentState::Skipped),
        format_duration(active_ms),
    )
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
        SourcePurpose::Main => None,
        SourcePurpose::Tutorial => Some("tutorial"),
        SourcePurpose::Training => Some("training"),
        SourcePurpose::Qualification => Some("qualification"),
    }
}

fn state_label(state: AssignmentState) -> &'static str {
    match state {
        AssignmentState::Open => "in work",
        AssignmentState::HandedIn => "handed in",
        AssignmentState::Skipped => "skipped",
        AssignmentState::Released => "taken back",
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
