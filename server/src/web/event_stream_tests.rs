//! A study's events as a stream.

use std::time::Duration;

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
    response::Response,
};
use domain::study::Role;
use futures::StreamExt as _;
use tokio::time::timeout;

use super::testing::TestSite;
use crate::clock;

/// More time than any machine needs to deliver an event.
const PATIENCE: Duration = Duration::from_secs(20);

async fn stream(site: &TestSite, cookie: &str, after: i64, seen: Option<&str>) -> Response {
    let mut request =
        Request::get(format!("/s/a-study/news?after={after}")).header(header::COOKIE, cookie);
    if let Some(event_id) = seen {
        request = request.header("last-event-id", event_id);
    }
    site.send(request.body(Body::empty()).unwrap()).await
}

/// Reads a stream until `text` has arrived or the stream ends.
async fn read_until(response: Response, text: &str) -> String {
    let mut pieces = response.into_body().into_data_stream();
    let mut all = String::new();
    let listening = async {
        while let Some(piece) = pieces.next().await {
            all += &String::from_utf8_lossy(&piece.unwrap());
            if all.contains(text) {
                break;
            }
        }
    };

    timeout(PATIENCE, listening).await.expect("news come");
    all
}

#[tokio::test]
async fn news_reach_people_who_may_see_figures_and_nobody_else() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let annotator = site
        .sign_in_member(study, "an annotator", Role::Annotator)
        .await;
    let stranger = site.person("a stranger", false).await;
    let stranger = site.sign_in(stranger).await;

    for (cookie, status) in [
        (annotator.as_str(), StatusCode::FORBIDDEN),
        (&stranger, StatusCode::NOT_FOUND),
        ("", StatusCode::UNAUTHORIZED),
    ] {
        assert_eq!(stream(&site, cookie, 0, None).await.status(), status);
    }

    let newest_event = site.store.newest_event(study).await.unwrap().unwrap();
    let following = stream(&site, &lead, newest_event, None).await;
    assert_eq!(following.status(), StatusCode::OK);
    assert_eq!(
        following.headers()[header::CONTENT_TYPE],
        "text/event-stream"
    );
    assert_eq!(following.headers()[header::CACHE_CONTROL], "no-store");
    assert_eq!(following.headers()["x-accel-buffering"], "no");

    // Written past this site, as another server would.
    site.member(study, "one more", Role::Annotator).await;
    let next = format!("id: {0}\ndata: {0}\n", newest_event + 1);
    let text = read_until(following, &next).await;
    assert_eq!(text.trim_end(), next.trim_end(), "and nothing before it");
}

/// A message from a form waits for the page that the person sees next; background requests leave it alone.
#[tokio::test]
async fn a_page_that_is_fetched_in_the_background_takes_no_word_away() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;

    let form = [
        ("slug", "a-study"),
        ("role", "annotator"),
        ("uses", "1"),
        ("days", "1"),
    ];
    let invited = site.call(Some(&lead), "invite", &form).await;
    let cookie = format!("{lead}; {}", invited.cookie("flash"));

    let members = Request::get("/s/a-study/members").header(header::COOKIE, &cookie);
    let fetched = members.header("x-in-background", "1");
    let fetched = site.send(fetched.body(Body::empty()).unwrap()).await;
    assert_eq!(fetched.status(), StatusCode::OK);
    assert!(!fetched.headers().contains_key(header::SET_COOKIE));

    let shown = site.open(Some(&cookie), "/s/a-study/members").await;
    assert!(shown.body.contains("class=\"address\""), "{}", shown.body);
    assert!(
        shown.cookies.iter().any(|cookie| cookie == "flash="),
        "{:?}",
        shown.cookies
    );
}

#[tokio::test]
async fn who_comes_back_hears_what_they_missed_and_a_server_that_stops_ends_streams() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let newest = site.store.newest_event(study).await.unwrap().unwrap();
    // The number that the browser saw last counts; that in the address is as old as the page.
    let back = stream(&site, &lead, newest, Some("0")).await;
    read_until(back, &format!("id: {newest}\n")).await;

    let up_to_date = stream(&site, &lead, 0, Some(&newest.to_string())).await;
    site.stop.cancel();
    assert_eq!(read_until(up_to_date, "never").await, "");
}

#[tokio::test]
async fn the_erasure_of_a_study_is_news_and_ends_its_streams() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    site.store
        .close_study(study, clock::now_ms())
        .await
        .unwrap();

    let newest = site.store.newest_event(study).await.unwrap().unwrap();
    let behind = stream(&site, &lead, 0, Some("0")).await;
    let following = stream(&site, &lead, newest, None).await;
    // By now the feed knows the study.
    read_until(behind, &format!("id: {newest}\n")).await;

    site.store
        .erase_study(study, clock::now_ms())
        .await
        .unwrap();

    let end = newest + 1;
    let news = read_until(following, "never").await;
    assert!(news.contains(&format!("id: {end}\n")), "{news}");
}

#[tokio::test]
async fn nobody_takes_the_streams_of_others() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let researcher = site
        .sign_in_member(study, "a researcher", Role::Researcher)
        .await;

    let mut open = Vec::new();
    for _ in 0..20 {
        let following = stream(&site, &lead, 0, None).await;
        assert_eq!(following.status(), StatusCode::OK);
        open.push(following);
    }

    let refused = stream(&site, &lead, 0, None).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let other = stream(&site, &researcher, 0, None).await;
    assert_eq!(other.status(), StatusCode::OK);

    open.pop();
    assert_eq!(stream(&site, &lead, 0, None).await.status(), StatusCode::OK);
}
