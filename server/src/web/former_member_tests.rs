//! Former annotators of a study, people of closed studies, and visitors who are not signed in: how each server function
//! and each page answers them, when asked about objects that exist.

use std::collections::BTreeSet;

use axum::{
    body::Body,
    http::{Request, header},
};
use domain::study::Role;
use leptos_axum::generate_route_list;
use pages::App;

use super::study_fixture::StudyFixture;
use crate::clock;

/// The people who ask.
const WHO: [&str; 7] = [
    "removed",
    "withdrawn",
    "researcher",
    "disabled",
    "annotator of a closed study",
    "lead of a closed study",
    "nobody",
];
/// The index in [`WHO`] of a person whose sessions are invalid.
const DISABLED: usize = 3;
/// The index in [`WHO`] of a visitor who is not signed in. The tables have no column for them, since each answer equals
/// that to a disabled person.
const NOBODY: usize = 6;

/// 200, or 422 if the study rejects the form.
const PASSES: u16 = 0;

/// Functions for leads.
const LEAD: [u16; 6] = [404, 403, 403, 401, 403, PASSES];
/// Functions for leads, which a closed study refuses.
const LEAD_OPEN: [u16; 6] = [404, 403, 403, 401, 403, 422];
/// Functions for researchers.
const READER: [u16; 6] = [404, 403, PASSES, 401, 403, PASSES];
/// Functions for annotators.
const ANNOTATOR: [u16; 6] = [404, 403, 403, 401, PASSES, 403];
/// Functions for raters who agree on a source. Here, no source was submitted by two raters.
const TAKES_PART: [u16; 6] = [404, 403, 403, 401, 404, 404];
/// Functions for an annotator's own source, which none of these people has any longer, and a lead never has.
const OWN: [u16; 6] = [422, 422, 422, 401, 422, 404];
/// Functions for people who may create studies.
const CREATOR: [u16; 6] = [403, 403, 403, 401, 403, PASSES];
/// Functions for administrators.
const ADMIN: [u16; 6] = [404, 404, 404, 401, 404, 404];
/// Functions for everybody who is signed in.
const SIGNED_IN: [u16; 6] = [PASSES, PASSES, PASSES, 401, PASSES, PASSES];
/// Functions for everybody.
const OPEN: [u16; 6] = [PASSES; 6];

