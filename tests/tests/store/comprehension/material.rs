//! Passages and questions, and their import from files.

use domain::{comprehension::EvidenceSpans, span::Span};

use super::*;

#[tokio::test]
async fn practice_comes_first_and_checks_stand_in_the_middle() {
    on_both(async |story| {
        let design = ComprehensionDesign {
            texts: 4,
            ..ComprehensionDesign::default()
        };
        let reading = ComprehensionFixture::new(story, design, 6, &["Original"], 1).await;
        let (store, study) = (&story.store, reading.study);
        let material = store.comprehension_material(study).await.unwrap();
        for (at, purpose) in [(0, PassagePurpose::Check), (5, PassagePurpose::Practice)] {
            let id = material.passages[at].id;
            assert!(
                store
                    .set_passage_purpose(study, id, purpose, NOW)
                    .await
                    .unwrap()
            );
        }

        let other = Question::new("Another?", &["1", "2", "3", "4"]).unwrap();
        let first = material.passages[1].questions[0];
        let was = &material.passages[1].passage.questions[0].1;
        let set = async |was, to| store.set_question(study, first, was, to, NOW).await;
        let passage = Some(material.passages[1].id);
        assert_eq!(set(was, &other).await.unwrap(), passage);

        // Sent twice, it is saved once, and a change that another person saved meanwhile is not lost.
        assert_eq!(set(was, &other).await.unwrap(), passage);
        let third = Question::new("A third?", &["1", "2", "3", "4"]).unwrap();
        assert!(
            refused(set(was, &third).await).contains("Another person has changed this question")
        );

        assert_eq!(reading.join("one", NOW).await, 6);
        let session = reading.session("one").await;
        let purposes: Vec<_> = session
            .texts
            .iter()
            .map(|reading| reading.purpose)
            .collect();
        use PassagePurpose::{Check, Main, Practice};
        assert_eq!(purposes, [Practice, Main, Main, Check, Main, Main]);

        let late = refused(set(&other, &third).await);
        assert!(late.contains("stays as it is"), "{late}");
        let id = material.passages[0].id;
        assert!(refused(store.set_passage_purpose(study, id, Main, NOW).await).contains("stays"));
        reading.answer_all("one", AnswerChoice::A, NOW).await;
        let entry = store.participants(study).await.unwrap().remove(0);
        assert_eq!((entry.checks_passed, entry.checks), (3, 3));

        // Only the main passages count.
        assert_eq!(store.participant_answers(study).await.unwrap().len(), 12);
    })
    .await;
}

#[tokio::test]
async fn what_another_study_asks_is_not_there() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 2, 1).await;
        let (store, study) = (&story.store, reading.study);
        let other = story.add_study("another", None).await;
        let before = store.comprehension_material(study).await.unwrap();
        let passage = &before.passages[0];
        let (question, was) = (passage.questions[0], &passage.passage.questions[0].1);
        let to = Question::new("Another?", &["1", "2", "3", "4"]).unwrap();

        let is_there = async || {
            let set = store.set_question(other, question, was, &to, NOW).await;
            let purpose = PassagePurpose::Practice;
            let set_purpose = store.set_passage_purpose(other, passage.id, purpose, NOW);
            set.unwrap().is_some() || set_purpose.await.unwrap()
        };
        assert!(!is_there().await);

        // Nor does it show whether a participant has been given it.
        reading.join("one", NOW).await;
        assert!(!is_there().await);

        let after = store.comprehension_material(study).await.unwrap();
        assert_eq!(after.passages[0].passage, before.passages[0].passage);
    })
    .await;
}

