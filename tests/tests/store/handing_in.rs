use domain::{
    study::AssignmentState,
    work::{activity::ActivityReport, change::SaveOutcome},
};
use store::annotator_answers::{HandInOutcome, MissingAnswer};
use stories::{MINUTE, NOW, on_both};
use uuid::Uuid;

use crate::{
    assignment_fixture::{is_saved, start_assignment, superseding_rating},
    study_fixture::add_annotator,
};

const HOUR: i64 = 60 * MINUTE;

#[tokio::test]
async fn a_source_is_handed_in_when_all_is_rated() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        let first = superseding_rating(work.items[0], 40, None);
        work.save(story, std::slice::from_ref(&first)).await;
        let missing = work.items[1..].iter().map(|output| MissingAnswer {
            outputs: vec![*output],
            dimension: Some("overall".into()),
        });
        let expect = HandInOutcome::Missing(missing.collect());
        assert_eq!(
            store.hand_in(person, assignment, NOW).await.unwrap(),
            Some(expect)
        );

        let rest: Vec<_> = work.items[1..]
            .iter()
            .map(|o| superseding_rating(*o, 50, None))
            .collect();
        work.save(story, &rest).await;
        for _ in 0..2 {
            let outcome = store.hand_in(person, assignment, NOW + 5).await.unwrap();
            assert_eq!(outcome, Some(HandInOutcome::Done));
        }
        let late = superseding_rating(work.items[0], 90, Some(first.id));
        let outcomes = work.save(story, &[first.clone(), late.clone()]).await;
        assert!(is_saved(&outcomes[0]), "what is stored stays saved");
        assert!(matches!(outcomes[1], SaveOutcome::Refused { .. }));

        store
            .reopen(person, assignment, NOW)
            .await
            .unwrap()
            .unwrap();
        assert!(work.save(story, &[late]).await.iter().all(is_saved));
        let list = store
            .assignments_of(work.ground.study, person)
            .await
            .unwrap();
        assert_eq!(
            (list[0].state, list[0].ended_at),
            (AssignmentState::Open, None)
        );
        assert_eq!((list[0].progress.items, list[0].progress.rated), (4, 4));
        assert_eq!(list[0].progress.answers, 4);
    })
    .await;
}

#[tokio::test]
async fn a_skipped_source_says_why_and_takes_no_more() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        assert!(store.skip(person, assignment, " ", NOW).await.is_err());
        store
            .skip(person, assignment, "Not English. ", NOW)
            .await
            .unwrap()
            .unwrap();
        store
            .skip(person, assignment, "again", NOW)
            .await
            .unwrap()
            .unwrap();

        let list = store
            .assignments_of(work.ground.study, person)
            .await
            .unwrap();
        assert_eq!(list[0].reason, "Not English.");

        let outcomes = work
            .save(story, &[superseding_rating(work.items[0], 1, None)])
            .await;
        assert!(matches!(outcomes[0], SaveOutcome::Refused { .. }));
        assert!(store.hand_in(person, assignment, NOW).await.is_err());
        assert!(store.reopen(person, assignment, NOW).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn work_goes_on_after_the_lease_unless_somebody_else_has_it() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        let late = NOW + 5 * HOUR;
        let first = superseding_rating(work.items[0], 40, None);
        let saved = store
            .save_work(person, assignment, std::slice::from_ref(&first), &[], late)
            .await;
        assert!(is_saved(&saved.unwrap().unwrap()[0]));

        // That renewed the lease.
        let other = add_annotator(story, work.ground.study, "another").await;
        let next = work.ground.next_assignment(story, other, late + HOUR).await;
        assert_eq!(next, store::assignments::NextAssignment::Nothing);

        // Activity does so as well.
        let spent = ActivityReport {
            rate_ms: 5,
            ..ActivityReport::default()
        };
        store
            .save_work(person, assignment, &[], &[spent], late + HOUR)
            .await
            .unwrap()
            .unwrap();
        let next = work
            .ground
            .next_assignment(story, other, late + 2 * HOUR)
            .await;
        assert_eq!(next, store::assignments::NextAssignment::Nothing);

        work.ground
            .expect_assignment(story, other, late + 9 * HOUR)
            .await;
        let second = superseding_rating(work.items[0], 50, Some(first.id));
        let outcomes = work.save(story, &[second]).await;
        assert!(
            matches!(outcomes[0], SaveOutcome::Refused { .. }),
            "{outcomes:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn active_time_is_the_largest_total_of_each_tab_and_step() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, person, assignment) = (&story.store, work.person, work.assignment);
        let report = |tab: u128, categorise_ms, rate_ms| ActivityReport {
            tab: Uuid::from_u128(tab),
            categorise_ms,
            rate_ms,
            ..ActivityReport::default()
        };
        let save = async |reports: &[ActivityReport]| {
            let saved = store
                .save_work(person, assignment, &[], reports, NOW + MINUTE)
                .await;
            saved.unwrap().unwrap();
        };

        save(&[report(1, 100, 7)]).await;
        save(&[report(1, 300, 7)]).await;
        save(&[report(1, 200, 0), report(2, 0, 1_000)]).await;
        let task = store.task(person, assignment).await.unwrap().unwrap();
        assert_eq!(task.active_ms, 1_307);

        work.rate_all(story).await;
        store.hand_in(person, assignment, NOW).await.unwrap();
        save(&[report(2, 0, 9_000)]).await;
        let task = store.task(person, assignment).await.unwrap().unwrap();
        assert_eq!(task.active_ms, 1_307);
    })
    .await;
}
