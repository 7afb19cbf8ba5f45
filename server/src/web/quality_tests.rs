//! The page that shows how each rater worked.

use axum::http::StatusCode;
use domain::{
    aligner_comparison::AlignerComparison,
    category::Category,
    ids::{AnnotationId, AssignmentId, ModelId, OutputId, PersonId, RaterId, StudyId},
    score::RatingScale,
    statistics::bootstrap::BootstrapInterval,
    study::{Role, SourcePurpose, SystemKind},
    text::{
        align::{AlignerGrade, evaluate::AlignmentEvaluation},
        edits::EditsVersion,
    },
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
    },
};
use service::aligner_training::AlignerReport;
use store::{
    NewAssignment,
    assignments::NextAssignment,
    import::{AutomaticAnswers, NewOutput},
    metrics::{ALIGNER_MODEL, NewModel},
};

use super::{
    plain_browser::PlainBrowser,
    testing::{TestSite, TextAssertions as _},
};
use crate::clock;

/// Imports a source with an output of each of three systems.
async fn source(site: &TestSite, study: StudyId) -> Vec<OutputId> {
    let now = clock::now_ms();
    let mut import = site
        .store
        .begin_import(study, now, clock::new_id)
        .await
        .unwrap();

    let main = SourcePurpose::Main;
    let source = import
        .source(None, "The ferry was withdrawn.", main)
        .unwrap();

    let mut outputs = vec![];
    for text in ["The ferry stopped.", "It was withdrawn.", "No ferry."] {
        let system = import.system(text, Some(SystemKind::Machine)).unwrap();
        let new = NewOutput::new(source, system, text);
        let automatic = || AutomaticAnswers {
            category: Category::Paraphrase,
            reason: "for the test".into(),
            category_version: "test 1".into(),
            edits: vec![],
            edits_version: "test 1".into(),
        };
        outputs.push(import.output(&new, automatic).unwrap().0);
    }

    import.commit().await.unwrap();
    outputs
}

/// Orders and scores the outputs as the annotator, and hands the source in.
async fn judge(
    site: &TestSite,
    study: StudyId,
    person: PersonId,
    outputs: &[OutputId],
    scores: [i32; 3],
) {
    let (store, now) = (&site.store, clock::now_ms());
    let new = NewAssignment {
        id: AssignmentId(clock::new_id()),
        rater: RaterId(clock::new_id()),
        seed: 1,
        now_ms: now,
    };
    let next = store.next_assignment(study, person, new).await.unwrap();
    let NextAssignment::Assignment(given) = next else {
        panic!("there is a source to judge");
    };

    let change = |slot, answer| AnnotationChange {
        id: AnnotationId(clock::new_id()),
        supersedes: None,
        slot,
        answer,
    };
    let rating = |(output, score): (&OutputId, i32)| {
        let slot = AnnotationSlot::Rating {
            output: *output,
            dimension: "overall".into(),
        };
        change(
            slot,
            AnnotationAnswer::Rating(Some(RatingScale::PERCENT.score(score).unwrap())),
        )
    };

    let mut changes: Vec<_> = outputs.iter().zip(scores).map(rating).collect();
    changes.push(change(
        AnnotationSlot::Order,
        AnnotationAnswer::Order(Some(outputs.to_vec())),
    ));

    let saved = store.save_work(person, given, &changes, &[], now).await;
    assert!(saved.unwrap().is_some());
    let spent = ActivityReport {
        rate_ms: 95_000,
        ..ActivityReport::default()
    };
    let saved = store
        .save_work(person, given, &[], &[spent], now + 95_000)
        .await;
    assert!(saved.unwrap().is_some());

    let (store, person) = (store.clone(), person);
    let hand_in = tokio::spawn(async move { store.hand_in(person, given, now).await });
    assert!(hand_in.await.unwrap().unwrap().is_some());
}

#[tokio::test]
async fn raters_are_shown_by_pseudonym_with_what_their_figures_stand_on() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let outputs = source(&site, study).await;
    for (name, scores) in [
        ("the first person", [80, 90, 10]),
        ("the second person", [70, 70, 70]),
    ] {
        let person = site.member(study, name, Role::Annotator).await;
        judge(&site, study, person, &outputs, scores).await;
    }

    let cookie = site
        .sign_in_member(study, "a researcher", Role::Researcher)
        .await;
    let page = site.open(Some(&cookie), "/s/a-study/quality").await;
    assert_eq!(page.status, StatusCode::OK);

    page.assert_shows(&[
        "annotator 1",
        "annotator 2",
        "1 of 3",
        "1 min 35 s",
        "All scores are the same, so there are no z-scores.",
        "undefined: 2 values are too few, at least 8 are needed",
    ]);
    page.assert_lacks(&["the first person", "the second person", "style=\""]);

    // The rater whose scores are all the same comes first.
    let place = |position: u32| page.body.find(&format!("#rater-{position}")).unwrap();
    assert!(place(1) < place(0));
}

