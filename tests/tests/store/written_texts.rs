//! Written simplifications: given out without outputs, checked, required, read by exports and by a lead who adds them.

use domain::{
    category::Category,
    ids::{AssignmentId, PersonId},
    protocol::{ProtocolStep, RateStep, StudyProtocol, WriteStep},
    study::{SourcePurpose, StudySettings, SystemKind},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome},
    writing::{WritingStart, WrittenUse},
};
use store::{
    annotator_answers::{HandInOutcome, MissingAnswer},
    assignments::NextAssignment,
    export::StudyAnswerKinds,
    import::NewOutput,
    rating_rows::RatingScope,
};
use stories::{NOW, TestDatabase, on_both};

use crate::{
    assignment_fixture::{is_saved, superseding_change, superseding_rating},
    study_fixture::{add_annotator, automatic_results, begin_import, create_study_with},
};

fn writing(steps: Vec<ProtocolStep>, step: WriteStep) -> StudySettings {
    let steps = steps.into_iter().chain([ProtocolStep::Write(step)]);
    StudySettings {
        protocol: StudyProtocol::new(steps.collect()).unwrap(),
        overlap: 2,
        ..StudySettings::default()
    }
}

fn write(text: Option<&str>) -> AnnotationChange {
    let answer = AnnotationAnswer::Text(text.map(str::to_owned));
    superseding_change(AnnotationSlot::Text, answer, None)
}

async fn save(
    story: &TestDatabase,
    (person, assignment): (PersonId, AssignmentId),
    change: &AnnotationChange,
) -> SaveOutcome {
    let changes = std::slice::from_ref(change);
    let saved = story.store.save_work(person, assignment, changes, &[], NOW);
    saved.await.unwrap().unwrap().remove(0)
}

#[tokio::test]
async fn who_only_writes_gets_sources_without_outputs_and_submits_a_text() {
    on_both(async |story| {
        let settings = writing(vec![], WriteStep::default());
        let ground = create_study_with(story, &settings, SourcePurpose::Main, &[&[]]).await;
        let (store, study) = (&story.store, ground.study);
        let person = add_annotator(story, study, "Ada").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let place = (person, assignment);

        let hand_in = async || {
            store
                .hand_in(person, assignment, NOW)
                .await
                .unwrap()
                .unwrap()
        };

        let missing = MissingAnswer {
            outputs: vec![],
            dimension: None,
        };
        assert_eq!(
            hand_in().await,
            HandInOutcome::Missing(vec![missing.clone()])
        );

        let blank = write(Some(" \n"));
        assert!(is_saved(&save(story, place, &blank).await));
        assert_eq!(hand_in().await, HandInOutcome::Missing(vec![missing]));
        let mut written = write(Some(" They “decided”.\n"));
        written.supersedes = Some(blank.id);
        assert!(is_saved(&save(story, place, &written).await));
        // Sent again, it is stored once; from another device that knew nothing of it, it is a conflict.
        assert!(is_saved(&save(story, place, &written).await));
        let other = save(story, place, &write(Some("Else."))).await;
        assert!(matches!(other, SaveOutcome::Conflict { .. }), "{other:?}");

        let read = async |scope| store.written_texts(study, scope).await.unwrap();
        assert_eq!(read(RatingScope::HandedIn).await, []);
        let kinds = StudyAnswerKinds {
            written: true,
            ..StudyAnswerKinds::default()
        };
        assert_eq!(store.answer_kinds(study).await.unwrap(), kinds);
        assert_eq!(read(RatingScope::IncludingOpen).await.len(), 1);

        assert_eq!(hand_in().await, HandInOutcome::Done);
        let texts = read(RatingScope::HandedIn).await;
        assert_eq!(texts[0].text, "They “decided”.");
        assert_eq!(
            (
                texts[0].source,
                texts[0].source_key.as_str(),
                texts[0].rater.as_str()
            ),
            (ground.sources[0], "main 0", "annotator 1")
        );
        assert_eq!(texts[0].source_text, "The source number 0.");
        assert_eq!(read(RatingScope::Consensus).await, []);

        let about = store.texts_about_source(study, ground.sources[0]).await;
        assert_eq!(about.unwrap(), texts);
        let mut export = store
            .begin_export(study, RatingScope::HandedIn)
            .await
            .unwrap();
        assert_eq!(export.written_texts().await.unwrap(), texts);

        let next = ground.next_assignment(story, person, NOW).await;
        assert_eq!(next, NextAssignment::Nothing);
        assert!(store.withdraw(study, person, NOW).await.is_ok());
        let none = StudyAnswerKinds::default();
        assert_eq!(store.answer_kinds(study).await.unwrap(), none);
        assert_eq!(
            read(RatingScope::HandedIn).await,
            [],
            "who withdraws counts nowhere"
        );
    })
    .await;
}