/// Each server function, with a form about objects that exist, and its answers to [`WHO`]. `{own}` is the assignment
/// that the person who asks has handed in, and `{self}` is that person.
#[rustfmt::skip]
pub(super) const FUNCTIONS: &[(&str, &str, [u16; 6])] = &[
    ("add-person", "name=new", ADMIN),
    ("add-question", "slug=a-study&passage={passage}&question[text]=Who?&question[a]=a&question[b]=b&question[c]=c\
        &question[d]=d", LEAD_OPEN),
    ("admit", "slug=a-study&person={person}", LEAD),
    // The model is a metric.
    ("adopt-aligner", "slug=a-study&model={model}&adopted=yes", [404, 403, 403, 401, 403, 404]),
    ("adopt-model", "slug=a-study&model={model}&adopted=yes", READER),
    ("archive-study", "slug=a-study", LEAD),
    // Here, so that the study is not archived for what follows.
    ("unarchive-study", "slug=a-study", LEAD),
    ("become-admin", "token=none&name=new&password=correct horse", OPEN),
    ("begin-consensus", "slug=a-study&source={source}", TAKES_PART),
    ("decide-consensus", "slug=a-study&source={source}&decisions[0][slot]={}&decisions[0][answer]=written\
        &decisions[0][text]=So&decisions[0][options][0]=a", TAKES_PART),
    ("reopen-consensus", "slug=a-study&source={source}", TAKES_PART),
    // The study has no texts to add.
    ("add-written", "slug=a-study", LEAD_OPEN),
    ("begin-import", "slug=a-study&uploads={upload}&manner[purpose]=main", LEAD),
    ("begin-references", "slug=a-study&uploads={upload}", LEAD),
    ("begin-scores", "slug=a-study&uploads={upload}", LEAD),
    ("bring-in-reading", "slug=a-study&upload={reading-upload}", LEAD_OPEN),
    ("cancel-import", "slug=a-study&job={job}", LEAD),
    ("cancel-scoring", "slug=a-study&job={job}", [404, 403, 404, 401, 403, 404]),
    ("cancel-aligner-training", "slug=a-study&job={job}", [404, 403, 403, 401, 403, 404]),
    ("cancel-training", "slug=a-study&job={job}", [404, 403, 404, 401, 403, 404]),
    ("change-password", "current=x&new=a new password", SIGNED_IN),
    ("clone-study", "slug=a-study&name=A clone", LEAD),
    // Sources of the study were already assigned.
    ("start-experiment", "slug=a-study&protocols[0]=likert", LEAD_OPEN),
    ("update-experiment", "slug=a-study", [404, 403, 403, 401, 403, 404]),
    ("close-study", "slug=a-study", LEAD),
    ("confirm-password", "password=x", SIGNED_IN),
    ("consent", "slug=a-study", ANNOTATOR),
    ("create-study", "name=New&template=likert&overlap=3&category_rule=tuned", CREATOR),
    ("describe-study", "slug=a-study&guidelines=New", LEAD),
    ("discuss", "slug=a-study&output={output}&note=Look again.", LEAD_OPEN),
    ("end-other-sessions", "", SIGNED_IN),
    ("end-session", "session=none", SIGNED_IN),
    ("erase-account", "name=somebody else", SIGNED_IN),
    ("erase-person", "person={person}&name=somebody else", ADMIN),
    ("erase-study", "slug=a-study&short_name=another", LEAD),
    ("exclude-reader", "slug=a-study&participant={participant}&reason=Odd.", LEAD),
    ("import-progress", "slug=a-study&job={job}", READER),
    ("include-reader", "slug=a-study&participant={participant}", LEAD),
    // Last of all functions about the participant.
    ("erase-participant", "slug=a-study&participant={participant}&sure=yes", LEAD),
    ("invite", "slug=a-study&role=annotator&uses=1&days=1", LEAD),
    ("join", "token={token}", SIGNED_IN),
    ("log-in", "name=a&password=b", OPEN),
    ("make-token", "name=x&access=read&scope=all&days=1", SIGNED_IN),
    ("revoke-token", "token=none", SIGNED_IN),
    ("make-password-link", "person={person}", ADMIN),
    ("make-gold-item", "slug=a-study&output={output}&purpose=qualification&tolerance=5", LEAD_OPEN),
    ("move-source", "slug=a-study&source={source}&direction=up", LEAD),
    ("next-source", "slug=a-study", [404, 403, 403, 401, 422, 403]),
    ("preview-markdown", "text=a", CREATOR),
    ("reading/begin", "token=none", OPEN),
    ("reading/erase", "", OPEN),
    ("reading/finish", "", OPEN),
    ("reading/next", "reading={reading}", OPEN),
    ("reading/save/v1", r#"{"batch":{"answers":[]}}"#, OPEN),
    ("reading/withdraw", "", OPEN),
    ("reassign", "slug=a-study&assignment={open}&to={rater}", LEAD_OPEN),
    ("record-final-value", "slug=a-study&output={output}&dimension=overall&value=50&reason=A word is lost.", LEAD),
    ("register", "token=none&name=new&password=correct horse", OPEN),
    ("release", "slug=a-study&assignment={open}", LEAD_OPEN),
    ("remove-member", "slug=a-study&person={person}", LEAD),
    // Before its metric is removed.
    ("set-metric-direction", "slug=a-study&metric={metric}&direction=neither", LEAD),
    ("remove-metric", "slug=a-study&metric={metric}", LEAD),
    ("reopen-study", "slug=a-study", LEAD),
    ("revoke-invitation", "slug=a-study&invitation={invitation}", LEAD),
    ("score-outputs", "slug=a-study&metrics[bleu]=on", READER),
    ("set-admin", "person={self}&to=yes", ADMIN),
    ("set-category-rule", "slug=a-study&category_rule=paper", LEAD),
    ("set-comprehension", "slug=a-study&design[readers]=1&design[doubly]=0&design[texts]=1&design[spread]=between\
        &design[ties]=random&design[lease_hours]=1&session[unanswerable]=Unsaid.", LEAD),
    ("set-dimensions", "slug=a-study&dimensions[0][name]=overall&dimensions[0][low]=0&dimensions[0][high]=100", LEAD),
    // The study asks no questions.
    ("set-questions", "slug=a-study&questions[0][text]=Why&questions[0][kind]=text\
        &questions[0][about]=output", LEAD_OPEN),
    // The study marks no spans.
    ("set-span-types", "slug=a-study&types[0][name]=Error&types[0][sides]=output", LEAD_OPEN),
    ("set-disabled", "person={person}&to=yes", ADMIN),
    ("set-expected", "slug=a-study&source={source}&outputs[0][output]={output}&outputs[0][rating]=50\
        &outputs[0][marks]=a: b&outputs[0][choices][0][question]=missing&outputs[0][choices][0][options][0]=yes\
        &choices[0][question]=hard&choices[0][options][0]=yes", LEAD),
    ("set-general", "slug=a-study&name=New&overlap=3&lease_hours=1&qualification=none", LEAD),
    ("set-groups", "slug=a-study&groups[0][name]=Experts&groups[0][attributes][0]=expert&groups[0][overlap]=2", LEAD),
    // A lead is in no group.
    ("set-member-group", "slug=a-study&person={self}&group=", [404, 403, 403, 401, 403, 404]),
    ("set-protocol", "slug=a-study&rating=rank&layout=steps&outputs=all", LEAD),
    ("set-own-overlap", "slug=a-study&source={source}&overlap=10", LEAD),
    ("set-passage-purpose", "slug=a-study&passage={passage}&purpose=practice", LEAD),
    ("set-password", "token=none&password=correct horse", OPEN),
    ("set-purpose", "slug=a-study&source={source}&purpose=training", LEAD),
    ("set-quality-control", "slug=a-study&copy_every=0&scrambled_every=0&repeated_every=0&attention_every=0", LEAD),
    ("set-question", "slug=a-study&id={question}&was=x&question[text]=Who?&question[a]=a&question[b]=b&question[c]=c\
        &question[d]=d", LEAD_OPEN),
    ("set-retention", "slug=a-study&retention=one-month", LEAD),
    ("set-retraining", "slug=a-study&every=100", LEAD),
    ("set-role", "slug=a-study&person={self}&role=lead", LEAD),
    ("set-systems", "slug=a-study&systems[0][system]={system}&systems[0][name]=Copy&systems[0][kind]=human", LEAD),
    ("set-visibility", "slug=a-study&source={source}&change=hide", LEAD_OPEN),
    ("take-sources", "slug=a-study", LEAD_OPEN),
    ("crowd/begin", "token=none&consent=yes", [422; 6]),
    ("crowd/resume", "key=none", [422; 6]),
    ("crowd/finish", "slug=a-study", [404, 403, 403, 401, 403, 403]),
    ("set-crowd", "slug=a-study&sources_each=3&failed[from]=0&failed[consequence]=pause\
        &screening=Age | young | old", LEAD),
    ("add-webhook", "slug=a-study&address=https://hooks.example.org/studies/a&job_ended=yes", LEAD),
    ("change-webhook", "slug=a-study&webhook={webhook}&address=https://hooks.example.org/studies/a\
        &job_ended=yes", LEAD),
    ("pause-webhook", "slug=a-study&webhook={webhook}&pause=yes", LEAD),
    ("renew-webhook-secret", "slug=a-study&webhook={webhook}", LEAD),
    ("send-test-notice", "slug=a-study&webhook={webhook}", LEAD),
    ("send-notice-again", "slug=a-study&webhook={webhook}&number=1", LEAD),
    ("remove-webhook", "slug=a-study&webhook={webhook}", LEAD),
    ("theme", "theme=dark", OPEN),
    // Too few sources have been corrected.
    ("train-aligner", "slug=a-study", LEAD_OPEN),
    ("train-metric", "slug=a-study&kind=learned-free", READER),
    ("undo-import", "slug=a-study&import={import}", LEAD),
    ("withdraw", "slug=a-study&sure=yes", ANNOTATOR),
    ("withdraw-question", "slug=a-study&question={output}", [404, 403, 403, 401, 403, 404]),
    // The study has no step in which texts are written.
    ("work/check-text/v1", r#"{"assignment":"{own}","text":"A text."}"#, [404, 404, 404, 401, 404, 404]),
    ("work/hand-in/v1", r#"{"assignment":"{own}"}"#, OWN),
    ("work/reopen/v1", r#"{"assignment":"{own}"}"#, OWN),
    ("work/skip/v1", r#"{"assignment":"{own}","reason":"Odd."}"#, OWN),
    // Each change is refused on its own, with a sentence: `what_waits_in_a_browser_is_refused_for_good`.
    (
        "work/save-changes/v1",
        r#"{"batch":{"person":"{self}","assignment":"{own}","changes":[],"activity":[]}}"#,
        [200, 200, 200, 401, 200, 404],
    ),
    // Last, because everybody is then signed out.
    ("log-out", "", OPEN),
];

/// Pages and files, with their answers to [`WHO`]. Visitors without a session are led to the sign-in page.
pub(super) const PAGES: &[(&str, [u16; 6])] = &[
    ("/s/{slug}/work", [404, 200, 403, 303, 200, 403]),
    ("/s/{slug}/guidelines", [404, 200, 200, 303, 200, 200]),
    ("/s/{slug}/work/{own}", [404, 403, 403, 303, 200, 403]),
    ("/s/{slug}", READS),
    ("/s/{slug}/sources", READS),
    ("/s/{slug}/sources/{source}", READS),
    ("/s/{slug}/training", LEADS),
    ("/s/{slug}/training/{source}", LEADS),
    ("/s/{slug}/members", LEADS),
    ("/s/{slug}/crowd", LEADS),
    ("/s/{slug}/crowd/pay.csv", LEADS),
    ("/s/{slug}/members/{person}/qualification", LEADS),
    ("/s/{slug}/assignments", LEADS),
    ("/s/{slug}/log", LEADS),
    ("/s/{slug}/settings", LEADS),
    ("/s/{slug}/settings/protocol", LEADS),
    ("/s/{slug}/preview", LEADS),
    ("/s/{slug}/settings/texts", LEADS),
    ("/s/{slug}/settings/scales", LEADS),
    ("/s/{slug}/settings/quality-control", LEADS),
    ("/s/{slug}/settings/privacy", LEADS),
    ("/s/{slug}/settings/webhooks", LEADS),
    ("/s/{slug}/settings/groups", LEADS),
    ("/s/{slug}/settings/advanced", LEADS),
    ("/s/{slug}/settings/study.json", LEADS),
    ("/s/{slug}/erase", LEADS),
    ("/s/{slug}/import", LEADS),
    ("/s/{slug}/import/{upload}", LEADS),
    ("/s/{slug}/import/jobs/{job}", LEADS),
    ("/s/{slug}/import/undo/{import}", LEADS),
    ("/s/{slug}/agreement", READS),
    ("/s/{slug}/quality", READS),
    ("/s/{slug}/systems", READS),
    ("/s/{slug}/systems/edit", LEADS),
    ("/s/{slug}/protocols", READS),
    ("/s/{slug}/metrics", READS),
    ("/s/{slug}/metrics/models/{model}", READS),
    ("/s/{slug}/news", [404, 403, 200, 401, 403, 200]),
    ("/s/{slug}/ratings", READS),
    ("/s/{slug}/consensus", READS),
    // No source was submitted by two raters.
    (
        "/s/{slug}/consensus/{source}",
        [404, 403, 404, 303, 403, 404],
    ),
    ("/s/{slug}/reading", READS),
    ("/s/{slug}/reading/analysis", READS),
    ("/s/{slug}/reading/answers.zip", READS),
    ("/s/{slug}/reading/import/{upload}", LEADS),
    ("/s/{slug}/reading/passages", READS),
    ("/s/{slug}/reading/passages/{passage}", READS),
    ("/s/{slug}/export", READS),
    ("/s/{slug}/export/{file}", READS),
];
/// Endpoints for forms with files, with their answers to [`WHO`].
pub(super) const UPLOADS: [(&str, [u16; 6]); 3] = [
    ("upload", LEAD),
    ("reading-upload", LEAD),
    ("study-file", CREATOR),
];
/// A file that the first two accept.
const UPLOADED: &[u8] = b"source,output\nIt rained.,Rain.\n";

const READS: [u16; 6] = [404, 403, 200, 303, 403, 200];
const LEADS: [u16; 6] = [404, 403, 403, 303, 403, 200];

/// The expected answer to one of [`WHO`].
const fn expected(answers: &[u16; 6], who: usize) -> u16 {
    answers[if who == NOBODY { DISABLED } else { who }]
}

/// A study with one of [`WHO`], and the cookie of that person's session, if there is one.
pub(super) async fn visitor(who: usize) -> (StudyFixture, Option<String>) {
    let mut furnished = StudyFixture::new().await;
    let now = clock::now_ms();
    let (store, study) = (furnished.site.store.clone(), furnished.study);

    let (waiting, _) = furnished.annotator("one with open work").await;
    let open = furnished.next_assignment(waiting).await;
    let raters = store.raters(study).await.unwrap();
    furnished.names.insert("open", open.to_string());
    furnished.names.insert("rater", raters[0].id.to_string());

    let (person, own) = furnished.annotator(WHO[who]).await;

    // The session begins before the change, as in a browser that stays open.
    let asks = if who == 5 { furnished.lead } else { person };
    let cookie = furnished.site.sign_in(asks).await;
    furnished.names.insert("own", own.to_string());
    furnished.names.insert("self", asks.to_string());

    match who {
        0 => assert!(store.remove_member(study, person, now).await.unwrap()),
        1 => assert!(store.withdraw(study, person, now).await.unwrap()),
        2 => {
            let role = Role::Researcher;
            assert!(store.set_role(study, person, role, now).await.unwrap());
        }
        3 => assert!(store.disable_person(person, now).await.unwrap()),
        NOBODY => return (furnished, None),
        _ => assert!(store.close_study(study, now).await.unwrap()),
    }
    (furnished, Some(cookie))
}

/// The data that a visitor must not change: the study, and the people of the site with their rights.
async fn state(furnished: &StudyFixture) -> (i64, Vec<store::Person>) {
    let people = furnished.site.store.people().await.unwrap();
    (furnished.event().await, people)
}

/// Takes back a change that the person may make, but that the functions after it must not find.
async fn undo(furnished: &StudyFixture, who: usize, endpoint: &str) {
    let (store, study, now) = (&furnished.site.store, furnished.study, clock::now_ms());
    match (who, endpoint) {
        (5, "reopen-study") => {
            store.close_study(study, now).await.unwrap();
        }
        (0, "join") => {
            let person = furnished.names["self"].parse().unwrap();
            store.remove_member(study, person, now).await.unwrap();
        }
        _ => {}
    }
}

/// The status for a page. Its body is not read, since the stream of events never ends.
async fn page_status(furnished: &StudyFixture, cookie: Option<&str>, path: &str) -> u16 {
    let path = furnished.replace_names(path);
    let mut request = Request::get(path).header(header::ACCEPT, "text/html");
    if let Some(cookie) = cookie {
        request = request.header(header::COOKIE, cookie);
    }

    let request = request.body(Body::empty()).unwrap();
    furnished.site.send(request).await.status().as_u16()
}

fn is_expected(status: u16, expect: u16) -> bool {
    match expect {
        PASSES => matches!(status, 200 | 422),
        expect => status == expect,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_server_function_asks_for_the_role_of_this_moment() {
    let mut wrong = vec![];
    for (who, name) in WHO.iter().enumerate() {
        let (furnished, cookie) = visitor(who).await;
        for (endpoint, body, expect) in FUNCTIONS {
            let before = state(&furnished).await;
            let filled = furnished.replace_names(body);

            let site = &furnished.site;
            let answer = site.call_text(cookie.as_deref(), endpoint, &filled).await;
            let status = answer.status.as_u16();
            if !is_expected(status, expected(expect, who)) {
                wrong.push(format!("{endpoint} by {name}: {status} {}", answer.body));
            }

            // People outside of the study cannot change it, whatever the answer is.
            let joins_again = *endpoint == "join" && who != NOBODY;
            let is_outside = matches!(who, 0 | 1 | DISABLED | NOBODY);
            if is_outside && !joins_again && state(&furnished).await != before {
                wrong.push(format!("{endpoint} by {name} changed the study"));
            }

            undo(&furnished, who, endpoint).await;
        }
        furnished.site.store.close().await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_page_asks_for_the_role_of_this_moment() {
    let mut wrong = vec![];
    for (who, name) in WHO.iter().enumerate() {
        let (furnished, cookie) = visitor(who).await;
        for (path, expect) in PAGES {
            let status = page_status(&furnished, cookie.as_deref(), path).await;
            if status != expected(expect, who) {
                wrong.push(format!("{path} by {name}: {status}"));
            }
        }

        for (endpoint, expect) in UPLOADS {
            let (fields, files) = ([("slug", "a-study")], [("more.csv", UPLOADED)]);
            let answer = furnished
                .site
                .upload_to(endpoint, cookie.as_deref(), &fields, &files);
            let status = answer.await.status.as_u16();
            if !is_expected(status, expected(&expect, who)) {
                wrong.push(format!("{endpoint} by {name}: {status}"));
            }
        }

        furnished.site.stop.cancel();
        furnished.site.store.close().await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The path with `{}` in place of each parameter.
pub(super) fn plain(path: &str) -> String {
    let part = |part| {
        if str::starts_with(part, ['{', ':']) {
            "{}"
        } else {
            part
        }
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn each_server_function_and_page_is_in_a_table() {
    // The routes are registered when the site is built.
    let _site = super::testing::TestSite::new().await;

    let functions: BTreeSet<_> = FUNCTIONS.iter().map(|(endpoint, ..)| *endpoint).collect();
    for (path, _) in leptos::server_fn::axum::server_fn_paths() {
        let endpoint = path.trim_start_matches("/api/");
        assert!(
            functions.contains(endpoint),
            "the server function {endpoint} is in no table of {}: say there what it answers those \
             who were annotators",
            file!(),
        );
    }

    let pages: BTreeSet<_> = PAGES.iter().map(|(path, _)| plain(path)).collect();
    for route in generate_route_list(App) {
        let path = plain(route.path());
        assert!(
            !path.starts_with("/s/") || pages.contains(&path),
            "the page {} is in no table of {}: say there who may open it",
            route.path(),
            file!(),
        );
    }
}

#[tokio::test]
async fn what_waits_in_a_browser_is_refused_for_good() {
    for (who, sentence) in [
        (0, "You are no longer a member of this study"),
        (1, "You have withdrawn from this study"),
        (2, "You are no longer an annotator of this study"),
        (4, "This study is closed"),
    ] {
        let (furnished, cookie) = visitor(who).await;

        let id = clock::new_id();
        let body = furnished.replace_names(
            r#"{"batch":{"person":"{self}","assignment":"{own}","activity":[],"changes":[{
                "id":"CHANGE","supersedes":null,"slot":"progress","answer":{"progress":"rate"}}]}}"#,
        );
        let body = body.replace("CHANGE", &id.to_string());

        let site = &furnished.site;
        let answer = site
            .call_json(cookie.as_deref(), "work/save-changes/v1", body)
            .await;

        // A refusal is a final outcome: after an error, the browser would send the change again.
        let (name, body) = (WHO[who], &answer.body);
        assert_eq!(answer.status, 200, "{name}: {body}");
        for part in ["refused", sentence] {
            assert!(body.contains(part), "{name}, {part}: {body}");
        }
    }
}
