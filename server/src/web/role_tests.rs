//! Rights of server functions and pages: each server function is in one of these tables.

use axum::http::StatusCode;
use domain::study::Role;

use super::testing::{TestResponse, TestSite, urlencoded_body};
use crate::clock;

/// Server functions with a form, and the statuses for [`WHO`]. Permitted people get 200, or 422 if the form itself is
/// refused. `{none}` is an id that does not exist.
#[rustfmt::skip]
pub(super) const ROWS: &[(&str, &str, [u16; 6])] = &[
    ("add-person", "name=", ADMIN),
    ("make-password-link", "person={none}&to=yes", ADMIN_404),
    ("set-admin", "person={none}&to=yes", ADMIN_404),
    ("set-disabled", "person={none}&to=yes", ADMIN_404),
    ("erase-person", "person={none}&to=yes", ADMIN_404),
    ("erase-account", "name=somebody else", SIGNED_IN),
    ("change-password", "current=not the password&new=a new password", SIGNED_IN),
    ("confirm-password", "password=not the password", SIGNED_IN),
    ("end-session", "session=none", SIGNED_IN),
    ("end-other-sessions", "", [401, 200, 200, 200, 200, 200]),
    ("make-token", "name=&access=read&scope=all&days=1", SIGNED_IN),
    ("revoke-token", "token=none", SIGNED_IN),
    ("join", "token=none", SIGNED_IN),
    ("consent", "slug=a-study", ANNOTATOR),
    ("next-source", "slug=a-study", ANNOTATOR),
    ("withdraw", "slug=a-study", [401, 404, 422, 403, 403, 403]),
    ("create-study", "name=&template=likert&overlap=3&category_rule=tuned", CREATOR),
    ("discuss", "slug=a-study&output=none&note=", LEAD_404),
    ("withdraw-question", "slug=a-study&question=none", LEAD_404),
    ("record-final-value", "slug=a-study&output=none&dimension=overall", LEAD_404),
    ("begin-consensus", "slug=a-study&source=none", TAKES_PART_404),
    ("decide-consensus", "slug=a-study&source=none", TAKES_PART_404),
    ("reopen-consensus", "slug=a-study&source=none", TAKES_PART_404),
    ("make-gold-item", "slug=a-study&output=none&purpose=none", LEAD_404),
    ("describe-study", "slug=a-study&guidelines=\0", LEAD),
    ("set-category-rule", "slug=a-study&category_rule=none", LEAD),
    ("set-quality-control", "slug=a-study&copy_every=x&attention_every=0&scrambled_every=0&repeated_every=0", LEAD),
    ("set-systems", "slug=a-study&systems[0][system]={none}&systems[0][kind]=none", LEAD),
    ("set-general", "slug=a-study&name=A study&overlap=x&lease_hours=1&qualification=none", LEAD),
    ("set-protocol", "slug=a-study&rating=none&layout=steps&outputs=all", LEAD),
    ("set-dimensions", "slug=a-study&dimensions[0][name]=&dimensions[0][low]=0&dimensions[0][high]=100", LEAD),
    ("set-groups", "slug=a-study&groups[0][name]=Experts&groups[0][overlap]=0", LEAD),
    ("set-member-group", "slug=a-study&person={none}&group=", LEAD_404),
    ("set-span-types", "slug=a-study&types[0][name]=Error&types[0][sides]=output", LEAD),
    ("set-questions", "slug=a-study&questions[0][text]=Why?&questions[0][kind]=text&questions[0][about]=output", LEAD),
    ("invite", "slug=a-study&role=none&uses=1&days=1", LEAD),
    ("set-crowd", "slug=a-study&sources_each=x&failed[from]=0&failed[consequence]=pause", LEAD),
    ("add-webhook", "slug=a-study&address=&job_ended=yes", LEAD),
    ("change-webhook", "slug=a-study&webhook={none}&address=&job_ended=yes", LEAD_404),
    ("pause-webhook", "slug=a-study&webhook={none}", LEAD_404),
    ("remove-webhook", "slug=a-study&webhook={none}", LEAD_404),
    ("renew-webhook-secret", "slug=a-study&webhook={none}", LEAD_404),
    ("send-test-notice", "slug=a-study&webhook={none}", LEAD_404),
    ("send-notice-again", "slug=a-study&webhook={none}&number=1", LEAD_404),
    ("crowd/finish", "slug=a-study", [401, 404, 403, 403, 403, 403]),
    ("admit", "slug=a-study&person={none}", LEAD),
    ("set-role", "slug=a-study&person={none}&role=lead", LEAD_404),
    ("remove-member", "slug=a-study&person={none}", LEAD_404),
    ("revoke-invitation", "slug=a-study&invitation=none", LEAD),
    ("reassign", "slug=a-study&assignment={none}&to={none}", LEAD_404),
    ("release", "slug=a-study&assignment={none}", LEAD_404),
    ("move-source", "slug=a-study&source={none}&direction=up", LEAD),
    ("set-purpose", "slug=a-study&source={none}&purpose=main", LEAD),
    ("set-own-overlap", "slug=a-study&source={none}&overlap=10", LEAD_404),
    ("set-expected", "slug=a-study&source={none}&output={none}", LEAD_404),
    ("start-experiment", "slug=a-study", LEAD),
    ("update-experiment", "slug=a-study", LEAD_404),
    // The study has no texts to add.
    ("add-written", "slug=a-study", LEAD),
    ("begin-import", "slug=a-study&uploads={none}&manner[purpose]=main", LEAD_404),
    ("cancel-import", "slug=a-study&job={none}", LEAD_404),
    ("undo-import", "slug=a-study&import={none}", LEAD_404),
    ("set-visibility", "slug=a-study&source={none}&change=hide", LEAD_404),
    ("import-progress", "slug=a-study&job={none}", READER_404),
    ("score-outputs", "slug=a-study&metrics[none-of-that-name]=on", READER),
    ("cancel-scoring", "slug=a-study&job={none}", READER_404),
    ("train-metric", "slug=a-study&kind=questeval", READER),
    ("cancel-training", "slug=a-study&job={none}", READER_404),
    ("train-aligner", "slug=a-study", LEAD),
    ("cancel-aligner-training", "slug=a-study&job={none}", LEAD_404),
    ("adopt-aligner", "slug=a-study&model={none}&adopted=yes", LEAD_404),
    ("adopt-model", "slug=a-study&model={none}&adopted=yes", READER_404),
    ("set-retraining", "slug=a-study&every=often", LEAD),
    ("begin-scores", "slug=a-study&uploads={none}", LEAD_404),
    ("begin-references", "slug=a-study&uploads={none}", LEAD_404),
    ("set-metric-direction", "slug=a-study&metric={none}&direction=lower-is-better", LEAD_404),
    ("remove-metric", "slug=a-study&metric={none}", LEAD_404),
    ("set-comprehension", "slug=a-study&design[readers]=x&design[doubly]=0&design[texts]=6&design[spread]=between\
        &design[ties]=random&design[lease_hours]=1", LEAD),
    ("exclude-reader", "slug=a-study&participant={none}&reason=the same place again and again", LEAD_404),
    ("include-reader", "slug=a-study&participant={none}", LEAD_404),
    ("erase-participant", "slug=a-study&participant={none}&sure=yes", LEAD_404),
    ("set-question", "slug=a-study&id={none}&was={\"text\": \"Who sailed?\", \"answers\": [\"1\", \"2\", \"3\", \"4\"]}\
        &question[text]=Who rowed?&question[a]=sisters&question[b]=brothers&question[c]=cats\
        &question[d]=nobody", LEAD_404),
    ("add-question", "slug=a-study&passage={none}&question[text]=Who rowed?&question[a]=sisters&question[b]=brothers\
        &question[c]=cats&question[d]=nobody", LEAD_404),
    ("set-passage-purpose", "slug=a-study&passage={none}&purpose=practice", LEAD_404),
    ("bring-in-reading", "slug=a-study&upload={none}", LEAD_404),
    ("take-sources", "slug=a-study", LEAD),
    ("set-retention", "slug=a-study&retention=for ever", LEAD),
    ("erase-study", "slug=a-study&short_name=another", LEAD),
    ("clone-study", "slug=a-study&name=", LEAD),
    ("close-study", "slug=a-study", LEAD_PASSES),
    ("archive-study", "slug=a-study", LEAD_PASSES),
    ("unarchive-study", "slug=a-study", LEAD_PASSES),
    ("reopen-study", "slug=a-study", LEAD_PASSES),
    ("preview-markdown", "text=", [401, 403, 403, 403, 200, 200]),
];

