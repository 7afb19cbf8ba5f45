use domain::{
    protocol::{ProtocolStep, RateStep, StudyProtocol},
    study::{SourcePurpose, StudySettings},
    work::change::{AnnotationAnswer, AnnotationSlot, SaveOutcome},
};
use stories::{NOW, TestDatabase, on_both};

use crate::{
    assignment_fixture::{
        AssignmentFixture, is_saved, start_assignment, superseding_change, superseding_rating,
    },
    study_fixture::begin_import,
};

async fn set_protocol(story: &TestDatabase, work: &AssignmentFixture, steps: Vec<ProtocolStep>) {
    let study = work.ground.study;
    let settings = story.store.study(study).await.unwrap().unwrap().settings;
    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).unwrap(),
        ..settings
    };
    let saved = story.store.set_settings(study, &settings, NOW).await;
    assert!(saved.unwrap());
}

#[tokio::test]
async fn a_task_holds_what_its_protocol_shows_and_nothing_else() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let mut import = begin_import(story, work.ground.study).await;
        let source = import
            .source(Some("main 0"), "The source number 0.", SourcePurpose::Main)
            .unwrap();
        let references = ["One reference.".to_owned(), "Another one.".to_owned()];
        import.references(source, &references).unwrap();
        import.commit().await.unwrap();

        let first = work.task(story).await;
        assert_eq!(first.source, "The source number 0.");
        assert_eq!(
            (first.reference, first.protocol),
            (None, StudyProtocol::default())
        );

        let rate = RateStep {
            hides_source: true,
            shows_reference: true,
            ..RateStep::default()
        };
        set_protocol(story, &work, vec![ProtocolStep::Rate(rate)]).await;
        let task = work.task(story).await;
        assert_eq!(task.source, "");
        assert_eq!(task.reference.as_deref(), Some("One reference."));
        assert!(task.items.iter().all(|item| item.edits.is_empty()));
    })
    .await;
}

#[tokio::test]
async fn answers_to_a_step_that_was_removed_are_refused_with_the_reason() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let output = work.items[0];
        set_protocol(story, &work, vec![ProtocolStep::Rate(RateStep::default())]).await;
        let removed = [
            superseding_change(
                AnnotationSlot::Category { output },
                AnnotationAnswer::Category(None),
                None,
            ),
            superseding_change(
                AnnotationSlot::Edits { output },
                AnnotationAnswer::Edits(Some(vec![])),
                None,
            ),
            superseding_change(
                AnnotationSlot::Order,
                AnnotationAnswer::Order(Some(work.items.clone())),
                None,
            ),
        ];

        for outcome in work.save(story, &removed).await {
            let SaveOutcome::Refused { reason, .. } = outcome else {
                panic!("{outcome:?}")
            };
            assert!(reason.contains("reload the page"), "{reason}");
        }

        let ratings: Vec<_> = work
            .items
            .iter()
            .map(|output| superseding_rating(*output, 60, None))
            .collect();
        assert!(work.save(story, &ratings).await.iter().all(is_saved));

        let handed_in = story.store.hand_in(work.person, work.assignment, NOW).await;
        assert_eq!(
            handed_in.unwrap(),
            Some(store::annotator_answers::HandInOutcome::Done)
        );
    })
    .await;
}
