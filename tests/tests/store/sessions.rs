use stories::{MINUTE, NOW, on_both};

#[tokio::test]
async fn a_session_lasts_until_it_expires() {
    on_both(async |story| {
        let store = &story.store;
        let id = story.add_person("a").await;
        story.add_session("t", id).await;
        let session_at = async |now| {
            store
                .session("t", now)
                .await
                .unwrap()
                .map(|session| (session.person.id, session.expires_at))
        };
        assert_eq!(session_at(NOW).await, Some((id, NOW + MINUTE)));
        assert_eq!(session_at(NOW + MINUTE - 1).await, Some((id, NOW + MINUTE)));
        assert_eq!(session_at(NOW + MINUTE).await, None);
        assert_eq!(store.session("u", NOW).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn only_a_living_session_is_extended() {
    on_both(async |story| {
        let store = &story.store;
        let id = story.add_person("a").await;
        story.add_session("t", id).await;
        assert!(
            store
                .extend_session("t", NOW, NOW + 2 * MINUTE)
                .await
                .unwrap()
        );
        assert!(store.session("t", NOW + MINUTE).await.unwrap().is_some());
        let late = NOW + 2 * MINUTE;
        assert!(
            !store
                .extend_session("t", late, late + MINUTE)
                .await
                .unwrap()
        );
        assert!(!store.extend_session("u", NOW, late).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn ending_sessions_touches_no_other() {
    on_both(async |story| {
        let store = &story.store;
        let (a, b) = (story.add_person("a").await, story.add_person("b").await);
        for (token, id) in [("a1", a), ("a2", a), ("a3", a), ("b1", b)] {
            story.add_session(token, id).await;
        }
        let alive = async |token| store.session(token, NOW).await.unwrap().is_some();
        store.end_session("a1").await.unwrap();
        store.end_session("a1").await.unwrap();
        assert!(!alive("a1").await && alive("a2").await);
        store.disable_person(a, NOW).await.unwrap();
        assert!(!alive("a2").await && !alive("a3").await && alive("b1").await);
    })
    .await;
}

#[tokio::test]
async fn failures_to_log_in_are_counted_by_subject_and_time() {
    on_both(async |story| {
        let store = &story.store;
        for (subject, at) in [("a", 0), ("a", 0), ("a", 1), ("a", MINUTE), ("b", 0)] {
            store.record_login_failure(subject, NOW + at).await.unwrap();
        }
        let since = async |subject, at| store.login_failures(subject, NOW + at).await.unwrap();
        let (newest, middle, oldest) = ((NOW + MINUTE, 1), (NOW + 1, 1), (NOW, 2));
        assert_eq!(since("a", 0).await, [newest, middle, oldest]);
        assert_eq!(since("a", 1).await, [newest, middle]);
        assert_eq!(since("a", 2 * MINUTE).await, []);
        store.clear_login_failures("a").await.unwrap();
        assert_eq!(since("a", 0).await, []);
        assert_eq!(since("b", 0).await, [(NOW, 1)]);
    })
    .await;
}

#[tokio::test]
async fn sweeping_takes_what_is_over() {
    on_both(async |story| {
        let store = &story.store;
        let id = story.add_person("a").await;
        story.add_session("old", id).await;
        store
            .create_session("new", id, NOW, NOW + 2 * MINUTE)
            .await
            .unwrap();
        store.record_login_failure("a", NOW).await.unwrap();
        store.record_login_failure("a", NOW + MINUTE).await.unwrap();
        store
            .sweep_sessions(NOW + MINUTE, NOW + MINUTE)
            .await
            .unwrap();
        // Looked at as of an earlier time: what is gone is gone, not only expired.
        assert_eq!(store.session("old", NOW).await.unwrap(), None);
        assert!(store.session("new", NOW).await.unwrap().is_some());
        assert_eq!(store.login_failures("a", 0).await.unwrap().len(), 1);
    })
    .await;
}
