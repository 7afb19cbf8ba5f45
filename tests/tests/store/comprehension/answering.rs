//! Answers are kept and superseded.

use super::*;

#[tokio::test]
async fn an_answer_is_stored_once_and_superseded_by_the_next() {
    both(async |story| {
        let reading = Reading::new(story, Design::default(), 6, &["Original"], 3).await;
        let store = &story.store;
        assert_eq!(reading.join("one", NOW).await, 6);
        assert_eq!(
            reading.begin("one", NOW).await,
            6,
            "asked again it changes nothing"
        );
        let session = reading.session("one").await;
        assert_eq!(session.label, "participant 1");
        let first = &session.readings[0];
        let answer = |id, choice| NewAnswer {
            id: AnnotationId(id),
            reading: first.id,
            question: first.asked[0].id,
            place: first.asked[0].order.place(choice),
        };
        let (one, two) = (
            answer(fresh(), Choice::B),
            answer(fresh(), Choice::Unanswerable),
        );
        let before = reading.events().await;
        let save = async |answers: &[NewAnswer]| {
            store
                .save_reading_answers("one", answers, NOW)
                .await
                .unwrap()
        };
        assert_eq!(save(&[one, two]).await, [Outcome::Saved, Outcome::Saved]);
        assert_eq!(reading.events().await, before + 2);
        // Sent again, late and in another order: nothing changes.
        assert_eq!(save(&[two, one, one]).await, vec![Outcome::Saved; 3]);
        assert_eq!(reading.events().await, before + 2);
        let chosen = reading.session("one").await.readings[0].asked[0].choice;
        assert_eq!(chosen, Some(Choice::Unanswerable));
        let recorded = store.reading_answers(reading.study).await.unwrap();
        assert_eq!(recorded.len(), 1);
        assert_eq!(recorded[0].order, Some(first.asked[0].order));
        assert_eq!(
            story.rows("SELECT COUNT(*) FROM reading_answer").await,
            [["2"]]
        );

        let missing = refused(store.finish_reading("one", first.id, NOW).await);
        assert_eq!(
            missing,
            "2 questions have no answer yet: answer them, then go on."
        );
        assert!(refused(store.finish_session("one", "", NOW).await).contains("17 questions"));
        // What is not theirs.
        reading.join("two", NOW).await;
        let theirs = [answer(fresh(), Choice::A), one];
        let stolen = store
            .save_reading_answers("two", &theirs, NOW)
            .await
            .unwrap();
        assert!(
            stolen
                .iter()
                .all(|outcome| matches!(outcome, Outcome::Refused(_))),
            "{stolen:?}"
        );
        assert!(refused(store.save_reading_answers("?", &[one], NOW).await).contains("not known"));

        // Times: the largest total of each tab, tabs added up.
        let tabs = [fresh(), fresh()];
        let spent = |tab: usize, question: bool, active_ms| Spent {
            reading: first.id,
            question: question.then_some(first.asked[0].id),
            tab: tabs[tab],
            active_ms,
        };
        for of in [
            spent(0, false, 5_000),
            spent(0, false, 3_000),
            spent(1, false, 1_000),
        ] {
            store
                .save_reading_times("one", &[of, spent(0, true, 700)], NOW + MINUTE)
                .await
                .unwrap();
        }
        let recorded = store.reading_answers(reading.study).await.unwrap();
        assert_eq!(recorded[0].passage_active_ms, Some(6_000));
        assert_eq!(recorded[0].active_ms, Some(700));

        reading.answer_all("one", Choice::A, NOW).await;
        let late = save(&[answer(fresh(), Choice::D)]).await;
        assert!(matches!(&late[0], Outcome::Refused(why) if why.contains("finished")));
    })
    .await;
}
