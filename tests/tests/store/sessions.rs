use store::{LONGEST_SESSION_MS, NewSession, SessionEntry};
use stories::{MINUTE, NOW, new_session, on_both};

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
        assert!(store.end_session("a1").await.unwrap());
        assert!(!store.end_session("a1").await.unwrap());
        assert!(!alive("a1").await && alive("a2").await);
        store.disable_person(a, NOW).await.unwrap();
        assert!(!alive("a2").await && !alive("a3").await && alive("b1").await);
    })
    .await;
}

#[tokio::test]
async fn a_password_typed_again_is_noted_in_its_session_only() {
    on_both(async |story| {
        let store = &story.store;
        let id = story.add_person("a").await;
        story.add_session("t", id).await;
        story.add_session("u", id).await;

        let confirmed_at = async |token| {
            let session = store.session(token, NOW).await.unwrap();
            session.map(|session| session.confirmed_at)
        };
        assert_eq!(confirmed_at("t").await, Some(NOW), "beginning one counts");

        assert!(store.confirm_session("t", NOW + 1).await.unwrap());
        assert_eq!(confirmed_at("t").await, Some(NOW + 1));
        assert_eq!(confirmed_at("u").await, Some(NOW));
        assert!(!store.confirm_session("t", NOW + MINUTE).await.unwrap());
        assert!(!store.confirm_session("none", NOW).await.unwrap());

        // Using the session doesn't confirm the password.
        let until = NOW + 2 * MINUTE;
        assert!(store.extend_session("t", NOW + 2, until).await.unwrap());
        assert_eq!(confirmed_at("t").await, Some(NOW + 1));
    })
    .await;
}

#[tokio::test]
async fn people_see_their_own_living_sessions_and_end_the_others() {
    on_both(async |story| {
        let store = &story.store;
        let (a, b) = (story.add_person("a").await, story.add_person("b").await);
        for (token, id, from, until) in [
            ("over", a, NOW, NOW + 1),
            ("older", a, NOW, NOW + MINUTE),
            ("newer", a, NOW + 1, NOW + MINUTE),
            ("theirs", b, NOW, NOW + MINUTE),
        ] {
            let agent = format!("browser of {token}");
            let new = NewSession {
                user_agent: &agent,
                now_ms: from,
                expires_ms: until,
                ..new_session(token, id)
            };
            assert!(store.create_session(&new).await.unwrap());
        }

        let listed = async || {
            let sessions = store.sessions(a, NOW + 1).await.unwrap();
            let told = sessions.into_iter().map(|session| {
                let SessionEntry {
                    token_hash,
                    created_at,
                    seen_at,
                    user_agent,
                } = session;
                let (begun, seen) = (created_at - NOW, seen_at - NOW);
                format!("{token_hash} {begun} {seen} {user_agent}")
            });
            told.collect::<Vec<_>>()
        };

        assert_eq!(
            listed().await,
            ["newer 1 1 browser of newer", "older 0 0 browser of older"]
        );
        let until = NOW + MINUTE;
        assert!(store.extend_session("older", NOW + 5, until).await.unwrap());
        assert_eq!(
            listed().await,
            ["older 0 5 browser of older", "newer 1 1 browser of newer"]
        );

        assert_eq!(store.end_other_sessions(a, "newer").await.unwrap(), 2);
        assert_eq!(listed().await, ["newer 1 1 browser of newer"]);
        assert!(store.session("theirs", NOW).await.unwrap().is_some());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_signs_in_with_a_password_that_changed_while_it_was_verified() {
    on_both(async |story| {
        let store = &story.store;
        let id = story.add_person("a").await;
        let begin = async |token: &str, password_hash: Option<&str>| {
            let new = NewSession {
                password_hash,
                ..new_session(token, id)
            };
            store.create_session(&new).await.unwrap()
        };

        assert!(begin("none", None).await);
        assert!(!begin("made up", Some("old")).await);
        assert!(store.set_password_hash(id, Some("old")).await.unwrap());
        assert!(begin("first", Some("old")).await);
        assert!(store.set_password_hash(id, Some("new")).await.unwrap());
        assert!(!begin("late", Some("old")).await && !begin("empty", None).await);
        assert!(begin("in time", Some("new")).await);
        assert_eq!(store.sessions(id, NOW).await.unwrap().len(), 1);

        // At the same moment: no session with the old password outlasts the change.
        let other = story.another_store().await;
        for round in 0..8 {
            let (old, new) = (format!("old {round}"), format!("new {round}"));
            assert!(store.set_password_hash(id, Some(&old)).await.unwrap());
            let (token, new_hash) = (round.to_string(), Some(new.as_str()));
            let (changed, _) = tokio::join!(
                other.set_password_hash(id, new_hash),
                begin(&token, Some(&old))
            );
            assert!(changed.unwrap());
            assert!(store.sessions(id, NOW).await.unwrap().is_empty());
        }
        other.close().await;

        assert!(store.disable_person(id, NOW).await.unwrap());
        assert!(!begin("closed", Some("new 7")).await);
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
        for (token, now_ms) in [("new", NOW), ("worn", NOW + MINUTE - LONGEST_SESSION_MS)] {
            let new = NewSession {
                now_ms,
                expires_ms: NOW + 2 * MINUTE,
                ..new_session(token, id)
            };
            assert!(store.create_session(&new).await.unwrap());
        }

        let listed = async |now| store.sessions(id, now).await.unwrap().len();
        assert_eq!(listed(NOW + MINUTE - 1).await, 3);
        assert_eq!(
            listed(NOW + MINUTE).await,
            1,
            "one expired, one reached its end"
        );

        store.record_login_failure("a", NOW).await.unwrap();
        store.record_login_failure("a", NOW + MINUTE).await.unwrap();
        store
            .sweep_sessions(NOW + MINUTE, NOW + MINUTE)
            .await
            .unwrap();

        // At an earlier time neither had expired: they are deleted.
        assert_eq!(store.session("old", NOW).await.unwrap(), None);
        assert_eq!(store.session("worn", NOW).await.unwrap(), None);
        assert!(store.session("new", NOW).await.unwrap().is_some());
        assert_eq!(store.login_failures("a", 0).await.unwrap().len(), 1);
    })
    .await;
}
