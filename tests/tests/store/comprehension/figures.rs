//! Figures are computed once per event, and passages can be the study's own texts.

use std::sync::Arc;

use domain::study::SourcePurpose;
use service::{
    comprehension::passages_from_sources,
    figures::comprehension::{
        ComprehensionAnalysis, ComprehensionAnalysisOptions, StudyComprehension,
    },
    live::LiveStudies,
};

use super::*;
use crate::study_fixture::create_study_with;

#[tokio::test]
async fn figures_are_computed_once_an_event_and_are_those_of_a_fresh_look() {
    on_both(async |story| {
        let conditions = ["Original", "Elementary", "Plain", "Short"];
        let reading =
            ComprehensionFixture::new(story, ComprehensionDesign::default(), 6, &conditions, 3)
                .await;
        let (store, study) = (&story.store, reading.study);

        let live = LiveStudies::new(|| NOW);
        let read =
            async |live: &LiveStudies| StudyComprehension::load(live, store, study).await.unwrap();
        let look = async |live: &LiveStudies, comprehension: &Arc<StudyComprehension>| {
            let options =
                ComprehensionAnalysisOptions::default_for(comprehension.answers.conditions());
            let analysis =
                ComprehensionAnalysis::load(live, store, study, comprehension.clone(), options)
                    .await;
            analysis.unwrap()
        };

        for (session, choice) in [
            ("one", AnswerChoice::A),
            ("two", AnswerChoice::Unanswerable),
            ("three", AnswerChoice::B),
        ] {
            reading.join(session, NOW).await;
            reading.answer_all(session, choice, NOW).await;
            let comprehension = read(&live).await;
            assert_eq!(comprehension.event, reading.events().await);
            let fresh = LiveStudies::new(|| NOW);
            assert_eq!(comprehension, read(&fresh).await);
            assert!(
                Arc::ptr_eq(&comprehension, &read(&live).await),
                "computed once"
            );
            let analysis = look(&live, &comprehension).await;
            assert_eq!(analysis, look(&fresh, &comprehension).await);
            assert!(Arc::ptr_eq(&analysis, &look(&live, &comprehension).await));
        }

        let comprehension = read(&live).await;
        let counted: usize = comprehension
            .questions
            .iter()
            .map(|question| question.all.n())
            .sum();
        assert_eq!(counted, 3 * 6 * 3);
        let people = look(&live, &comprehension)
            .await
            .asked
            .people
            .human_conditions();
        assert_eq!(people, ["Original", "Elementary"]);
    })
    .await;
}

#[tokio::test]
async fn the_study_s_own_sources_and_outputs_are_read() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One.", "Two."], &["Three.", ""]];
        let purpose = SourcePurpose::Main;
        let mut ground = create_study_with(
            story,
            &domain::study::StudySettings::default(),
            purpose,
            texts,
        )
        .await;
        let (store, study) = (&story.store, ground.study);
        let settings = ComprehensionSettings::default();
        store
            .set_comprehension_settings(study, &settings, NOW)
            .await
            .unwrap();

        let take = async || {
            let passages = passages_from_sources(store, study).await.unwrap().unwrap();
            let added = store.import_comprehension(study, &passages, &[], fresh_id, NOW);
            let added = added.await.unwrap();
            (added.passages, added.texts)
        };
        // Nobody can read the empty output.
        assert_eq!(take().await, (2, 5));
        assert_eq!(take().await, (0, 0));

        let material = store.comprehension_material(study).await.unwrap();
        let names: Vec<_> = material
            .conditions
            .iter()
            .map(|(_, name)| name.as_str())
            .collect();
        assert_eq!(names, ["Original", "system 1", "system 2"]);
        let (_, text) = &material.passages[1].passage.texts[1];
        assert_eq!(text.as_str(), "Three.");

        ground.add_sources(story, purpose, &[&["Four."]]).await;
        assert_eq!(take().await, (1, 2));
    })
    .await;
}