/// The workspace's calls with JSON, which only the person with the assignment may make.
#[rustfmt::skip]
const WORK: &[(&str, &str, [u16; 6])] = &[
    (
        "work/check-text/v1",
        r#"{"assignment":"00000000-0000-0000-0000-000000000001","text":"A text."}"#,
        SIGNED_IN_404,
    ),
    ("work/hand-in/v1", r#"{"assignment":"{none}"}"#, SIGNED_IN_404),
    ("work/reopen/v1", r#"{"assignment":"{none}"}"#, SIGNED_IN_404),
    ("work/skip/v1", r#"{"assignment":"{none}","reason":"Unreadable."}"#, SIGNED_IN_404),
    // Another person's answers wait until that person is back.
    (
        "work/save-changes/v1",
        r#"{"batch":{"person":"{none}","assignment":"{none}","changes":[],"activity":[]}}"#,
        [401; 6],
    ),
];

/// Functions for everybody: they sign in or out, follow a link with a secret, or choose colours.
const OPEN: &[&str] = &[
    "become-admin",
    "crowd/begin",
    "crowd/resume",
    "log-in",
    "log-out",
    "reading/begin",
    "reading/erase",
    "reading/finish",
    "reading/next",
    "reading/save/v1",
    "reading/withdraw",
    "register",
    "set-password",
    "theme",
];

/// Pages and files, with the statuses for [`WHO`].
const PAGES: &[(&str, [u16; 6])] = &[
    ("/account", [303, 200, 200, 200, 200, 200]),
    ("/api", [200, 200, 200, 200, 200, 200]),
    ("/account/erase", [303, 200, 200, 200, 200, 200]),
    ("/people", PAGE_ADMIN),
    ("/audit", PAGE_ADMIN),
    ("/s/a-study", PAGE_READER),
    ("/s/a-study/sources", PAGE_READER),
    ("/s/a-study/members", PAGE_LEAD),
    ("/s/a-study/assignments", PAGE_LEAD),
    ("/s/a-study/training", PAGE_LEAD),
    ("/s/a-study/settings", PAGE_LEAD),
    ("/s/a-study/settings/texts", PAGE_LEAD),
    ("/s/a-study/log", PAGE_LEAD),
    ("/s/another/log", PAGE_ADMIN),
    ("/people/{none}/erase", PAGE_404),
    ("/s/a-study/erase", PAGE_LEAD),
    ("/s/a-study/settings/webhooks", PAGE_LEAD),
    ("/s/another/settings/webhooks", PAGE_ADMIN),
    ("/s/a-study/crowd", PAGE_LEAD),
    ("/s/another/crowd", PAGE_ADMIN),
    ("/s/a-study/crowd/pay.csv", PAGE_LEAD),
    ("/s/a-study/work", [303, 404, 200, 403, 403, 403]),
    ("/s/a-study/guidelines", [303, 404, 200, 200, 200, 200]),
    ("/s/a-study/import", PAGE_LEAD),
    ("/s/a-study/import/{none}", PAGE_LEAD_404),
    ("/s/a-study/import/jobs/{none}", PAGE_LEAD_404),
    ("/s/a-study/import/undo/{none}", PAGE_LEAD_404),
    ("/s/another/work", [303, 404, 404, 404, 404, 403]),
    ("/s/another/guidelines", PAGE_ADMIN),
    ("/s/a-study/quality", PAGE_READER),
    ("/s/another/quality", PAGE_ADMIN),
    ("/s/a-study/systems", PAGE_READER),
    ("/s/another/systems", PAGE_ADMIN),
    ("/s/a-study/systems/edit", PAGE_LEAD),
    ("/s/another/systems/edit", PAGE_ADMIN),
    ("/s/a-study/ratings", PAGE_READER),
    ("/s/another/ratings", PAGE_ADMIN),
    ("/s/a-study/consensus", PAGE_READER),
    ("/s/another/consensus", PAGE_ADMIN),
    ("/s/a-study/consensus/{none}", PAGE_READER_404),
    ("/s/a-study/reading", PAGE_READER),
    ("/s/another/reading", PAGE_ADMIN),
    ("/s/a-study/reading/analysis", PAGE_READER),
    ("/s/a-study/reading/passages", PAGE_READER),
    ("/s/a-study/reading/passages/{none}", PAGE_READER_404),
    ("/s/a-study/reading/import/{none}", PAGE_LEAD_404),
    ("/s/a-study/reading/answers.zip", PAGE_READER),
    ("/s/a-study/settings/study.json", PAGE_LEAD),
    ("/s/another/settings/study.json", PAGE_ADMIN),
    ("/s/a-study/export", PAGE_READER),
    ("/s/a-study/export/jsonl.zip", PAGE_READER),
    ("/s/a-study/export/none.zip", PAGE_READER_404),
    ("/s/another/export/jsonl.zip", PAGE_ADMIN),
    ("/s/no-such-study/work", PAGE_404),
];

const ADMIN: [u16; 6] = [401, 404, 404, 404, 404, 422];
/// Administrators pass, but the person does not exist.
const ADMIN_404: [u16; 6] = [401, 404, 404, 404, 404, 404];
const LEAD: [u16; 6] = [401, 404, 403, 403, 422, 422];
/// Leads and administrators pass, but the object does not exist.
const LEAD_404: [u16; 6] = [401, 404, 403, 403, 404, 404];
/// Annotators, leads and administrators pass, but the object does not exist.
const TAKES_PART_404: [u16; 6] = [401, 404, 404, 403, 404, 404];
const LEAD_PASSES: [u16; 6] = [401, 404, 403, 403, 200, 200];
/// Researchers, leads and administrators pass, but the form does not fit.
const READER: [u16; 6] = [401, 404, 403, 422, 422, 422];
/// Researchers, leads and administrators pass, but the object does not exist.
const READER_404: [u16; 6] = [401, 404, 403, 404, 404, 404];
const ANNOTATOR: [u16; 6] = [401, 404, 200, 403, 403, 403];
const CREATOR: [u16; 6] = [401, 403, 403, 403, 422, 422];
/// Everybody with a session passes, but the form does not fit.
const SIGNED_IN: [u16; 6] = [401, 422, 422, 422, 422, 422];
/// Everybody with a session passes, but has no such assignment.
const SIGNED_IN_404: [u16; 6] = [401, 404, 404, 404, 404, 404];

const PAGE_ADMIN: [u16; 6] = [303, 404, 404, 404, 404, 200];
const PAGE_LEAD: [u16; 6] = [303, 404, 403, 403, 200, 200];
const PAGE_READER: [u16; 6] = [303, 404, 403, 200, 200, 200];
/// Pages about an object that does not exist, for leads and administrators.
const PAGE_LEAD_404: [u16; 6] = [303, 404, 403, 403, 404, 404];
/// Pages about an object that does not exist, for researchers, leads and administrators.
const PAGE_READER_404: [u16; 6] = [303, 404, 403, 404, 404, 404];
/// Pages about a person or a study that does not exist.
const PAGE_404: [u16; 6] = [303, 404, 404, 404, 404, 404];

/// The people who ask: one without a session, a stranger to the study, its members, and an administrator.
const WHO: [&str; 6] = [
    "nobody",
    "stranger",
    "annotator",
    "researcher",
    "lead",
    "admin",
];

/// The text with an id that does not exist in place of `{none}`.
pub(super) fn with_missing_ids(text: &str) -> String {
    text.replace("{none}", "00000000-0000-0000-0000-000000000000")
}

/// A cookie for each of [`WHO`]; `None` without a session.
async fn cookies(site: &TestSite) -> [Option<String>; 6] {
    let study = site.study("a-study").await;
    let _other = site.study("another").await;

    let stranger = site.person("a stranger", false).await;
    let annotator = site.member(study, "an annotator", Role::Annotator).await;
    let researcher = site.member(study, "a researcher", Role::Researcher).await;
    let lead = site.member(study, "a lead", Role::Lead).await;
    let admin = site.person("an admin", true).await;

    let mut cookies = [const { None }; 6];
    for (cookie, person) in cookies
        .iter_mut()
        .skip(1)
        .zip([stranger, annotator, researcher, lead, admin])
    {
        *cookie = Some(site.sign_in(person).await);
    }
    cookies
}

/// A request that each of [`WHO`] sends.
#[derive(Clone, Copy, Debug)]
enum RoleRequest<'a> {
    /// A server function and its body.
    Call(&'a str, &'a str),
    /// An endpoint for files, with its fields, and the name and the text of a file.
    Upload(&'a str, &'a [(&'a str, &'a str)], (&'a str, &'a str)),
    Page(&'a str),
}

impl RoleRequest<'_> {
    async fn send(self, site: &TestSite, cookie: Option<&str>) -> TestResponse {
        match self {
            Self::Call(endpoint, body) => site.call_text(cookie, endpoint, body).await,
            Self::Upload(endpoint, fields, (name, text)) => {
                let files = [(name, text.as_bytes())];
                site.upload_to(endpoint, cookie, fields, &files).await
            }
            Self::Page(path) => site.open(cookie, path).await,
        }
    }
}

/// Sends a request as each of [`WHO`] and compares the statuses. A page must lead to the sign-in page and back.
async fn assert_statuses(
    site: &TestSite,
    cookies: &[Option<String>; 6],
    request: RoleRequest<'_>,
    statuses: [u16; 6],
) {
    for ((who, cookie), expect) in WHO.iter().zip(cookies).zip(statuses) {
        let answer = request.send(site, cookie.as_deref()).await;
        let (status, body) = (answer.status.as_u16(), &answer.body);
        assert_eq!(status, expect, "{request:?} by {who}: {body}");

        if let (303, RoleRequest::Page(path)) = (expect, request) {
            // The site's serializer escapes `-` and `.` as well; both forms mean the same.
            let location = answer.location.unwrap_or_default();
            let location = location.replace("%2D", "-").replace("%2E", ".");
            let back = format!("/login?{}", urlencoded_body(&[("next", path)]));
            assert_eq!(location, back, "{path} by {who}");
        }
    }
}

#[tokio::test]
async fn each_server_function_refuses_everybody_it_is_not_for() {
    for (endpoint, form, statuses) in ROWS {
        let site = TestSite::new().await;
        let cookies = cookies(&site).await;
        let form = with_missing_ids(form);
        let request = RoleRequest::Call(endpoint, &form);
        assert_statuses(&site, &cookies, request, *statuses).await;
        site.store.close().await;
    }
}

#[tokio::test]
async fn files_are_taken_from_leads_only() {
    let site = TestSite::new().await;
    let cookies = cookies(&site).await;
    let table = ("rows.csv", "source\nThe ferry stopped.\n");
    let no_file = with_missing_ids("{none}");
    for (with, statuses) in [("", LEAD_PASSES), (no_file.as_str(), LEAD)] {
        let fields = [("slug", "a-study"), ("with", with)];
        let request = RoleRequest::Upload("upload", &fields, table);
        assert_statuses(&site, &cookies, request, statuses).await;
    }
}

#[tokio::test]
async fn studies_are_made_of_files_by_those_who_may_create_studies() {
    let site = TestSite::new().await;
    let cookies = cookies(&site).await;
    let request = RoleRequest::Upload("study-file", &[], ("study.json", "{}"));
    assert_statuses(&site, &cookies, request, CREATOR).await;
}

#[tokio::test]
async fn a_workspace_is_answered_only_for_its_annotator() {
    let site = TestSite::new().await;
    let cookies = cookies(&site).await;
    for (endpoint, body, statuses) in WORK {
        let body = with_missing_ids(body);
        let request = RoleRequest::Call(endpoint, &body);
        assert_statuses(&site, &cookies, request, *statuses).await;
    }
}

#[tokio::test]
async fn pages_lead_strangers_to_sign_in_and_others_nowhere() {
    let site = TestSite::new().await;
    let cookies = cookies(&site).await;
    for (path, statuses) in PAGES {
        let path = with_missing_ids(path);
        assert_statuses(&site, &cookies, RoleRequest::Page(&path), *statuses).await;
    }
}

#[tokio::test]
async fn each_server_function_is_in_a_table() {
    // The routes are registered when the site is built.
    let _site = TestSite::new().await;
    let endpoints: Vec<_> = ROWS
        .iter()
        .chain(WORK)
        .map(|(endpoint, ..)| *endpoint)
        .chain(OPEN.iter().copied())
        .collect();

    for (path, _) in leptos::server_fn::axum::server_fn_paths() {
        let endpoint = path.trim_start_matches("/api/");
        assert!(
            endpoints.contains(&endpoint),
            "the server function {endpoint} is in no table of {}: say there who may call it",
            file!(),
        );
    }
}

#[tokio::test]
async fn a_study_that_is_not_theirs_is_no_study() {
    let site = TestSite::new().await;
    let [_, stranger, ..] = cookies(&site).await;

    let missing = site
        .open(stranger.as_deref(), "/s/no-such-study/guidelines")
        .await;
    let hidden = site
        .open(stranger.as_deref(), "/s/a-study/guidelines")
        .await;

    assert_eq!(missing.status, hidden.status);
    assert!(!hidden.body.contains("a-study</"), "{}", hidden.body);
}

#[tokio::test]
async fn a_session_ends_when_its_person_is_shut_out() {
    let site = TestSite::new().await;
    let person = site.person("somebody", false).await;
    let cookie = site.sign_in(person).await;
    assert_eq!(
        site.open(Some(&cookie), "/account").await.status,
        StatusCode::OK
    );

    site.store
        .disable_person(person, clock::now_ms())
        .await
        .unwrap();
    let answer = site.open(Some(&cookie), "/account").await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
}