#[tokio::test]
async fn every_page_names_raters_to_leads_and_to_nobody_else() {
    const NAMES: [&str; 2] = ["Ada Lovelace (annotator 1)", "Ben Jonson (annotator 2)"];
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let outputs = source(&site, study).await;
    for (name, scores) in [("Ada Lovelace", [80, 90, 10]), ("Ben Jonson", [70, 75, 20])] {
        let person = site.member(study, name, Role::Annotator).await;
        judge(&site, study, person, &outputs, scores).await;
    }

    let text = site.store.output_text(study, outputs[0]).await;
    let source = format!("/sources/{}", text.unwrap().unwrap().source_id);
    let lead = site.sign_in_member(study, "lea", Role::Lead).await;
    let researcher = site.sign_in_member(study, "rea", Role::Researcher).await;
    for path in [
        "",
        "/quality",
        "/agreement?open=agreement-raters",
        "/ratings",
        "/consensus",
        &source,
    ] {
        let mut browser = PlainBrowser::with_session(&site, &lead);
        browser.open(&format!("/s/a-study{path}")).await;
        browser.assert_shows(&NAMES);
        let mut browser = PlainBrowser::with_session(&site, &researcher);
        browser.open(&format!("/s/a-study{path}")).await;
        browser.assert_shows(&["annotator 1", "annotator 2"]);
        browser.assert_lacks(&["Ada Lovelace", "Ben Jonson"]);
    }

    // Only leads see assignments.
    let mut browser = PlainBrowser::with_session(&site, &lead);
    browser.open("/s/a-study/assignments?show=all").await;
    browser.assert_shows(&NAMES);
}

#[tokio::test]
async fn means_say_what_they_are_of_and_do_not_read_as_fractions() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let outputs = source(&site, study).await;
    let person = site.member(study, "Ada", Role::Annotator).await;
    judge(&site, study, person, &outputs, [80, 90, 10]).await;
    let cookie = site.sign_in_member(study, "rea", Role::Researcher).await;

    let mut browser = PlainBrowser::with_session(&site, &cookie);
    browser.open("/s/a-study/quality").await;
    browser.assert_shows(&["60.0 (3 ratings)", "1 min 35 s (1 source)"]);
    browser.assert_lacks(&["60.0 of 3", "1 min 35 s of 1"]);
}

#[tokio::test]
async fn a_study_without_ratings_says_so() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let cookie = site.sign_in_member(study, "a lead", Role::Lead).await;
    let page = site
        .open(
            Some(&cookie),
            "/s/a-study/quality?dimension=none&count=in-work",
        )
        .await;
    page.assert_is(200, &["No ratings yet"]);
}

#[tokio::test]
async fn charts_say_when_it_is_too_early_and_know_where_they_come_from() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let outputs = source(&site, study).await;
    for (name, scores) in [("one", [80, 90, 10]), ("two", [70, 75, 20])] {
        let person = site.member(study, name, Role::Annotator).await;
        judge(&site, study, person, &outputs, scores).await;
    }
    let cookie = site
        .sign_in_member(study, "a researcher", Role::Researcher)
        .await;

    for (path, expected) in [
        (
            "agreement",
            [
                "Too early to say: 3 outputs are rated by two or more raters",
                "from 0.67 to 0.80, only tentative ones",
                "so far there are 3",
                r#"data-basis="3 outputs, 2 raters""#,
            ],
        ),
        (
            "systems",
            [
                "Too early to say: two systems have 1 rated source in common at most",
                "How this is computed",
                "Systems that share a letter cannot be told apart, or not yet. a: ",
                r#"data-basis="3 outputs, 2 raters""#,
            ],
        ),
    ] {
        let page = site
            .open(Some(&cookie), &format!("/s/a-study/{path}"))
            .await;
        assert_eq!(page.status, StatusCode::OK);
        let origin = [r#"id="chart-origin""#, "data-study=\"", "data-date=\"20"];
        for shown in expected.into_iter().chain(origin) {
            page.assert_shows(&[shown]);
        }
        page.assert_lacks(&["style=\""]);
    }
}

