//! Saves that wait together are stored in one commit, independently of each other.

use domain::{
    ids::{AssignmentId, PersonId},
    study::{SourcePurpose, StudySettings},
    work::change::{AnnotationChange, AnnotationSlot, SaveOutcome},
};
use sqlx::{AnyConnection, Connection as _, Executor as _};
use stories::{NOW, TestDatabase, on_both, on_postgres};
use tokio::task::JoinHandle;

use crate::{
    assignment_fixture::{is_saved, start_assignment, superseding_rating},
    study_fixture::{StoreFixture, add_annotator, create_study_with, rating_change},
};

type Saving = JoinHandle<store::Result<Option<Vec<SaveOutcome>>>>;

/// Begins to save, and returns once the request waits.
async fn begin_saving(
    story: &TestDatabase,
    person: PersonId,
    assignment: AssignmentId,
    change: AnnotationChange,
) -> Saving {
    let store = story.store.clone();
    let saving = tokio::spawn(async move {
        store
            .save_work(person, assignment, &[change], &[], NOW)
            .await
    });
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    saving
}

/// Keeps the study's writers waiting until the connection is closed.
async fn hold(story: &TestDatabase, ground: &StoreFixture) -> AnyConnection {
    let mut connection = story.connection().await;
    let begin = match story.file() {
        Some(_) => "BEGIN IMMEDIATE",
        None => "BEGIN",
    };
    connection.execute(begin).await.unwrap();
    let hold = format!(
        "UPDATE study SET events = events WHERE id = '{}'",
        ground.study
    );
    connection.execute(sqlx::AssertSqlSafe(hold)).await.unwrap();
    connection
}

async fn study(
    story: &TestDatabase,
    annotators: usize,
) -> (StoreFixture, Vec<(PersonId, AssignmentId)>) {
    let settings = StudySettings {
        overlap: 1,
        ..StudySettings::default()
    };
    let texts: Vec<&[&str]> = vec![&["Zero.", "One.", "Two."]; annotators];
    let ground = create_study_with(story, &settings, SourcePurpose::Main, &texts).await;
    let mut people = vec![];
    for number in 0..annotators {
        let name = format!("annotator {number} of {}", ground.study);
        let person = add_annotator(story, ground.study, &name).await;
        people.push((person, ground.expect_assignment(story, person, NOW).await));
    }
    (ground, people)
}

#[tokio::test]
async fn what_many_save_at_once_is_stored_and_events_have_no_gaps() {
    on_both(async |story| {
        let (ground, people) = study(story, 12).await;
        let before = story
            .store
            .newest_event(ground.study)
            .await
            .unwrap()
            .unwrap();

        let other_server = story.another_store().await;
        let mut saving = tokio::task::JoinSet::new();
        for (at, (person, assignment)) in people.into_iter().enumerate() {
            let task = story.store.task(person, assignment).await.unwrap().unwrap();
            let store = if at % 3 == 0 {
                other_server.clone()
            } else {
                story.store.clone()
            };
            saving.spawn(async move {
                let mut ids = vec![];
                for score in 0..8 {
                    let changes: Vec<_> = task
                        .items
                        .iter()
                        .map(|item| rating_change(item.output, score))
                        .collect();
                    // Each rating supersedes the one before.
                    let changes: Vec<_> = changes
                        .into_iter()
                        .enumerate()
                        .map(|(at, change)| AnnotationChange {
                            supersedes: ids.len().checked_sub(3).map(|last| ids[last + at]),
                            ..change
                        })
                        .collect();
                    ids.extend(changes.iter().map(|change| change.id));
                    let saved = store
                        .save_work(person, assignment, &changes, &[], NOW)
                        .await;
                    let saved = saved.unwrap().unwrap();
                    assert!(saved.iter().all(is_saved), "{saved:?}");
                }
                ids
            });
        }

        let ids: Vec<_> = saving.join_all().await.into_iter().flatten().collect();
        let events = story.events_after(ground.study, before).await;
        let numbers: Vec<_> = events.iter().map(|event| event.number).collect();
        let count = i64::try_from(ids.len()).unwrap();
        assert_eq!(numbers, Vec::from_iter(before + 1..=before + count));

        let mut announced: Vec<_> = events.into_iter().map(|event| event.subject).collect();
        let mut acknowledged: Vec<_> = ids.iter().map(ToString::to_string).collect();
        announced.sort_unstable();
        acknowledged.sort_unstable();
        assert_eq!(announced, acknowledged);

        let current = story
            .query_rows(
                "SELECT a.id FROM annotation a JOIN event e ON e.study_id = a.study_id
                 AND e.number = a.event AND e.subject = a.id WHERE a.current = 1",
            )
            .await;
        assert_eq!(current.len(), 12 * 3);

        other_server.close().await;
    })
    .await;
}

