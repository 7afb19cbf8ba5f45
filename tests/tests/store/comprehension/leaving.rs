//! Participants who leave no longer count.

use super::*;

#[tokio::test]
async fn participants_who_leave_no_longer_count_and_others_read_their_texts() {
    on_both(async |story| {
        let design = ComprehensionDesign {
            texts: 3,
            ..ComprehensionDesign::default()
        };
        let reading = ComprehensionFixture::new(story, design, 3, &["Original", "Simple"], 9).await;
        let (store, study) = (&story.store, reading.study);
        for session in ["one", "two"] {
            assert_eq!(reading.join(session, NOW).await, 3);
        }
        assert_eq!(
            reading.join("three", NOW).await,
            0,
            "all texts have their readers"
        );

        reading.answer_all("one", AnswerChoice::A, NOW).await;
        reading.answer_all("two", AnswerChoice::B, NOW).await;
        let counted = async || {
            let answers = store.comprehension_answers(study).await.unwrap();
            let figures = figures_by_condition(&answers, ResamplingOptions::default());
            figures
                .iter()
                .map(|condition| condition.tally.n())
                .collect::<Vec<_>>()
        };
        assert_eq!(counted().await.iter().sum::<usize>(), 18);

        let two = store.participants(study).await.unwrap()[1].clone();
        assert_eq!((two.texts, two.done, two.comment.as_str()), (3, 3, "short"));
        assert!(
            refused(store.exclude_participant(study, two.id, " ", NOW).await).contains("Say why")
        );
        let before = reading.events().await;
        assert!(
            store
                .exclude_participant(study, two.id, "answered B only", NOW)
                .await
                .unwrap()
        );
        assert!(
            !store
                .exclude_participant(study, two.id, "again", NOW)
                .await
                .unwrap()
        );
        assert_eq!(reading.events().await, before + 1);
        assert_eq!(counted().await.iter().sum::<usize>(), 9);

        // Let in again while the place is free, excluded again, and then it is taken.
        assert!(store.include_participant(study, two.id, NOW).await.unwrap());
        assert_eq!(counted().await.iter().sum::<usize>(), 18);
        store
            .exclude_participant(study, two.id, "answered B only", NOW)
            .await
            .unwrap();
        assert_eq!(reading.begin("three", NOW).await, 3);
        let again = refused(store.include_participant(study, two.id, NOW).await);
        assert!(again.contains("all places are taken"), "{again}");

        // A participant who withdraws makes room, and so does one whose lease runs out.
        store.withdraw_participant("one", NOW).await.unwrap();
        assert!(refused(store.withdraw_participant("one", NOW).await).contains("has ended"));
        assert_eq!(counted().await.iter().sum::<usize>(), 0);
        assert_eq!(reading.join("four", NOW).await, 3);
        assert_eq!(reading.join("five", NOW + 20 * MINUTE).await, 0);
        let later = NOW + 4 * HOUR;
        assert_eq!(reading.begin("five", later).await, 3);
        assert_eq!(
            reading.session("three").await.left,
            Some(ExitReason::Lapsed)
        );
        let entries = store.participants(study).await.unwrap();
        assert_eq!(entries[1].left, Some(ExitReason::Excluded));
        assert_eq!(entries[1].reason, "answered B only");
        let cells = store.comprehension_cells(study).await.unwrap();
        assert!(cells.iter().all(|cell| cell.given <= 1), "{cells:?}");
    })
    .await;
}
