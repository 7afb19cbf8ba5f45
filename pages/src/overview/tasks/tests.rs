use domain::{
    ids::{DiscussionId, JobId, OutputId, PersonId, StudyId},
    rater_groups::RaterGroup,
    study::{RaterKind, StudySettings},
};
use store::{discussions::QuestionScope, overview::RaterProgress};
use uuid::Uuid;

use super::*;

const NOW: i64 = 100 * WEEK_MS;

fn facts() -> TaskFacts {
    TaskFacts {
        study: Study {
            id: StudyId(Uuid::nil()),
            slug: "river".parse().unwrap(),
            name: "River".to_owned(),
            guidelines: String::new(),
            information: String::new(),
            settings: StudySettings::default(),
            events: 0,
            created_at: 0,
            closed_at: None,
            archived_at: None,
            personal_data_erased_at: None,
        },
        holds: StudyOverview {
            sources: 3,
            ..StudyOverview::default()
        },
        members: vec![],
        assignments: Arc::default(),
        discussions: vec![],
        jobs: vec![],
        uninformed_readers: false,
        last_visit: None,
        now: NOW,
    }
}

fn annotator(number: u128) -> Member {
    Member {
        person: PersonId(Uuid::from_u128(number)),
        name: format!("annotator {number}"),
        disabled: false,
        is_crowd: false,
        role: Role::Annotator,
        joined_at: 0,
        consented_at: None,
        withdrawn_at: None,
        admitted_at: None,
        rater: Some((RaterId(Uuid::from_u128(number)), String::new())),
        group: None,
    }
}

fn assignment(source: u128, rater: u128, state: AssignmentState) -> AssignmentOutline {
    AssignmentOutline {
        source: SourceId(Uuid::from_u128(source)),
        key: format!("source {source}").into(),
        purpose: SourcePurpose::Main,
        rater: RaterId(Uuid::from_u128(rater)),
        group: None,
        state,
        reason: String::new(),
        created_at: 0,
        ended_at: Some(NOW - 10),
        active_ms: 0,
    }
}

fn todos(tasks: &[LeadTask]) -> Vec<&str> {
    tasks.iter().map(|task| &task.todo[..]).collect()
}

#[test]
fn an_empty_study_is_set_up_step_by_step() {
    let empty = TaskFacts {
        holds: StudyOverview::default(),
        uninformed_readers: true,
        ..facts()
    };
    assert_eq!(
        todos(&setup_tasks(&empty)),
        [
            "Import sources and system outputs",
            "Write the guidelines",
            "Write the information sheet",
            "Invite annotators",
            "Write the information sheet for readers"
        ]
    );
    let mut closed = empty;
    closed.study.closed_at = Some(1);
    assert_eq!(setup_tasks(&closed), []);
}

#[test]
fn guidelines_are_asked_for_while_annotators_will_read_them() {
    let asks = |facts: &TaskFacts| {
        let tasks = setup_tasks(facts);
        todos(&tasks).contains(&"Write the guidelines")
    };
    let imported = RaterProgress {
        rater: RaterId(Uuid::nil()),
        kind: RaterKind::Imported,
        label: "from a file".to_owned(),
        withdrawn: false,
        open: 0,
        handed_in: 0,
        skipped: 0,
        judgements: 9,
        active_ms: 0,
    };
    let mut study = facts();
    assert!(asks(&study));
    study.holds.done = 3;
    assert!(!asks(&study), "all is judged");
    study.holds.done = 2;
    study.holds.raters = vec![imported];
    assert!(!asks(&study), "no annotator");
    study.members = vec![annotator(1)];
    assert!(asks(&study));
}

#[test]
fn sources_are_short_of_raters_of_a_group_with_a_number_of_its_own() {
    let mut study = facts();
    study.study.settings.overlap = 1;
    study.study.settings.groups = vec![RaterGroup {
        id: "experts".to_owned(),
        name: "Experts".to_owned(),
        overlap: Some(1),
        ..RaterGroup::default()
    }];
    study.members = vec![annotator(1), annotator(2)];
    assert_eq!(short_sources(&study), 3, "nobody is an expert");
    study.members[1].group = Some("experts".to_owned());
    assert_eq!(short_sources(&study), 0);
    // The expert skipped it, and the other one cannot stand in.
    let skipped = assignment(1, 2, AssignmentState::Skipped);
    study.assignments = Arc::new(vec![skipped.clone()]);
    assert_eq!(short_sources(&study), 1);
    let of_an_expert = AssignmentOutline {
        group: Some("experts".into()),
        ..assignment(1, 9, AssignmentState::HandedIn)
    };
    study.assignments = Arc::new(vec![skipped, of_an_expert]);
    assert_eq!(short_sources(&study), 0);
}

