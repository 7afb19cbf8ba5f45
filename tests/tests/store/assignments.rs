use std::collections::{BTreeMap, BTreeSet};

use domain::study::{AssignmentState, QualificationRule, SourcePurpose, StudySettings};
use store::{
    Store,
    assignments::{AssignmentFilter, NextAssignment},
};
use stories::{MINUTE, NOW, on_both, refusal};

use crate::study_fixture::{
    add_annotator, create_study_with, give_at_once, hand_in, new_assignment,
};

const HOUR: i64 = 60 * MINUTE;

fn settings(overlap: u32) -> StudySettings {
    StudySettings {
        overlap,
        lease_hours: 1,
        ..StudySettings::default()
    }
}

#[tokio::test]
async fn assignments_are_listed_page_by_page() {
    on_both(async |story| {
        let ground =
            create_study_with(story, &settings(1), SourcePurpose::Main, &[&["A."][..]; 5]).await;
        let (store, study) = (&story.store, ground.study);
        for n in 0..5 {
            let person = add_annotator(story, study, &format!("annotator {n}")).await;
            let next = store
                .next_assignment(study, person, new_assignment(NOW))
                .await;
            let Ok(NextAssignment::Assignment(assignment)) = next else {
                panic!("{next:?}");
            };
            if n < 3 {
                let released = store.skip(person, assignment, "Unclear.", NOW).await;
                released.unwrap();
            }
        }

        let counts = store.count_assignments(study).await.unwrap();
        assert_eq!((counts.open, counts.all), (2, 5));
        let whole = store.assignments(study).await.unwrap();
        let mut by_pages = vec![];
        for skipped in [0, 2, 4, 6] {
            let page = store.assignment_page(study, AssignmentFilter::All, skipped, 2);
            by_pages.extend(page.await.unwrap());
        }
        assert_eq!(by_pages, whole);

        let open = store.assignment_page(study, AssignmentFilter::Open, 0, 50);
        let open = open.await.unwrap();
        let expected = whole
            .into_iter()
            .filter(|entry| entry.state == AssignmentState::Open);
        assert_eq!(open, expected.collect::<Vec<_>>());
    })
    .await;
}

#[tokio::test]
async fn fifteen_annotators_at_once_get_each_source_three_times() {
    on_both(async |story| {
        let texts = &[&["A.", "B."][..]; 12];
        let ground = create_study_with(story, &settings(3), SourcePurpose::Main, texts).await;
        let study = ground.study;
        let mut working = tokio::task::JoinSet::new();
        for n in 0..15 {
            let person = add_annotator(story, study, &format!("annotator {n}")).await;
            // Every third one works through another process.
            let store: Store = match n % 3 {
                0 => story.another_store().await,
                _ => story.store.clone(),
            };
            working.spawn(async move {
                let mut count = 0;
                while let NextAssignment::Assignment(assignment) = store
                    .next_assignment(study, person, new_assignment(NOW))
                    .await
                    .unwrap()
                {
                    store
                        .skip(person, assignment, "for the story", NOW)
                        .await
                        .unwrap()
                        .unwrap();
                    count += 1;
                    // A skipped source frees its place: each annotator stops after four.
                    if count == 4 {
                        break;
                    }
                }
            });
        }

        while let Some(result) = working.join_next().await {
            result.unwrap();
        }

        let all = story.store.assignments(study).await.unwrap();
        let pairs: BTreeSet<_> = all.iter().map(|a| (a.source, a.rater)).collect();
        assert_eq!(pairs.len(), all.len());
        assert_eq!(all.len(), 60);
    })
    .await;
}

#[tokio::test]
async fn no_source_has_more_raters_than_asked_for() {
    on_both(async |story| {
        let texts = &[&["A.", "B."][..]; 4];
        let ground = create_study_with(story, &settings(3), SourcePurpose::Main, texts).await;
        let study = ground.study;
        let mut people = vec![];
        for n in 0..15 {
            people.push(add_annotator(story, study, &format!("annotator {n}")).await);
        }

        assert_eq!(give_at_once(story, study, people).await, 12);
        let mut raters = BTreeMap::<_, u32>::new();
        for assigned in story.store.assignments(study).await.unwrap() {
            *raters.entry(assigned.source).or_default() += 1;
        }
        assert_eq!(raters.into_values().collect::<Vec<_>>(), [3; 4]);
    })
    .await;
}

