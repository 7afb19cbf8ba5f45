//! Whoever leaves counts no more.

use super::*;

#[tokio::test]
async fn whoever_leaves_counts_no_more_and_their_texts_are_read_by_others() {
    both(async |story| {
        let design = Design {
            texts: 3,
            ..Design::default()
        };
        let reading = Reading::new(story, design, 3, &["Original", "Simple"], 9).await;
        let (store, study) = (&story.store, reading.study);
        for session in ["one", "two"] {
            assert_eq!(reading.join(session, NOW).await, 3);
        }
        assert_eq!(
            reading.join("three", NOW).await,
            0,
            "all texts have their readers"
        );
        reading.answer_all("one", Choice::A, NOW).await;
        reading.answer_all("two", Choice::B, NOW).await;
        let counted = async || {
            let answers = store.comprehension_answers(study).await.unwrap();
            let figures = by_condition(&answers, Resampling::default());
            figures.iter().map(|of| of.tally.n()).collect::<Vec<_>>()
        };
        assert_eq!(counted().await.iter().sum::<usize>(), 18);

        let two = store.readers(study).await.unwrap()[1].clone();
        assert_eq!((two.texts, two.done, two.comment.as_str()), (3, 3, "short"));
        assert!(refused(store.exclude_reader(study, two.id, " ", NOW).await).contains("Say why"));
        let before = reading.events().await;
        assert!(
            store
                .exclude_reader(study, two.id, "answered B only", NOW)
                .await
                .unwrap()
        );
        assert!(
            !store
                .exclude_reader(study, two.id, "again", NOW)
                .await
                .unwrap()
        );
        assert_eq!(reading.events().await, before + 1);
        assert_eq!(counted().await.iter().sum::<usize>(), 9);
        // Let in again while the place is free, excluded again, and then it is taken.
        assert!(store.include_reader(study, two.id, NOW).await.unwrap());
        assert_eq!(counted().await.iter().sum::<usize>(), 18);
        store
            .exclude_reader(study, two.id, "answered B only", NOW)
            .await
            .unwrap();
        assert_eq!(reading.begin("three", NOW).await, 3);
        let again = refused(store.include_reader(study, two.id, NOW).await);
        assert!(again.contains("all places are taken"), "{again}");

        // Who withdraws makes room, and so does who is not seen for the lease.
        store.withdraw_reader("one", NOW).await.unwrap();
        assert!(refused(store.withdraw_reader("one", NOW).await).contains("has ended"));
        assert_eq!(counted().await.iter().sum::<usize>(), 0);
        assert_eq!(reading.join("four", NOW).await, 3);
        assert_eq!(reading.join("five", NOW + 2 * HOUR).await, 0);
        let later = NOW + 4 * HOUR;
        assert_eq!(reading.begin("five", later).await, 3);
        assert_eq!(reading.session("three").await.left, Some(Left::Lapsed));
        let entries = store.readers(study).await.unwrap();
        assert_eq!(entries[1].left, Some(Left::Excluded));
        assert_eq!(entries[1].reason, "answered B only");
        let cells = store.reading_cells(study).await.unwrap();
        assert!(cells.iter().all(|cell| cell.given <= 1), "{cells:?}");
    })
    .await;
}
