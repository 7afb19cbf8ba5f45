//! The last visit of a member, and the work since.

use domain::study::{SourcePurpose, StudySettings};
use store::{
    SourceProgress,
    visits::{RecentWork, StudyVisit},
};
use stories::{MINUTE, NOW, on_both};

use crate::study_fixture::{add_annotator, begin_import, create_study_with, hand_in};

#[tokio::test]
async fn a_visit_ends_after_half_an_hour_without_a_look() {
    on_both(async |story| {
        let store = &story.store;
        let lead = story.add_person("lead").await;
        let study = story.add_study("river", Some(lead)).await;
        let stranger = story.add_person("stranger").await;

        let look = async |minutes: i64, event: i64| {
            let at = NOW + minutes * MINUTE;
            let visit = StudyVisit { at, event };
            let previous = store.previous_visit(study, lead, at).await.unwrap();
            store.note_visit(study, lead, visit).await.unwrap();
            store.note_visit(study, stranger, visit).await.unwrap();
            previous.map(|visit| ((visit.at - NOW) / MINUTE, visit.event))
        };

        assert_eq!(look(0, 1).await, None, "the first visit");
        assert_eq!(look(20, 4).await, None);
        assert_eq!(look(49, 5).await, None, "still the same visit");
        assert_eq!(look(80, 9).await, Some((49, 5)));
        assert_eq!(look(81, 10).await, Some((49, 5)), "until the visit ends");
        assert_eq!(look(1440, 12).await, Some((81, 10)));

        let other = store.previous_visit(study, stranger, NOW).await.unwrap();
        assert_eq!(other, None, "no member");
    })
    .await;
}

#[tokio::test]
async fn ratings_count_once_and_imports_since_the_last_visit() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One.", "Two."], &["Three."]];
        let settings = StudySettings {
            overlap: 1,
            ..StudySettings::default()
        };
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let store = &story.store;
        let before = store.newest_event(ground.study).await.unwrap().unwrap();
        let nothing = store.work_since(ground.study, before).await.unwrap();
        assert_eq!(nothing, RecentWork::default());

        let person = add_annotator(story, ground.study, "somebody").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        hand_in(story, person, assignment, |_| 40).await;
        begin_import(story, ground.study)
            .await
            .commit()
            .await
            .unwrap();

        let mut work = store.work_since(ground.study, before).await.unwrap();
        assert!(work.imports <= 1, "an empty file is no news");
        work.imports = 0;
        let rated = RecentWork {
            judgements: 2,
            raters: 1,
            imports: 0,
        };
        assert_eq!(work, rated);

        let all = store.work_since(ground.study, 0).await.unwrap();
        assert_eq!((all.judgements, all.imports >= 1), (2, true));
        let now = store.newest_event(ground.study).await.unwrap().unwrap();
        let after = store.work_since(ground.study, now).await.unwrap();
        assert_eq!(after, RecentWork::default());
    })
    .await;
}

#[tokio::test]
async fn the_list_of_sources_counts_as_the_overview_does() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One."], &["Two."], &["Three."], &["Four."]];
        let settings = StudySettings {
            overlap: 1,
            ..StudySettings::default()
        };
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let store = &story.store;

        for (name, finishes, withdraws) in [
            ("finishes", true, false),
            ("begins", false, false),
            ("withdraws", true, true),
        ] {
            let person = add_annotator(story, ground.study, name).await;
            let assignment = ground.expect_assignment(story, person, NOW).await;
            if finishes {
                hand_in(story, person, assignment, |_| 40).await;
            }
            if withdraws {
                store.withdraw(ground.study, person, NOW).await.unwrap();
            }
        }

        let sources = store.sources(ground.study).await.unwrap();
        let count = |progress| {
            let alike = sources
                .iter()
                .filter(|source| source.progress(&1.into()) == progress);
            u32::try_from(alike.count()).unwrap()
        };

        let overview = store.study_overview(ground.study, 1).await.unwrap();
        let counted = (
            count(SourceProgress::Done),
            count(SourceProgress::InProgress),
            count(SourceProgress::NotStarted),
        );
        assert_eq!(counted, (1, 1, 2));
        let shown = (overview.done, overview.in_progress, overview.not_started());
        assert_eq!(counted, shown);
    })
    .await;
}
