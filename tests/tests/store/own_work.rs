use domain::{
    category::Category,
    study::{OVERALL, QualityControl, SourcePurpose, StudySettings},
    work::{activity::ActivityReport, pace::FinishedSource},
};
use store::assignments::NextAssignment;
use stories::{MINUTE, NOW, fresh_id, on_both};

use crate::study_fixture::{add_annotator, automatic_results, create_study_with, hand_in};

#[tokio::test]
async fn repeated_scores_are_told_once_submitted_and_only_to_their_annotator() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 2,
            quality_control: QualityControl {
                repeated_every: 1,
                ..QualityControl::default()
            },
            ..StudySettings::default()
        };

        let texts: &[&[&str]] = &[&["One of them is here."]];
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let (study, store) = (ground.study, &story.store);
        let added = store
            .add_quality_control(study, 1, NOW, fresh_id, |_, _| {
                automatic_results(Category::Paraphrase)
            })
            .await;
        assert_eq!(added.unwrap(), 1);
        let (one, two) = (
            add_annotator(story, study, "one").await,
            add_annotator(story, study, "two").await,
        );
        let repeats = async |person| store.repeated_scores(study, person, OVERALL).await.unwrap();

        let assignment = ground.expect_assignment(story, one, NOW).await;
        assert!(repeats(one).await.is_empty());
        let main = ground.outputs[0][0];
        let score = |output| if output == main { 80 } else { 78 };
        hand_in(story, one, assignment, score).await;
        assert_eq!(repeats(one).await, [(78.0, 80.0)]);
        assert!(repeats(two).await.is_empty());
        let other = store.repeated_scores(study, one, "fluency").await.unwrap();
        assert!(other.is_empty());

        // Nothing of a reopened source is shown: it can still change.
        let reopened = store.reopen(one, assignment, NOW).await;
        assert!(reopened.unwrap().is_some());
        assert!(repeats(one).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn finished_sources_come_in_order_with_their_active_time() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One."], &["Two."]];
        let settings = StudySettings::default();
        let mut ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let tutorial: &[&[&str]] = &[&["Three."]];
        ground
            .add_sources(story, SourcePurpose::Tutorial, tutorial)
            .await;
        let (study, store) = (ground.study, &story.store);
        let person = add_annotator(story, study, "one").await;
        let other = add_annotator(story, study, "two").await;

        let spent = ActivityReport {
            tab: fresh_id(),
            categorise_ms: 2_000,
            rate_ms: 5_000,
            ..ActivityReport::default()
        };

        for _ in 0..2 {
            let assignment = ground.expect_assignment(story, person, NOW).await;
            let saved = store
                .save_work(person, assignment, &[], &[spent], NOW + MINUTE)
                .await;
            assert!(saved.unwrap().is_some());
            hand_in(story, person, assignment, |_| 50).await;
        }

        let skipped = ground.expect_assignment(story, person, NOW).await;
        let done = store.skip(person, skipped, "Odd.", NOW + MINUTE).await;
        assert!(done.unwrap().is_some());
        let next = ground.next_assignment(story, person, NOW).await;
        assert_eq!(next, NextAssignment::Nothing);

        let finished = store.finished_sources(study, person).await.unwrap();
        let mut counted: Vec<_> = finished[..2].iter().map(|source| source.counts).collect();
        counted.sort_unstable();
        // One was the tutorial.
        assert_eq!(counted, [false, true]);
        assert!(finished[..2].iter().all(|source| source.active_ms == 7_000));
        let last = FinishedSource {
            counts: false,
            ended_at_ms: NOW + MINUTE,
            active_ms: 0,
        };
        assert_eq!(finished[2..], [last]);
        let others = store.finished_sources(study, other).await.unwrap();
        assert!(others.is_empty());
    })
    .await;
}
