//! The password, which is asked for again before rights change and before anything is erased.

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use domain::{
    ids::{PersonId, StudyId},
    study::Role,
};
use service::accounts::password;

use super::{
    plain_browser::PlainBrowser,
    role_tests::{ROWS, with_missing_ids},
    testing::{TestResponse, TestSite},
};
use crate::clock;

const PASSWORD: &str = "correct horse";
const MINUTE_MS: i64 = 60_000;

/// Server functions that grant rights, in an order in which each of them can succeed. `{person}` is a member.
const GRANTS: [(&str, &str); 8] = [
    ("make-password-link", "person={person}"),
    ("add-person", "name=new"),
    ("set-role", "slug=a-study&person={person}&role=lead"),
    ("invite", "slug=a-study&role=lead&uses=1&days=1"),
    ("invite", "slug=a-study&role=researcher&uses=1&days=1"),
    ("set-admin", "person={person}&to=yes"),
    ("set-disabled", "person={person}&to=yes"),
    ("set-disabled", "person={person}&to=no"),
];

/// Other server functions that ask for the password, each with a form.
const OTHERS_THAT_ASK: [(&str, &str); 8] = [
    ("make-token", "name=a script&access=read&scope=all&days=1"),
    ("remove-member", "slug=a-study&person={person}"),
    ("set-retention", "slug=a-study&retention=one-month"),
    (
        "erase-participant",
        "slug=a-study&participant=00000000-0000-0000-0000-000000000000&sure=yes",
    ),
    ("erase-person", "person={person}&name=an annotator"),
    ("erase-account", "name=an admin"),
    ("start-experiment", "slug=a-study&protocols[0]=likert"),
    ("erase-study", "slug=a-study&short_name=a-study"),
];

/// Server functions that do not ask: they neither grant rights nor erase, or their form has a password or a secret in
/// it, or they are for participants, who have no password.
const NEVER_ASKING: &[&str] = &[
    "add-question",
    "add-webhook",
    "admit",
    "adopt-aligner",
    "adopt-model",
    "archive-study",
    "become-admin",
    "begin-consensus",
    "add-written",
    "begin-import",
    "begin-references",
    "begin-scores",
    "bring-in-reading",
    "cancel-import",
    "cancel-scoring",
    "cancel-aligner-training",
    "cancel-training",
    "change-password",
    "change-webhook",
    "clone-study",
    "close-study",
    "confirm-password",
    "consent",
    "create-study",
    "crowd/begin",
    "crowd/finish",
    "crowd/resume",
    "decide-consensus",
    "describe-study",
    "discuss",
    "end-other-sessions",
    "end-session",
    "exclude-reader",
    "import-progress",
    "include-reader",
    "join",
    "log-in",
    "log-out",
    "make-gold-item",
    "move-source",
    "next-source",
    "pause-webhook",
    "preview-markdown",
    "reading/begin",
    "reading/erase",
    "reading/finish",
    "reading/next",
    "reading/save/v1",
    "reading/withdraw",
    "reassign",
    "record-final-value",
    "register",
    "release",
    "remove-metric",
    "remove-webhook",
    "renew-webhook-secret",
    "reopen-consensus",
    "reopen-study",
    "revoke-invitation",
    "revoke-token",
    "score-outputs",
    "send-notice-again",
    "send-test-notice",
    "set-category-rule",
    "set-comprehension",
    "set-crowd",
    "set-dimensions",
    "set-expected",
    "set-general",
    "set-groups",
    "set-member-group",
    "set-metric-direction",
    "set-own-overlap",
    "set-passage-purpose",
    "set-password",
    "set-protocol",
    "set-purpose",
    "set-quality-control",
    "set-question",
    "set-retraining",
    "set-questions",
    "set-span-types",
    "set-systems",
    "set-visibility",
    "take-sources",
    "theme",
    "train-aligner",
    "train-metric",
    "unarchive-study",
    "undo-import",
    "update-experiment",
    "withdraw",
    "withdraw-question",
    "work/check-text/v1",
    "work/hand-in/v1",
    "work/reopen/v1",
    "work/save-changes/v1",
    "work/skip/v1",
];

fn all_that_ask() -> impl Iterator<Item = (&'static str, &'static str)> {
    GRANTS.into_iter().chain(OTHERS_THAT_ASK)
}

/// A study with a member, and a signed-in administrator.
struct AdminSession {
    site: TestSite,
    study: StudyId,
    member: PersonId,
    cookie: String,
}

