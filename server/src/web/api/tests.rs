//! The API as programs see it: which tokens are accepted, what they get, and that all failures are problems.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::{Body, Bytes, to_bytes},
    http::{HeaderMap, Method, Request, StatusCode, header},
};
use domain::{
    ids::{ApiTokenId, PersonId, StudyId},
    study::{Role, SourcePurpose},
};
use futures::stream;
use serde_json::{Value, json};
use service::accounts::SecretToken;
use store::{
    api_tokens::{NewApiToken, TokenAccess, TokenStudies},
    import::NewOutput,
};
use tokio::time::sleep;

use super::described_routes;
use crate::{
    clock, demo,
    web::{
        study_fixture::{StudyFixture, automatic},
        testing::TestSite,
    },
};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// All routes, by path.
const ROUTES: [(&str, &str); 18] = [
    ("GET", "/jobs/{job}"),
    ("GET", "/metrics"),
    ("POST", "/rerank"),
    ("POST", "/score"),
    ("GET", "/studies"),
    ("GET", "/studies/{study}"),
    ("GET", "/studies/{study}/answers"),
    ("GET", "/studies/{study}/comparisons"),
    ("GET", "/studies/{study}/exports/{format}"),
    ("GET", "/studies/{study}/figures/agreement"),
    ("GET", "/studies/{study}/figures/systems"),
    ("GET", "/studies/{study}/outputs"),
    ("POST", "/studies/{study}/outputs"),
    ("GET", "/studies/{study}/ratings"),
    ("GET", "/studies/{study}/scores"),
    ("POST", "/studies/{study}/scores"),
    ("GET", "/studies/{study}/sources"),
    ("GET", "/studies/{study}/spans"),
];

/// Addresses of a study that its leads and researchers may read.
const READS: [&str; 11] = [
    "/studies/a-study",
    "/studies/a-study/sources",
    "/studies/a-study/outputs",
    "/studies/a-study/ratings",
    "/studies/a-study/answers",
    "/studies/a-study/comparisons",
    "/studies/a-study/spans",
    "/studies/a-study/scores",
    "/studies/a-study/figures/agreement",
    "/studies/a-study/figures/systems",
    "/studies/a-study/exports/jsonl",
];

struct ApiAnswer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl ApiAnswer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    /// The problem's sentence. Its media type must be that of problems.
    fn problem(&self) -> String {
        let media_type = &self.headers[header::CONTENT_TYPE];
        assert_eq!(media_type, "application/problem+json", "{}", self.text);
        let problem = self.json();
        assert_eq!(problem["status"], self.status.as_u16());
        problem["detail"].as_str().unwrap().to_owned()
    }

    /// Checks that the answer is a problem with this status, and returns its sentence.
    #[track_caller]
    fn problem_with(&self, status: u16, case: &str) -> String {
        assert_eq!(self.status.as_u16(), status, "{case}: {}", self.text);
        self.problem()
    }
}

async fn send(site: &TestSite, request: Request<Body>) -> ApiAnswer {
    let (parts, body) = site.send(request).await.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap();
    ApiAnswer {
        status: parts.status,
        headers: parts.headers,
        text: String::from_utf8_lossy(&bytes).into_owned(),
    }
}

async fn get(site: &TestSite, token: &str, path: &str) -> ApiAnswer {
    let request = Request::get(format!("/api/v1{path}"))
        .header(header::AUTHORIZATION, format!("Bearer {token}"));
    send(site, request.body(Body::empty()).unwrap()).await
}

async fn get_status(site: &TestSite, token: &str, path: &str) -> u16 {
    get(site, token, path).await.status.as_u16()
}

async fn post(site: &TestSite, token: &str, path: &str, body: &Value) -> ApiAnswer {
    post_as(site, token, path, "application/json", body.to_string()).await
}

async fn post_as(
    site: &TestSite,
    token: &str,
    path: &str,
    media_type: &str,
    body: impl Into<Body>,
) -> ApiAnswer {
    let request = Request::post(format!("/api/v1{path}"))
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .header(header::CONTENT_TYPE, media_type);
    send(site, request.body(body.into()).unwrap()).await
}

