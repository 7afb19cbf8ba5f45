//! Guesses at passwords: who is locked out by them, and who is not.

use axum::http::StatusCode;
use domain::{ids::PersonId, study::Role};
use service::accounts::{SecretToken, digest, network_hash};

use super::{
    log_in_tests::{PASSWORD, create_person},
    testing::{TestResponse, TestSite},
};
use crate::clock;

async fn log_in(
    site: &TestSite,
    address: &str,
    cookie: Option<&str>,
    name: &str,
    password: &str,
) -> TestResponse {
    let form = [("name", name), ("password", password), ("next", "")];
    site.call_from(address, cookie, "log-in", &form).await
}

/// The device cookie that a response sets.
fn device(response: &TestResponse) -> String {
    response.cookie("device").to_owned()
}

/// Guesses at a name until unknown devices are locked out of it.
async fn lock_name(site: &TestSite, name: &str) {
    for last in 1..=10 {
        for _ in 0..5 {
            let address = format!("192.0.2.{last}");
            let guess = log_in(site, &address, None, name, "wrong").await;
            assert_eq!(guess.status, StatusCode::UNPROCESSABLE_ENTITY);
        }
    }

    let locked = log_in(site, "192.0.2.99", None, name, PASSWORD).await;
    assert_eq!(locked.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn sixty_guesses_at_one_name_lock_no_other_name_of_the_address_out() {
    let site = TestSite::new().await;
    create_person(&site, "annotator 1").await;
    create_person(&site, "annotator 2").await;
    let here = "192.0.2.1";
    for _ in 0..60 {
        log_in(&site, here, None, "annotator 1", "wrong").await;
    }

    let locked = log_in(&site, here, None, "annotator 1", PASSWORD).await;
    assert_eq!(locked.status, StatusCode::TOO_MANY_REQUESTS);
    let other = log_in(&site, here, None, "annotator 2", PASSWORD).await;
    assert_eq!(other.status, StatusCode::OK, "{}", other.body);
}

#[tokio::test]
async fn guesses_at_many_names_close_the_address_to_these_and_then_to_all() {
    let site = TestSite::new().await;
    create_person(&site, "annotator 1").await;
    create_person(&site, "annotator 2").await;
    let here = "192.0.2.1";
    let once = log_in(&site, here, None, "annotator 2", "wrong").await;
    assert_eq!(once.status, StatusCode::UNPROCESSABLE_ENTITY);

    // Stands for guesses at other names, each of which would take some time to verify.
    let failures = async |times: usize| {
        let counter = digest(format!("address {here}"));
        for _ in 0..times {
            let now = clock::now_ms();
            site.store
                .record_login_failure(&counter, now)
                .await
                .unwrap();
        }
    };

    failures(49).await;
    let failed_here = log_in(&site, here, None, "annotator 2", PASSWORD).await;
    assert_eq!(failed_here.status, StatusCode::TOO_MANY_REQUESTS);

    failures(449).await;
    let guess = log_in(&site, here, None, "annotator 3", "wrong").await;
    assert_eq!(guess.status, StatusCode::UNPROCESSABLE_ENTITY, "the last");
    for name in ["annotator 1", "nobody"] {
        let closed = log_in(&site, here, None, name, PASSWORD).await;
        assert_eq!(closed.status, StatusCode::TOO_MANY_REQUESTS, "{name}");
    }

    let elsewhere = log_in(&site, "192.0.2.2", None, "annotator 1", PASSWORD).await;
    assert_eq!(elsewhere.status, StatusCode::OK);

    // A known device does not depend on its address.
    let known = device(&elsewhere);
    let back = log_in(&site, here, Some(&known), "annotator 1", PASSWORD).await;
    assert_eq!(back.status, StatusCode::OK, "{}", back.body);
}

#[tokio::test]
async fn a_person_signs_in_on_a_known_device_while_others_guess() {
    let site = TestSite::new().await;
    create_person(&site, "annotator 1").await;
    create_person(&site, "annotator 2").await;
    let first = log_in(&site, "192.0.2.200", None, "annotator 1", PASSWORD).await;
    let known = device(&first);

    // The device stays known after signing out.
    let both = format!("{}; {known}", first.cookies[0]);
    let out = site.call(Some(&both), "log-out", &[]).await;
    assert_eq!(out.cookies, ["session="]);
    lock_name(&site, "annotator 1").await;
    lock_name(&site, "annotator 2").await;

    // It helps no other name, and a made-up device helps nobody.
    for (cookie, name) in [
        (known.as_str(), "annotator 2"),
        ("device=made-up", "annotator 1"),
    ] {
        let foreign = log_in(&site, "192.0.2.200", Some(cookie), name, PASSWORD).await;
        assert_eq!(foreign.status, StatusCode::TOO_MANY_REQUESTS, "{name}");
    }

    let back = log_in(&site, "192.0.2.200", Some(&known), "annotator 1", PASSWORD).await;
    assert_eq!(back.status, StatusCode::OK, "{}", back.body);

    // Each sign-in gives the device a new token, so a copy of the old one is worthless.
    assert_ne!(device(&back), known);
    let copy = log_in(&site, "192.0.2.200", Some(&known), "annotator 1", PASSWORD).await;
    assert_eq!(copy.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_known_device_has_limits_of_its_own_for_each_person() {
    let site = TestSite::new().await;
    create_person(&site, "annotator 1").await;
    create_person(&site, "annotator 2").await;
    let here = "192.0.2.1";
    let first = log_in(&site, here, None, "annotator 1", PASSWORD).await;
    let second = log_in(&site, here, Some(&device(&first)), "annotator 2", PASSWORD).await;
    let known = device(&second);
    for _ in 0..5 {
        let guess = log_in(&site, here, Some(&known), "annotator 1", "wrong").await;
        assert_eq!(guess.status, StatusCode::UNPROCESSABLE_ENTITY);
    }

    let sixth = log_in(&site, here, Some(&known), "annotator 1", PASSWORD).await;
    sixth.assert_is(429, &["Try again in 15 minutes.\""]);

    let other = log_in(&site, here, Some(&known), "annotator 2", PASSWORD).await;
    assert_eq!(other.status, StatusCode::OK);

    // A new device cookie brings no more guesses at the other name.
    let renewed = device(&other);
    assert_ne!(renewed, known);
    for password in ["wrong", PASSWORD] {
        let sixth = log_in(&site, here, Some(&renewed), "annotator 1", password).await;
        assert_eq!(sixth.status, StatusCode::TOO_MANY_REQUESTS, "{password}");
    }
}

#[tokio::test]
async fn a_new_password_forgets_other_devices_and_keeps_this_one_known() {
    let site = TestSite::new().await;
    create_person(&site, "annotator 1").await;
    let elsewhere = log_in(&site, "192.0.2.1", None, "annotator 1", PASSWORD).await;
    let here = log_in(&site, "192.0.2.2", None, "annotator 1", PASSWORD).await;
    let session = here.cookies.join("; ");
    let form = [("current", PASSWORD), ("new", "battery staple")];
    let changed = site.call(Some(&session), "change-password", &form).await;
    assert_eq!(changed.status, StatusCode::OK, "{}", changed.body);

    lock_name(&site, "annotator 1").await;

    let sign_in = async |cookie: &str| {
        let (name, password) = ("annotator 1", "battery staple");
        let answer = log_in(&site, "192.0.2.3", Some(cookie), name, password).await;
        answer.status
    };

    let other = sign_in(&device(&elsewhere)).await;
    assert_eq!(other, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(sign_in(&device(&changed)).await, StatusCode::OK);
}

#[tokio::test]
async fn a_link_for_a_new_password_forgets_the_devices_and_makes_this_one_known() {
    let site = TestSite::new().await;
    let id = create_person(&site, "annotator 1").await;
    let before = log_in(&site, "192.0.2.1", None, "annotator 1", PASSWORD).await;
    let before = device(&before);
    lock_name(&site, "annotator 1").await;

    let (token, now) = (SecretToken::new(clock::random()), clock::now_ms());
    site.store
        .create_password_link(&token.hash(), id, now, now + 60_000)
        .await
        .unwrap();
    let form = [("token", token.secret()), ("new", "battery staple")];
    let set = site.call(None, "set-password", &form).await;
    assert_eq!(set.status, StatusCode::OK, "{}", set.body);

    let sign_in = async |cookie: &str| {
        let name = "annotator 1";
        let answer = log_in(&site, "192.0.2.1", Some(cookie), name, "battery staple").await;
        answer.status
    };

    assert_eq!(sign_in(&before).await, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(sign_in(&device(&set)).await, StatusCode::OK);
}

#[tokio::test]
async fn a_hundred_accounts_an_hour_are_registered_by_one_link_from_one_address() {
    let site = TestSite::new().await;
    let study = site.study("river").await;
    let (token, now) = (SecretToken::new(clock::random()), clock::now_ms());
    let link = token.hash();
    let new = store::NewInvitation {
        token_hash: &link,
        target: store::InvitationTarget::Membership(Role::Annotator),
        label: "",
        uses: 200,
        expires_at: now + 60_000,
        created_by: None,
        group: None,
    };
    site.store
        .create_invitation(study, &new, now)
        .await
        .unwrap();

    let register = async |address: &str, name: &str| {
        let form = [("token", token.secret()), ("name", name), ("new", PASSWORD)];
        site.call_from(address, None, "register", &form).await
    };

    let made = register("2001:db8::1", "annotator 1").await;
    assert_eq!(made.status, StatusCode::OK, "{}", made.body);
    assert!(device(&made).len() > 40);

    // Registers the others directly, because hashing each password takes some time.
    let network = network_hash("2001:db8::1".parse().unwrap());
    for number in 0..99 {
        let (id, name) = (PersonId(clock::new_id()), format!("reader {number}"));
        let now = clock::now_ms();
        let made = site
            .store
            .register_by_invitation(&link, id, &name, "hash", &network, now);
        made.await.unwrap();
    }

    // A neighbour in the same network is refused.
    let refused = register("2001:db8::2", "annotator 21").await;
    refused.assert_is(429, &["creating accounts from your network"]);

    let elsewhere = register("2001:db8:0:1::1", "annotator 21").await;
    assert_eq!(elsewhere.status, StatusCode::OK, "{}", elsewhere.body);
}
