//! Figures are computed once an event, and passages can be the study's own texts.

use std::sync::Arc;

use app::{
    comprehension::of_sources,
    figures::reading::{Analysis, Asked, StudyReading},
    live::Live,
};
use domain::study::SourcePurpose;

use super::*;
use crate::ground::ground;

#[tokio::test]
async fn figures_are_computed_once_an_event_and_are_those_of_a_fresh_look() {
    both(async |story| {
        let conditions = ["Original", "Elementary", "Plain", "Short"];
        let reading = Reading::new(story, Design::default(), 6, &conditions, 3).await;
        let (store, study) = (&story.store, reading.study);
        let live = Live::new(|| NOW);
        let read = async |live: &Live| StudyReading::read(live, store, study).await.unwrap();
        let look = async |live: &Live, of: &Arc<StudyReading>| {
            let asked = Asked::usual(of.answers.conditions());
            let found = Analysis::read(live, store, study, of.clone(), asked).await;
            found.unwrap()
        };
        for (session, choice) in [
            ("one", Choice::A),
            ("two", Choice::Unanswerable),
            ("three", Choice::B),
        ] {
            reading.join(session, NOW).await;
            reading.answer_all(session, choice, NOW).await;
            let found = read(&live).await;
            assert_eq!(found.event, reading.events().await);
            let fresh = Live::new(|| NOW);
            assert_eq!(found, read(&fresh).await);
            assert!(Arc::ptr_eq(&found, &read(&live).await), "computed once");
            let analysis = look(&live, &found).await;
            assert_eq!(analysis, look(&fresh, &found).await);
            assert!(Arc::ptr_eq(&analysis, &look(&live, &found).await));
        }
        let found = read(&live).await;
        let counted: usize = found.questions.iter().map(|of| of.all.n()).sum();
        assert_eq!(counted, 3 * 6 * 3);
        let people = look(&live, &found).await.asked.people.people();
        assert_eq!(people, ["Original", "Elementary"]);
    })
    .await;
}

#[tokio::test]
async fn the_study_s_own_sources_and_outputs_are_read() {
    both(async |story| {
        let texts: &[&[&str]] = &[&["One.", "Two."], &["Three.", ""]];
        let purpose = SourcePurpose::Main;
        let mut ground = ground(story, &domain::study::Settings::default(), purpose, texts).await;
        let (store, study) = (&story.store, ground.study);
        let settings = Settings::default();
        store
            .set_comprehension(study, &settings, NOW)
            .await
            .unwrap();
        let take = async || {
            let passages = of_sources(store, study).await.unwrap().unwrap();
            let added = store.import_comprehension(study, &passages, &[], fresh, NOW);
            let added = added.await.unwrap();
            (added.passages, added.texts)
        };
        // Nobody can read the empty output.
        assert_eq!(take().await, (2, 5));
        assert_eq!(take().await, (0, 0));
        let material = store.material(study).await.unwrap();
        let names: Vec<_> = material
            .conditions
            .iter()
            .map(|(_, it)| it.as_str())
            .collect();
        assert_eq!(names, ["Original", "system 1", "system 2"]);
        let (_, text) = &material.passages[1].passage.texts[1];
        assert_eq!(text.as_str(), "Three.");
        ground.add(story, purpose, &[&["Four."]]).await;
        assert_eq!(take().await, (1, 2));
    })
    .await;
}