#[tokio::test]
async fn a_file_brought_in_twice_counts_once() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 2, 1).await;
        let (store, study) = (&story.store, reading.study);
        let names = (name("p1"), name("q1"), name("Original"), name("reader 7"));
        let answer = |id: &'static str, participant: bool| ComprehensionImportAnswer {
            id,
            passage: &names.0,
            question: &names.1,
            condition: &names.2,
            participant: participant.then_some(&names.3),
            choice: AnswerChoice::A,
            order: None,
            active_ms: Some(1_500),
        };
        let answers = [
            answer("f:2:1", false),
            answer("f:3:1", false),
            answer("f:4:1", true),
        ];

        let import = async |passages: &[Passage], answers: &[ComprehensionImportAnswer<'_>]| {
            store
                .import_comprehension(study, passages, answers, fresh_id, NOW)
                .await
        };
        assert_eq!(import(&[], &answers).await.unwrap().answers, 3);
        assert_eq!(
            import(&[passage(1, &["Original"])], &answers)
                .await
                .unwrap(),
            Default::default()
        );
        let recorded = store.participant_answers(study).await.unwrap();
        assert_eq!(
            recorded.len(),
            3,
            "the same answer in two rows counts twice"
        );
        assert_eq!(recorded[2].participant.as_deref(), Some("reader 7"));
        assert_eq!(recorded[2].active_ms, Some(1_500));

        let mut other = passage(1, &["Original"]);
        other.texts[0].1 = NonBlankText::try_from("Something else.".to_owned()).unwrap();
        let message = refused(import(&[passage(9, &["Original"]), other], &[]).await);
        assert!(
            message.contains("Passage p1 is in the study with another text in Original"),
            "{message}"
        );
        assert_eq!(
            store
                .comprehension_material(study)
                .await
                .unwrap()
                .passages
                .len(),
            2,
            "all or nothing"
        );
        let nowhere = name("p9");
        let lost = ComprehensionImportAnswer {
            passage: &nowhere,
            ..answer("f:5:1", false)
        };
        assert!(refused(import(&[], &[lost]).await).contains("bring texts and questions in first"));
    })
    .await;
}

#[tokio::test]
async fn a_file_brings_what_a_passage_is_for_and_where_evidence_stands() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 1, 1).await;
        let (store, study) = (&story.store, reading.study);
        let spans = EvidenceSpans {
            critical: vec![Span::new(0, 4)],
            distractor: vec![Span::new(5, 6)],
        };
        let spans = (name("Original"), name("q2"), spans);
        let new = Passage {
            purpose: PassagePurpose::Check,
            spans: vec![spans.clone()],
            ..passage(2, &["Original"])
        };
        // A passage that exists already gets them, too. Importing twice changes nothing.
        let existing = Passage {
            spans: vec![spans],
            ..passage(1, &["Original"])
        };

        for _ in 0..2 {
            let passages = [existing.clone(), new.clone()];
            let import = store.import_comprehension(study, &passages, &[], fresh_id, NOW);
            import.await.unwrap();
        }

        let material = store.comprehension_material(study).await.unwrap();
        let stored: Vec<_> = material.passages.iter().map(|own| &own.passage).collect();
        assert_eq!(stored, [&existing, &new]);
    })
    .await;
}

#[tokio::test]
async fn a_question_is_added_until_somebody_has_been_given_the_passage() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 1, 1).await;
        let (store, study) = (&story.store, reading.study);
        let first_passage = async || {
            let material = store.comprehension_material(study).await.unwrap();
            material.passages.into_iter().next().unwrap()
        };
        let own = first_passage().await;
        assert!(!own.given);

        let new_question = Question::new("One more?", &["1", "2", "3", "4"]).unwrap();
        let add = async || {
            store
                .add_question(study, own.id, fresh_id(), &new_question, NOW)
                .await
        };
        assert!(add().await.unwrap());

        let own = first_passage().await;
        let (last, question) = own.passage.questions.last().unwrap();
        assert_eq!((last.as_str(), question), ("q4", &new_question));

        let other = story.add_study("other", None).await;
        let elsewhere = store.add_question(other, own.id, fresh_id(), &new_question, NOW);
        assert!(!elsewhere.await.unwrap(), "a passage of another study");

        assert_eq!(reading.join("one", NOW).await, 1);
        assert!(first_passage().await.given);
        assert!(refused(add().await).contains("stay as they were asked"));
    })
    .await;
}
