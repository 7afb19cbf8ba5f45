//! Readers without an account: how many may begin from one address, and with a platform's id.

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};

use super::{
    comprehension_tests::{FILE, LeadBrowser, SET_UP},
    testing::{TestResponse, TestSite, TextAssertions as _},
};

/// Sets up a study for 13 readers, and returns the token of its link.
async fn set_up(site: &TestSite, more: &[(&str, &str)]) -> String {
    let lead = LeadBrowser::new(site).await;
    let mut set_up = [SET_UP, more].concat();
    set_up[0].1 = "13";
    let answer = lead.call("set-comprehension", &set_up).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);

    lead.bring_in(FILE, &[]).await;
    lead.new_link("50").await
}

async fn begin(site: &TestSite, address: &str, token: &str, participant: &str) -> TestResponse {
    let form = [
        ("token", token),
        ("consent", "yes"),
        ("screening[0]", "English"),
        ("participant", participant),
    ];
    site.call_from(address, None, "reading/begin", &form).await
}

fn reader(response: &TestResponse) -> &str {
    response.cookie("reader")
}

#[tokio::test]
async fn a_client_that_drops_its_cookie_gets_ten_places_of_thirteen() {
    let site = TestSite::new().await;
    let token = set_up(&site, &[]).await;

    let mut begun = 0;
    for _ in 0..20 {
        let answer = begin(&site, "192.0.2.1", &token, "").await;
        if answer.status == StatusCode::OK {
            begun += 1;
            continue;
        }
        answer.assert_is(
            429,
            &["Many people are beginning from your network just now. Wait a minute"],
        );
        assert!(answer.cookies.is_empty());
    }
    assert_eq!(begun, 10);

    let other = begin(&site, "192.0.2.2", &token, "").await;
    assert_eq!(other.status, StatusCode::OK, "{}", other.body);
    // A reader who has a place continues there.
    // Those who have a place continue it.
    let form = [
        ("token", &*token),
        ("consent", "yes"),
        ("screening[0]", "English"),
    ];
    let again = site
        .call_from("192.0.2.1", Some(reader(&other)), "reading/begin", &form)
        .await;
    assert_eq!(again.status, StatusCode::OK, "{}", again.body);
}

#[tokio::test]
async fn a_form_without_a_script_is_led_to_a_page_that_says_to_wait() {
    let site = TestSite::new().await;
    let token = set_up(&site, &[]).await;
    let start = format!("/take/{token}");
    let post = || {
        let form = format!("token={token}&consent=yes&screening[0]=English");
        Request::post("/api/reading/begin")
            .header(header::ACCEPT, "text/html")
            .header(header::REFERER, &start)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(form))
            .unwrap()
    };
    for _ in 0..10 {
        let answer = site.send(post()).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        assert_eq!(answer.headers()[header::LOCATION], "/read");
    }

    let refused = site.send(post()).await;
    assert_eq!(refused.status(), StatusCode::SEE_OTHER);
    assert_eq!(refused.headers()[header::LOCATION], start.as_str());

    let flash = refused.headers()[header::SET_COOKIE].to_str().unwrap();
    let flash = flash.split(';').next().unwrap();
    let page = site.open(Some(flash), &start).await;
    page.assert_is(429, &["Wait a minute and try again.", "Before you begin"]);

    let next = site.open(None, &start).await;
    assert_eq!(next.status, StatusCode::OK);
}

#[tokio::test]
async fn where_the_platforms_id_is_needed_each_has_one_place() {
    let site = TestSite::new().await;
    let token = set_up(&site, &[("session[needs_platform_id]", "yes")]).await;
    let start = format!("/take/{token}");
    let page = site.open(None, &start).await.body;
    page.assert_shows(&["Open the study from your platform"]);
    page.assert_lacks(&["name=\"consent\""]);
    let without = begin(&site, "192.0.2.1", &token, "").await;
    without.assert_is(422, &["Your link lacks the ID"]);

    let unfilled = format!("{start}?PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D");
    let page = site.open(None, &unfilled).await;
    page.assert_is(410, &["should have filled in"]);
    let refused = begin(&site, "192.0.2.1", &token, "{{%PROLIFIC_PID%}}").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);

    let with_id = format!("{start}?PROLIFIC_PID=w1");
    let page = site.open(None, &with_id).await.body;
    page.assert_shows(&["name=\"consent\""]);
    let first = begin(&site, "192.0.2.1", &token, "w1").await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.body);
    let text = site.open(Some(reader(&first)), "/read").await;
    assert_eq!(text.status, StatusCode::OK);

    // Another browser takes over the place, and the first one loses it.
    let second = begin(&site, "192.0.2.2", &token, "w1").await;
    assert_eq!(second.status, StatusCode::OK, "{}", second.body);
    let text = site.open(Some(reader(&second)), "/read").await;
    text.assert_shows(&["The ferry stopped at noon."]);
    let gone = site.open(Some(reader(&first)), "/read").await;
    assert_eq!(gone.status, StatusCode::GONE);

    let other = begin(&site, "192.0.2.2", &token, "w2").await;
    assert_eq!(other.status, StatusCode::OK, "{}", other.body);
    let study = site.store.study_by_slug(&"river".parse().unwrap()).await;
    let study = study.unwrap().unwrap().id;
    assert_eq!(site.store.participants(study).await.unwrap().len(), 2);
}