impl AdminSession {
    /// An administrator who typed the password this many minutes ago.
    async fn confirmed_before(minutes: i64) -> Self {
        let site = TestSite::new().await;
        let study = site.study("a-study").await;
        let member = site.member(study, "an annotator", Role::Annotator).await;

        let admin = site.person("an admin", true).await;
        let hash = password::hash("an admin", PASSWORD, clock::random()).await;
        let hash = hash.unwrap();
        let changed = site.store.set_password_hash(admin, Some(&hash));
        assert!(changed.await.unwrap());

        let began_at = clock::now_ms() - minutes * MINUTE_MS;
        let cookie = site.sign_in_since(admin, began_at).await;
        Self {
            site,
            study,
            member,
            cookie,
        }
    }

    async fn call(&self, endpoint: &str, fields: &str) -> TestResponse {
        let fields = fields.replace("{person}", &self.member.to_string());
        let cookie = Some(self.cookie.as_str());
        self.site.call_text(cookie, endpoint, &fields).await
    }

    async fn confirm(&self, password: &str) -> TestResponse {
        let fields = [("password", password), ("next", "/people")];
        let cookie = Some(self.cookie.as_str());
        self.site.call(cookie, "confirm-password", &fields).await
    }

    /// All rights, members and links, as one text to compare.
    async fn rights(&self) -> String {
        let store = &self.site.store;
        let people = store.people().await.unwrap();
        let members = store.members(self.study).await.unwrap();
        let roles: Vec<_> = members.iter().map(|member| member.role).collect();
        let links = store.invitations(self.study).await.unwrap().len();
        let study = store.study(self.study).await.unwrap();
        let retention = study.map(|study| study.settings.retention);
        format!("{people:?} {roles:?} {links} {retention:?}")
    }
}

/// Whether the next page has a message to show: a link or a success.
fn has_message(answer: &TestResponse) -> bool {
    let mut cookies = answer.cookies.iter();
    cookies.any(|cookie| cookie.starts_with("flash="))
}

fn asks_for_password(answer: &TestResponse) -> bool {
    let location = answer.location.as_deref().unwrap_or_default();
    location.starts_with("/confirm?next=")
}

#[tokio::test]
async fn each_server_function_is_known_to_ask_for_the_password_or_not() {
    // The routes are registered when the site is built.
    let _site = TestSite::new().await;
    for (path, _) in leptos::server_fn::axum::server_fn_paths() {
        let endpoint = path.trim_start_matches("/api/");
        let asks = all_that_ask().any(|(asking, _)| asking == endpoint);
        assert!(
            asks != NEVER_ASKING.contains(&endpoint),
            "the server function {endpoint} must be in one table of {}: say there whether it asks for the password",
            file!(),
        );
    }
}

#[tokio::test]
async fn what_neither_grants_rights_nor_erases_asks_for_no_password() {
    let admin = AdminSession::confirmed_before(11).await;
    for (endpoint, fields, _) in ROWS {
        if !NEVER_ASKING.contains(endpoint) {
            continue;
        }
        let answer = admin.call(endpoint, &with_missing_ids(fields)).await;
        assert!(!asks_for_password(&answer), "{endpoint}: {answer:?}");
    }
}

#[tokio::test]
async fn nothing_grants_rights_or_erases_until_the_password_is_typed_again() {
    let admin = AdminSession::confirmed_before(11).await;
    let before = admin.rights().await;
    for (endpoint, fields) in all_that_ask() {
        let answer = admin.call(endpoint, fields).await;
        assert_eq!(answer.status, StatusCode::OK, "{endpoint}: {}", answer.body);
        assert!(asks_for_password(&answer), "{endpoint}: {answer:?}");
        assert!(!has_message(&answer), "{endpoint}: {answer:?}");
        assert_eq!(admin.rights().await, before, "{endpoint}");
    }

    let confirmed = admin.confirm(PASSWORD).await;
    assert_eq!(confirmed.status, StatusCode::OK, "{}", confirmed.body);
    assert_eq!(confirmed.location.as_deref(), Some("/people"));

    let mut rights = before;
    for (endpoint, fields) in GRANTS {
        let answer = admin.call(endpoint, fields).await;
        assert_eq!(answer.status, StatusCode::OK, "{endpoint}: {}", answer.body);
        assert!(!asks_for_password(&answer), "{endpoint}: {answer:?}");
        assert!(has_message(&answer), "{endpoint}: {answer:?}");
        let now = admin.rights().await;
        // The store lists no right for a password link.
        assert!(
            now != rights || endpoint == "make-password-link",
            "{endpoint}"
        );
        rights = now;
    }
}

#[tokio::test]
async fn within_ten_minutes_nobody_is_asked() {
    let admin = AdminSession::confirmed_before(9).await;
    let answer = admin.call("set-admin", "person={person}&to=yes").await;
    assert_eq!(answer.location.as_deref(), Some("/people"));
    let person = admin.site.store.person(admin.member).await.unwrap();
    assert!(person.unwrap().is_admin);
}