#[tokio::test]
async fn of_changes_to_one_answer_that_wait_together_one_is_stored() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (person, assignment, output) = (work.person, work.assignment, work.items[0]);
        let first = superseding_rating(output, 10, None);
        assert!(
            work.save(story, std::slice::from_ref(&first))
                .await
                .iter()
                .all(is_saved)
        );

        let held = hold(story, &work.ground).await;
        let one = superseding_rating(output, 20, Some(first.id));
        let other = superseding_rating(output, 30, Some(first.id));
        let mut saving = vec![];
        // Each is sent twice, as after an answer that was lost.
        for change in [&one, &other, &one, &other] {
            saving.push(begin_saving(story, person, assignment, change.clone()).await);
        }

        held.close().await.unwrap();
        let mut outcomes = vec![];
        for saving in saving {
            outcomes.push(saving.await.unwrap().unwrap().unwrap().remove(0));
        }

        let stored = if is_saved(&outcomes[0]) {
            one.id
        } else {
            other.id
        };
        for (outcome, change) in outcomes.iter().zip([&one, &other, &one, &other]) {
            match outcome {
                SaveOutcome::Saved { id } => assert_eq!((*id, change.id), (stored, stored)),
                SaveOutcome::Conflict { id, current } => {
                    assert_eq!(*id, change.id);
                    assert_eq!(current.as_ref().map(|current| current.id), Some(stored));
                }
                SaveOutcome::Refused { .. } => panic!("{outcomes:?}"),
            }
        }

        let task = work.task(story).await;
        let current: Vec<_> = task.answers.iter().map(|answer| answer.id).collect();
        assert_eq!(current, [stored]);
    })
    .await;
}

#[tokio::test]
async fn what_is_wrong_with_one_study_fails_its_own_saves_alone() {
    on_both(async |story| {
        let (ground, mut people) = study(story, 3).await;
        let (broken, others) = study(story, 1).await;
        people.extend(others);

        let mut requests = vec![];
        for (person, assignment) in people {
            let task = story.store.task(person, assignment).await.unwrap().unwrap();
            requests.push((person, assignment, rating_change(task.items[0].output, 40)));
        }

        let damage = format!(
            "UPDATE study SET settings = 'x' WHERE id = '{}'",
            broken.study
        );
        story.execute_sql(damage).await;

        let held = hold(story, &ground).await;
        let mut saving = vec![];
        // The first one is on its way alone; the others wait for it, together.
        for (person, assignment, change) in requests {
            saving.push(begin_saving(story, person, assignment, change).await);
        }

        held.close().await.unwrap();
        let mut results = vec![];
        for saving in saving {
            results.push(saving.await.unwrap());
        }

        let error = results.pop().unwrap().unwrap_err().to_string();
        assert!(error.contains("unreadable settings"), "{error}");
        for result in results {
            assert!(result.unwrap().unwrap().iter().all(is_saved));
        }
    })
    .await;
}

/// Only on Postgres: SQLite has a single writer.
#[tokio::test]
async fn a_study_that_is_held_holds_up_the_saves_of_no_other() {
    on_postgres(async |story| {
        let (ground, people) = study(story, 1).await;
        let (_, others) = study(story, 1).await;
        let held = hold(story, &ground).await;
        let mut saving = vec![];
        for (person, assignment) in people.into_iter().chain(others) {
            let task = story.store.task(person, assignment).await;
            let output = task.unwrap().unwrap().items[0].output;
            let change = rating_change(output, 40);
            saving.push(begin_saving(story, person, assignment, change).await);
        }
        let other = saving.pop().unwrap().await.unwrap();
        assert!(other.unwrap().unwrap().iter().all(is_saved));
        assert!(!saving[0].is_finished());
        held.close().await.unwrap();
        let saved = saving.pop().unwrap().await.unwrap();
        assert!(saved.unwrap().unwrap().iter().all(is_saved));
    })
    .await;
}

#[tokio::test]
async fn a_dimension_that_is_no_text_for_the_database_is_refused() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let good = rating_change(work.items[0], 50);
        let slot = AnnotationSlot::Rating {
            output: work.items[1],
            dimension: "over\0all".into(),
        };
        let bad = AnnotationChange {
            slot,
            ..rating_change(work.items[1], 50)
        };

        let outcomes = work.save(story, &[good, bad]).await;
        assert!(is_saved(&outcomes[0]), "{outcomes:?}");
        assert!(
            matches!(outcomes[1], SaveOutcome::Refused { .. }),
            "{outcomes:?}"
        );
    })
    .await;
}
