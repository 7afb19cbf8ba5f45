//! The page that shows how each rater went about it.

use axum::http::StatusCode;
use domain::{
    category::Category,
    ids::{AnnotationId, AssignmentId, OutputId, PersonId, RaterId, StudyId},
    score::RatingScale,
    study::{Role, SourcePurpose, SystemKind},
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
    },
};
use store::{
    NewAssignment,
    assignments::NextAssignment,
    import::{AutomaticAnswers, NewOutput},
};

use super::testing::TestSite;
use crate::clock;

/// A source with an output of each of three systems.
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

/// The annotator puts the outputs in their order, scores them and hands the source in.
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
    for shown in [
        "annotator 1",
        "annotator 2",
        "1 of 3",
        "1 min 35 s",
        "1 of 1",
        "All scores are the same, so there are no z-scores.",
        "undefined: 2 values are too few, at least 8 are needed",
    ] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    for hidden in ["the first person", "the second person", "style=\""] {
        assert!(!page.body.contains(hidden), "{hidden}: {}", page.body);
    }
    // Whose scores are all the same comes first.
    let place = |position: u32| page.body.find(&format!("#rater-{position}")).unwrap();
    assert!(place(1) < place(0));
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
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("No ratings yet"), "{}", page.body);
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
            assert!(page.body.contains(shown), "{shown}: {}", page.body);
        }
        assert!(!page.body.contains("style=\""), "{}", page.body);
    }
}