#[tokio::test]
async fn a_lease_that_ran_out_ends_when_its_place_is_needed() {
    on_both(async |story| {
        let ground = create_study_with(story, &settings(1), SourcePurpose::Main, &[&["A."]]).await;
        let slow = add_annotator(story, ground.study, "slow").await;
        let quick = add_annotator(story, ground.study, "quick").await;
        let first = ground.expect_assignment(story, slow, NOW).await;

        // While the lease runs nobody else gets it; asking again gives the same.
        assert_eq!(
            ground.next_assignment(story, quick, NOW + HOUR).await,
            NextAssignment::Nothing
        );
        assert_eq!(
            ground.expect_assignment(story, slow, NOW + MINUTE).await,
            first
        );

        // Asking has renewed it.
        assert_eq!(
            ground
                .next_assignment(story, quick, NOW + HOUR + MINUTE)
                .await,
            NextAssignment::Nothing
        );

        let later = NOW + HOUR + 2 * MINUTE;
        let second = ground.expect_assignment(story, quick, later).await;
        assert_ne!(first, second);
        let list = story
            .store
            .assignments_of(ground.study, slow)
            .await
            .unwrap();
        assert_eq!(list[0].state, AssignmentState::Released);
        assert_eq!(
            ground.next_assignment(story, slow, later).await,
            NextAssignment::Nothing
        );

        // The other one is late as well: the first gets it back, with the answers.
        let later = later + HOUR + MINUTE;
        assert_eq!(ground.expect_assignment(story, slow, later).await, first);
        let list = story
            .store
            .assignments_of(ground.study, quick)
            .await
            .unwrap();
        assert_eq!(list[0].state, AssignmentState::Released);
    })
    .await;
}

#[tokio::test]
async fn preparation_comes_first_then_admission() {
    on_both(async |story| {
        let mut settings = settings(2);
        settings.qualification = QualificationRule::Lead;
        let mut ground = create_study_with(story, &settings, SourcePurpose::Main, &[&["A."]]).await;
        ground
            .add_sources(story, SourcePurpose::Qualification, &[&["Q."]])
            .await;
        ground
            .add_sources(story, SourcePurpose::Tutorial, &[&["T."]])
            .await;

        let mut purposes = vec![];
        for name in ["one", "two"] {
            let person = add_annotator(story, ground.study, name).await;
            let tutorial = ground.expect_assignment(story, person, NOW).await;
            let skipped = story.store.skip(person, tutorial, "known", NOW).await;
            assert!(refusal(skipped).contains("cannot be skipped"));
            hand_in(story, person, tutorial, |_| 50).await;
            let qualification = ground.expect_assignment(story, person, NOW).await;
            let skipped = story.store.skip(person, qualification, "known", NOW).await;
            assert_eq!(skipped.unwrap(), Some(()));
            assert_eq!(
                ground.next_assignment(story, person, NOW).await,
                NextAssignment::AwaitsAdmission
            );
            let list = story
                .store
                .assignments_of(ground.study, person)
                .await
                .unwrap();
            purposes.push(list.iter().map(|a| a.purpose).collect::<Vec<_>>());
            assert!(story.store.admit(ground.study, person, NOW).await.unwrap());
            ground.expect_assignment(story, person, NOW).await;
        }

        let expect = [SourcePurpose::Tutorial, SourcePurpose::Qualification];
        assert_eq!(purposes, [expect, expect]);
    })
    .await;
}

