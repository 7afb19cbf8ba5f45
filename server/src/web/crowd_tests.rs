//! Crowd raters from the link to the code, as browsers without scripts see it, and what their sessions can reach.

use domain::{crowd::CrowdEnd, ids::AssignmentId, screening::RaterScreening, study::Role};

use super::{
    former_member_tests::{FUNCTIONS, PAGES},
    plain_browser::PlainBrowser,
    study_fixture::{StudyFixture, form},
    testing::{TestResponse, TestSite, TextAssertions as _},
};
use crate::clock;

const SET_UP: &str = "slug=a-study&is_open=yes&needs_platform_id=yes&sources_each=1&failed[from]=0&failed[consequence]=pause\
    &screening=First language | + English = 1 | no answer&codes[completed]=DONE1&codes[screened_out]=OUT2\
    &codes[quota_full]=FULL3&codes[return_link]=https://app.example/complete?cc={code}";

const SHEET: &str = "slug=a-study&information=You rate *texts*.";

/// A study that is open to crowd raters, with the cookie of its lead and the token of a link.
async fn open_study() -> (StudyFixture, String, String) {
    let furnished = StudyFixture::new().await;
    let lead = furnished.site.sign_in(furnished.lead).await;

    // Without an information sheet, links cannot be made.
    let invite = "slug=a-study&role=crowd&uses=20&days=1";
    let mut cookies = vec![];
    for (endpoint, fields, expect) in [
        ("invite", invite, 422),
        ("set-crowd", SET_UP, 422),
        ("describe-study", SHEET, 200),
        ("set-crowd", SET_UP, 200),
        ("invite", invite, 200),
    ] {
        let site = &furnished.site;
        let answer = site.call_text(Some(&lead), endpoint, fields).await;
        let status = answer.status.as_u16();
        assert_eq!(status, expect, "{endpoint}: {}", answer.body);
        cookies = answer.cookies;
    }

    let flash = cookies.iter().find(|cookie| cookie.starts_with("flash="));
    let flash = flash.expect("the link is shown").replace("%2F", "/");
    let (_, rest) = flash.split_once("/rate/").expect("a link");
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
    let token = rest[..end.unwrap_or(rest.len())].to_owned();
    (furnished, lead, token)
}

/// The addresses that a lead pastes into a platform.
#[tokio::test]
async fn a_new_link_comes_with_the_addresses_for_platforms() {
    let (furnished, lead, _) = open_study().await;
    let mut browser = PlainBrowser::with_session(&furnished.site, &lead);
    browser.open("/s/a-study/crowd").await;
    browser.send("Make a link", &[]).await;
    let link = browser.texts("a.address").remove(0);
    assert!(link.contains("/rate/"), "{link}");

    let endings = [
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        "?workerId=${workerId}&hitId=${hitId}&assignmentId=${assignmentId}",
        "?participant=%SURVEY_CODE%",
    ];

    let addresses = endings.map(|ending| format!("{link}{ending}"));
    assert_eq!(browser.texts("dl code.address"), addresses);
    assert_eq!(browser.texts("dt").concat(), "ProlificMTurkSONA");
    for address in &addresses {
        let copies = format!("data-copy=\"{}\"", address.replace('&', "&amp;"));
        assert!(browser.body.contains(&copies), "{copies}");
    }
}

async fn begin(site: &TestSite, token: &str, id: &str, language: &str) -> TestResponse {
    let fields = [
        ("token", token),
        ("participant", id),
        ("platform_study", "S"),
        ("platform_session", "T"),
        ("screening[0]", language),
        ("consent", "yes"),
    ];
    site.call(None, "crowd/begin", &fields).await
}

fn session(answer: &TestResponse) -> String {
    answer.cookie("session").to_owned()
}