/// Makes a token that lasts this long.
async fn make_token(
    site: &TestSite,
    person: PersonId,
    access: TokenAccess,
    studies: TokenStudies,
    lasts_ms: i64,
) -> (ApiTokenId, String) {
    let token = SecretToken::new_api(clock::random());
    let id = ApiTokenId(clock::new_id());

    let new = NewApiToken {
        id,
        token_hash: &token.hash(),
        person,
        name: "a test",
        access,
        studies: &studies,
        expires_at: clock::now_ms() + lasts_ms,
    };

    let now = clock::now_ms();
    site.store.create_api_token(&new, now).await.unwrap();
    (id, token.secret().to_owned())
}

/// A token for all studies of a person.
async fn token(site: &TestSite, person: PersonId, access: TokenAccess) -> String {
    make_token(site, person, access, TokenStudies::All, DAY_MS)
        .await
        .1
}

fn with_values(path: &str) -> String {
    path.replace("{study}", "a-study")
        .replace("{format}", "jsonl")
        .replace("{job}", "00000000-0000-7000-8000-000000000000")
}

#[tokio::test]
async fn each_route_is_described_and_each_described_route_exists() {
    let site = TestSite::new().await;
    let request = Request::get("/api/v1/openapi.json");
    let answer = send(&site, request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK);
    let description = answer.json();

    assert_eq!(description["openapi"], "3.1.0");
    let mut described = Vec::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            described.push((method.to_uppercase(), path.clone()));
            assert!(item[method]["summary"].is_string(), "{method} {path}");
            let responses = item[method]["responses"].as_object().unwrap();
            assert!(responses.contains_key("401"), "{method} {path}");
        }
    }

    described.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));

    let expected: Vec<_> = ROUTES
        .iter()
        .map(|(method, path)| ((*method).to_owned(), (*path).to_owned()))
        .collect();
    assert_eq!(described, expected);

    // A route without a description could only be added outside of the list of both.
    let source = include_str!("mod.rs");
    assert_eq!(
        source.matches(".route(").count(),
        1,
        "the description alone"
    );

    for (method, path) in ROUTES {
        let method: Method = method.parse().unwrap();
        let address = format!("/api/v1{}", with_values(path));
        let request = Request::builder().method(&method).uri(&address);
        let answer = send(&site, request.body(Body::empty()).unwrap()).await;
        answer.problem_with(401, &format!("{method} {path}"));
    }

    let page = site.open(None, "/api").await;
    assert_eq!(page.status, StatusCode::OK);
    for (method, path) in ROUTES {
        assert!(page.body.contains(&format!("{method} {path}")), "{path}");
    }

    let (_, description) = described_routes();
    let components = description.components.unwrap();
    for name in components.schemas.keys() {
        assert!(
            page.body.contains(&format!("id=\"schema-{name}\"")),
            "{name}"
        );
    }
}

#[tokio::test]
async fn only_a_token_that_works_gets_in() {
    let fixture = StudyFixture::new().await;
    let site = &fixture.site;
    let good = token(site, fixture.lead, TokenAccess::Read).await;
    assert_eq!(get(site, &good, "/studies").await.status, StatusCode::OK);

    let all = || TokenStudies::All;
    let (revoked, of_revoked) =
        make_token(site, fixture.lead, TokenAccess::Read, all(), DAY_MS).await;
    let was_there = site.store.revoke_api_token(fixture.lead, revoked).await;
    assert!(was_there.unwrap());
    let (_, expired) = make_token(site, fixture.lead, TokenAccess::Read, all(), -1).await;
    let other = site.member(fixture.study, "closed", Role::Lead).await;
    let closed = token(site, other, TokenAccess::Read).await;
    assert_eq!(get(site, &closed, "/studies").await.status, StatusCode::OK);
    let now = clock::now_ms();
    assert!(site.store.disable_person(other, now).await.unwrap());

    let unprefixed = good.trim_start_matches("rankrate_").to_owned();
    let wrong = format!("{}x", &good[..good.len() - 1]);
    let paths = [&READS[..], &["/studies", "/metrics"]].concat();

    // Every path with one of them, but only a few with each: after 60 failures, all requests would be refused.
    for (bad, paths) in [
        (of_revoked.as_str(), &paths[..]),
        (&expired, &paths[10..]),
        (&closed, &paths[10..]),
        (&unprefixed, &paths[10..]),
        (&wrong, &paths[10..]),
        ("", &paths[10..]),
        ("rankrate_", &paths[10..]),
    ] {
        for path in paths {
            let answer = get(site, bad, path).await;
            let problem = answer.problem_with(401, &format!("{bad} {path}"));
            assert!(!problem.contains("a-study"), "{bad} {path}");
            assert!(answer.headers.contains_key(header::WWW_AUTHENTICATE));
        }
    }

    // Neither a session nor a second header opens anything.
    let cookie = site.sign_in(fixture.lead).await;
    let request = Request::get("/api/v1/studies").header(header::COOKIE, &cookie);
    let answer = send(site, request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);

    let request = Request::get("/api/v1/studies")
        .header(header::AUTHORIZATION, format!("Bearer {good}"))
        .header(header::AUTHORIZATION, "Bearer rankrate_another");
    let answer = send(site, request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);

    let used = site.store.api_tokens(fixture.lead).await.unwrap();
    assert!(used.iter().any(|token| token.used_at.is_some()));
}