#[tokio::test]
async fn a_lead_assigns_takes_back_and_gives_to_another() {
    on_both(async |story| {
        let ground = create_study_with(
            story,
            &settings(1),
            SourcePurpose::Main,
            &[&["A."], &["B."]],
        )
        .await;
        let study = ground.study;
        let store = &story.store;
        let one = add_annotator(story, study, "one").await;
        let two = add_annotator(story, study, "two").await;
        let rater = async |person| {
            store
                .ensure_rater(study, person, new_assignment(NOW).rater)
                .await
                .unwrap()
        };
        let (rater_one, rater_two) = (rater(one).await, rater(two).await);
        assert_eq!(rater(one).await, rater_one);

        let second = ground.sources[1];
        let assignment = store
            .assign(study, second, rater_one, new_assignment(NOW))
            .await
            .unwrap();
        // It comes before what would be given in order.
        assert_eq!(ground.expect_assignment(story, one, NOW).await, assignment);
        let again = store
            .assign(study, second, rater_one, new_assignment(NOW))
            .await;
        assert!(refusal(again).contains("has this source already"));
        let full = store
            .assign(study, second, rater_two, new_assignment(NOW))
            .await;
        assert!(refusal(full).contains("as many as the study asks for"));

        let moved = store
            .reassign(assignment, rater_two, new_assignment(NOW))
            .await
            .unwrap()
            .unwrap();
        let place = store.assignment(moved).await.unwrap().unwrap();
        assert_eq!((place.rater, place.person), (rater_two, Some(two)));
        let before = store.assignment(assignment).await.unwrap().unwrap();
        assert_eq!(before.state, AssignmentState::Released);
        let twice = store.release(assignment, "late", NOW).await;
        assert!(refusal(twice).contains("Only an open source"));

        store.release(moved, "late", NOW).await.unwrap().unwrap();
        let list = store.assignments(study).await.unwrap();
        let actual: Vec<_> = list
            .iter()
            .map(|a| (a.label.as_str(), a.reason.as_str()))
            .collect();
        let expect = [
            ("annotator 1", "given to somebody else"),
            ("annotator 2", "late"),
        ];
        assert_eq!(actual, expect);

        // Only the lead can give back what the lead took away.
        assert_eq!(
            store
                .assign(study, second, rater_one, new_assignment(NOW))
                .await
                .unwrap(),
            assignment
        );
        assert_eq!(ground.expect_assignment(story, one, NOW).await, assignment);
    })
    .await;
}

#[tokio::test]
async fn who_withdrew_gets_nothing_and_frees_the_place() {
    on_both(async |story| {
        let ground = create_study_with(story, &settings(1), SourcePurpose::Main, &[&["A."]]).await;
        let gone = add_annotator(story, ground.study, "gone").await;
        let other = add_annotator(story, ground.study, "there").await;
        ground.expect_assignment(story, gone, NOW).await;
        assert_eq!(
            ground.next_assignment(story, other, NOW).await,
            NextAssignment::Nothing
        );

        story.store.withdraw(ground.study, gone, NOW).await.unwrap();
        ground.expect_assignment(story, other, NOW).await;
        let next = story
            .store
            .next_assignment(ground.study, gone, new_assignment(NOW))
            .await;
        assert!(refusal(next).contains("withdrawn"));
    })
    .await;
}

#[tokio::test]
async fn sources_are_numbered_by_their_purpose_and_what_is_ahead_is_told() {
    on_both(async |story| {
        let texts = &[&["A."][..]; 3];
        let mut ground = create_study_with(story, &settings(1), SourcePurpose::Main, texts).await;
        ground
            .add_sources(story, SourcePurpose::Tutorial, &[&["B."]])
            .await;
        let (store, study) = (&story.store, ground.study);
        let one = add_annotator(story, study, "one").await;
        let two = add_annotator(story, study, "two").await;
        let ahead = async |person| {
            let outlook = store
                .upcoming_work(study, person, NOW)
                .await
                .unwrap()
                .unwrap();
            (outlook.tutorial.available, outlook.main.available)
        };

        assert_eq!(ahead(one).await, (1, 3));
        for (person, purpose, number, left) in [
            (one, SourcePurpose::Tutorial, 1, (0, 3)),
            (one, SourcePurpose::Main, 1, (0, 2)),
            (two, SourcePurpose::Tutorial, 1, (0, 2)),
            (two, SourcePurpose::Main, 1, (0, 1)),
            (one, SourcePurpose::Main, 2, (0, 0)),
        ] {
            let assignment = ground.expect_assignment(story, person, NOW).await;
            let task = store.task(person, assignment).await.unwrap().unwrap();
            assert_eq!((task.purpose, task.number), (purpose, number));
            hand_in(story, person, assignment, |_| 50).await;
            assert_eq!(ahead(person).await, left);
        }
    })
    .await;
}
