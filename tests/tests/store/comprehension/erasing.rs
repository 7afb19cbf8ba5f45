//! Participants who are erased, by a lead or by themselves.

use super::*;

/// The number of rows of each table.
async fn count_rows(story: &TestDatabase, tables: [&str; 5]) -> Vec<i64> {
    let mut counts = vec![];
    for table in tables {
        let rows = story
            .query_rows(&format!("SELECT COUNT(*) FROM {table}"))
            .await;
        counts.push(rows[0][0].parse().unwrap());
    }
    counts
}

const TABLES: [&str; 5] = [
    "participant",
    "reading",
    "reading_order",
    "reading_answer",
    "reading_activity",
];

/// Two participants, who have taken all places and finished.
async fn finished_study(story: &TestDatabase) -> ComprehensionFixture<'_> {
    let design = ComprehensionDesign {
        texts: 3,
        ..ComprehensionDesign::default()
    };
    let fixture = ComprehensionFixture::new(story, design, 3, &["Original", "Simple"], 9).await;
    for session in ["one", "two"] {
        assert_eq!(fixture.join(session, NOW).await, 3);
        let spent = ParticipantTabTime {
            reading: fixture.session(session).await.texts[0].id,
            question: None,
            tab: fresh_id(),
            active_ms: 5,
        };
        story
            .store
            .save_participant_times(session, &[spent], NOW + MINUTE)
            .await
            .unwrap();
        fixture.answer_all(session, AnswerChoice::A, NOW).await;
    }
    fixture
}

#[tokio::test]
async fn an_erased_participant_leaves_nothing_and_makes_room() {
    on_both(async |story| {
        let fixture = finished_study(story).await;
        let (store, study) = (&story.store, fixture.study);
        assert_eq!(fixture.join("three", NOW).await, 0, "all places are taken");
        assert_eq!(count_rows(story, TABLES).await, [3, 6, 18, 18, 2]);

        let one = store.participants(study).await.unwrap()[0].clone();
        let before = fixture.events().await;
        assert!(store.erase_participant(study, one.id, NOW).await.unwrap());
        assert!(!store.erase_participant(study, one.id, NOW).await.unwrap());
        assert_eq!(fixture.events().await, before + 1);
        assert_eq!(count_rows(story, TABLES).await, [2, 3, 9, 9, 1]);
        assert_eq!(store.participant_session("one").await.unwrap(), None);
        assert_eq!(store.participant_answers(study).await.unwrap().len(), 9);
        assert!(refused(store.withdraw_participant("one", NOW).await).contains("not known"));

        assert_eq!(fixture.begin("three", NOW).await, 3, "their texts are free");
        fixture.join("four", NOW).await;
        let entries = store.participants(study).await.unwrap();
        let labels: BTreeSet<_> = entries.iter().map(|entry| entry.label.as_str()).collect();
        let expected = ["participant 2", "participant 3", "participant 4"];
        assert_eq!(labels, BTreeSet::from(expected), "no pseudonym comes again");

        // Another study cannot erase the participant.
        let other = story.add_study("other", None).await;
        let four = entries[2].id;
        assert!(!store.erase_participant(other, four, NOW).await.unwrap());
        assert_eq!(store.participants(study).await.unwrap().len(), 3);
    })
    .await;
}

#[tokio::test]
async fn a_participant_erases_themselves_until_the_study_is_closed() {
    on_both(async |story| {
        let fixture = finished_study(story).await;
        let (store, study) = (&story.store, fixture.study);
        // Withdrawn answers are still stored.
        store.withdraw_participant("one", NOW).await.unwrap();
        assert_eq!(count_rows(story, TABLES).await, [2, 6, 18, 18, 2]);
        store.erase_own_participation("one", NOW).await.unwrap();
        assert_eq!(count_rows(story, TABLES).await, [1, 3, 9, 9, 1]);
        let again = refused(store.erase_own_participation("one", NOW).await);
        assert!(again.contains("not known"), "{again}");

        store.close_study(study, NOW).await.unwrap();
        let closed = refused(store.erase_own_participation("two", NOW).await);
        assert!(closed.contains("ask the people who run it"), "{closed}");
        // A lead can.
        let two = store.participants(study).await.unwrap()[0].id;
        assert!(store.erase_participant(study, two, NOW).await.unwrap());
        assert_eq!(count_rows(story, TABLES).await, [0; 5]);
    })
    .await;
}
