//! Marked spans on the pages of a study.

use axum::http::StatusCode;
use domain::{
    ids::{AnnotationId, AssignmentId, RaterId},
    protocol::{MarkSpansStep, ProtocolStep, RateStep, StudyProtocol},
    score::RatingScale,
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{MarkLevel, MarkedSides, SpanTaxonomy, SpanType},
    },
    study::{Role, StudySettings},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
};
use store::{NewAssignment, annotator_answers::HandInOutcome, assignments::NextAssignment};

use super::{study_fixture::StudyFixture, testing::TextAssertions as _};
use crate::clock;

fn taxonomy() -> SpanTaxonomy {
    let kind = |name: &str, sides| SpanType {
        name: name.to_owned(),
        sides,
        ..SpanType::default()
    };
    let level = |name: &str, value| MarkLevel {
        name: name.to_owned(),
        value,
        ..MarkLevel::default()
    };

    SpanTaxonomy {
        types: vec![
            kind("Lexical", MarkedSides::Both),
            kind("Addition", MarkedSides::Output),
        ],
        levels: vec![level("correct", 1.0), level("wrong", 0.0)],
        rules: vec![],
    }
}

async fn ask_for_marks(furnished: &StudyFixture) {
    let store = &furnished.site.store;
    let study = store.study(furnished.study).await.unwrap().unwrap();

    let steps = vec![
        ProtocolStep::MarkSpans(MarkSpansStep {
            taxonomy: taxonomy(),
            prefills: false,
        }),
        ProtocolStep::Rate(RateStep::default()),
    ];

    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).unwrap(),
        ..study.settings
    };

    let set = store.set_settings(furnished.study, &settings, clock::now_ms());
    assert!(set.await.unwrap());
}

fn change(slot: AnnotationSlot, answer: AnnotationAnswer) -> AnnotationChange {
    AnnotationChange {
        id: AnnotationId(clock::new_id()),
        supersedes: None,
        slot,
        answer,
    }
}

/// The marks of an output: none in “It was withdrawn.”, otherwise the word “ferry”, with the end that the rater chose.
fn marks(text: &str, end: usize) -> Vec<SpanMark> {
    if text == "It was withdrawn." {
        return vec![];
    }
    vec![SpanMark {
        kind: "Lexical".to_owned(),
        level: Some("correct".to_owned()),
        source: vec![Span::new(4, 9)],
        output: vec![Span::new(4, end)],
    }]
}

/// An annotator who judges all sources that are left for them.
async fn judge_all(furnished: &StudyFixture, name: &str, end: usize) {
    let (store, study) = (&furnished.site.store, furnished.study);
    let person = furnished.site.member(study, name, Role::Annotator).await;
    loop {
        let new = NewAssignment {
            id: AssignmentId(clock::new_id()),
            rater: RaterId(clock::new_id()),
            seed: 1,
            now_ms: clock::now_ms(),
        };
        let next = store.next_assignment(study, person, new).await.unwrap();
        let NextAssignment::Assignment(assignment) = next else {
            return;
        };

        let task = store.task(person, assignment).await.unwrap().unwrap();
        let changes = task.items.iter().flat_map(|item| {
            let output = item.output;
            let slot = AnnotationSlot::Rating {
                output,
                dimension: "overall".into(),
            };
            let score = AnnotationAnswer::Rating(Some(RatingScale::PERCENT.clamp(60)));
            let marks = AnnotationAnswer::Marks(Some(marks(&item.text, end)));
            [
                change(slot, score),
                change(AnnotationSlot::Marks { output }, marks),
            ]
        });

        let changes: Vec<_> = changes.collect();
        let now = clock::now_ms();
        let saved = store.save_work(person, assignment, &changes, &[], now);
        assert_eq!(saved.await.unwrap().unwrap().len(), changes.len());

        let (store, now) = (store.clone(), clock::now_ms());
        let hand_in = tokio::spawn(async move { store.hand_in(person, assignment, now).await });
        assert_eq!(hand_in.await.unwrap().unwrap(), Some(HandInOutcome::Done));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_show_marks_where_the_protocol_asks_for_them() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let cookie = site.sign_in(furnished.lead).await;
    let open = async |path: &str| {
        let answer = site
            .open(Some(&cookie), &format!("/s/a-study/{path}"))
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    };

    for path in ["agreement", "systems"] {
        let page = open(path).await;
        assert!(!page.contains("arked spans"), "{path}: {page}");
    }

    ask_for_marks(&furnished).await;
    assert!(
        !open("agreement").await.contains("marked spans"),
        "nobody marked any"
    );

    judge_all(&furnished, "one annotator", 9).await;
    judge_all(&furnished, "a third annotator", 17).await;

    let page = open("agreement").await;
    let f1 = "2·(5+5) of 10 and 17 characters: the words “ferry” and “ferry stopped”";
    for words in [
        "F1, marked spans",
        "0.741",
        "α, marked spans",
        "Agreement on each type of mark",
    ] {
        assert!(page.contains(words), "{words} ({f1}): {page}");
    }

    let page = open("systems").await;
    page.assert_shows(&[
        "Marked spans by system and type",
        "Marks per output",
        "100.0 %",
        "Value of marks",
    ]);

    let source = site.store.sources(furnished.study).await.unwrap()[1].id;
    let page = open(&format!("sources/{source}")).await;
    page.assert_shows(&["“ferry” → “ferry stopped”", "Lexical", "Nothing to mark."]);

    let researcher = site
        .sign_in_member(furnished.study, "a reader", Role::Researcher)
        .await;
    let page = site.open(Some(&researcher), "/s/a-study/systems").await;
    page.assert_shows(&["Marked spans by system and type"]);
    let annotator = site
        .sign_in_member(furnished.study, "a fourth annotator", Role::Annotator)
        .await;
    let page = site.open(Some(&annotator), "/s/a-study/systems").await;
    assert_eq!(page.status, StatusCode::FORBIDDEN);
}