#[tokio::test]
async fn inviting_annotators_and_readers_asks_for_no_password() {
    let admin = AdminSession::confirmed_before(11).await;
    for role in ["annotator", "participant"] {
        let fields = format!("slug=a-study&role={role}&uses=1&days=1");
        let answer = admin.call("invite", &fields).await;
        assert!(!asks_for_password(&answer), "{role}: {answer:?}");
    }

    let links = admin.site.store.invitations(admin.study).await.unwrap();
    assert_eq!(links.len(), 1, "readers need an information sheet first");
}

#[tokio::test]
async fn people_without_the_right_are_refused_before_they_are_asked() {
    let admin = AdminSession::confirmed_before(11).await;
    let began_at = clock::now_ms() - 11 * MINUTE_MS;
    let cookie = admin.site.sign_in_since(admin.member, began_at).await;
    let member = admin.member.to_string();
    let fields = [("person", member.as_str()), ("to", "yes")];
    let answer = admin.site.call(Some(&cookie), "set-admin", &fields).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_plain_form_is_led_to_the_password_and_back() {
    let admin = AdminSession::confirmed_before(11).await;
    let send = async |endpoint: &str, from: &str, fields: String| {
        let request = Request::post(format!("/api/{endpoint}"))
            .header(header::ACCEPT, "text/html")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::HOST, "rate.example")
            .header(header::REFERER, format!("http://rate.example{from}"))
            .header(header::COOKIE, &admin.cookie);
        let request = request.body(Body::from(fields)).unwrap();
        let answer = admin.site.send(request).await;
        let location = answer.headers()[header::LOCATION].to_str().unwrap();
        (answer.status(), location.to_owned())
    };

    let person = format!("person={}&to=yes", admin.member);
    let (status, location) = send("set-admin", "/people?a=b", person.clone()).await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    assert_eq!(location, "/confirm?next=%2Fpeople%3Fa%3Db");

    let page = admin.site.open(Some(&admin.cookie), &location).await;
    page.assert_is(
        200,
        &["to change rights or to erase something", "/people?a=b"],
    );
    let fields = format!("password={PASSWORD}&next=/people").replace(' ', "+");
    let (status, back) = send("confirm-password", &location, fields).await;
    assert_eq!((status, back.as_str()), (StatusCode::SEE_OTHER, "/people"));

    let (_, location) = send("set-admin", "/people", person).await;
    assert_eq!(location, "/people");
    let person = admin.site.store.person(admin.member).await.unwrap();
    assert!(person.unwrap().is_admin);

    // Afterwards, the page has nothing to ask.
    let page = admin
        .site
        .open(Some(&admin.cookie), "/confirm?next=/account");
    let page = page.await;
    assert_eq!(page.location.as_deref(), Some("/account"));
}

#[tokio::test]
async fn a_wrong_password_is_refused_in_view_and_the_right_one_leads_back() {
    let admin = AdminSession::confirmed_before(11).await;
    let mut browser = PlainBrowser::with_session(&admin.site, &admin.cookie);
    browser.open("/people").await;
    browser.send("Add", &[("Name", "annotator 2")]).await;
    browser.assert_shows(&["Enter your password to continue"]);

    browser.send("Continue", &[("Password", "wrong")]).await;
    browser.assert_shows(&["The current password is not correct."]);

    browser.send("Continue", &[("Password", PASSWORD)]).await;
    assert_eq!(browser.address, "/people");
    browser.assert_shows(&["Nothing has been changed yet: press the button again."]);
}

#[tokio::test]
async fn the_password_is_asked_for_without_leading_to_other_sites() {
    let admin = AdminSession::confirmed_before(11).await;
    let fields = [("password", PASSWORD), ("next", "//other.example/")];
    let cookie = Some(admin.cookie.as_str());
    let answer = admin.site.call(cookie, "confirm-password", &fields).await;
    assert_eq!(answer.location.as_deref(), Some("/"));

    let mut cookies = answer.cookies.iter();
    let is_known = cookies.any(|cookie| cookie.starts_with("device="));
    assert!(is_known, "the device is known from now on: {answer:?}");
}

#[tokio::test]
async fn wrong_passwords_confirm_nothing_and_are_counted() {
    let admin = AdminSession::confirmed_before(11).await;
    for attempt in 1..=5 {
        let answer = admin.confirm("wrong").await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{attempt}");
        let answer = admin.call("add-person", "name=new").await;
        assert!(asks_for_password(&answer), "{attempt}: {answer:?}");
    }

    let answer = admin.confirm(PASSWORD).await;
    answer.assert_is(429, &["Try again in 15 minutes.\""]);

    let answer = admin.call("add-person", "name=new").await;
    assert!(asks_for_password(&answer), "{answer:?}");
    // Wrong passwords also count as attempts to sign in.
    let fields = [("name", "an admin"), ("password", PASSWORD)];
    let answer = admin.site.call(None, "log-in", &fields).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
}
