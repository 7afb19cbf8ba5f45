//! Signing in, including what an attacker would try.

use axum::{
    body::Body,
    http::{Request, StatusCode},
};
use domain::ids::PersonId;
use service::accounts::password;

use super::testing::{TestResponse, TestSite};
use crate::clock;

pub(super) const PASSWORD: &str = "correct horse";

pub(super) async fn create_person(site: &TestSite, name: &str) -> PersonId {
    let hash = password::hash(name, PASSWORD, clock::random())
        .await
        .unwrap();
    let id = PersonId(clock::new_id());
    let now = clock::now_ms();
    site.store
        .create_person(id, name, Some(&hash), false, now)
        .await
        .unwrap()
        .id
}

async fn log_in(site: &TestSite, name: &str, password: &str, next: &str) -> TestResponse {
    let form = [("name", name), ("password", password), ("next", next)];
    site.call(None, "log-in", &form).await
}

#[tokio::test]
async fn name_and_password_begin_a_session() {
    let site = TestSite::new().await;
    let id = create_person(&site, "annotator 1").await;
    let answer = log_in(&site, " Annotator  1", PASSWORD, "/account").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.location.as_deref(), Some("/account"));
    let [cookie, device] = &answer.cookies[..] else {
        panic!("{:?}", answer.cookies)
    };
    assert!(device.starts_with("device="), "{device}");

    let page = site.open(Some(cookie), "/account").await;
    page.assert_shows(&["annotator 1"]);
    // The script that first sends waiting answers knows whose they are.
    let button = format!("data-sign-out=\"{id}\"");
    page.assert_shows(&[&button]);

    let out = site.call(Some(cookie), "log-out", &[]).await;
    assert_eq!(out.cookies, ["session="]);
    // The storage is kept: answers that the server does not have may wait there.
    let request = Request::post("/api/log-out").body(Body::empty()).unwrap();
    let out = site.send(request).await;
    assert_eq!(out.headers()["clear-site-data"], "\"cache\"");
    assert_eq!(
        site.open(Some(cookie), "/account").await.status,
        StatusCode::SEE_OTHER
    );
}

#[tokio::test]
async fn the_cookies_of_an_https_site_are_its_hosts_own() {
    let site = TestSite::with_flags(&["--public-url", "https://rate.example.org/"]).await;
    create_person(&site, "annotator 1").await;
    let answer = log_in(&site, "annotator 1", PASSWORD, "/account").await;
    let [cookie, device] = &answer.cookies[..] else {
        panic!("{:?}", answer.cookies)
    };
    assert!(device.starts_with("__Host-device="), "{device}");

    let secret = cookie.strip_prefix("__Host-session=").expect("its name");
    let status = async |cookie: &str| site.open(Some(cookie), "/account").await.status;
    assert_eq!(status(cookie).await, StatusCode::OK);

    // Another host of the domain may have set a cookie without the prefix, so it is not accepted.
    let planted = format!("session={secret}");
    assert_eq!(status(&planted).await, StatusCode::SEE_OTHER);
    let out = site.call(Some(cookie), "log-out", &[]).await;
    assert_eq!(out.cookies, ["__Host-session="]);
    assert_eq!(status(cookie).await, StatusCode::SEE_OTHER);

    let theme = site.call(None, "theme", &[("theme", "dark")]).await;
    assert_eq!(theme.cookies, ["__Host-theme=dark"]);
    let page = site.open(Some(&theme.cookies[0]), "/login").await;
    page.assert_shows(&["data-theme=\"dark\""]);
}

#[tokio::test]
async fn signing_in_leads_to_no_other_site() {
    let site = TestSite::new().await;
    create_person(&site, "annotator 1").await;
    for next in [
        "https://other.example/",
        "//other.example/",
        "/\\other.example",
        "",
        "account",
    ] {
        let answer = log_in(&site, "annotator 1", PASSWORD, next).await;
        assert_eq!(answer.location.as_deref(), Some("/"), "{next}");
    }
}

