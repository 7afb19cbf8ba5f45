use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use domain::{
    ids::{RaterId, SourceId},
    study::{AssignmentState, Role, SourcePurpose},
};
use service::wording::count_noun;
use store::{
    Job, JobKind, JobState, Member, Study,
    discussions::Discussion,
    overview::{AssignmentOutline, StudyOverview},
};

use app::links::StudyPage;

/// A week, in milliseconds: older failures and answers are not news.
const WEEK_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// The reason of an assignment that was released because its lease ran out. Its annotator may get
/// it again.
const LEASE: &str = "lease";

/// The facts from which a lead's tasks follow.
#[derive(Debug, Clone)]
pub struct TaskFacts {
    pub study: Study,
    /// The counts of the study.
    pub holds: StudyOverview,
    pub members: Vec<Member>,
    pub assignments: Arc<Vec<AssignmentOutline>>,
    /// The questions to raters.
    pub discussions: Vec<Discussion>,
    /// The newest background jobs, newest first.
    pub jobs: Vec<Job>,
    /// Whether readers would take part without an information sheet.
    pub uninformed_readers: bool,
    /// The time of the lead's last visit, in milliseconds since 1970.
    pub last_visit: Option<i64>,
    /// The current time in milliseconds since 1970.
    pub now: i64,
}

/// One thing to do, with the page that does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadTask {
    pub todo: String,
    pub why: String,
    pub page: StudyPage<'static>,
    /// The anchor on the page; empty for its top.
    pub section: &'static str,
}

impl LeadTask {
    fn new(todo: impl Into<String>, why: impl Into<String>, page: StudyPage<'static>) -> Self {
        Self {
            todo: todo.into(),
            why: why.into(),
            page,
            section: "",
        }
    }

    fn at(self, section: &'static str) -> Self {
        Self { section, ..self }
    }
}

/// The tasks that come before everything else: background work that failed, and answers to questions.
pub fn urgent_tasks(facts: &TaskFacts) -> Vec<LeadTask> {
    let mut tasks: Vec<_> = failed_jobs(&facts.jobs, facts.now)
        .into_iter()
        .map(describe_failure)
        .collect();
    tasks.extend(answered_questions(facts).into_iter().map(|(source, key)| {
        LeadTask::new(
            format!("Read the answers about {key}"),
            "All raters whom you asked have answered.",
            StudyPage::Source(source),
        )
    }));
    tasks
}

/// The tasks without which annotators or readers cannot work, or not well.
pub fn setup_tasks(facts: &TaskFacts) -> Vec<LeadTask> {
    let (study, holds) = (&facts.study, &facts.holds);
    let mut tasks = vec![];
    if study.closed_at.is_some() {
        return tasks;
    }

    if holds.sources == 0 {
        tasks.push(LeadTask::new(
            "Import sources and system outputs",
            "There is nothing to judge yet.",
            StudyPage::Import,
        ));
    }

    let annotators = annotators(&facts.members).count();
    // Guidelines are for annotators to come: nobody would read them in a study that is done, or
    // whose ratings all come from files.
    let judging = annotators > 0 || holds.raters.is_empty();
    let done = holds.sources > 0 && holds.done == holds.sources;
    if study.guidelines.is_empty() && judging && !done {
        tasks.push(LeadTask::new(
            "Write the guidelines",
            "Raters who follow the same rules agree better.",
            StudyPage::TextSettings,
        ));
    }

    if study.information.is_empty() && judging && facts.assignments.is_empty() {
        tasks.push(LeadTask::new(
            "Write the information sheet",
            "Annotators agree to it before they begin. Skip it if you need no consent.",
            StudyPage::TextSettings,
        ));
    }

    tasks.extend(more_annotators(facts));
    if facts.uninformed_readers {
        let task = LeadTask::new(
            "Write the information sheet for readers",
            "You need it before you can make a link for readers.",
            StudyPage::Reading,
        );
        tasks.push(task.at("#reading-information"));
    }
    tasks
}

/// The task to invite annotators, if there are none, or too few for some sources.
fn more_annotators(facts: &TaskFacts) -> Option<LeadTask> {
    let annotators = annotators(&facts.members).count();
    let short = short_sources(facts);

    let (todo, why) = if annotators > 0 && short > 0 {
        let verb = if short == 1 { "is" } else { "are" };
        let why = match facts.holds.own_overlaps.is_empty() {
            true => format!(
                "Each needs {}, and too few people can still take them: invite more.",
                facts.study.settings.raters_each()
            ),
            false => "Too few people can still take them: invite more.".to_owned(),
        };
        (
            format!("{} {verb} short of annotators", count_noun(short, "source")),
            why,
        )
    } else if annotators == 0 && facts.holds.raters.is_empty() {
        (
            "Invite annotators".to_owned(),
            "There are no annotators yet.".to_owned(),
        )
    } else {
        return None;
    };

    Some(LeadTask::new(todo, why, StudyPage::Members).at("#invitations"))
}