#[tokio::test]
async fn a_token_grants_no_more_than_its_person_has() {
    let fixture = StudyFixture::new().await;
    let site = &fixture.site;
    let other_study = site.study("another").await;
    let stranger = site.person("a stranger", false).await;
    let annotator = site.member(fixture.study, "ann", Role::Annotator).await;
    let researcher = site.member(fixture.study, "res", Role::Researcher).await;

    let outside = TokenStudies::Only(vec![other_study]);
    site.store
        .add_member(other_study, fixture.lead, Role::Lead, clock::now_ms())
        .await
        .unwrap();

    let write = TokenAccess::Write;
    let elsewhere = make_token(site, fixture.lead, write, outside, DAY_MS)
        .await
        .1;

    let scores = json!({ "metric": "lens", "scores": [{ "output": fixture.names["output"], "value": 1.5 }] });
    let outputs = json!({ "rows": [{ "source": "The sun set.", "output": "It got dark.", "system": "new" }] });
    let changes = [
        ("/studies/a-study/scores", &scores),
        ("/studies/a-study/outputs", &outputs),
    ];

    for unreaching in [
        token(site, stranger, write).await,
        token(site, annotator, write).await,
        elsewhere,
    ] {
        for path in READS {
            let problem = get(site, &unreaching, path).await.problem_with(404, path);
            let missing = path.replace("a-study", "no-such-study");
            let missing = get(site, &unreaching, &missing).await;
            assert_eq!(problem, missing.problem(), "{path}");
        }

        for (path, body) in changes {
            let answer = post(site, &unreaching, path, body).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        }
    }

    // Tokens that may read but not change. They are refused before the body is read.
    for reading in [
        token(site, researcher, write).await,
        token(site, fixture.lead, TokenAccess::Read).await,
    ] {
        for path in READS {
            assert_eq!(get_status(site, &reading, path).await, 200, "{path}");
        }
        for (path, body) in changes {
            for body in [body, &json!([])] {
                let answer = post(site, &reading, path, body).await;
                answer.problem_with(403, path);
            }
        }
    }

    let ann = token(site, annotator, write).await;
    let scoring = json!({ "metrics": ["fkgl"], "sources": ["a"], "outputs": ["a"] });
    let answer = post(site, &ann, "/score", &scoring).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);

    // A token loses its rights when its person leaves the study.
    let leaving = token(site, researcher, TokenAccess::Read).await;
    let now = clock::now_ms();
    let removed = site
        .store
        .remove_member(fixture.study, researcher, now)
        .await;
    removed.unwrap();
    for path in READS {
        assert_eq!(get_status(site, &leaving, path).await, 404, "{path}");
    }
    let list = get(site, &leaving, "/studies").await.json();
    assert_eq!(list["studies"], json!([]));

    // The token of a lead who becomes an annotator can no longer change anything.
    let was_lead = token(site, fixture.lead, write).await;
    let second = site.member(fixture.study, "second", Role::Lead).await;
    let demoted = site
        .store
        .set_role(fixture.study, fixture.lead, Role::Annotator, now);
    assert!(demoted.await.unwrap());
    let (path, body) = changes[0];
    let answer = post(site, &was_lead, path, body).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);

    // An archived study can be read but not changed.
    let lead = token(site, second, write).await;
    site.store.archive_study(fixture.study, now).await.unwrap();
    assert_eq!(get(site, &lead, path).await.status, StatusCode::OK);
    let answer = post(site, &lead, path, body).await;
    let problem = answer.problem_with(422, path);
    assert!(problem.contains("archived"), "{problem}");
}