#[tokio::test]
async fn a_wrong_name_and_a_wrong_password_are_refused_alike() {
    let site = TestSite::new().await;
    let id = create_person(&site, "annotator 1").await;
    let wrong_password = log_in(&site, "annotator 1", "wrong", "").await;
    let unknown = log_in(&site, "annotator 2", "wrong", "").await;
    assert_eq!(
        (wrong_password.status, wrong_password.body),
        (unknown.status, unknown.body)
    );
    assert_eq!(wrong_password.status, StatusCode::UNPROCESSABLE_ENTITY);

    site.store
        .disable_person(id, clock::now_ms())
        .await
        .unwrap();
    let closed = log_in(&site, "annotator 1", "wrong", "").await;
    closed.assert_shows(&["The name or the password is wrong."]);

    let closed = log_in(&site, "annotator 1", PASSWORD, "").await;
    closed.assert_shows(&["deactivated"]);
    assert!(closed.cookies.is_empty());
}

#[tokio::test]
async fn after_five_wrong_passwords_one_waits_whether_or_not_there_is_such_a_name() {
    let site = TestSite::new().await;
    create_person(&site, "annotator 1").await;
    create_person(&site, "annotator 2").await;
    for name in ["annotator 1", "nobody of that name"] {
        for attempt in 1..=5 {
            let answer = log_in(&site, name, "wrong", "").await;
            assert_eq!(
                answer.status,
                StatusCode::UNPROCESSABLE_ENTITY,
                "{name} {attempt}"
            );
        }

        let answer = log_in(&site, name, PASSWORD, "").await;
        assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS, "{name}");
        answer.assert_shows(&["Try again in 15 minutes, or sign in on a device"]);
        assert!(answer.cookies.is_empty());
    }

    let other = log_in(&site, "annotator 2", PASSWORD, "").await;
    assert_eq!(
        other.status,
        StatusCode::OK,
        "another name may sign in from there"
    );
}

#[tokio::test]
async fn guesses_sent_all_at_once_are_counted() {
    let site = TestSite::new().await;
    create_person(&site, "annotator 1").await;
    let guesses = (0..24).map(|_| log_in(&site, "annotator 1", "wrong", ""));
    let answers = futures::future::join_all(guesses).await;

    let tried = answers
        .iter()
        .filter(|answer| answer.status == StatusCode::UNPROCESSABLE_ENTITY)
        .count();

    // Five, and those that were being verified at the same time.
    assert!((5..=8).contains(&tried), "{tried}");
}

#[tokio::test]
async fn a_new_password_ends_the_other_sessions() {
    let site = TestSite::new().await;
    let id = create_person(&site, "annotator 1").await;
    let (here, elsewhere) = (site.sign_in(id).await, site.sign_in(id).await);
    let form = [("current", PASSWORD), ("new", "battery staple")];
    let answer = site.call(Some(&here), "change-password", &form).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);

    for ended in [&here, &elsewhere] {
        assert_eq!(
            site.open(Some(ended), "/account").await.status,
            StatusCode::SEE_OTHER
        );
    }

    let session = answer.cookie("session");
    assert_eq!(
        site.open(Some(session), "/account").await.status,
        StatusCode::OK
    );

    let old = log_in(&site, "annotator 1", PASSWORD, "").await;
    assert_eq!(old.status, StatusCode::UNPROCESSABLE_ENTITY);
    let new = log_in(&site, "annotator 1", "battery staple", "").await;
    assert_eq!(new.status, StatusCode::OK);
}

#[tokio::test]
async fn the_first_administrator_is_made_by_the_link_and_once() {
    use service::accounts::SecretToken;

    let site = TestSite::new().await;
    let (token, now) = (SecretToken::new(clock::random()), clock::now_ms());
    assert!(
        site.store
            .create_first_admin_link(&token.hash(), now, now + 60_000)
            .await
            .unwrap()
    );

    let page = site
        .open(None, &format!("/welcome/{}", token.secret()))
        .await;
    page.assert_shows(&["Become the administrator"]);

    let form = |name| [("token", token.secret()), ("name", name), ("new", PASSWORD)];
    let response = site.call(None, "become-admin", &form("admin 1")).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.body);
    let people = site
        .open(response.cookies.first().map(String::as_str), "/people")
        .await;
    assert_eq!(people.status, StatusCode::OK);

    let again = site.call(None, "become-admin", &form("admin 2")).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);
    let page = site
        .open(None, &format!("/welcome/{}", token.secret()))
        .await;
    assert_eq!(page.status, StatusCode::GONE);
}
