//! Sessions: the list of a person's devices, signing out elsewhere, and the end after thirty days.

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use domain::{ids::PersonId, study::Role};
use scraper::{Html, Selector};
use service::accounts::{SecretToken, password};

use super::testing::{TestSite, TextAssertions as _};
use crate::clock;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The hash under which the store keeps the session of a cookie.
fn stored_hash(cookie: &str) -> String {
    let secret = cookie.strip_prefix("session=").expect("a session's cookie");
    SecretToken::from_text(secret).hash()
}

/// The status of the person's own account page.
async fn account_status(site: &TestSite, cookie: &str) -> StatusCode {
    site.open(Some(cookie), "/account").await.status
}

/// The names of the sessions that the account page offers to end.
async fn listed_sessions(site: &TestSite, cookie: &str) -> Vec<String> {
    let page = site.open(Some(cookie), "/account").await;
    let page = Html::parse_document(&page.body);
    let fields = Selector::parse("form[action$='/end-session'] input[name=session]").unwrap();
    let values = page.select(&fields).filter_map(|field| field.attr("value"));
    values.map(str::to_owned).collect()
}

async fn two_sessions(site: &TestSite) -> (PersonId, String, String) {
    let person = site.person("annotator 1", false).await;
    let (here, elsewhere) = (site.sign_in(person).await, site.sign_in(person).await);
    (person, here, elsewhere)
}

