//! Accounts as a browser without JavaScript sees them: signing in and out, passwords, and the administrator's list.

use axum::http::StatusCode;
use service::accounts::SecretToken;
use store::NewSession;

use super::{
    log_in_tests::{PASSWORD, create_person},
    plain_browser::PlainBrowser,
    testing::TestSite,
};
use crate::clock;

async fn sign_in(browser: &mut PlainBrowser<'_>, name: &str, password: &str) {
    let fields = [("Name", name), ("Password", password)];
    browser.send("Sign in", &fields).await;
}

#[tokio::test]
async fn a_person_reaches_the_page_that_they_asked_for_and_signs_out() {
    let site = TestSite::new().await;
    create_person(&site, "annotator 1").await;
    let mut browser = PlainBrowser::new(&site);

    browser.open("/account").await;
    assert_eq!(browser.address, "/login?next=%2Faccount");
    sign_in(&mut browser, "annotator 1", "not the password").await;
    browser.assert_shows(&["The name or the password is wrong"]);
    sign_in(&mut browser, "Annotator 1", PASSWORD).await;
    assert_eq!(browser.address, "/account");
    browser.assert_shows(&["annotator 1"]);

    browser.send("Sign out", &[]).await;
    browser.assert_shows(&["Sign in"]);
    browser.open("/account").await;
    assert_eq!(browser.address, "/login?next=%2Faccount");
    browser.assert_lacks(&["annotator 1"]);

    browser.open("/login?next=//other.example/").await;
    sign_in(&mut browser, "annotator 1", PASSWORD).await;
    assert_eq!(browser.address, "/");
}

#[tokio::test]
async fn a_person_changes_the_password_on_the_account_page() {
    let site = TestSite::new().await;
    let person = create_person(&site, "annotator 1").await;
    let mut browser = PlainBrowser::with_session(&site, &site.sign_in(person).await);
    let mut elsewhere = PlainBrowser::with_session(&site, &site.sign_in(person).await);

    browser.open("/account").await;
    for (current, sentence) in [
        ("not the password", "The current password is not correct."),
        (PASSWORD, "Your password has been changed."),
    ] {
        let fields = [
            ("Current password", current),
            ("New password", "battery staple"),
        ];
        browser.send("Change password", &fields).await;
        browser.assert_shows(&[sentence, "annotator 1"]);
    }

    elsewhere.open("/account").await;
    assert!(elsewhere.address.starts_with("/login"));
}

#[tokio::test]
async fn an_administrator_adds_resets_closes_and_reopens_accounts() {
    let site = TestSite::new().await;
    let admin = site.person("admin 1", true).await;
    let mut browser = PlainBrowser::with_session(&site, &site.sign_in(admin).await);
    browser.open("/people").await;
    browser.send("Add", &[("Name", "annotator 1")]).await;
    let link = browser.link("/welcome/");
    browser.open("/people").await;
    browser.assert_lacks(&["/welcome/"]);

    let mut theirs = PlainBrowser::new(&site);
    theirs.open(&link[link.find("/welcome/").unwrap()..]).await;
    theirs.assert_shows(&["annotator 1"]);
    let password = [("Password", PASSWORD)];
    theirs.send("Set password and sign in", &password).await;
    theirs.assert_shows(&["Your studies"]);

    browser.send("Deactivate for annotator 1", &[]).await;
    browser.assert_shows(&["The account of annotator 1 has been deactivated."]);
    theirs.open("/account").await;
    assert!(theirs.address.starts_with("/login"));
    browser.send("Reactivate for annotator 1", &[]).await;
    browser.assert_shows(&["The account of annotator 1 is active again."]);

    let name = "Make administrator for annotator 1";
    browser.send(name, &[]).await;
    browser.assert_shows(&["annotator 1 is now an administrator."]);

    let name = "Link for a new password for annotator 1";
    browser.send(name, &[]).await;
    browser.link("/welcome/");
}

#[tokio::test]
async fn a_session_that_was_idle_too_long_has_ended() {
    let site = TestSite::new().await;
    let person = site.person("annotator 1", false).await;
    let (now, token) = (clock::now_ms(), SecretToken::new(clock::random()));
    let idle = NewSession {
        token_hash: &token.hash(),
        person,
        password_hash: None,
        user_agent: "",
        now_ms: now - 60_000,
        expires_ms: now - 1,
    };
    assert!(site.store.create_session(&idle).await.unwrap());
    let cookie = format!("session={}", token.secret());

    let answer = site.open(Some(&cookie), "/account").await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(answer.location.as_deref(), Some("/login?next=%2Faccount"));
}
