use store::Error;
use stories::{MINUTE, NOW, TestDatabase, on_both};

async fn hash(story: &TestDatabase, name: &str) -> Option<String> {
    story.store.person_named(name).await.unwrap().unwrap().1
}

#[tokio::test]
async fn a_link_sets_a_password_once_and_ends_sessions() {
    on_both(async |story| {
        let store = &story.store;
        let id = story.add_person("a").await;
        story.add_session("s", id).await;
        store
            .create_password_link("l", id, NOW, NOW + MINUTE)
            .await
            .unwrap();
        let owner = store.person_of_password_link("l", NOW).await.unwrap();
        assert_eq!(owner.map(|person| person.id), Some(id));
        assert_eq!(hash(story, "a").await, None);

        let redeemed = store.redeem_password_link("l", "new", NOW).await.unwrap();
        assert_eq!(redeemed.id, id);
        assert_eq!(hash(story, "a").await.as_deref(), Some("new"));
        assert!(store.session("s", NOW).await.unwrap().is_none());
        let again = store.redeem_password_link("l", "third", NOW).await;
        assert!(matches!(again, Err(Error::Refused(_))));
        assert_eq!(store.person_of_password_link("l", NOW).await.unwrap(), None);
        assert_eq!(hash(story, "a").await.as_deref(), Some("new"));
    })
    .await;
}

#[tokio::test]
async fn a_link_expires_gives_way_to_a_newer_one_and_opens_no_closed_account() {
    on_both(async |story| {
        let store = &story.store;
        let (a, b) = (story.add_person("a").await, story.add_person("b").await);

        let link = async |token, id| {
            store
                .create_password_link(token, id, NOW, NOW + MINUTE)
                .await
                .unwrap();
        };

        let works = async |token, now| {
            let shown = store
                .person_of_password_link(token, now)
                .await
                .unwrap()
                .is_some();
            let redeemed = store.redeem_password_link(token, "new", now).await.is_ok();
            assert_eq!(shown, redeemed, "{token}");
            redeemed
        };

        link("a1", a).await;
        link("a2", a).await;
        link("b1", b).await;
        assert!(!works("a1", NOW).await);
        assert!(!works("a2", NOW + MINUTE).await);
        assert!(works("a2", NOW).await);

        store.disable_person(b, NOW).await.unwrap();
        assert!(!works("b1", NOW).await);
        assert!(!works("nothing", NOW).await);
        assert_eq!(hash(story, "b").await, None);
    })
    .await;
}