/// All rows of a list, read page by page.
async fn all_rows(site: &TestSite, token: &str, path: &str, key: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut cursor = String::new();
    loop {
        let join = if path.contains('?') { '&' } else { '?' };
        let page = get(site, token, &format!("{path}{join}limit=3{cursor}")).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text);
        let page = page.json();
        rows.extend(page[key].as_array().unwrap().iter().cloned());
        match page["next"].as_str() {
            Some(next) => {
                let next = format!("&cursor={next}");
                assert_ne!(next, cursor, "{path} ends");
                cursor = next;
            }
            None => return rows,
        }
    }
}

async fn newest_event(site: &TestSite, study: StudyId) -> i64 {
    site.store.study(study).await.unwrap().unwrap().events
}

#[tokio::test]
async fn lists_come_in_pages_and_later_only_what_changed() {
    let fixture = StudyFixture::new().await;
    let site = &fixture.site;
    let lead = token(site, fixture.lead, TokenAccess::Read).await;
    let path = |list: &str| format!("/studies/a-study/{list}");
    for list in ["sources", "outputs", "ratings"] {
        let whole = get(site, &lead, &format!("{}?limit=500", path(list)))
            .await
            .json();
        assert_eq!(whole["next"], Value::Null, "{list}");
        let rows = all_rows(site, &lead, &path(list), list).await;
        assert!(rows.len() > 1, "{list}");
        assert_eq!(whole[list], Value::Array(rows), "{list}");
    }

    let entries = site.store.sources(fixture.study).await.unwrap();
    let sources = all_rows(site, &lead, &path("sources"), "sources").await;
    assert_eq!(sources.len(), entries.len());

    let before = newest_event(site, fixture.study).await;
    let since = |list: &str| format!("{}?since={before}", path(list));
    assert_eq!(
        all_rows(site, &lead, &since("ratings"), "ratings").await,
        [Value::Null; 0]
    );

    fixture.annotator("one more").await;
    let changed = all_rows(site, &lead, &since("ratings"), "ratings").await;
    assert!(!changed.is_empty());
    let page = get(site, &lead, &since("ratings")).await.json();
    let source = page["changed_sources"].as_array().unwrap();
    assert_eq!(source.len(), 1);
    assert!(changed.iter().all(|rating| rating["source"] == source[0]));

    let changed_sources = all_rows(site, &lead, &since("sources"), "sources").await;
    assert!(changed_sources.len() < sources.len());

    let everything = all_rows(site, &lead, &path("ratings"), "ratings").await;
    assert!(changed.iter().all(|rating| everything.contains(rating)));
    let outputs = all_rows(site, &lead, &since("outputs"), "outputs").await;
    assert!(outputs.iter().all(|output| output["source"] == source[0]));
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_the_demonstration_end() {
    let site = TestSite::new().await;
    demo::load(&site.store, None, true).await.unwrap();
    let study = site.store.study_by_slug(&"demo".parse().unwrap()).await;
    let study = study.unwrap().unwrap().id;
    let lead = site.member(study, "lea", Role::Lead).await;
    let lead = token(&site, lead, TokenAccess::Read).await;

    let list = async |list: &str| {
        let path = format!("/studies/demo/{list}?since=0");
        all_rows(&site, &lead, &path, list).await
    };

    assert_eq!(list("outputs").await.len(), 104);
    assert_eq!(list("ratings").await.len(), 268);
    assert!(!list("sources").await.is_empty());
    list("scores").await;
}

#[tokio::test]
async fn outputs_of_other_sources_end_no_list_too_early_or_too_late() {
    let fixture = StudyFixture::new().await;
    let (site, study) = (&fixture.site, fixture.study);
    let lead = token(site, fixture.lead, TokenAccess::Read).await;
    let list =
        async |list: &str| all_rows(site, &lead, &format!("/studies/a-study/{list}"), list).await;
    let (outputs, ratings) = (list("outputs").await, list("ratings").await);

    // Between main sources, and after the last of them.
    let purposes = [
        SourcePurpose::Training,
        SourcePurpose::Main,
        SourcePurpose::Qualification,
    ];
    for purpose in purposes {
        let before = newest_event(site, study).await;
        let begun = site
            .store
            .begin_import(study, clock::now_ms(), clock::new_id);

        let mut import = begun.await.unwrap();
        let text = format!("A {purpose} source.");
        let source = import.source(None, &text, purpose).unwrap();
        for name in ["A", "B", "C", "D"] {
            let system = import.system(name, None).unwrap();
            let new = NewOutput::new(source, system, name);
            import.output(&new, automatic).unwrap();
        }
        import.commit().await.unwrap();

        let since = format!("/studies/a-study/outputs?since={before}");
        all_rows(site, &lead, &since, "outputs").await;
    }

    assert_eq!(list("outputs").await.len(), outputs.len() + 4);
    assert_eq!(list("ratings").await, ratings);
}

#[tokio::test]
async fn rows_and_scores_are_imported_by_a_job() {
    let fixture = StudyFixture::new().await;
    let site = &fixture.site;
    let lead = token(site, fixture.lead, TokenAccess::Write).await;
    let outputs = json!({
        "strict": true,
        "rows": [{ "source": "The sun set.", "output": "It got dark.", "system": "new", "kind": "human",
                   "references": ["Night fell."], "ratings": [{ "rater": "r", "value": 50 }] }],
    });
    let answer = post(site, &lead, "/studies/a-study/outputs", &outputs).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
    let job = answer.json()["job"].as_str().unwrap().to_owned();
    assert_eq!(
        answer.headers[header::LOCATION],
        format!("/api/v1/jobs/{job}")
    );

    let shown = get(site, &lead, &format!("/jobs/{job}")).await.json();
    assert_eq!(
        (&shown["kind"], &shown["state"]),
        (&json!("import"), &json!("queued"))
    );

    let stranger = site.person("a stranger", false).await;
    let stranger = token(site, stranger, TokenAccess::Read).await;
    let hidden = get(site, &stranger, &format!("/jobs/{job}")).await;
    assert_eq!(hidden.status, StatusCode::NOT_FOUND);

    let entries = site
        .store
        .audit_entries(&store::audit::AuditFilter::default(), 1)
        .await;
    assert_eq!(entries.unwrap()[0].subject, "a test: api.jsonl");

    let output = &fixture.names["output"];
    let score =
        |metric: &str| json!({ "metric": metric, "scores": [{ "output": output, "value": 1.5 }] });
    let answer = post(site, &lead, "/studies/a-study/scores", &score("lens")).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
    for metric in ["", "output", "ID", "rating_1", "a b", "é", "../x"] {
        let answer = post(site, &lead, "/studies/a-study/scores", &score(metric)).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{metric}");
    }
    for rows in [json!([]), json!([{ "source": "a", "kind": "robot" }])] {
        let body = json!({ "rows": rows });
        let answer = post(site, &lead, "/studies/a-study/outputs", &body).await;
        answer.problem_with(422, &body.to_string());
    }
}

#[tokio::test]
async fn texts_are_scored_in_batches_and_in_streams() {
    let fixture = StudyFixture::new().await;
    let site = &fixture.site;
    let lead = token(site, fixture.lead, TokenAccess::Read).await;
    let (source, output) = ("The vessel sank.", "The boat sank.");
    let batch = json!({ "metrics": ["compression", "sari"], "sources": [source, source], "outputs": [output, output],
                        "references": [[output], ["It sank."]] });
    let answer = post(site, &lead, "/score", &batch).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    let scores = answer.json()["scores"].clone();
    assert_eq!(scores[0]["values"], json!([0.875, 0.875]));

    // More lines than are scored together, and a blank one.
    let line = |id: usize| json!({ "id": id, "source": source, "output": output, "references": ["It sank."] });
    let lines: Vec<String> = (0..70).map(|id| line(id).to_string()).collect();
    let body = format!("{}\n\n", lines.join("\n"));
    let path = "/score?metrics=compression,sari";
    let answer = post_as(site, &lead, path, "application/x-ndjson", body.clone()).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/x-ndjson");

    let answers: Vec<Value> = answer
        .text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 70);
    for (id, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], id);
        assert_eq!(answer["scores"]["sari"], scores[1]["values"][1]);
    }

    let broken = format!("{}\nnonsense\n{}", lines[0], lines[1]);
    let answer = post_as(site, &lead, path, "application/x-ndjson", broken).await;
    let lines: Vec<&str> = answer.text.lines().collect();
    assert_eq!(lines.len(), 2, "{}", answer.text);
    assert!(lines[1].contains("Line 2 does not fit"), "{}", lines[1]);

    for (path, body) in [
        (
            "/score",
            json!({ "metrics": ["sari"], "sources": ["a"], "outputs": [] }),
        ),
        (
            "/score",
            json!({ "metrics": ["none"], "sources": ["a"], "outputs": ["a"] }),
        ),
        (
            "/score",
            json!({ "metrics": [], "sources": ["a"], "outputs": ["a"] }),
        ),
        (
            "/score",
            json!({ "metrics": ["fkgl"], "sources": vec!["a"; 2_001], "outputs": vec!["a"; 2_001] }),
        ),
        (
            "/score",
            json!({ "metrics": ["fkgl"], "sources": ["a".repeat(20_001)], "outputs": ["a"] }),
        ),
        ("/rerank", json!({ "sources": ["a"], "candidates": [[]] })),
        (
            "/rerank",
            json!({ "sources": ["a"], "candidates": [vec!["a"; 65]] }),
        ),
        // Requests cannot name a file of the server.
        (
            "/rerank",
            json!({ "sources": ["a"], "candidates": [["a"]], "model": "/etc/passwd" }),
        ),
    ] {
        let answer = post(site, &lead, path, &body).await;
        answer.problem_with(422, &format!("{path} {body}"));
    }

    let answer = post_as(site, &lead, "/score", "application/x-ndjson", body).await;
    assert!(answer.problem().contains("?metrics="));
}

