//! The latest events of a study in words.

mod lines;

use std::collections::HashMap;

use leptos::prelude::*;
use store::{
    EventKind, RecentEvent,
    metrics::{MetricOrigin, StudyMetric},
};

use self::lines::{ActivityLine, ActivityMatter, SimilarEvents, SourceWork, group_events};
use crate::rater_names::RaterNames;
use app::{
    components::{Moment, MomentForm},
    links::StudyPage,
};

/// The number of lines shown.
const LINES: usize = 12;

/// The latest activity: all work of an annotator on a source shares a line, and so do consecutive events of one other kind.
/// Automatic events are left out.
#[component]
pub fn Activity(
    slug: String,
    /// The newest events, newest first.
    events: Vec<RecentEvent>,
    /// The names of people by their ids, as far as the reader may see them.
    people: HashMap<String, String>,
    /// The names of raters, as far as the reader may see them.
    names: RaterNames,
    /// The study's metrics, to name those that were computed.
    metrics: Vec<StudyMetric>,
) -> impl IntoView {
    let metric_names: HashMap<_, _> = metrics
        .into_iter()
        .map(|metric| (metric.id.to_string(), (metric.name, metric.origin)))
        .collect();

    let line = |line: ActivityLine| {
        let words = match line.matter {
            ActivityMatter::Work(of) => work_line(&of, &slug, &names),
            ActivityMatter::Other(of) => {
                let about = match of.kind {
                    EventKind::Member => name_members(&of.subjects, &people),
                    _ => String::new(),
                };
                view! { {describe_events(&of, &metric_names)} {about} }.into_any()
            }
        };

        view! {
            <li>
                <span class="soft"><Moment ms=line.at form=MomentForm::Relative/></span>
                <span>{words}</span>
            </li>
        }
    };

    view! {
        <section aria-labelledby="activity">
            <h2 id="activity">"Latest activity"</h2>
            <ul class="activity">{group_events(&events).into_iter().take(LINES).map(line).collect_view()}</ul>
        </section>
    }
}

/// A sentence on an annotator's work on a source.
fn work_line(of: &SourceWork, slug: &str, names: &RaterNames) -> AnyView {
    let rater = names.label(&of.work.label);
    let did = format!("{rater} {} ", of.stage.verb());
    let address = StudyPage::Source(of.work.source).address(slug);
    view! { {did} <a href=address>{of.work.key.clone()}</a> {of.describe_changes()} }.into_any()
}

/// The members that a line is about, as far as they are known.
fn name_members(subjects: &[String], people: &HashMap<String, String>) -> String {
    let names: Vec<_> = subjects
        .iter()
        .filter_map(|subject| people.get(subject))
        .map(String::as_str)
        .collect();
    match names.len() {
        1..=3 if names.len() == subjects.len() => format!(": {}", names.join(", ")),
        _ => String::new(),
    }
}

/// The metrics that were computed, the first by name. Deleted metrics no longer have a name.
fn computed(subjects: &[String], names: &ActivityMetricNames) -> String {
    let metrics: Vec<_> = subjects
        .iter()
        .filter_map(|subject| names.get(subject))
        .collect();
    let imported = metrics
        .iter()
        .all(|(_, origin)| *origin == MetricOrigin::Imported);
    let happened = if imported { "imported" } else { "computed" };

    match metrics.as_slice() {
        [] => "Metrics were added or removed".to_owned(),
        [(one, _)] if imported => format!("The scores of {one} were imported"),
        [(one, _)] => format!("{one} was computed"),
        [(one, _), (other, _)] => format!("{one} and {other} were {happened}"),
        [(one, _), others @ ..] => {
            format!("{one} and {} other metrics were {happened}", others.len())
        }
    }
}

/// Metrics by id: their names, and the origin of their scores.
type ActivityMetricNames = HashMap<String, (String, MetricOrigin)>;