/// A report of an aligner. `low` is the lower end of the intervals of its differences, and `against` the version of
/// edits that the compared aligner makes.
fn aligner_report(low: f64, against: &str) -> AlignerReport {
    let figures = AlignmentEvaluation {
        precision: 0.9,
        recall: 0.9,
        f1: 0.9,
        exact: 0.5,
        non_identical_f1: 0.8,
        edits_f1: 0.7,
        pairs: 24,
    };
    let interval = BootstrapInterval {
        low,
        high: 0.2,
        confidence: 0.95,
        replicates: 1_000,
        undefined: 0,
    };

    AlignerReport {
        edits_version: "grid v2 study 00c0ffee edits v2".to_owned(),
        learned_from: vec![],
        outputs: 24,
        corrected: 12,
        too_long: 1,
        against: "the aligner of the server".to_owned(),
        against_version: against.to_owned(),
        comparison: Ok(AlignerComparison {
            new: figures,
            current: AlignmentEvaluation {
                f1: 0.85,
                ..figures
            },
            sources: 12,
            f1: interval,
            exact: interval,
            edits_f1: interval,
        }),
        ms: 61_000,
    }
}

#[tokio::test]
async fn a_lead_takes_an_aligner_into_use_only_if_it_is_certainly_better() {
    let site = TestSite::new().await;
    let study = site.study("a-study").await;
    let outputs = source(&site, study).await;
    let person = site.member(study, "an annotator", Role::Annotator).await;
    judge(&site, study, person, &outputs, [80, 90, 10]).await;
    let lead = site.sign_in_member(study, "a lead", Role::Lead).await;
    let reader = site
        .sign_in_member(study, "a researcher", Role::Researcher)
        .await;
    let open = async |cookie: &str| site.open(Some(cookie), "/s/a-study/quality").await.body;
    let page = open(&lead).await;
    page.assert_shows(&["Train an aligner", "Annotators checked the highlights of 3 outputs. They corrected those of 0 outputs, from 0 sources.", "Training needs corrected highlights of at least 10 sources."]);
    open(&reader).await.assert_lacks(&["Train an aligner"]);

    let form = [("slug", "a-study")];
    let refused = site.call(Some(&lead), "train-aligner", &form).await;
    refused.assert_is(422, &["The study has 0."]);

    let of_server = EditsVersion::new(AlignerGrade::Grid, 1);
    let reported = site.store.report_aligner(of_server, clock::now_ms());
    reported.await.unwrap();

    let add = async |low, against: &str| {
        let id = ModelId(clock::new_id());
        let new = NewModel {
            id,
            name: ALIGNER_MODEL,
            hash: "00c0ffee",
            file: b"a network",
            report: &serde_json::to_value(aligner_report(low, against)).unwrap(),
            adopted: false,
        };
        let added = site.store.add_model(study, &new, clock::now_ms()).await;
        (id.to_string(), added.unwrap())
    };

    let (uncertain, _) = add(-0.01, &of_server.to_string()).await;
    let (better, _) = add(0.01, &of_server.to_string()).await;
    let (elsewhere, _) = add(0.02, "grid v0 edits v1").await;

    let page = open(&lead).await;
    page.assert_shows(&[
        "This study uses the aligner of the server.",
        "new 0.900, other 0.850, difference +0.050 (95 %: 0.010 to 0.200)",
        "new 0.900, other 0.850, difference +0.050 (95 %: −0.010 to 0.200)",
        "not certainly better",
        "Use aligner, version 2",
        "compared with another aligner than the one in use",
        "24 checked outputs of 0 sources, 12 corrected, 1 too long to learn from",
    ]);
    page.assert_lacks(&["Use aligner, version 1", "Use aligner, version 3"]);

    let adopt = async |model: &str, adopted: &str| {
        let form = [("slug", "a-study"), ("model", model), ("adopted", adopted)];
        site.call(Some(&lead), "adopt-aligner", &form).await
    };

    let refused = adopt(&uncertain, "yes").await;
    refused.assert_is(422, &["not certainly better"]);

    let refused = adopt(&elsewhere, "yes").await;
    refused.assert_is(422, &["another aligner"]);

    assert!(adopt(&better, "yes").await.location.is_some());
    let page = open(&lead).await;
    page.assert_shows(&[
        "This study uses an aligner of its own.",
        "Stop using aligner, version 2",
    ]);

    let download = format!("/s/a-study/metrics/models/{better}");
    let file = site.open(Some(&lead), &download).await;
    assert_eq!((file.status, &file.body[..]), (StatusCode::OK, "a network"));

    assert!(adopt(&better, "no").await.location.is_some());
    open(&lead)
        .await
        .assert_shows(&["This study uses the aligner of the server."]);

    // An aligner cannot be adopted as a metric.
    let form = [
        ("slug", "a-study"),
        ("model", &better[..]),
        ("adopted", "yes"),
    ];
    let refused = site.call(Some(&lead), "adopt-model", &form).await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    assert!(
        !site
            .open(Some(&lead), "/s/a-study/metrics")
            .await
            .body
            .contains("version 2")
    );
}
