//! People who were annotators, and what they can no longer do.

use domain::{
    ids::DiscussionId,
    study::{AssignmentState, Role, SourcePurpose, StudySettings},
    work::{activity::ActivityReport, change::SaveOutcome},
};
use store::discussions::{NewDiscussion, QuestionScope};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both};

use crate::{
    assignment_fixture::{AssignmentFixture, is_saved, start_assignment, superseding_rating},
    study_fixture::{add_annotator, create_study_with, new_assignment},
};

/// The way in which a person stops being an annotator who may judge.
#[derive(Debug, Clone, Copy)]
enum DepartureKind {
    Removed,
    Withdrawn,
    Researcher,
    Disabled,
    BeforeConsent,
    Closed,
}

const ALL: [DepartureKind; 6] = [
    DepartureKind::Removed,
    DepartureKind::Withdrawn,
    DepartureKind::Researcher,
    DepartureKind::Disabled,
    DepartureKind::BeforeConsent,
    DepartureKind::Closed,
];

async fn leave(story: &TestDatabase, work: &AssignmentFixture, how: DepartureKind) {
    let (store, study, person) = (&story.store, work.ground.study, work.person);
    let done = match how {
        DepartureKind::Removed => store.remove_member(study, person, NOW).await.unwrap(),
        DepartureKind::Withdrawn => store.withdraw(study, person, NOW).await.unwrap(),
        DepartureKind::Researcher => {
            let role = Role::Researcher;
            store.set_role(study, person, role, NOW).await.unwrap()
        }
        DepartureKind::Disabled => store.disable_person(person, NOW).await.unwrap(),
        DepartureKind::BeforeConsent => {
            let sheet = "What this is about.";
            let described = store.describe_study(study, "A story", "", sheet, NOW);
            described.await.unwrap();
            true
        }
        DepartureKind::Closed => {
            store.close_study(study, NOW).await.unwrap();
            true
        }
    };
    assert!(done, "{how:?}");
}

#[tokio::test]
async fn who_is_no_annotator_any_more_changes_nothing() {
    on_both(async |story| {
        for how in ALL {
            let name = format!("{how:?}");
            let work = start_work(story, &name).await;
            let (store, person, assignment) = (&story.store, work.person, work.assignment);
            let first = superseding_rating(work.items[0], 70, None);
            work.save(story, std::slice::from_ref(&first)).await;
            let rest: Vec<_> = work.items[1..]
                .iter()
                .map(|o| superseding_rating(*o, 70, None))
                .collect();
            work.save(story, &rest).await;
            store
                .hand_in(person, assignment, NOW)
                .await
                .unwrap()
                .unwrap();

            leave(story, &work, how).await;
            let before = store.newest_event(work.ground.study).await.unwrap();

            assert!(
                store.reopen(person, assignment, NOW).await.is_err(),
                "{how:?}"
            );
            assert!(
                store.hand_in(person, assignment, NOW).await.is_err(),
                "{how:?}"
            );
            assert!(
                store.skip(person, assignment, "Odd.", NOW).await.is_err(),
                "{how:?}"
            );

            let second = superseding_rating(work.items[0], 1, Some(first.id));
            let outcomes = work.save(story, &[first.clone(), second]).await;
            assert!(
                is_saved(&outcomes[0]),
                "{how:?}: what is stored stays saved"
            );
            match &outcomes[1] {
                SaveOutcome::Refused { reason, .. } => assert!(reason.ends_with('.'), "{reason}"),
                other => panic!("{how:?}: {other:?}"),
            }

            let after = store.newest_event(work.ground.study).await.unwrap();
            assert_eq!(after, before, "{how:?}");
            let list = store.assignments(work.ground.study).await.unwrap();
            assert_eq!(list[0].state, AssignmentState::HandedIn, "{how:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn open_work_of_who_is_no_annotator_any_more_takes_nothing() {
    on_both(async |story| {
        for how in ALL {
            let work = start_work(story, &format!("{how:?}")).await;
            let (store, person, assignment) = (&story.store, work.person, work.assignment);
            leave(story, &work, how).await;

            let outcomes = work
                .save(story, &[superseding_rating(work.items[0], 1, None)])
                .await;
            assert!(
                matches!(outcomes[0], SaveOutcome::Refused { .. }),
                "{how:?}"
            );

            let spent = ActivityReport {
                tab: fresh_id(),
                rate_ms: 5_000,
                ..ActivityReport::default()
            };
            store
                .save_work(person, assignment, &[], &[spent], NOW + MINUTE)
                .await
                .unwrap();

            assert!(
                store.hand_in(person, assignment, NOW).await.is_err(),
                "{how:?}"
            );
            let task = store.task(person, assignment).await.unwrap().unwrap();
            assert_eq!((task.active_ms, task.answers.len()), (0, 0), "{how:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn annotators_who_left_are_counted_unless_they_withdrew() {
    on_both(async |story| {
        for (how, expected) in [
            (DepartureKind::Removed, 1),
            (DepartureKind::Researcher, 1),
            (DepartureKind::Disabled, 1),
            (DepartureKind::Withdrawn, 0),
        ] {
            let work = start_work(story, &format!("{how:?}")).await;
            let (store, study) = (&story.store, work.ground.study);
            let lead = add_annotator(story, study, &format!("lead of {how:?}")).await;
            store.set_role(study, lead, Role::Lead, NOW).await.unwrap();
            let count = async || store.study_counts(lead).await.unwrap()[&study].annotators;
            assert_eq!(count().await, 1, "before {how:?}");

            leave(story, &work, how).await;
            assert_eq!(count().await, expected, "{how:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_source_is_given_back_to_annotators_only() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, study) = (&story.store, work.ground.study);
        work.rate_all(story).await;
        store
            .hand_in(work.person, work.assignment, NOW)
            .await
            .unwrap();
        let rater = store.raters(study).await.unwrap()[0].id;
        leave(story, &work, DepartureKind::Researcher).await;
        let lead = story.add_admin("the administrator").await;

        let question = NewDiscussion {
            id: DiscussionId(fresh_id()),
            output: work.items[0],
            scope: QuestionScope::Source,
            note: "Look again.",
            asked_by: lead,
        };
        let result = store.discuss(study, question, NOW).await;
        assert!(result.unwrap_err().to_string().contains("nobody to ask"));

        let assignment = store.assign(study, work.ground.sources[0], rater, new_assignment(NOW));
        let refused = assignment.await.unwrap_err().to_string();
        assert!(refused.contains("no longer an annotator"), "{refused}");
    })
    .await;
}

/// A source with two outputs, given to an annotator of that name.
async fn start_work(story: &TestDatabase, name: &str) -> AssignmentFixture {
    let settings = StudySettings {
        overlap: 1,
        lease_hours: 1,
        ..StudySettings::default()
    };
    let texts: &[&[&str]] = &[&["Zero.", "One."]];
    let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
    let person = add_annotator(story, ground.study, name).await;
    AssignmentFixture {
        person,
        assignment: ground.expect_assignment(story, person, NOW).await,
        items: ground.outputs[0].clone(),
        ground,
    }
}