/// The newest job of each kind, if it failed within the last week.
fn failed_jobs(jobs: &[Job], now: i64) -> Vec<&Job> {
    let mut kinds = HashSet::new();
    let newest = jobs.iter().filter(|job| kinds.insert(job.kind));
    newest
        .filter(|job| job.state == JobState::Failed)
        .filter(|job| job.ended_at.is_some_and(|at| at > now - WEEK_MS))
        .collect()
}

fn describe_failure(job: &Job) -> LeadTask {
    let (todo, page) = match job.kind {
        JobKind::Import => ("An import failed", StudyPage::ImportJob(job.id)),
        JobKind::Align => ("Preparing the highlights failed", StudyPage::Sources),
        JobKind::Score => ("Computing the metrics failed", StudyPage::Metrics),
        JobKind::Train => ("Training a metric failed", StudyPage::Metrics),
        JobKind::TrainAligner => ("Training an aligner failed", StudyPage::Quality),
    };
    LeadTask::new(todo, job.failure.clone().unwrap_or_default(), page)
}

/// The sources about which raters were asked and have all answered since the lead's last visit, once each.
fn answered_questions(facts: &TaskFacts) -> Vec<(SourceId, String)> {
    let since = facts.last_visit.unwrap_or(facts.now - WEEK_MS);
    let mut sources = HashSet::new();
    let closed = facts.discussions.iter().filter(|asked| asked.open == 0);

    closed
        .filter(|asked| sources.insert(asked.source))
        .filter_map(|asked| {
            let is_news = |entry: &&AssignmentOutline| {
                let ended_at = entry.ended_at.unwrap_or(0);
                entry.source == asked.source
                    && entry.state == AssignmentState::HandedIn
                    && ended_at > since.max(asked.asked_at)
            };
            let answer = facts.assignments.iter().find(is_news)?;
            Some((asked.source, answer.key.to_string()))
        })
        .collect()
}

/// The members who can get sources.
fn annotators(members: &[Member]) -> impl Iterator<Item = &Member> {
    members.iter().filter(|member| {
        member.role == Role::Annotator && member.withdrawn_at.is_none() && !member.disabled
    })
}

/// The annotators of one source, by the pools of [`WantedRaters`](domain::study::WantedRaters).
#[derive(Debug)]
struct SourceRaters {
    /// The number of raters who have it or handed it in.
    working: Vec<usize>,
    /// Members who will not get it again.
    barred: Vec<HashSet<RaterId>>,
}

/// The number of main sources that cannot get as many annotators as they ask for: too few have
/// them, and too few others could still take them. Annotators of a group with its own number do not
/// take the places of others.
fn short_sources(facts: &TaskFacts) -> usize {
    let wanted = facts.study.settings.wanted_raters();
    let pools = wanted.by_pool(None).count();

    let wanted_for = |source: Option<&SourceId>| {
        let own = source.and_then(|source| facts.holds.own_overlap(*source));
        wanted.by_pool(own).map(|number| number as usize)
    };

    let mut people = vec![0; pools];
    let mut raters: HashMap<RaterId, usize> = HashMap::new();
    for member in annotators(&facts.members) {
        let pool = wanted.pool(member.group.as_deref());
        people[pool] += 1;
        raters.extend(member.rater.as_ref().map(|(rater, _)| (*rater, pool)));
    }

    let gone: HashSet<RaterId> = facts
        .holds
        .raters
        .iter()
        .filter(|rater| rater.withdrawn)
        .map(|rater| rater.rater)
        .collect();

    let mut begun: HashMap<SourceId, SourceRaters> = HashMap::new();
    for entry in facts.assignments.iter() {
        if entry.purpose != SourcePurpose::Main || gone.contains(&entry.rater) {
            continue;
        }

        let source = begun.entry(entry.source).or_insert_with(|| SourceRaters {
            working: vec![0; pools],
            barred: vec![HashSet::new(); pools],
        });
        let works = matches!(
            entry.state,
            AssignmentState::Open | AssignmentState::HandedIn
        );
        source.working[wanted.pool(entry.group.as_deref())] += usize::from(works);

        let may_return = entry.state == AssignmentState::Released && entry.reason == LEASE;
        if let Some(pool) = raters.get(&entry.rater)
            && !may_return
        {
            source.barred[*pool].insert(entry.rater);
        }
    }

    let is_short = |(source, raters): &(&SourceId, &SourceRaters)| {
        let mut pools = wanted_for(Some(source)).enumerate();
        pools.any(|(pool, wanted)| {
            raters.working[pool] + people[pool] - raters.barred[pool].len() < wanted
        })
    };
    let lacks_people = |source: Option<&SourceId>| {
        wanted_for(source)
            .zip(&people)
            .any(|(wanted, people)| *people < wanted)
    };

    let short = begun.iter().filter(is_short).count();
    let own = facts.holds.own_overlaps.keys();
    let own: Vec<_> = own.filter(|source| !begun.contains_key(source)).collect();
    let untouched = (facts.holds.sources as usize).saturating_sub(begun.len() + own.len());
    let own_short = own.into_iter().filter(|source| lacks_people(Some(source)));
    let others_short = match lacks_people(None) {
        true => untouched,
        false => 0,
    };

    short + own_short.count() + others_short
}

#[cfg(test)]
mod tests;
