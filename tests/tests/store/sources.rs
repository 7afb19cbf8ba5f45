use domain::{
    category::Category,
    score::RatingScale,
    study::{RaterKind, SourcePurpose, StudySettings, SystemKind},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
};
use store::{AnswerValue, import::NewRating};
use stories::{MINUTE, NOW, fresh_id, on_both};

use crate::study_fixture::{add_annotator, begin_import, create_study_with};

#[tokio::test]
async fn a_lead_reads_what_counts_and_nothing_of_work_that_is_not_handed_in() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One.", "Two.", "One."], &["Three."]];
        let mut ground =
            create_study_with(story, &StudySettings::default(), SourcePurpose::Main, texts).await;
        ground
            .add_sources(story, SourcePurpose::Training, &[&["Trained."]])
            .await;

        let mut file = begin_import(story, ground.study).await;
        let rater = file.rater("rater 1", RaterKind::Imported).unwrap();
        file.references(ground.sources[1], &["Reference."]).unwrap();
        let rating = NewRating::overall(rater, ground.outputs[1][0], 33.5);
        file.rating(rating).unwrap();
        file.commit().await.unwrap();

        let sources = story.store.sources(ground.study).await.unwrap();
        let counts: Vec<_> = sources
            .iter()
            .map(|source| {
                (
                    source.outputs,
                    source.references,
                    source.handed_in,
                    source.imported_raters,
                    source.open,
                )
            })
            .collect();
        assert_eq!(counts, [(3, 0, 0, 0, 0), (1, 1, 0, 1, 0), (1, 0, 0, 0, 0)]);
        assert_eq!(sources[2].purpose, SourcePurpose::Training);

        let outputs = story.store.source_outputs(ground.sources[0]).await.unwrap();
        let twins: Vec<_> = outputs.iter().map(|output| output.twin_of).collect();
        assert_eq!(twins, [None, None, Some(ground.outputs[0][0])]);
        assert_eq!(outputs[1].system, "system 2");
        assert_eq!(outputs[1].kind, SystemKind::Machine);

        let answers = story.store.source_answers(ground.sources[1]).await.unwrap();
        assert_eq!(answers.len(), 1);
        assert_eq!(answers[0].label, "rater 1");
        assert_eq!(
            answers[0].value,
            AnswerValue::Rating("overall".into(), 33.5)
        );
        assert_eq!(
            story.store.references(ground.sources[1]).await.unwrap(),
            ["Reference."]
        );

        let systems = story.store.systems(ground.study).await.unwrap();
        let systems: Vec<_> = systems
            .iter()
            .map(|system| (system.name.as_str(), system.outputs))
            .collect();
        assert_eq!(systems, [("system 1", 3), ("system 2", 1), ("system 3", 1)]);

        // The lead sees that an annotator is at work, but not the answers.
        let person = add_annotator(story, ground.study, "somebody").await;
        story.store.admit(ground.study, person, NOW).await.unwrap();
        let training = ground.expect_assignment(story, person, NOW).await;
        let output = ground.outputs[2][0];

        let change = |slot, answer| AnnotationChange {
            id: domain::ids::AnnotationId(fresh_id()),
            supersedes: None,
            slot,
            answer,
        };
        let rate = change(
            AnnotationSlot::Rating {
                output,
                dimension: "overall".into(),
            },
            AnnotationAnswer::Rating(Some(RatingScale::PERCENT.score(70).unwrap())),
        );
        let sort = change(
            AnnotationSlot::Category { output },
            AnnotationAnswer::Category(Some(Category::Split)),
        );

        let saved = story
            .store
            .save_work(person, training, &[rate, sort], &[], NOW + MINUTE)
            .await;
        assert_eq!(saved.unwrap().unwrap().len(), 2);
        assert_eq!(
            story.store.source_answers(ground.sources[2]).await.unwrap(),
            []
        );

        story
            .store
            .hand_in(person, training, NOW + MINUTE)
            .await
            .unwrap();
        let training_answers: Vec<_> = story.store.source_answers(ground.sources[2]).await.unwrap();
        let values: Vec<_> = training_answers
            .into_iter()
            .map(|answer| answer.value)
            .collect();
        assert_eq!(
            values,
            [
                AnswerValue::Rating("overall".into(), 70.0),
                AnswerValue::Category(Category::Split)
            ]
        );

        ground.expect_assignment(story, person, NOW + MINUTE).await;
        let events = story.store.latest_events(ground.study, 2).await.unwrap();
        assert_eq!(events[0].event.kind.name(), "open");
        assert_eq!(events[0].event.number, events[1].event.number + 1);
        // The list knows whose work on which source was handed in and is open now.
        let [main, _, training] = ground.sources[..] else {
            panic!("three sources");
        };
        for (recent, source) in events.iter().zip([main, training]) {
            let work = recent.work.as_ref().unwrap();
            assert_eq!((&work.label[..], work.source), ("annotator 1", source));
        }

        // Another study doesn't show these sources.
        let other = crate::study_fixture::create_study(story, &StudySettings::default()).await;
        assert_eq!(
            story.store.source(other, ground.sources[0]).await.unwrap(),
            None
        );
        assert_eq!(story.store.sources(other).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn what_somebody_said_who_withdrew_is_not_read() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One."]];
        let ground =
            create_study_with(story, &StudySettings::default(), SourcePurpose::Main, texts).await;
        let person = add_annotator(story, ground.study, "somebody").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;

        let slot = AnnotationSlot::Rating {
            output: ground.outputs[0][0],
            dimension: "overall".into(),
        };
        let answer = AnnotationAnswer::Rating(Some(RatingScale::PERCENT.score(70).unwrap()));
        let id = domain::ids::AnnotationId(fresh_id());
        let change = AnnotationChange {
            id,
            supersedes: None,
            slot,
            answer,
        };

        story
            .store
            .save_work(person, assignment, &[change], &[], NOW)
            .await
            .unwrap();
        story.store.hand_in(person, assignment, NOW).await.unwrap();
        assert_eq!(
            story
                .store
                .source_answers(ground.sources[0])
                .await
                .unwrap()
                .len(),
            1
        );

        story
            .store
            .withdraw(ground.study, person, NOW)
            .await
            .unwrap();
        assert_eq!(
            story.store.source_answers(ground.sources[0]).await.unwrap(),
            []
        );
    })
    .await;
}
