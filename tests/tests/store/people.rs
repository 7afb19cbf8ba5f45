use domain::ids::PersonId;
use store::Error;
use stories::{MINUTE, NOW, fresh_id, new_session, on_both};

#[tokio::test]
async fn a_person_is_found_by_name_in_any_case_and_by_id() {
    on_both(async |story| {
        let store = &story.store;
        let id = PersonId(fresh_id());
        let person = store
            .create_person(id, "  Annotator\u{a0} Öne ", Some("hash"), false, NOW)
            .await
            .unwrap();
        assert_eq!(person.name, "Annotator Öne");
        assert_eq!(store.person(id).await.unwrap(), Some(person.clone()));

        let (found, hash) = store
            .person_named("annotator o\u{308}ne")
            .await
            .unwrap()
            .unwrap();
        assert_eq!(found, person);
        assert_eq!(hash.as_deref(), Some("hash"));

        assert_eq!(store.person_named("annotator").await.unwrap(), None);
        assert_eq!(store.person_named("").await.unwrap(), None);
        assert_eq!(store.person(PersonId(fresh_id())).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_name_is_taken_in_any_case() {
    on_both(async |story| {
        let store = &story.store;
        let create = async |name| {
            store
                .create_person(PersonId(fresh_id()), name, None, false, NOW)
                .await
        };
        create("Annotator 1").await.unwrap();
        for same in ["Annotator 1", "ANNOTATOR 1", "annotator  1", "ａnnotator 1"] {
            let error = create(same).await.unwrap_err();
            assert!(matches!(error, Error::Taken(_)), "{same}: {error}");
        }
        create("Annotator 2").await.unwrap();
        assert_eq!(store.people().await.unwrap().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_name_that_looks_like_another_is_taken() {
    on_both(async |story| {
        let store = &story.store;
        let create = async |name| {
            store
                .create_person(PersonId(fresh_id()), name, None, false, NOW)
                .await
        };

        for name in ["lead", "coco", "annotator 1"] {
            create(name).await.unwrap();
        }
        for alike in ["сосо", "Сосо", "annotator l", "Iead"] {
            let error = create(alike).await.unwrap_err();
            assert!(matches!(error, Error::Taken(_)), "{alike}: {error}");
            assert!(error.to_string().contains("looks like"), "{error}");
        }
        let mixed = create("lеad").await.unwrap_err();
        assert!(matches!(mixed, Error::Refused(_)), "{mixed}");

        // A name from before such rules still logs in.
        let old = PersonId(fresh_id());
        let rows = format!(
            "INSERT INTO person (id, name, folded_name, is_admin, created_at)
             VALUES ('{old}', 'lеad\u{2800}', 'lеad\u{2800}', 0, {NOW})"
        );
        story.execute_sql(rows).await;
        let found = store.person_named("LЕad\u{2800}").await.unwrap();
        assert_eq!(found.unwrap().0.id, old);
        create("annotator 2").await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_name_that_cannot_be_seen_is_refused() {
    on_both(async |story| {
        let long = "a".repeat(81);
        for bad in [
            "",
            "  ",
            "a\0b",
            "annota\u{200b}tor",
            "\u{202e}rotatonna",
            "annota\u{3164}tor",
            "annota\u{ffa0}tor",
            "annota\u{2800}tor",
            "annota\u{180e}tor",
            "annota\u{34f}tor",
            "annotator\u{e0061}",
            "\u{2800}",
            &long,
        ] {
            let error = story
                .store
                .create_person(PersonId(fresh_id()), bad, None, false, NOW)
                .await
                .unwrap_err();
            assert!(matches!(error, Error::Refused(_)), "{bad:?}: {error}");
        }

        assert!(story.store.people().await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_new_password_ends_sessions_devices_and_links() {
    on_both(async |story| {
        let store = &story.store;
        let id = story.add_person("a").await;
        story.add_session("t", id).await;
        store.remember_device(None, "one", id, NOW).await.unwrap();
        store
            .create_password_link("link", id, NOW, NOW + MINUTE)
            .await
            .unwrap();

        assert!(store.set_password_hash(id, Some("new")).await.unwrap());
        assert_eq!(store.known_device("one", "a").await.unwrap(), None);
        let link = store.person_of_password_link("link", NOW).await.unwrap();
        assert_eq!(link, None);
        let (_, hash) = store.person_named("a").await.unwrap().unwrap();
        assert_eq!(hash.as_deref(), Some("new"));
        assert_eq!(store.session("t", NOW).await.unwrap(), None);

        assert!(store.set_password_hash(id, None).await.unwrap());
        assert_eq!(store.person_named("a").await.unwrap().unwrap().1, None);
        let nobody = PersonId(fresh_id());
        assert!(!store.set_password_hash(nobody, Some("x")).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_disabled_person_is_out_until_enabled() {
    on_both(async |story| {
        let store = &story.store;
        let id = story.add_person("a").await;
        story.add_session("t", id).await;

        assert!(store.disable_person(id, NOW).await.unwrap());
        assert!(store.person(id).await.unwrap().unwrap().disabled);
        assert_eq!(store.session("t", NOW).await.unwrap(), None);

        // A session that was about to begin doesn't.
        let new = new_session("u", id);
        assert!(!store.create_session(&new).await.unwrap());
        assert!(store.enable_person(id).await.unwrap());
        assert!(store.create_session(&new).await.unwrap());
        assert!(store.session("u", NOW).await.unwrap().is_some());
        assert!(
            !store
                .disable_person(PersonId(fresh_id()), NOW)
                .await
                .unwrap()
        );
    })
    .await;
}

#[tokio::test]
async fn the_last_admin_stays() {
    on_both(async |story| {
        let store = &story.store;
        let (first, second) = (PersonId(fresh_id()), PersonId(fresh_id()));
        assert_eq!(store.count_admins().await.unwrap(), 0);
        store
            .create_person(first, "a", None, true, NOW)
            .await
            .unwrap();
        store
            .create_person(second, "b", None, false, NOW)
            .await
            .unwrap();

        let refused = |result| matches!(result, Err(Error::Refused(_)));
        assert!(refused(store.disable_person(first, NOW).await));
        assert!(refused(store.set_admin(first, false).await));
        assert!(store.set_admin(second, true).await.unwrap());
        assert_eq!(store.count_admins().await.unwrap(), 2);
        assert!(store.person(second).await.unwrap().unwrap().is_admin);

        // Both leave at once: one of them has to stay.
        let other = story.another_store().await;
        for _ in 0..8 {
            let (a, b) = tokio::join!(
                store.set_admin(first, false),
                other.set_admin(second, false)
            );
            assert!(refused(a) ^ refused(b));
            assert_eq!(store.count_admins().await.unwrap(), 1);
            for id in [first, second] {
                assert!(store.set_admin(id, true).await.unwrap());
            }
        }
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn people_are_listed_by_name() {
    on_both(async |story| {
        for name in ["b", "A", "c"] {
            let id = PersonId(fresh_id());
            story
                .store
                .create_person(id, name, None, false, NOW)
                .await
                .unwrap();
        }
        let people = story.store.people().await.unwrap();
        let names: Vec<_> = people.iter().map(|person| &person.name[..]).collect();
        assert_eq!(names, ["A", "b", "c"]);
    })
    .await;
}