#[tokio::test]
async fn a_person_signs_one_other_device_out() {
    let site = TestSite::new().await;
    let (person, here, elsewhere) = two_sessions(&site).await;
    let third = site.sign_in(person).await;

    let names = listed_sessions(&site, &here).await;
    assert_eq!(names.len(), 2, "the own session is not offered");

    // The page shows neither a cookie nor its stored hash.
    let page = site.open(Some(&here), "/account").await.body;
    for cookie in [&here, &elsewhere, &third] {
        assert!(!page.contains(cookie.trim_start_matches("session=")));
        assert!(!page.contains(&stored_hash(cookie)));
    }

    let answer = site
        .call(Some(&here), "end-session", &[("session", &names[0])])
        .await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let left = listed_sessions(&site, &here).await;
    assert_eq!(left, names[1..]);

    let statuses = [
        account_status(&site, &elsewhere).await,
        account_status(&site, &third).await,
    ];
    let ended = statuses
        .iter()
        .filter(|status| **status == StatusCode::SEE_OTHER);
    assert_eq!(ended.count(), 1, "{statuses:?}");
    assert_eq!(account_status(&site, &here).await, StatusCode::OK);

    let again = site
        .call(Some(&here), "end-session", &[("session", &names[0])])
        .await;
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn nobody_ends_the_session_of_somebody_else() {
    let site = TestSite::new().await;
    let (_, here, elsewhere) = two_sessions(&site).await;
    let names = listed_sessions(&site, &here).await;

    let stranger = site.person("a stranger", true).await;
    let stranger = site.sign_in(stranger).await;
    for name in [&names[0], &stored_hash(&elsewhere)] {
        let answer = site
            .call(Some(&stranger), "end-session", &[("session", name)])
            .await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    }

    let answer = site.call(Some(&stranger), "end-other-sessions", &[]).await;
    assert_eq!(answer.status, StatusCode::OK);
    for cookie in [&here, &elsewhere] {
        assert_eq!(account_status(&site, cookie).await, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_person_signs_out_everywhere_else() {
    let site = TestSite::new().await;
    let (_, here, elsewhere) = two_sessions(&site).await;

    let page = site.open(Some(&here), "/account").await.body;
    page.assert_shows(&["Sign out everywhere else"]);

    let answer = site.call(Some(&here), "end-other-sessions", &[]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert_eq!(account_status(&site, &here).await, StatusCode::OK);
    let status = account_status(&site, &elsewhere).await;
    assert_eq!(status, StatusCode::SEE_OTHER);

    let page = site.open(Some(&here), "/account").await.body;
    page.assert_lacks(&["Sign out everywhere else"]);
    assert!(listed_sessions(&site, &here).await.is_empty());
}

#[tokio::test]
async fn a_device_is_named_by_its_browser_in_our_own_words() {
    let site = TestSite::new().await;
    let person = site.person("annotator 1", false).await;

    let hash = password::hash("annotator 1", "correct horse", clock::random()).await;
    let hash = hash.unwrap();
    let changed = site.store.set_password_hash(person, Some(&hash));
    assert!(changed.await.unwrap());
    let here = site.sign_in(person).await;

    let agent = format!("Edg/140 (Windows) <planted> {}", "x".repeat(400));
    let request = Request::post("/api/log-in")
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::USER_AGENT, &agent)
        .body(Body::from("name=annotator+1&password=correct+horse"))
        .unwrap();
    assert_eq!(site.send(request).await.status(), StatusCode::OK);

    let sessions = site.store.sessions(person, clock::now_ms()).await.unwrap();
    let stored = sessions
        .iter()
        .find(|session| session.token_hash != stored_hash(&here));
    assert_eq!(stored.unwrap().user_agent, agent[..200]);

    let page = site.open(Some(&here), "/account").await.body;
    page.assert_shows(&["Edge on Windows", "this device"]);
    page.assert_lacks(&["planted"]);
}

#[tokio::test]
async fn a_session_ends_after_thirty_days_however_much_it_is_used() {
    let site = TestSite::new().await;
    let person = site.person("annotator 1", false).await;
    let began_at = clock::now_ms() - 30 * DAY_MS + 30_000;
    let last = site.sign_in_since(person, began_at).await;
    assert_eq!(account_status(&site, &last).await, StatusCode::OK);

    let stored = site
        .store
        .session(&stored_hash(&last), clock::now_ms())
        .await;
    let session = stored.unwrap().unwrap();
    assert_eq!(session.expires_at, began_at + 30 * DAY_MS);

    // A session from a version without that end.
    let worn = site
        .sign_in_since(person, clock::now_ms() - 30 * DAY_MS)
        .await;
    let status = account_status(&site, &worn).await;
    assert_eq!(status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_session_in_use_is_extended_and_its_use_noted() {
    let site = TestSite::new().await;
    let person = site.person("annotator 1", false).await;
    let (fresh, idle) = (
        site.sign_in(person).await,
        site.sign_in_since(person, clock::now_ms() - DAY_MS).await,
    );

    let before = clock::now_ms();
    let answer = site.open(Some(&idle), "/account").await;
    assert_eq!(answer.cookies, [idle.as_str()], "it is sent again");
    let session = site.store.session(&stored_hash(&idle), before).await;
    let session = session.unwrap().unwrap();
    assert!(session.seen_at >= before && session.expires_at >= before + 60_000);

    let answer = site.open(Some(&fresh), "/account").await;
    assert!(answer.cookies.is_empty(), "not with each request");
}

/// Without the database, no session can be looked up, which is not reported as a defect.
#[tokio::test]
async fn without_its_database_the_site_says_so_everywhere() {
    let site = TestSite::new().await;
    let study = site.study("river").await;
    let cookie = site.sign_in_member(study, "lea", Role::Lead).await;
    site.store.close().await;
    let cookie = Some(cookie.as_str());
    for page in [
        "/",
        "/s/river",
        "/s/river/export/tidy.zip",
        "/s/river/crowd/pay.csv",
    ] {
        let answer = site.open(cookie, page).await;
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{page}");
        assert!(
            answer.body.contains("shutting down"),
            "{page}: {}",
            answer.body
        );
    }

    // Scripts get this refusal in the usual form.
    let answer = site.call(cookie, "theme", &[("theme", "dark")]).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    answer.assert_shows(&["shutting down"]);
    let answer = site.upload(cookie, &[("slug", "river")], &[]).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
}
