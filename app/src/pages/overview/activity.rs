use std::collections::HashMap;

use leptos::prelude::*;
use store::{Assigned, Event};

use crate::{components::Moment, links};

/// How many lines are shown.
const LINES: usize = 12;

/// What happened last: events of one kind that follow each other are one line.
#[component]
pub fn Activity(
    /// The study's short name.
    slug: String,
    /// The newest events, newest first, with their times.
    events: Vec<(Event, i64)>,
    /// Who has what, to say whose source an event is about.
    assignments: Vec<Assigned>,
) -> impl IntoView {
    let by_id: HashMap<_, _> = assignments
        .iter()
        .map(|it| (it.assignment.to_string(), it))
        .collect();
    let line = |line: Line| {
        let about = by_id.get(line.subject.as_str()).map(|it| {
            let source = links::to(&format!("/s/{slug}/sources/{}", it.source));
            view! { ": " {it.label.clone()} ", " <a href=source>{it.key.clone()}</a> }
        });
        view! {
            <li>
                <span class="soft"><Moment ms=line.at/></span>
                <span>{said(&line.kind, line.count)} {about}</span>
            </li>
        }
    };
    view! {
        <section aria-labelledby="activity">
            <h2 id="activity">"Latest activity"</h2>
            <ul class="activity">{lines(&events).into_iter().take(LINES).map(line).collect_view()}</ul>
        </section>
    }
}

/// Events of one kind that follow each other; of answers, whatever their subjects.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    kind: String,
    count: usize,
    at: i64,
    /// What it is about; empty where it is about several things.
    subject: String,
}

fn lines(events: &[(Event, i64)]) -> Vec<Line> {
    let mut lines: Vec<Line> = vec![];
    for (event, at) in events {
        match lines.last_mut().filter(|line| line.kind == event.kind) {
            Some(line) if !is_state(&event.kind) => {
                line.count += 1;
                if line.subject != event.subject {
                    line.subject.clear();
                }
            }
            _ => lines.push(Line {
                kind: event.kind.clone(),
                count: 1,
                at: *at,
                subject: event.subject.clone(),
            }),
        }
    }
    lines
}

/// Whether each event of the kind is worth a line: an assignment that came or went.
fn is_state(kind: &str) -> bool {
    matches!(kind, "open" | "handed-in" | "skipped" | "released")
}

/// What happened, for people.
fn said(kind: &str, count: usize) -> String {
    let many = |one: &str, many: &str| match count {
        1 => one.to_owned(),
        count => format!("{count} {many}"),
    };
    match kind {
        "handed-in" => "A source was handed in".to_owned(),
        "skipped" => "A source was skipped".to_owned(),
        "released" => "A source was taken back".to_owned(),
        "open" => "A source was given out".to_owned(),
        "rating" => many("A rating was saved", "ratings were saved"),
        "category" => many("A category was corrected", "categories were corrected"),
        "edits" => many("An output's edits were corrected", "corrections of edits"),
        "order" => many("Outputs were put in order", "orderings of outputs"),
        "note" => many("A note was written", "notes were written"),
        "member" => many("The members changed", "changes among the members"),
        "study" => many("The settings changed", "changes of the settings"),
        "import" => many("A file was imported", "files were imported"),
        "job" => many(
            "Background work began or ended",
            "beginnings and ends of background work",
        ),
        "discussion" => many(
            "Raters were asked to look at an output again",
            "times raters were asked to look at an output again",
        ),
        "quality-control" => "Quality-control items were placed".to_owned(),
        "alignment" => "The words of outputs were aligned anew".to_owned(),
        "source" => many(
            "A source's purpose changed",
            "sources changed their purpose",
        ),
        "system" => many("The kind of a system changed", "systems changed their kind"),
        "expected" => many("An expected answer changed", "expected answers changed"),
        other => many(
            &format!("Something happened ({other})"),
            &format!("× {other}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: i64, kind: &str, subject: &str) -> (Event, i64) {
        (
            Event {
                number,
                kind: kind.into(),
                subject: subject.into(),
            },
            number * 1000,
        )
    }

    #[test]
    fn answers_that_follow_each_other_are_one_line_and_what_was_handed_in_stands_alone() {
        let events = [
            event(5, "handed-in", "a"),
            event(4, "handed-in", "b"),
            event(3, "rating", "x"),
            event(2, "rating", "y"),
            event(1, "study", "s"),
        ];
        let found: Vec<_> = lines(&events)
            .into_iter()
            .map(|it| (it.kind, it.count, it.at, it.subject))
            .collect();
        let line =
            |kind: &str, count, at, subject: &str| (kind.to_owned(), count, at, subject.to_owned());
        assert_eq!(
            found,
            [
                line("handed-in", 1, 5000, "a"),
                line("handed-in", 1, 4000, "b"),
                line("rating", 2, 3000, ""),
                line("study", 1, 1000, "s"),
            ]
        );
        assert_eq!(said("rating", 2), "2 ratings were saved");
    }
}