#[tokio::test]
async fn a_link_leads_to_work_and_to_a_code() {
    let (furnished, lead, token) = open_study().await;
    let site = &furnished.site;
    let link = format!("/rate/{token}");
    let open = async |path: &str| site.open(None, path).await.body;
    open(&link)
        .await
        .assert_shows(&["Open the study from your platform"]);
    let start = open(&format!("{link}?PROLIFIC_PID=P1&STUDY_ID=S&SESSION_ID=T")).await;
    start.assert_shows(&[
        "<em>texts</em>",
        "First language",
        "value=\"P1\"",
        "value=\"S\"",
        "value=\"T\"",
    ]);

    let mturk = open(&format!("{link}?workerId=W1&hitId=H&assignmentId=A")).await;
    mturk.assert_shows(&["value=\"W1\"", "value=\"H\"", "value=\"A\""]);

    let preview = open(&format!(
        "{link}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H"
    ))
    .await;
    preview.assert_shows(&["Accept the task first"]);

    let signed_in = site.open(Some(&lead), &link).await.body;
    signed_in.assert_shows(&["You are signed in"]);
    let unknown = site.open(None, "/rate/none").await;
    assert_eq!(unknown.status, 410);

    let no_consent = site.call(None, "crowd/begin", &[("token", &*token)]).await;
    no_consent.assert_shows(&["Tick the box"]);
    let unanswered = begin(site, &token, "P1", "").await;
    unanswered.assert_shows(&["Choose an answer to “First language”"]);

    let begun = begin(site, &token, "P1", "English").await;
    assert_eq!(begun.status, 200, "{}", begun.body);
    let cookie = session(&begun);
    let work = site.open(Some(&cookie), "/s/a-study/work").await;
    assert_eq!(work.status, 200);
    work.assert_lacks(&["Sign out", "/account"]);
    assert_eq!(
        site.open(Some(&cookie), &link).await.location.as_deref(),
        Some("/s/a-study/work")
    );
    assert_eq!(
        site.open(Some(&cookie), "/").await.location.as_deref(),
        Some("/s/a-study/work")
    );

    let early = site
        .call(Some(&cookie), "crowd/finish", &[("slug", "a-study")])
        .await;
    early.assert_shows(&["still something"]);

    let full = begin(site, &token, "P2", "English").await;
    let page = site.open(Some(&session(&full)), &link).await.body;
    page.assert_shows(&["FULL3", "https://app.example/complete?cc=FULL3"]);

    let out = begin(site, &token, "P3", "no answer").await;
    let page = site.open(Some(&session(&out)), &link).await.body;
    page.assert_shows(&["OUT2", "looking for other people"]);

    let welcome = open(&format!("{link}?PROLIFIC_PID=P1")).await;
    welcome.assert_shows(&["Welcome back"]);

    let sent = site
        .call(Some(&cookie), "next-source", &[("slug", "a-study")])
        .await;
    let assignment = sent
        .location
        .as_deref()
        .and_then(|path| path.rsplit('/').next());
    let assignment: AssignmentId = assignment.unwrap().parse().unwrap();
    let raters = site.store.crowd_raters(furnished.study).await.unwrap();
    let person = raters[0].person.expect("an account");
    furnished.judge(person, assignment).await;

    let work = site.open(Some(&cookie), "/s/a-study/work").await.body;
    work.assert_shows(&["You are done"]);

    let fields = [("slug", "a-study"), ("comment", "<b>Nice</b>")];
    let finished = site.call(Some(&cookie), "crowd/finish", &fields).await;
    assert_eq!(finished.status, 200, "{}", finished.body);
    let end = site.open(Some(&cookie), "/s/a-study/work").await.body;
    end.assert_shows(&["DONE1", "https://app.example/complete?cc=DONE1"]);

    let page = site.open(Some(&lead), "/s/a-study/crowd").await.body;
    page.assert_shows(&[
        "P1",
        "P2",
        "P3",
        "finished",
        "screened out",
        "&lt;b&gt;Nice",
    ]);

    let members = site.open(Some(&lead), "/s/a-study/members").await.body;
    members.assert_shows(&["crowd rater", "P1", "DONE1"]);

    let sheet = site
        .open(Some(&lead), "/s/a-study/crowd/pay.csv")
        .await
        .body;
    let lines: Vec<_> = sheet.lines().collect();
    assert_eq!(lines.len(), 4, "{sheet}");
    assert!(
        lines[1].contains(",P1,S,T,1,") && lines[1].ends_with(",DONE1,completed"),
        "{sheet}"
    );
    assert!(lines[2].ends_with(",FULL3,quota-full"), "{sheet}");
    assert!(lines[3].ends_with(",OUT2,screened-out"), "{sheet}");

    // Exports have pseudonyms only, and the study's file has no codes.
    for path in ["/s/a-study/export/tidy.zip", "/s/a-study/export/jsonl.zip"] {
        let export = site.open(Some(&lead), path).await;
        assert_eq!(export.status, 200);
    }
    let file = site
        .open(Some(&lead), "/s/a-study/settings/study.json")
        .await
        .body;
    file.assert_shows(&["First language"]);
    file.assert_lacks(&["DONE1"]);
}

