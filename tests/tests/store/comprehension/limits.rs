//! Limits on places that are taken without being used.

use super::*;

/// A study in which one participant reads the only text.
async fn one_place(story: &TestDatabase) -> ComprehensionFixture<'_> {
    let design = ComprehensionDesign {
        readers: 1,
        doubly: 0,
        texts: 1,
        ..ComprehensionDesign::default()
    };
    ComprehensionFixture::new(story, design, 1, &["Original"], 100).await
}

fn too_many<T: std::fmt::Debug>(result: store::Result<T>) -> String {
    match result {
        Err(Error::TooMany(sentence)) => sentence,
        other => panic!("too many, not {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_address_begins_ten_sessions_a_minute_through_all_servers() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 6, 100).await;
        let processes = [story.store.clone(), story.another_store().await];
        let mut joining = tokio::task::JoinSet::new();
        for number in 0..17_usize {
            let store = processes[number % 2].clone();
            joining.spawn(async move {
                join_from("here", &store, &number.to_string(), None, NOW).await
            });
        }

        let results = joining.join_all().await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 10);
        let refused = results.into_iter().find(Result::is_err).unwrap();
        assert_eq!(
            too_many(refused),
            "Many people are beginning from your network just now. Wait a minute and try again."
        );

        let store = &story.store;
        let (_, used) = store.comprehension_link(LINK).await.unwrap();
        assert_eq!(used.uses_left, 90, "a refusal uses nothing up");

        // Another address is served at the same moment.
        join_from("elsewhere", store, "elsewhere", None, NOW)
            .await
            .unwrap();
        let early = join_from("here", store, "early", None, NOW + MINUTE - 1).await;
        too_many(early);
        join_from("here", store, "late", None, NOW + MINUTE)
            .await
            .unwrap();

        // Another study counts for itself.
        let other = story.add_study("other", None).await;
        set_design(store, other, ComprehensionDesign::default()).await;
        link(store, other, "other link", 100).await;
        for number in 0..10 {
            let session = format!("other {number}");
            let new = NewParticipant {
                id: ParticipantId(fresh_id()),
                session_hash: &session,
                link_hash: "other link",
                platform: PlatformIds::default(),
                network: "here",
                seed: 1,
            };
            store.join_comprehension(&new, NOW).await.unwrap();
        }

        assert_eq!(store.participants(reading.study).await.unwrap().len(), 12);
        processes[1].close().await;
    })
    .await;
}