#[test]
fn sources_are_short_where_too_few_people_can_take_them() {
    let mut study = facts();
    study.members = vec![annotator(1), annotator(2)];
    assert_eq!(short_sources(&study), 3, "three of each, and two people");
    study.members.push(annotator(3));
    assert_eq!(short_sources(&study), 0);
    let mut skipped = assignment(1, 1, AssignmentState::Skipped);
    let submitted = assignment(2, 1, AssignmentState::HandedIn);
    let mut assign = |first: &AssignmentOutline| {
        study.assignments = Arc::new(vec![first.clone(), submitted.clone()]);
        short_sources(&study)
    };
    assert_eq!(assign(&skipped), 1, "one person skipped it");
    skipped.state = AssignmentState::Released;
    assert_eq!(assign(&skipped), 1, "the lead revoked it");
    skipped.reason = LEASE.to_owned();
    assert_eq!(assign(&skipped), 0, "they may get it again");
    study.study.settings.overlap = 4;
    let tasks = setup_tasks(&study);
    assert!(todos(&tasks).contains(&"3 sources are short of annotators"));
    // Sources with a number of their own: the one that was begun, and another one.
    study.study.settings.overlap = 3;
    let mut with_own = |own: [u32; 2]| {
        let sources = [1, 9].map(|source| SourceId(Uuid::from_u128(source)));
        study.holds.own_overlaps = sources.into_iter().zip(own).collect();
        short_sources(&study)
    };
    assert_eq!(with_own([1, 3]), 0);
    assert_eq!(with_own([4, 3]), 1);
    assert_eq!(with_own([4, 4]), 2);
    study.study.settings.overlap = 4;
    assert_eq!(short_sources(&study), 3);
    study
        .holds
        .own_overlaps
        .values_mut()
        .for_each(|own| *own = 1);
    assert_eq!(
        short_sources(&study),
        1,
        "the one without a number of its own"
    );
}

#[test]
fn answers_since_the_last_visit_are_to_be_read() {
    let mut study = facts();
    study.discussions = vec![Discussion {
        id: DiscussionId(Uuid::nil()),
        scope: QuestionScope::Source,
        output: OutputId(Uuid::nil()),
        source: SourceId(Uuid::from_u128(1)),
        note: "Really?".to_owned(),
        asked_at: NOW - 20,
        open: 0,
    }];
    study.assignments = Arc::new(vec![assignment(1, 1, AssignmentState::HandedIn)]);
    let expected = ["Read the answers about source 1"];
    assert_eq!(todos(&urgent_tasks(&study)), expected);
    study.last_visit = Some(NOW - 5);
    assert_eq!(urgent_tasks(&study), [], "read already");
    study.last_visit = Some(NOW - 15);
    study.discussions[0].open = 1;
    assert_eq!(urgent_tasks(&study), [], "an annotator has yet to answer");
}

#[test]
fn the_newest_job_of_a_kind_tells_whether_it_failed() {
    let job = |kind, state, ended_at| Job {
        id: JobId(Uuid::nil()),
        study: None,
        kind,
        state,
        input: serde_json::Value::Null,
        done: 0,
        total: 0,
        result: None,
        failure: Some("The file is gone.".to_owned()),
        created_by: None,
        created_at: 0,
        ended_at: Some(ended_at),
        attempts: 1,
        retries: 0,
        cancelled: false,
        log: String::new(),
    };
    let mut study = facts();
    study.jobs = vec![
        job(JobKind::Import, JobState::Done, NOW),
        job(JobKind::Import, JobState::Failed, NOW),
        job(JobKind::Score, JobState::Failed, NOW),
        job(JobKind::Train, JobState::Failed, NOW - 2 * WEEK_MS),
    ];
    let tasks = urgent_tasks(&study);
    assert_eq!(todos(&tasks), ["Computing the metrics failed"]);
    assert_eq!(tasks[0].why, "The file is gone.");
}