/// A crowd rater's session reaches the work pages of its study only. All else refuses it as it refuses an annotator,
/// including what an annotator may do outside of the study.
#[tokio::test(flavor = "multi_thread")]
async fn the_session_reaches_the_work_alone() {
    let (mut furnished, _, token) = open_study().await;
    let begun = begin(&furnished.site, &token, "P1", "English").await;
    let cookie = session(&begun);

    let other = furnished.site.study("another").await;
    let _ = furnished
        .site
        .member(other, "somebody", Role::Annotator)
        .await;

    let session = furnished
        .site
        .store
        .crowd_raters(furnished.study)
        .await
        .unwrap();
    let person = session[0].person.expect("an account").to_string();

    let nothing = "00000000-0000-0000-0000-000000000000".to_owned();
    for (name, value) in [
        ("own", nothing.clone()),
        ("open", nothing.clone()),
        ("rater", nothing),
        ("self", person),
    ] {
        furnished.names.insert(name, value);
    }

    let mut wrong = vec![];
    for (path, _) in PAGES {
        let path = furnished.replace_names(path);
        let status = furnished
            .site
            .open(Some(&cookie), &path)
            .await
            .status
            .as_u16();
        let is_work = path == "/s/a-study/work" || path == "/s/a-study/guidelines";
        if is_work != (status == 200) {
            wrong.push(format!("{path}: {status}"));
        }
    }

    for path in [
        "/account",
        "/account/erase",
        "/people",
        "/audit",
        "/studies/new",
        "/s/another/work",
    ] {
        let status = furnished
            .site
            .open(Some(&cookie), path)
            .await
            .status
            .as_u16();
        if !matches!(status, 403 | 404) {
            wrong.push(format!("{path}: {status}"));
        }
    }

    // The functions by which they work and leave, and those for everybody.
    let allowed = |endpoint: &str| {
        matches!(
            endpoint,
            "consent"
                | "next-source"
                | "withdraw"
                | "crowd/begin"
                | "crowd/resume"
                | "crowd/finish"
                | "theme"
                | "log-out"
                | "log-in"
                | "register"
                | "set-password"
                | "become-admin"
        ) || endpoint.starts_with("work/")
            || endpoint.starts_with("reading/")
    };
    for (endpoint, body, _) in FUNCTIONS {
        if allowed(endpoint) {
            continue;
        }
        let fields = form(&furnished.replace_names(body));
        let status = furnished.call(Some(&cookie), endpoint, &fields).await;
        if !matches!(status, 403 | 404) {
            wrong.push(format!("{endpoint}: {status}"));
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_revoked_link_admits_nobody_new_and_those_who_came_go_on() {
    let (furnished, lead, token) = open_study().await;
    let site = &furnished.site;
    let link = format!("/rate/{token}?workerId=W&hitId=H&assignmentId=A");
    let mut rater = PlainBrowser::new(site);
    rater.open(&link).await;
    let fields = [
        ("First language", "English"),
        ("I have read the information sheet", "on"),
    ];
    rater.send("Begin", &fields).await;
    assert_eq!(rater.address, "/s/a-study/work");

    let mut browser = PlainBrowser::with_session(site, &lead);
    browser.open("/s/a-study/crowd").await;
    browser.send("Revoke", &[]).await;
    browser.assert_shows(&["The invitation has been revoked."]);

    rater.open(&link).await;
    assert_eq!(rater.address, "/s/a-study/work");

    let mut late = PlainBrowser::new(site);
    late.open(&format!("/rate/{token}?workerId=X")).await;
    assert_eq!(late.status, 410);
    late.assert_shows(&["This link was revoked"]);
}

/// A platform, or a lead who copies an address, may leave placeholders: everybody who follows such an address would be
/// the same person.
#[tokio::test]
async fn an_id_that_the_platform_did_not_fill_in_is_refused_with_a_sentence() {
    let (furnished, _, token) = open_study().await;
    let site = &furnished.site;
    for query in [
        "PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D&STUDY_ID=S&SESSION_ID=T",
        "PROLIFIC_PID=P1&STUDY_ID=%7B%7B%25STUDY_ID%25%7D%7D&SESSION_ID=T",
        "PROLIFIC_PID=P1&STUDY_ID=S&SESSION_ID=%7B%7B%25SESSION_ID%25%7D%7D",
        "workerId=$%7BworkerId%7D&hitId=H&assignmentId=A",
        "participant=%SURVEY_CODE%",
        "participant=%25SURVEY_CODE%25",
        "participant=[%25RID%25]",
        "participant=undefined",
    ] {
        let page = site.open(None, &format!("/rate/{token}?{query}")).await;
        assert_eq!(page.status, 410, "{query}: {}", page.body);
        assert!(page.body.contains("should have filled in"), "{query}");
        assert!(!page.body.contains("name=\"consent\""), "{query}");
    }

    for id in ["{{%PROLIFIC_PID%}}", "${workerId}", "%SURVEY_CODE%"] {
        let answer = begin(site, &token, id, "English").await;
        assert_eq!(answer.status, 422, "{id}");
        answer.assert_shows(&[id]);
    }

    let raters = site.store.crowd_raters(furnished.study).await.unwrap();
    assert!(raters.is_empty(), "{raters:?}");
}

#[tokio::test]
async fn a_study_opens_to_the_crowd_only_with_a_code_for_each_end() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let lead = site.sign_in(furnished.lead).await;
    let call =
        async |endpoint: &str, fields: &str| site.call_text(Some(&lead), endpoint, fields).await;
    call("describe-study", SHEET).await.assert_is(200, &[]);

    let set = async |fields: &str| {
        let fields = format!("slug=a-study&sources_each=1&failed[consequence]=pause&{fields}");
        call("set-crowd", &fields).await
    };

    let (done, out) = ("codes[completed]=DONE1", "codes[screened_out]=OUT2");
    let (full, failed) = ("codes[quota_full]=FULL3", "codes[failed_checks]=FAILED4");
    let asks = "screening=First language | + English | another";

    for (fields, missing) in [
        (
            "is_open=yes&failed[from]=0".to_owned(),
            "Completion code, Code for when all places are taken.",
        ),
        (
            format!("is_open=yes&failed[from]=0&{done}"),
            "Code for when all places are taken.",
        ),
        (
            format!("is_open=yes&failed[from]=0&{done}&{full}&{asks}"),
            "Code for people who are screened out.",
        ),
        (
            format!("is_open=yes&failed[from]=2&{done}&{full}&{asks}&{out}"),
            "Code for failed attention items.",
        ),
    ] {
        let answer = set(&fields).await;
        assert_eq!(answer.status, 422, "{fields}");
        assert!(answer.body.contains(missing), "{fields}: {}", answer.body);
    }
    // Without opening the study, codes are optional.
    assert_eq!(set("failed[from]=2").await.status, 200);
    let all = format!("is_open=yes&failed[from]=2&{done}&{full}&{failed}");
    assert_eq!(set(&all).await.status, 200);

    // Later changes must not add an end without a code, either.
    let general = "slug=a-study&name=A study&overlap=3&lease_hours=24&tolerance=10&categories=80";
    let refused = call("set-general", &format!("{general}&qualification=answers")).await;
    refused.assert_is(422, &["Code for people who are screened out."]);
    let saved = call("set-general", &format!("{general}&qualification=lead")).await;
    saved.assert_is(200, &[]);
}

#[tokio::test]
async fn where_all_sources_are_taken_nobody_is_asked_to_consent_and_the_code_is_there() {
    let (furnished, _, token) = open_study().await;
    let site = &furnished.site;
    let study = furnished.study;

    let mut settings = site.store.study(study).await.unwrap().unwrap().settings;
    settings.crowd.screening = RaterScreening::default();

    // More sources for each rater than the study has places.
    settings.crowd.sources_each = 100;
    settings.overlap = 1;
    let now = clock::now_ms();
    assert!(
        site.store
            .set_settings(study, &settings, now)
            .await
            .unwrap()
    );

    let mut first = PlainBrowser::new(site);
    first.open(&format!("/rate/{token}?PROLIFIC_PID=P1")).await;
    first.assert_shows(&["Before you begin"]);
    let agrees = [("I have read the information sheet", "on")];
    first.send("Begin", &agrees).await;
    assert_eq!(first.address, "/s/a-study/work");

    let mut late = PlainBrowser::new(site);
    late.open(&format!("/rate/{token}?PROLIFIC_PID=P2")).await;
    late.assert_shows(&["All places are taken"]);
    late.assert_lacks(&["Before you begin", "FULL3"]);
    late.send("Get your code", &[]).await;
    late.assert_shows(&["FULL3"]);

    let raters = site.store.crowd_raters(study).await.unwrap();
    let ends: Vec<_> = raters.iter().map(|rater| rater.end).collect();
    assert_eq!(ends, [None, Some(CrowdEnd::QuotaFull)]);
}

#[tokio::test]
async fn another_browser_with_the_same_id_sees_neither_work_nor_code() {
    let (furnished, _, token) = open_study().await;
    let site = &furnished.site;
    let link = format!("/rate/{token}?PROLIFIC_PID=P1&STUDY_ID=S&SESSION_ID=T");
    let mut own = PlainBrowser::new(site);
    own.open(&link).await;
    let fields = [
        ("First language", "English"),
        ("I have read the information sheet", "on"),
    ];
    own.send("Begin", &fields).await;

    own.assert_shows(&["Continue in another browser"]);
    let shown = own.texts("details code.address");
    let (_, path) = shown[0].split_once("/resume/").expect("an address");
    let resume = format!("/resume/{path}");
    own.send("Next source", &[]).await;

    let mut other = PlainBrowser::new(site);
    other.open(&link).await;
    other.assert_shows(&["You began in another browser"]);
    other.assert_lacks(&["Welcome back"]);
    let taken = begin(site, &token, "P1", "English").await;
    taken.assert_is(422, &["another browser"]);
    assert!(
        taken
            .cookies
            .iter()
            .all(|cookie| !cookie.starts_with("session="))
    );

    // The browser that began may follow the link again.
    own.open(&link).await;
    assert_eq!(own.address, "/s/a-study/work");

    let raters = site.store.crowd_raters(furnished.study).await.unwrap();
    let person = raters[0].person.expect("an account");
    let assignment = furnished.next_assignment(person).await;
    furnished.judge(person, assignment).await;
    own.open("/s/a-study/work").await;
    own.send("Finish", &[]).await;
    own.assert_shows(&["DONE1"]);

    other.open(&link).await;
    other.assert_lacks(&["DONE1"]);

    // The address that the first browser showed opens the work in another browser.
    let mut second = PlainBrowser::new(site);
    second.open(&resume).await;
    second.assert_shows(&["Welcome back"]);
    second.assert_lacks(&["DONE1"]);
    second.send("Continue", &[]).await;
    assert_eq!(second.address, "/s/a-study/work");
    second.assert_shows(&["DONE1"]);

    for wrong in ["/resume/none", &format!("/resume/{}", "0".repeat(48))] {
        let mut browser = PlainBrowser::new(site);
        browser.open(wrong).await;
        assert_eq!(browser.status, 410, "{wrong}");
    }
}
