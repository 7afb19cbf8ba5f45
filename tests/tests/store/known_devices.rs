use std::net::IpAddr;

use domain::ids::PersonId;
use service::accounts::{
    attempts::{self, LoginError, LoginOrigin, WINDOW_MS},
    password,
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both};

const PASSWORD: &str = "correct horse battery";

async fn add_person(story: &TestDatabase, name: &str) -> PersonId {
    let hash = password::hash(name, PASSWORD, [7; 32]).await.unwrap();
    let id = PersonId(fresh_id());
    story
        .store
        .create_person(id, name, Some(&hash), false, NOW)
        .await
        .unwrap()
        .id
}

fn address(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

fn on_device(last: u8, device: &str) -> LoginOrigin {
    LoginOrigin {
        address: address(last),
        device: Some(device.to_owned()),
    }
}

#[tokio::test]
async fn a_device_is_known_for_those_who_signed_in_there() {
    on_both(async |story| {
        let store = &story.store;
        let (a, b) = (story.add_person("A").await, story.add_person("b").await);
        let known = async |token, name| store.known_device(token, name).await.unwrap().is_some();
        store.remember_device(None, "one", a, NOW).await.unwrap();
        assert!(known("one", "a").await);
        assert!(!known("one", "b").await && !known("two", "a").await && !known("one", "").await);

        // Another person signs in there: the cookie is a new one, and the old one is worthless.
        store
            .remember_device(Some("one"), "two", b, NOW)
            .await
            .unwrap();
        assert!(known("two", "a").await && known("two", "b").await);
        assert!(!known("one", "a").await && !known("one", "b").await);
        // A made-up value names no device.
        store
            .remember_device(Some("made up"), "three", b, NOW)
            .await
            .unwrap();
        assert!(known("two", "b").await && known("three", "b").await);

        store.disable_person(a, NOW).await.unwrap();
        store.enable_person(a).await.unwrap();
        assert!(!known("two", "a").await && known("two", "b").await);
        let until = NOW + MINUTE;
        store
            .create_password_link("l", b, NOW, until)
            .await
            .unwrap();
        assert!(known("two", "b").await, "a link that nobody followed");
        store.redeem_password_link("l", "hash", NOW).await.unwrap();
        assert!(!known("two", "b").await && !known("three", "b").await);
    })
    .await;
}

#[tokio::test]
async fn twenty_devices_are_kept_for_a_year() {
    on_both(async |story| {
        let store = &story.store;
        let (a, b) = (story.add_person("a").await, story.add_person("b").await);
        store.remember_device(None, "b's", b, NOW).await.unwrap();
        for device in 0..21 {
            let token = format!("{device:02}");
            let now = NOW + device;
            store.remember_device(None, &token, a, now).await.unwrap();
        }
        let known = async |token, name| store.known_device(token, name).await.unwrap().is_some();

        assert!(!known("00", "a").await && known("01", "a").await && known("20", "a").await);
        // A device in use is renewed, and does not take the place of another.
        store
            .remember_device(Some("01"), "new", a, NOW + 30)
            .await
            .unwrap();
        assert!(known("new", "a").await && known("02", "a").await);

        store.sweep_known_devices(NOW + 10).await.unwrap();
        assert!(!known("09", "a").await && known("10", "a").await && known("new", "a").await);
        assert!(!known("b's", "b").await);
    })
    .await;
}

#[tokio::test]
async fn guesses_elsewhere_do_not_lock_a_known_device() {
    on_both(async |story| {
        let store = &story.store;
        let id = add_person(story, "ann").await;
        add_person(story, "ben").await;
        store.remember_device(None, "ann's", id, NOW).await.unwrap();
        let sign_in = async |origin: LoginOrigin, name, password, now| {
            attempts::check(store, origin, name, password, now).await
        };

        // Ten addresses, five guesses each: the name is closed to devices that are not known.
        for last in 1..=10 {
            for _ in 0..5 {
                let guess = sign_in(address(last).into(), "ann", "wrong", NOW).await;
                assert!(matches!(guess, Err(LoginError::Wrong)), "{guess:?}");
            }
        }
        let elsewhere = sign_in(address(99).into(), "ann", PASSWORD, NOW).await;
        assert!(matches!(elsewhere, Err(LoginError::TooMany(_))));
        let sentence = elsewhere.unwrap_err().to_string();
        assert!(
            sentence.contains("a device on which you signed in before"),
            "{sentence}"
        );
        let ann = sign_in(on_device(99, "ann's"), "Ann", PASSWORD, NOW).await;
        assert_eq!(ann.unwrap().person.id, id);

        // The address is not the reason: it is one of the ten.
        let ann = sign_in(on_device(1, "ann's"), "ann", PASSWORD, NOW).await;
        assert_eq!(ann.unwrap().person.id, id);

        // The device helps nobody else, known name or not.
        for name in ["ben", "nobody"] {
            for _ in 0..5 {
                let guess = sign_in(on_device(50, "ann's"), name, "wrong", NOW).await;
                assert!(matches!(guess, Err(LoginError::Wrong)), "{name}");
            }
            let guess = sign_in(address(50).into(), name, PASSWORD, NOW).await;
            assert!(matches!(guess, Err(LoginError::TooMany(_))), "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_known_device_has_five_guesses() {
    on_both(async |story| {
        let store = &story.store;
        let id = add_person(story, "ann").await;
        let other = add_person(story, "ben").await;
        store.remember_device(None, "one", id, NOW).await.unwrap();
        store
            .remember_device(Some("one"), "both", other, NOW)
            .await
            .unwrap();
        let sign_in = async |origin: LoginOrigin, name, password, now| {
            attempts::check(store, origin, name, password, now).await
        };

        for _ in 0..5 {
            let guess = sign_in(on_device(1, "both"), "ann", "wrong", NOW).await;
            assert!(matches!(guess, Err(LoginError::Wrong)));
        }

        // Another person signs in there, which changes the cookie, but allows no more guesses at ann.
        store
            .remember_device(Some("both"), "renewed", other, NOW)
            .await
            .unwrap();
        let sixth = sign_in(on_device(1, "renewed"), "ann", "wrong", NOW).await;
        assert!(matches!(sixth, Err(LoginError::TooMany(_))), "{sixth:?}");
        store
            .remember_device(Some("renewed"), "both", other, NOW)
            .await
            .unwrap();

        // Wherever the device is, and even with the right password.
        let sixth = sign_in(on_device(2, "both"), "ann", PASSWORD, NOW).await;
        assert!(matches!(sixth, Err(LoginError::TooMany(_))));

        // Others who use the device are not kept out, and ann is let in elsewhere.
        let ben = sign_in(on_device(1, "both"), "ben", PASSWORD, NOW).await;
        assert_eq!(ben.unwrap().person.id, other);
        let ann = sign_in(address(1).into(), "ann", PASSWORD, NOW).await;
        assert_eq!(ann.unwrap().person.id, id);
        let later = NOW + WINDOW_MS + 1;
        let ann = sign_in(on_device(1, "both"), "ann", PASSWORD, later).await;
        assert_eq!(ann.unwrap().person.id, id);
    })
    .await;
}