/// The text for consecutive events of one kind.
fn describe_events(of: &SimilarEvents, names: &ActivityMetricNames) -> String {
    let many = |one: &str, many: &str| match of.count {
        1 => one.to_owned(),
        count => format!("{count} {many}"),
    };

    match of.kind {
        EventKind::Metric | EventKind::Scores => computed(&of.subjects, names),
        // Work whose rater or source is known has a line of its own.
        EventKind::HandedIn
        | EventKind::Skipped
        | EventKind::Released
        | EventKind::Open
        | EventKind::Rating
        | EventKind::Category
        | EventKind::Edits
        | EventKind::Marks
        | EventKind::Answer
        | EventKind::Written
        | EventKind::Order
        | EventKind::Comparison
        | EventKind::Unjudged
        | EventKind::Note => "Work that was erased since".to_owned(),
        EventKind::Member => many("The members changed", "changes to the members"),
        EventKind::Study => "The settings changed".to_owned(),
        EventKind::Import => many("A file was imported", "files were imported"),
        EventKind::Discussion => many(
            "Raters were asked to check an output again",
            "requests to check an output again",
        ),
        EventKind::FinalValue => many("A final value was recorded", "final values were recorded"),
        EventKind::Consensus => many(
            "A consensus began, changed or ended",
            "times a consensus began, changed or ended",
        ),
        EventKind::QualityControl => "Quality-control items were added".to_owned(),
        EventKind::Alignment => "Highlights were improved".to_owned(),
        EventKind::Model => "A metric or an aligner was trained, or its use changed".to_owned(),
        EventKind::Comprehension => "The reading set-up changed".to_owned(),
        EventKind::Passage | EventKind::Question => "The passages or questions changed".to_owned(),
        EventKind::Participant => many(
            "A participant began, finished or left",
            "times participants began, finished or left",
        ),
        EventKind::ReadingAnswer => many("A question was answered", "questions were answered"),
        EventKind::Source => many(
            "A source's purpose changed",
            "sources changed their purpose",
        ),
        EventKind::System => many("A system was changed", "systems were changed"),
        EventKind::Expected => many("An expected answer changed", "expected answers changed"),
        EventKind::Job => "The study changed".to_owned(),
        EventKind::Erased => "Answers or personal data were erased".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use store::{EventWork, StudyEvent};

    use super::*;

    fn event(number: i64, kind: EventKind, subject: &str) -> RecentEvent {
        RecentEvent {
            event: StudyEvent {
                number,
                kind,
                subject: subject.into(),
            },
            at: number * 1000,
            work: None,
        }
    }

    /// An event of an annotator's work on a source.
    fn work(number: i64, kind: EventKind, label: &str, key: &str) -> RecentEvent {
        let work = EventWork {
            label: label.into(),
            source: "01890000-0000-7000-8000-000000000000".parse().unwrap(),
            key: key.into(),
        };
        RecentEvent {
            work: Some(work),
            ..event(number, kind, "id")
        }
    }

    /// The lines, each with the time of its newest event.
    fn lines(events: &[RecentEvent]) -> Vec<String> {
        let names = ["sari", "bleu", "fkgl"].map(|name| (name.to_owned(), MetricOrigin::Computed));
        let names: ActivityMetricNames = (1..).map(|n| format!("m{n}")).zip(names).collect();
        let describe = |line: &ActivityLine| match &line.matter {
            ActivityMatter::Work(of) => {
                let EventWork { label, key, .. } = &of.work;
                let changes = of.describe_changes();
                format!("{} {label} {} {key}{changes}", line.at, of.stage.verb())
            }
            ActivityMatter::Other(of) => format!("{} {}", line.at, describe_events(of, &names)),
        };
        group_events(events).iter().map(describe).collect()
    }

    #[test]
    fn work_on_a_source_is_one_line() {
        let events = [
            work(5, EventKind::HandedIn, "a", "s5"),
            work(4, EventKind::Order, "a", "s5"),
            work(3, EventKind::Rating, "a", "s5"),
            work(2, EventKind::Rating, "a", "s5"),
            work(1, EventKind::Open, "a", "s5"),
        ];
        assert_eq!(lines(&events), ["5000 a submitted s5: 3 changes"]);
        assert_eq!(lines(&events[1..]), ["4000 a is working on s5: 3 changes"]);
        assert_eq!(lines(&events[4..]), ["1000 a got s5"]);
    }

    #[test]
    fn annotators_at_work_at_once_have_a_line_each() {
        let events = [
            work(8, EventKind::Skipped, "a", "s2"),
            work(7, EventKind::Rating, "b", "s1"),
            work(6, EventKind::Open, "a", "s2"),
            work(5, EventKind::HandedIn, "a", "s1"),
            work(4, EventKind::Rating, "b", "s1"),
            work(3, EventKind::Rating, "a", "s1"),
            work(2, EventKind::Open, "b", "s1"),
            work(1, EventKind::Open, "a", "s1"),
        ];
        assert_eq!(
            lines(&events),
            [
                "8000 a skipped s2",
                "7000 b is working on s1: 2 changes",
                "5000 a submitted s1: 1 change",
            ]
        );
    }

    #[test]
    fn a_source_that_was_submitted_again_has_two_lines() {
        let events = [
            work(6, EventKind::HandedIn, "a", "s1"),
            work(5, EventKind::Rating, "a", "s1"),
            work(4, EventKind::HandedIn, "a", "s1"),
            work(3, EventKind::Rating, "a", "s1"),
            work(2, EventKind::Released, "a", "s1"),
            work(1, EventKind::Open, "a", "s1"),
        ];
        assert_eq!(
            lines(&events),
            [
                "6000 a submitted s1: 1 change",
                "4000 a submitted s1: 1 change",
                "2000 a no longer has s1",
            ]
        );
    }

    #[test]
    fn other_events_that_follow_each_other_are_one_line() {
        let events = [
            event(9, EventKind::Job, "j"),
            event(8, EventKind::Scores, "m2"),
            event(7, EventKind::Job, "j"),
            event(6, EventKind::Scores, "m1"),
            event(5, EventKind::Metric, "m2"),
            event(4, EventKind::Metric, "m3"),
            event(3, EventKind::Metric, "m1"),
            event(2, EventKind::Study, "s"),
            event(1, EventKind::Study, "s"),
        ];
        let expected = [
            "8000 bleu and 2 other metrics were computed",
            "2000 The settings changed",
        ];
        assert_eq!(lines(&events), expected);
        assert_eq!(lines(&events[6..7]), ["3000 sari was computed"]);
    }

    #[test]
    fn members_are_named_as_far_as_they_are_known() {
        let people = HashMap::from([("1".to_owned(), "Lea".to_owned())]);
        assert_eq!(name_members(&["1".into()], &people), ": Lea");
        assert_eq!(name_members(&["1".into(), "2".into()], &people), "");
    }
}
