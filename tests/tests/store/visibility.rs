//! Sources and outputs that a lead takes out of a study.

use domain::{
    ids::{AssignmentId, OutputId, PersonId, SourceId, StudyId},
    study::{SourcePurpose, StudySettings},
};
use store::{assignments::NextAssignment, rating_rows::RatingScope};
use stories::{NOW, TestDatabase, on_both, refusal};

use crate::study_fixture::{StoreFixture, add_annotator, create_study_with, hand_in};

const TEXTS: &[&[&str]] = &[&["Same.", "Same.", "Other."], &["Two.", "Three."]];

async fn prepared(story: &TestDatabase) -> (StoreFixture, PersonId) {
    let ground =
        create_study_with(story, &StudySettings::default(), SourcePurpose::Main, TEXTS).await;
    let person = add_annotator(story, ground.study, "an annotator").await;
    (ground, person)
}

/// The texts of the sources' outputs that people see, and those of an export with their ratings.
async fn seen(story: &TestDatabase, study: StudyId) -> (Vec<String>, Vec<(String, usize)>) {
    let mut texts = vec![];
    for source in story.store.sources(study).await.unwrap() {
        let outputs = story.store.source_outputs(source.id).await.unwrap();
        texts.extend(outputs.into_iter().map(|output| output.text));
    }
    let mut export = story
        .store
        .begin_export(study, RatingScope::IncludingOpen)
        .await
        .unwrap();
    let page = export.next_page(100).await.unwrap();
    let exported = page
        .into_iter()
        .map(|output| (output.text, output.ratings.len()));
    (texts, exported.collect())
}

/// The person judges everything they are given next, and hands it in.
async fn judge(
    story: &TestDatabase,
    ground: &StoreFixture,
    person: PersonId,
) -> (AssignmentId, SourceId) {
    let work = ground.expect_assignment(story, person, NOW).await;
    hand_in(story, person, work, |_| 40).await;
    let place = story.store.assignment(work).await.unwrap().unwrap();
    (work, place.source)
}

