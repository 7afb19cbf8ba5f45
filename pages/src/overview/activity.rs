use std::collections::HashMap;

use leptos::prelude::*;
use service::wording::count_noun;
use store::{
    EventKind, EventWork, RecentEvent,
    metrics::{MetricOrigin, StudyMetric},
};

use app::{
    components::{Moment, MomentForm},
    links::StudyPage,
};

/// The number of lines shown.
const LINES: usize = 12;

/// The latest activity: consecutive events of one kind share a line, and automatic events are left out.
#[component]
pub fn Activity(
    slug: String,
    /// The newest events, newest first.
    events: Vec<RecentEvent>,
    /// The names of people by their ids, as far as the reader may see them.
    people: HashMap<String, String>,
    /// The study's metrics, to name those that were computed.
    metrics: Vec<StudyMetric>,
) -> impl IntoView {
    let metric_names: HashMap<_, _> = metrics
        .into_iter()
        .map(|metric| (metric.id.to_string(), (metric.name, metric.origin)))
        .collect();
    let line = |line: ActivityLine| {
        let about = match line.kind {
            EventKind::Member => name_members(&line.subjects, &people),
            _ => name_raters(&line.works),
        };
        let source = match &line.works[..] {
            [work] => Some(work),
            _ => None,
        };
        let source = source.map(|work| {
            let address = StudyPage::Source(work.source).address(&slug);
            view! { ", " <a href=address>{work.key.clone()}</a> }
        });
        view! {
            <li>
                <span class="soft"><Moment ms=line.at form=MomentForm::Relative/></span>
                <span>{describe_line(&line, &metric_names)} {about} {source}</span>
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

/// The raters whose work a line is about: nothing where there are none, their number where there are many.
fn name_raters(works: &[EventWork]) -> String {
    let mut labels: Vec<_> = works.iter().map(|work| &work.label[..]).collect();
    labels.sort_unstable();
    labels.dedup();
    match labels.len() {
        0 => String::new(),
        1..=3 => format!(": {}", labels.join(", ")),
        many => format!(": {}", count_noun(many, "annotator")),
    }
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

/// Consecutive events of one kind; answers are grouped whatever their subjects.
#[derive(Debug, PartialEq, Eq)]
struct ActivityLine {
    kind: EventKind,
    count: usize,
    at: i64,
    /// Their subjects: one or several.
    subjects: Vec<String>,
    /// The different pieces of work that they are about, none where they are about something else.
    works: Vec<EventWork>,
}

fn group_events(events: &[RecentEvent]) -> Vec<ActivityLine> {
    let mut lines: Vec<ActivityLine> = vec![];
    for recent in events
        .iter()
        .filter(|recent| recent.event.kind != EventKind::Job)
    {
        let subject = &recent.event.subject;
        let kind = match recent.event.kind {
            // A metric is added, and then computed: one matter.
            EventKind::Metric => EventKind::Scores,
            kind => kind,
        };
        match lines.last_mut().filter(|line| line.kind == kind) {
            Some(line) if !is_state(kind) => {
                line.count += 1;
                if !line.subjects.contains(subject) {
                    line.subjects.push(subject.clone());
                }
                let work = recent.work.iter();
                let work = work.filter(|work| !line.works.contains(work)).cloned();
                line.works.extend(work.collect::<Vec<_>>());
            }
            _ => lines.push(ActivityLine {
                kind,
                count: 1,
                at: recent.at,
                subjects: vec![subject.clone()],
                works: recent.work.iter().cloned().collect(),
            }),
        }
    }
    lines
}

/// The metrics that were computed, the first by name. Deleted ones have no name any more.
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

/// Whether each event of the kind is worth a line: an assignment that came or went.
fn is_state(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Open | EventKind::HandedIn | EventKind::Skipped | EventKind::Released
    )
}

/// The text for consecutive events of one kind.
fn describe_line(line: &ActivityLine, names: &ActivityMetricNames) -> String {
    let many = |one: &str, many: &str| match line.count {
        1 => one.to_owned(),
        count => format!("{count} {many}"),
    };
    match line.kind {
        EventKind::Metric | EventKind::Scores => computed(&line.subjects, names),
        EventKind::HandedIn => "A source was submitted".to_owned(),
        EventKind::Skipped => "A source was skipped".to_owned(),
        EventKind::Released => "An assignment was revoked or expired".to_owned(),
        EventKind::Open => "A source was assigned".to_owned(),
        EventKind::Rating => many("A rating was saved", "ratings were saved"),
        EventKind::Category => many("A category was corrected", "categories were corrected"),
        EventKind::Edits => many(
            "An output's edits were corrected",
            "outputs' edits were corrected",
        ),
        EventKind::Marks => many("An output's spans were marked", "times spans were marked"),
        EventKind::Answer => many("A question was answered", "questions were answered"),
        EventKind::Written => many("A text was saved", "texts were saved"),
        EventKind::Order => many("A ranking was saved", "rankings were saved"),
        EventKind::Comparison => many("A comparison was saved", "comparisons were saved"),
        EventKind::Unjudged => many(
            "An annotator said whether an output can be judged",
            "times annotators said whether an output can be judged",
        ),
        EventKind::Note => many("A note was written", "notes were written"),
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
    use store::StudyEvent;

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

    fn work(label: &str, key: &str) -> EventWork {
        EventWork {
            label: label.into(),
            source: "01890000-0000-7000-8000-000000000000".parse().unwrap(),
            key: key.into(),
        }
    }

    #[test]
    fn a_line_names_whose_work_it_is_about() {
        let rating = |number, label, key| RecentEvent {
            work: Some(work(label, key)),
            ..event(number, EventKind::Rating, "r")
        };
        let events = [
            rating(3, "b", "x"),
            rating(2, "a", "yy"),
            rating(1, "a", "yy"),
        ];
        let [line] = &group_events(&events)[..] else {
            panic!("ratings that follow each other are one line");
        };
        assert_eq!(line.works, [work("b", "x"), work("a", "yy")]);
        assert_eq!(name_raters(&line.works), ": a, b");
        assert_eq!(name_raters(&[]), "");
        let many = ["a", "b", "c", "d"].map(|label| work(label, "x"));
        assert_eq!(name_raters(&many), ": 4 annotators");
        let people = HashMap::from([("1".to_owned(), "Lea".to_owned())]);
        assert_eq!(name_members(&["1".into()], &people), ": Lea");
        assert_eq!(name_members(&["1".into(), "2".into()], &people), "");
    }

    #[test]
    fn answers_that_follow_each_other_are_one_line_and_what_was_handed_in_stands_alone() {
        let events = [
            event(5, EventKind::HandedIn, "a"),
            event(4, EventKind::HandedIn, "b"),
            event(3, EventKind::Rating, "x"),
            event(2, EventKind::Rating, "y"),
            event(1, EventKind::Study, "s"),
        ];
        let actual: Vec<_> = group_events(&events)
            .into_iter()
            .map(|line| (line.kind, line.count, line.at, line.subjects.join(" ")))
            .collect();
        let line = |kind, count, at, subject: &str| (kind, count, at, subject.to_owned());
        assert_eq!(
            actual,
            [
                line(EventKind::HandedIn, 1, 5000, "a"),
                line(EventKind::HandedIn, 1, 4000, "b"),
                line(EventKind::Rating, 2, 3000, "x y"),
                line(EventKind::Study, 1, 1000, "s"),
            ]
        );
        let ratings = &group_events(&events)[2];
        assert_eq!(
            describe_line(ratings, &HashMap::new()),
            "2 ratings were saved"
        );
    }

    #[test]
    fn no_line_shows_internals() {
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
        let names = ["sari", "bleu", "fkgl"].map(|name| (name.to_owned(), MetricOrigin::Computed));
        let names: ActivityMetricNames = (1..).map(|n| format!("m{n}")).zip(names).collect();
        let descriptions = |events: &[RecentEvent]| -> Vec<String> {
            group_events(events)
                .iter()
                .map(|line| describe_line(line, &names))
                .collect()
        };
        assert_eq!(
            descriptions(&events),
            [
                "bleu and 2 other metrics were computed",
                "The settings changed"
            ]
        );
        assert_eq!(descriptions(&events[6..7]), ["sari was computed"]);
    }
}