#[tokio::test]
async fn who_also_judges_gets_only_sources_with_outputs() {
    on_both(async |story| {
        let rate = ProtocolStep::Rate(RateStep::default());
        let settings = writing(vec![rate], WriteStep::default());
        let texts: &[&[&str]] = &[&[], &["One.", "Two."]];
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;

        let person = add_annotator(story, ground.study, "Ada").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let task = story.store.task(person, assignment).await.unwrap().unwrap();
        assert_eq!(task.source, "The source number 1.");
        assert_eq!(task.items.len(), 2);

        for output in &ground.outputs[1] {
            let rating = superseding_rating(*output, 50, None);
            assert!(is_saved(&save(story, (person, assignment), &rating).await));
        }

        let missing = story.store.hand_in(person, assignment, NOW).await;
        let text = MissingAnswer {
            outputs: vec![],
            dimension: None,
        };
        assert_eq!(missing.unwrap(), Some(HandInOutcome::Missing(vec![text])));
    })
    .await;
}

#[tokio::test]
async fn post_editing_begins_with_the_output_of_a_system_that_is_not_named() {
    on_both(async |story| {
        let step = WriteStep {
            start: WritingStart::Output,
            start_system: "system 2".to_owned(),
            becomes: WrittenUse::Outputs,
            system: "Editors".to_owned(),
            ..WriteStep::default()
        };

        let settings = writing(vec![], step);
        let texts: &[&[&str]] = &[&["One.", "Two."], &["Only one."]];
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let person = add_annotator(story, ground.study, "Ada").await;

        let mut starts = vec![];
        for _ in 0..2 {
            let assignment = ground.expect_assignment(story, person, NOW).await;
            let task = story.store.task(person, assignment).await.unwrap().unwrap();
            assert!(
                task.items.is_empty(),
                "nothing but the text reaches the browser"
            );
            let shown = serde_json::to_string(&task).unwrap();
            assert!(
                !shown.contains("system 2") && !shown.contains("Editors"),
                "{shown}"
            );
            starts.push(task.start);
            assert!(is_saved(
                &save(story, (person, assignment), &write(Some("Edited."))).await
            ));
            let done = story.store.hand_in(person, assignment, NOW).await;
            assert_eq!(done.unwrap(), Some(HandInOutcome::Done));
        }

        assert_eq!(starts, ["Two.", ""]);
    })
    .await;
}

#[tokio::test]
async fn texts_that_cannot_be_stored_are_refused() {
    on_both(async |story| {
        let settings = writing(vec![], WriteStep::default());
        let ground = create_study_with(story, &settings, SourcePurpose::Main, &[&["One."]]).await;
        let person = add_annotator(story, ground.study, "Ada").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let place = (person, assignment);

        let note = superseding_change(
            AnnotationSlot::Text,
            AnnotationAnswer::Note("A note.".into()),
            None,
        );
        let order = superseding_change(
            AnnotationSlot::Order,
            AnnotationAnswer::Text(Some("A text.".into())),
            None,
        );
        let refused = [
            (
                write(Some(&"x".repeat(WriteStep::LONGEST_TEXT + 1))),
                "too long",
            ),
            (write(Some("a\0b")), "NUL"),
            (note, "not of the kind"),
            (order, "changed the steps"),
            (
                superseding_rating(ground.outputs[0][0], 50, None),
                "changed the steps",
            ),
        ];

        for (change, expect) in refused {
            let outcome = save(story, place, &change).await;
            let SaveOutcome::Refused { reason, .. } = &outcome else {
                panic!("{change:?} was not refused: {outcome:?}")
            };
            assert!(reason.contains(expect), "{reason}");
        }
        assert!(is_saved(&save(story, place, &write(None)).await));

        // A study without a writing step takes no texts.
        let settings = StudySettings {
            protocol: StudyProtocol::default(),
            ..settings
        };
        let set = story.store.set_settings(ground.study, &settings, NOW).await;
        assert!(set.unwrap());
        let outcome = save(story, place, &write(Some("A text."))).await;
        assert!(matches!(outcome, SaveOutcome::Refused { .. }));
    })
    .await;
}

#[tokio::test]
async fn what_sources_have_is_read_by_the_beginning_of_a_name() {
    on_both(async |story| {
        let settings = StudySettings::default();
        let ground =
            create_study_with(story, &settings, SourcePurpose::Main, &[&["One."], &[]]).await;

        let mut import = begin_import(story, ground.study).await;
        let source = ground.sources[1];
        import.references(source, &["A reference."]).unwrap();
        for (name, text) in [("Wri%ers", "A."), ("Wri%ers 2", "B."), ("Writers", "C.")] {
            let system = import.system(name, Some(SystemKind::Human)).unwrap();
            let new = NewOutput::new(source, system, text);
            let automatic = || automatic_results(Category::Paraphrase);
            import.output(&new, automatic).unwrap();
        }
        import.commit().await.unwrap();

        let read = story.store.source_simplifications(ground.study, "Wri%ers");
        let read = read.await.unwrap();
        assert_eq!(read.keys().collect::<Vec<_>>(), [&source]);
        assert_eq!(read[&source].references, ["A reference."]);
        let outputs = [("Wri%ers", "A."), ("Wri%ers 2", "B.")];
        let outputs = outputs.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(read[&source].outputs, outputs);
    })
    .await;
}