#[tokio::test]
async fn one_address_begins_a_hundred_sessions_an_hour() {
    on_both(async |story| {
        let _reading = ComprehensionFixture::with_passages(story, 6, 200).await;
        let store = &story.store;
        // Ten a minute, as a class may.
        for number in 0..100 {
            let now = NOW + number / 10 * MINUTE;
            join_from("room", store, &number.to_string(), None, now)
                .await
                .unwrap();
        }

        let next = join_from("room", store, "next", None, NOW + 10 * MINUTE).await;
        assert!(too_many(next).contains("Wait 50 minutes"));
        join_from("room", store, "hour", None, NOW + 60 * MINUTE)
            .await
            .unwrap();
        store.sweep_recent_joins(NOW + 60 * MINUTE).await.unwrap();
        join_from("room", store, "next", None, NOW + 10 * MINUTE)
            .await
            .unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_platforms_participant_gets_their_own_place_back() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 6, 3).await;
        let (store, study) = (&story.store, reading.study);
        let settings = ComprehensionSettings {
            needs_platform_id: true,
            ..ComprehensionSettings::default()
        };
        let set = store.set_comprehension_settings(study, &settings, NOW);
        set.await.unwrap();
        let texts = async |id| store.platform_participant_texts(study, id).await.unwrap();

        let without = refused(join(store, "none", None, NOW).await);
        assert!(without.contains("Your link lacks the ID"), "{without}");
        assert_eq!(texts("worker 1").await, None);
        join(store, "one", Some("worker 1"), NOW).await.unwrap();
        assert_eq!(texts("worker 1").await, Some(0));
        let given = reading.begin("one", NOW).await;
        assert_eq!(texts("worker 1").await, Some(given));
        let mine = reading.session("one").await;

        // In another browser: the same texts, and the first browser no longer has the place.
        join(store, "again", Some("worker 1"), NOW).await.unwrap();
        assert_eq!(reading.begin("again", NOW).await, given);
        assert_eq!(reading.session("again").await, mine);
        assert!(store.participant_session("one").await.unwrap().is_none());
        assert_eq!(store.comprehension_link(LINK).await.unwrap().1.uses_left, 2);

        // Those who left get no second place.
        join(store, "two", Some("worker 2"), NOW).await.unwrap();
        store.withdraw_participant("two", NOW).await.unwrap();
        assert_eq!(texts("worker 2").await, None);
        let left = refused(join(store, "left", Some("worker 2"), NOW).await);
        assert!(left.contains("taken part in this study before"), "{left}");

        // A link that is used up lets those back in who have a place, and nobody else.
        join(store, "three", Some("worker 3"), NOW).await.unwrap();
        let fourth = refused(join(store, "four", Some("worker 4"), NOW).await);
        assert!(fourth.contains("used up"), "{fourth}");
        join(store, "one", Some("worker 1"), NOW).await.unwrap();
        assert_eq!(store.participants(study).await.unwrap().len(), 3);

        // Ids cannot be tried out faster than places taken.
        for number in 0..10 {
            let session = format!("try {number}");
            join_from("here", store, &session, Some("worker 1"), NOW)
                .await
                .unwrap();
        }
        too_many(join_from("here", store, "eleventh", Some("worker 1"), NOW).await);
    })
    .await;
}

#[tokio::test]
async fn a_place_without_an_answer_is_free_again_after_half_an_hour() {
    on_both(async |story| {
        let reading = one_place(story).await;
        let store = &story.store;
        let places = async |now| {
            let outlook = store.comprehension_outlook(reading.study, 9, now).await;
            outlook.unwrap().unwrap().places
        };
        assert_eq!(reading.join("one", NOW).await, 1);
        assert_eq!(places(NOW + 30 * MINUTE).await, 0);
        assert_eq!(reading.join("two", NOW + 30 * MINUTE).await, 0);
        let later = NOW + 30 * MINUTE + 1;
        assert_eq!(places(later).await, 1);
        assert_eq!(reading.begin("two", later).await, 1);
        assert_eq!(reading.session("one").await.left, Some(ExitReason::Lapsed));

        // With an answer the place is held for the lease of three hours.
        let text = reading.session("two").await.texts.remove(0);
        let answer = NewParticipantAnswer {
            id: AnnotationId(fresh_id()),
            reading: text.id,
            question: text.questions[0].id,
            place: 1,
        };
        store
            .save_participant_answers("two", &[answer], later)
            .await
            .unwrap();
        assert_eq!(places(later + 3 * HOUR).await, 0);
        assert_eq!(reading.join("three", later + 3 * HOUR).await, 0);
        assert_eq!(reading.begin("three", later + 3 * HOUR + 1).await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_place_that_nobody_needs_is_kept_without_an_answer() {
    on_both(async |story| {
        let design = ComprehensionDesign {
            readers: 2,
            doubly: 0,
            texts: 1,
            ..ComprehensionDesign::default()
        };
        let reading = ComprehensionFixture::new(story, design, 1, &["Original"], 100).await;
        assert_eq!(reading.join("one", NOW).await, 1);
        assert_eq!(reading.join("two", NOW + 2 * HOUR).await, 1);
        assert_eq!(reading.session("one").await.left, None);
        assert_eq!(reading.join("three", NOW + 2 * HOUR).await, 1);
        assert_eq!(reading.session("one").await.left, Some(ExitReason::Lapsed));
        assert_eq!(reading.session("two").await.left, None);
    })
    .await;
}