#[tokio::test]
async fn what_was_judged_is_hidden_with_all_that_was_said_and_shown_again() {
    on_both(async |story| {
        let (ground, person) = prepared(story).await;
        let (study, store) = (ground.study, &story.store);
        let work = ground.expect_assignment(story, person, NOW).await;
        let source = store.assignment(work).await.unwrap().unwrap().source;
        let open = refusal(store.hide_source(study, source, NOW).await);
        assert!(open.contains("has this source at the moment"), "{open}");
        store.release(work, "a reason", NOW).await.unwrap();

        let (work, source) = judge(story, &ground, person).await;
        assert!(!store.is_untouched(source).await.unwrap());
        let message = refusal(store.remove_source(study, source, NOW).await);
        assert!(message.contains("was judged"), "{message}");

        let before = seen(story, study).await;
        let rows = story
            .query_rows("SELECT COUNT(*) FROM stored_annotation")
            .await;
        let event = store.newest_event(study).await.unwrap();

        assert!(store.hide_source(study, source, NOW).await.unwrap());
        assert!(store.newest_event(study).await.unwrap() > event);
        assert!(!store.hide_source(study, source, NOW).await.unwrap());

        let (texts, exported) = seen(story, study).await;
        let judged_count = before.1.iter().filter(|(_, ratings)| *ratings > 0).count();
        assert_eq!(texts.len(), before.0.len() - judged_count);
        assert!(exported.iter().all(|(_, ratings)| *ratings == 0));
        assert_eq!(
            story
                .query_rows("SELECT COUNT(*) FROM stored_annotation")
                .await,
            rows
        );

        // Its annotator can no longer change it.
        assert_eq!(store.task(person, work).await.unwrap(), None);
        assert_eq!(store.assignment(work).await.unwrap(), None);
        let hidden = store.hidden_sources(study).await.unwrap();
        assert_eq!(
            hidden
                .iter()
                .map(|hidden_source| hidden_source.id)
                .collect::<Vec<_>>(),
            [source]
        );

        // The other source is still given, and then nothing.
        let other = add_annotator(story, study, "another annotator").await;
        judge(story, &ground, other).await;
        let next = ground.next_assignment(story, other, NOW).await;
        assert!(!matches!(next, NextAssignment::Assignment(_)), "{next:?}");

        assert!(store.show_source(study, source, NOW).await.unwrap());
        assert_eq!(seen(story, study).await.0, before.0);
        assert!(store.task(person, work).await.unwrap().is_some());
        assert_eq!(store.hidden_sources(study).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn an_output_is_hidden_alone_unless_others_are_judged_through_it() {
    on_both(async |story| {
        let (ground, person) = prepared(story).await;
        let (study, store) = (ground.study, &story.store);
        for _ in 0..2 {
            judge(story, &ground, person).await;
        }

        let [first, twin, other]: [OutputId; 3] = ground.outputs[0][..].try_into().unwrap();
        let message = refusal(store.hide_output(study, first, NOW).await);
        assert!(
            message.contains("identical output of system 2"),
            "{message}"
        );

        assert!(store.hide_output(study, other, NOW).await.unwrap());
        let (texts, exported) = seen(story, study).await;
        assert_eq!(texts, ["Same.", "Same.", "Two.", "Three."]);
        let ratings: Vec<_> = exported.into_iter().map(|(_, ratings)| ratings).collect();
        assert_eq!(ratings, [1, 1, 1, 1]);

        assert!(store.hide_output(study, twin, NOW).await.unwrap());
        assert!(store.hide_output(study, first, NOW).await.unwrap());
        let message = refusal(store.show_output(study, twin, NOW).await);
        assert!(message.contains("show that first"), "{message}");

        let hidden = store.hidden_outputs(ground.sources[0]).await.unwrap();
        assert_eq!(hidden.len(), 3);
        for output in [first, twin, other] {
            assert!(store.show_output(study, output, NOW).await.unwrap());
        }
        assert_eq!(seen(story, study).await.1.len(), 5);

        // Importing the file again adds nothing while something of it is hidden.
        assert!(store.hide_output(study, other, NOW).await.unwrap());
        let mut import = crate::study_fixture::begin_import(story, study).await;
        let main = SourcePurpose::Main;
        let source = import.source(Some("main 0"), "The source number 0.", main);
        let system = import.system("system 3", None).unwrap();
        let new = store::import::NewOutput::new(source.unwrap(), system, "Other.");
        let (again, is_new) = import.output(&new, || panic!("it is there")).unwrap();
        assert_eq!((again, is_new), (other, false));
    })
    .await;
}

#[tokio::test]
async fn what_nobody_judged_is_removed_for_good() {
    on_both(async |story| {
        let (ground, person) = prepared(story).await;
        let (study, store) = (ground.study, &story.store);

        let elsewhere = story.add_study("elsewhere", None).await;
        let first = ground.outputs[0][0];
        assert!(!store.remove_output(elsewhere, first, NOW).await.unwrap());
        assert!(store.is_untouched(ground.sources[0]).await.unwrap());

        assert!(store.remove_output(study, first, NOW).await.unwrap());
        let outputs = store.source_outputs(ground.sources[0]).await.unwrap();
        let twins: Vec<_> = outputs.iter().map(|output| output.twin_of).collect();
        assert_eq!(twins, [None, None]);
        assert!(
            store
                .remove_source(study, ground.sources[0], NOW)
                .await
                .unwrap()
        );
        assert_eq!(
            story.query_rows("SELECT COUNT(*) FROM stored_output").await,
            [["2"]]
        );

        let (_, source) = judge(story, &ground, person).await;
        assert_eq!(source, ground.sources[1]);
        let message = refusal(store.remove_output(study, ground.outputs[1][0], NOW).await);
        assert!(message.contains("was judged"), "{message}");
    })
    .await;
}
