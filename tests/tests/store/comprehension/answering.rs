//! Answers are kept and superseded.

use super::*;

#[tokio::test]
async fn an_answer_is_stored_once_and_superseded_by_the_next() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 6, 3).await;
        let store = &story.store;
        assert_eq!(reading.join("one", NOW).await, 6);
        assert_eq!(
            reading.begin("one", NOW).await,
            6,
            "asked again it changes nothing"
        );
        let session = reading.session("one").await;
        assert_eq!(session.label, "participant 1");

        let first = &session.texts[0];
        let answer = |id, choice| NewParticipantAnswer {
            id: AnnotationId(id),
            reading: first.id,
            question: first.questions[0].id,
            place: first.questions[0].order.place_of(choice),
        };
        let (one, two) = (
            answer(fresh_id(), AnswerChoice::B),
            answer(fresh_id(), AnswerChoice::Unanswerable),
        );

        let before = reading.events().await;
        let save = async |answers: &[NewParticipantAnswer]| {
            store
                .save_participant_answers("one", answers, NOW)
                .await
                .unwrap()
        };
        assert_eq!(
            save(&[one, two]).await,
            [
                ParticipantAnswerOutcome::Saved,
                ParticipantAnswerOutcome::Saved
            ]
        );
        assert_eq!(reading.events().await, before + 2);

        // Sent again, late and in another order: nothing changes.
        assert_eq!(
            save(&[two, one, one]).await,
            vec![ParticipantAnswerOutcome::Saved; 3]
        );
        assert_eq!(reading.events().await, before + 2);
        let chosen = reading.session("one").await.texts[0].questions[0].choice;
        assert_eq!(chosen, Some(AnswerChoice::Unanswerable));
        let recorded = store.participant_answers(reading.study).await.unwrap();
        assert_eq!(recorded.len(), 1);
        assert_eq!(recorded[0].order, Some(first.questions[0].order));
        assert_eq!(
            story
                .query_rows("SELECT COUNT(*) FROM reading_answer")
                .await,
            [["2"]]
        );

        let missing = refused(store.finish_participant_text("one", first.id, NOW).await);
        assert_eq!(
            missing,
            "2 questions have no answer yet: answer them, then go on."
        );
        assert!(
            refused(store.finish_participant_session("one", "", NOW).await)
                .contains("17 questions")
        );

        // Answers to another participant's texts.
        reading.join("two", NOW).await;
        let theirs = [answer(fresh_id(), AnswerChoice::A), one];
        let stolen = store
            .save_participant_answers("two", &theirs, NOW)
            .await
            .unwrap();
        assert!(
            stolen
                .iter()
                .all(|outcome| matches!(outcome, ParticipantAnswerOutcome::Refused(_))),
            "{stolen:?}"
        );
        assert!(
            refused(store.save_participant_answers("?", &[one], NOW).await).contains("not known")
        );

        // Times: the largest total of each tab, tabs added up.
        let tabs = [fresh_id(), fresh_id()];
        let spent = |tab: usize, question: bool, active_ms| ParticipantTabTime {
            reading: first.id,
            question: question.then_some(first.questions[0].id),
            tab: tabs[tab],
            active_ms,
        };
        for tab_time in [
            spent(0, false, 5_000),
            spent(0, false, 3_000),
            spent(1, false, 1_000),
        ] {
            store
                .save_participant_times("one", &[tab_time, spent(0, true, 700)], NOW + MINUTE)
                .await
                .unwrap();
        }
        let recorded = store.participant_answers(reading.study).await.unwrap();
        assert_eq!(recorded[0].passage_active_ms, Some(6_000));
        assert_eq!(recorded[0].active_ms, Some(700));

        reading.answer_all("one", AnswerChoice::A, NOW).await;
        let late = save(&[answer(fresh_id(), AnswerChoice::D)]).await;
        assert!(
            matches!(&late[0], ParticipantAnswerOutcome::Refused(why) if why.contains("finished"))
        );
    })
    .await;
}