#[tokio::test]
async fn a_metric_with_a_model_takes_no_text_that_would_keep_the_server_busy() {
    let fixture = StudyFixture::new().await;
    let site = &fixture.site;
    let lead = token(site, fixture.lead, TokenAccess::Read).await;
    let long = "word ".repeat(513);
    let score = |metric: &str, texts: [&str; 3]| {
        let [source, output, reference] = texts;
        json!({ "metrics": ["fkgl", metric], "sources": ["a", source], "outputs": ["a", output],
                "references": [["a"], [reference]] })
    };

    let crowded = vec!["word ".repeat(25); 64];
    for (path, body, sentence) in [
        (
            "/score",
            score("learned-free", [&long, "a", "a"]),
            "pair 1 (counted from 0): the source has 513 words",
        ),
        (
            "/score",
            score("bertscore-f1", ["a", "a", &long]),
            "a reference has 513 words",
        ),
        (
            "/score",
            score("similarity", ["a", &"x".repeat(600), "a"]),
            "a word of more than 500 letters",
        ),
        (
            "/rerank",
            json!({ "sources": [long], "candidates": [["a", "b"]] }),
            "source 0 (counted from 0): the source",
        ),
        (
            "/rerank",
            json!({ "sources": ["a"], "candidates": [crowded] }),
            "its 64 candidates have 1600 words",
        ),
    ] {
        let answer = post(site, &lead, path, &body).await;
        let problem = answer.problem_with(422, sentence);
        assert!(problem.contains(sentence), "{problem}");
    }

    let answer = post(site, &lead, "/score", &score("sari", [&long, "a", &long])).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);

    let line = |references: Vec<String>| {
        json!({ "source": "a", "output": "a", "references": references }).to_string()
    };
    let many = vec!["a ".repeat(9_999); 11];
    let lines = format!("{}\n{}\n", line(vec!["a".to_owned()]), line(many));
    let path = "/score?metrics=fkgl";
    let answer = post_as(site, &lead, path, "application/x-ndjson", lines).await;
    assert!(
        answer
            .text
            .contains("Line 2: this pair: source, output and references have 109991 words"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn a_person_has_one_request_that_scores_at_a_time() {
    let fixture = StudyFixture::new().await;
    let site = &fixture.site;
    let lead = token(site, fixture.lead, TokenAccess::Read).await;
    let researcher = site
        .member(fixture.study, "a reader", Role::Researcher)
        .await;
    let other = token(site, researcher, TokenAccess::Read).await;
    let batch = json!({ "metrics": ["fkgl"], "sources": ["a"], "outputs": ["a"] });

    // A stream that never ends.
    let waiting = stream::pending::<Result<Bytes, Infallible>>();
    let request = Request::post("/api/v1/score?metrics=fkgl")
        .header(header::AUTHORIZATION, format!("Bearer {lead}"))
        .header(header::CONTENT_TYPE, "application/x-ndjson");
    let held = site
        .send(request.body(Body::from_stream(waiting)).unwrap())
        .await;
    assert_eq!(held.status(), StatusCode::OK);

    let refused = post(site, &lead, "/score", &batch).await;
    let problem = refused.problem_with(429, "/score");
    assert!(problem.contains("You have a request that scores open already"));

    let others = post(site, &other, "/score", &batch).await;
    assert_eq!(others.status, StatusCode::OK);
    let figures = "/studies/a-study/figures/agreement";
    assert_eq!(get_status(site, &lead, figures).await, 200);

    // Once the caller hangs up, the place is free again.
    drop(held);
    while post(site, &lead, "/score", &batch).await.status != StatusCode::OK {
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn hostile_requests_get_problems_and_never_pages() {
    let fixture = StudyFixture::new().await;
    let site = &fixture.site;
    let lead = token(site, fixture.lead, TokenAccess::Write).await;
    let long = "x".repeat(5_000);
    let mut paths: Vec<String> = [
        "",
        "/",
        "/none",
        "/studies/",
        "/studies/..%2f..",
        "/studies/%00",
        "/studies/%ff",
        "/studies/'%20OR%201=1",
        "/studies/<script>",
        "/studies/a-study/none",
        "/studies/a-study/figures/none",
        "/studies/a-study/exports/none",
        "/jobs/none",
        "/jobs/%00",
    ]
    .map(str::to_owned)
    .into();
    paths.push(format!("/studies/{long}"));

    for path in paths {
        let path = path
            .replace('<', "%3C")
            .replace('>', "%3E")
            .replace('\'', "%27");
        let answer = get(site, &lead, &path).await;
        answer.problem_with(404, &path);
    }

    for query in [
        "language=english",
        "language=",
        "license=a%0Ab",
        "licence=mit",
    ] {
        let path = format!("/studies/a-study/exports/dataset?{query}");
        let answer = get(site, &lead, &path).await;
        let expect = match query {
            // An empty value, as of a form's field that was left empty.
            "language=" => StatusCode::OK,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        assert_eq!(answer.status, expect, "{query}: {}", answer.text);
    }

    let bad = [
        "limit=0",
        "limit=501",
        "limit=-1",
        "limit=x",
        "since=-1",
        "since=x",
        "since=99999999999999999999",
        "cursor=",
        "cursor=x",
        "cursor=1.2.%27",
        "cursor=1",
        "none=1",
        "limit=%ff",
    ];

    for list in ["sources", "outputs", "ratings", "scores"] {
        for query in bad {
            let answer = get(site, &lead, &format!("/studies/a-study/{list}?{query}")).await;
            // Only the list of scores reads the rest of a cursor.
            let fits = query == "cursor=1.2.%27" && list != "scores";
            let expect = if fits {
                StatusCode::OK
            } else {
                StatusCode::UNPROCESSABLE_ENTITY
            };
            assert_eq!(answer.status, expect, "{list} {query}: {}", answer.text);
        }

        let far = format!("/studies/a-study/{list}?since={}", i64::MAX);
        assert_eq!(get_status(site, &lead, &far).await, 200, "{list}");
    }

    for query in [
        "dimension=none",
        "level=none",
        "by=none",
        "bootstrap=1001",
        "bootstrap=0",
        "count=none",
    ] {
        let path = format!("/studies/a-study/figures/agreement?{query}");
        get(site, &lead, &path).await.problem_with(422, query);
    }

    for path in [
        "/studies/a-study/outputs",
        "/studies/a-study/scores",
        "/score",
        "/rerank",
    ] {
        for (media_type, body, expect) in [
            ("application/json", "{", 400),
            ("application/json", "[1]", 422),
            ("application/json", "{\"none\": 1}", 422),
            ("text/plain", "{}", 415),
            ("multipart/form-data; boundary=x", "--x--", 415),
        ] {
            let answer = post_as(site, &lead, path, media_type, body).await;
            answer.problem_with(expect, &format!("{path} {body}"));
        }

        let nested = "[".repeat(100_000);
        let answer = post_as(site, &lead, path, "application/json", nested).await;
        assert!(answer.status.is_client_error(), "{path}");
    }

    let request =
        Request::delete("/api/v1/studies").header(header::AUTHORIZATION, format!("Bearer {lead}"));
    let answer = send(site, request.body(Body::empty()).unwrap()).await;
    answer.problem_with(405, "DELETE /studies");

    // A NUL in a text causes a refusal when it is imported, as in a file.
    let body = json!({ "rows": [{ "source": "a\u{0}", "output": "b", "system": "c" }] });
    let answer = post(site, &lead, "/studies/a-study/outputs", &body).await;
    assert!(answer.status.as_u16() < 500, "{}", answer.text);
}

#[tokio::test]
async fn bodies_have_a_limit_and_answers_their_headers() {
    let fixture = StudyFixture::new().await;
    let site = &fixture.site;
    let lead = token(site, fixture.lead, TokenAccess::Write).await;
    let large = "x".repeat(super::MAX_BODY + 1);
    for path in ["/studies/a-study/outputs", "/score"] {
        let answer = post_as(site, &lead, path, "application/json", large.clone()).await;
        answer.problem_with(413, path);
    }

    let line = format!("{{\"source\": \"{}\"", "x".repeat(2 << 20));
    let path = "/score?metrics=fkgl";
    let answer = post_as(site, &lead, path, "application/x-ndjson", line).await;
    assert!(answer.text.contains("more than 1 MiB"), "{}", answer.text);

    for path in [
        "/studies",
        "/none",
        "/studies/a-study/exports/jsonl",
        "/openapi.json",
    ] {
        let answer = get(site, &lead, path).await;
        for (name, value) in [
            (header::CACHE_CONTROL, "no-store"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ] {
            assert_eq!(answer.headers[name], value, "{path}");
        }

        let policy = answer.headers[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .unwrap();
        assert!(policy.contains("default-src 'none'"), "{path}");
        assert!(!answer.headers.contains_key(header::SET_COOKIE), "{path}");
        assert!(
            !answer
                .headers
                .contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN),
            "{path}"
        );
    }
}

/// Many people of one institute may share one address.
#[tokio::test]
async fn wrong_tokens_from_an_address_refuse_no_right_one() {
    let site = TestSite::new().await;
    let person = site.person("somebody", true).await;
    let right = token(&site, person, TokenAccess::Read).await;

    let mut answers = vec![];
    for _ in 0..70 {
        let wrong = SecretToken::new_api(clock::random());
        let answer = get(&site, wrong.secret(), "/studies").await;
        answer.problem();
        answers.push(answer.status);
    }

    assert_eq!(answers[..60], [StatusCode::UNAUTHORIZED; 60]);
    assert!(answers.contains(&StatusCode::TOO_MANY_REQUESTS));

    // The right token is accepted, although it was never used before.
    assert_eq!(get(&site, &right, "/studies").await.status, StatusCode::OK);

    // Revoking a token stops it at once, and a token made afterwards works.
    let (id, revoked) =
        make_token(&site, person, TokenAccess::Read, TokenStudies::All, DAY_MS).await;
    assert_eq!(get_status(&site, &revoked, "/studies").await, 200);
    site.store.revoke_api_token(person, id).await.unwrap();
    assert_ne!(get_status(&site, &revoked, "/studies").await, 200);
    let new = token(&site, person, TokenAccess::Read).await;
    assert_eq!(get(&site, &new, "/studies").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_token_that_asks_too_often_is_told_when_to_ask_again() {
    let site = TestSite::with_flags(&["--api-rate", "3"]).await;
    let person = site.person("somebody", true).await;
    let busy = token(&site, person, TokenAccess::Read).await;
    let other = token(&site, person, TokenAccess::Read).await;

    for _ in 0..3 {
        assert_eq!(get(&site, &busy, "/studies").await.status, StatusCode::OK);
    }

    let answer = get(&site, &busy, "/studies").await;
    answer.problem_with(429, "/studies");
    let wait: u64 = answer.headers[header::RETRY_AFTER]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=20).contains(&wait), "{wait}");

    assert_eq!(get(&site, &other, "/studies").await.status, StatusCode::OK);
}
