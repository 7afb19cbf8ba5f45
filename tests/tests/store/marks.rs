//! Spans that annotators mark.

use domain::{
    ids::OutputId,
    protocol::{MarkSpansStep, ProtocolStep, RateStep, StudyProtocol},
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{MarkLevel, MarkedSides, SpanTaxonomy, SpanType},
    },
    study::StudySettings,
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome},
};
use store::annotator_answers::{HandInOutcome, MissingAnswer};
use stories::{NOW, TestDatabase, on_both};

use crate::assignment_fixture::{
    AssignmentFixture, is_saved, start_assignment, superseding_change, superseding_rating,
};

fn taxonomy() -> SpanTaxonomy {
    let kind = |name: &str, sides| SpanType {
        name: name.to_owned(),
        sides,
        ..SpanType::default()
    };
    SpanTaxonomy {
        types: vec![
            kind("Addition", MarkedSides::Output),
            kind("Removal", MarkedSides::Source),
        ],
        levels: vec![MarkLevel {
            name: "wrong".to_owned(),
            ..MarkLevel::default()
        }],
        rules: vec![],
    }
}

async fn start_marking(story: &TestDatabase) -> AssignmentFixture {
    let work = start_assignment(story).await;
    let study = work.ground.study;
    let settings = story.store.study(study).await.unwrap().unwrap().settings;
    let step = MarkSpansStep {
        taxonomy: taxonomy(),
        prefills: false,
    };
    let steps = vec![
        ProtocolStep::MarkSpans(step),
        ProtocolStep::Rate(RateStep::default()),
    ];

    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).unwrap(),
        ..settings
    };
    let saved = story.store.set_settings(study, &settings, NOW).await;
    assert!(saved.unwrap());
    work
}

fn marks(output: OutputId, marks: Option<Vec<SpanMark>>) -> AnnotationChange {
    let slot = AnnotationSlot::Marks { output };
    superseding_change(slot, AnnotationAnswer::Marks(marks), None)
}

fn addition(end: usize, level: Option<&str>) -> SpanMark {
    SpanMark {
        kind: "Addition".to_owned(),
        level: level.map(str::to_owned),
        source: vec![],
        output: vec![Span::new(0, end)],
    }
}

#[tokio::test]
async fn a_source_is_handed_in_once_each_output_has_its_marks_or_none_to_make() {
    on_both(async |story| {
        let work = start_marking(story).await;
        let store = &story.store;
        let ratings = work.items.iter();
        let ratings: Vec<_> = ratings
            .map(|output| superseding_rating(*output, 60, None))
            .collect();
        assert!(work.save(story, &ratings).await.iter().all(is_saved));

        let [first, second, rest @ ..] = &work.items[..] else {
            panic!("two outputs")
        };
        let unfinished = marks(*second, Some(vec![addition(2, None)]));
        let mut changes = vec![
            marks(*first, Some(vec![addition(3, Some("wrong"))])),
            unfinished.clone(),
        ];
        changes.extend(rest.iter().map(|output| marks(*output, Some(vec![]))));
        assert!(work.save(story, &changes).await.iter().all(is_saved));

        let hand_in = async || {
            let outcome = store.hand_in(work.person, work.assignment, NOW).await;
            outcome.unwrap().unwrap()
        };
        let missing = MissingAnswer {
            outputs: vec![*second],
            dimension: None,
        };
        assert_eq!(hand_in().await, HandInOutcome::Missing(vec![missing]));

        let finished = AnnotationAnswer::Marks(Some(vec![addition(2, Some("wrong"))]));
        let finished = superseding_change(unfinished.slot.clone(), finished, Some(unfinished.id));
        assert!(
            work.save(story, std::slice::from_ref(&finished))
                .await
                .iter()
                .all(is_saved)
        );
        assert_eq!(hand_in().await, HandInOutcome::Done);

        let stored = work.task(story).await.answers;
        let stored = stored
            .into_iter()
            .find(|answer| answer.slot == finished.slot);
        assert_eq!(stored.map(|answer| answer.answer), Some(finished.answer));
    })
    .await;
}

#[tokio::test]
async fn marks_that_do_not_fit_the_texts_are_refused_with_the_reason() {
    on_both(async |story| {
        let work = start_marking(story).await;
        let output = work.items[0];
        let empty = SpanMark {
            output: vec![],
            ..addition(3, None)
        };
        for (bad, reason) in [
            (addition(9_999, None), "a place that is not in its text"),
            (empty, "has no words"),
            (
                addition(3, Some(&"x".repeat(61))),
                "a name that is too long",
            ),
        ] {
            let outcomes = work.save(story, &[marks(output, Some(vec![bad]))]).await;
            let SaveOutcome::Refused { reason: told, .. } = &outcomes[0] else {
                panic!("{outcomes:?}")
            };
            assert!(told.contains(reason), "{told}");
        }

        let edits = AnnotationAnswer::Edits(Some(vec![]));
        let edits = superseding_change(AnnotationSlot::Edits { output }, edits, None);
        let outcomes = work.save(story, &[edits]).await;
        assert!(
            matches!(&outcomes[0], SaveOutcome::Refused { reason, .. } if reason.contains("reload"))
        );
    })
    .await;
}

#[tokio::test]
async fn a_type_or_level_that_the_lead_took_away_is_saved_but_not_submitted() {
    on_both(async |story| {
        let work = start_marking(story).await;
        let [first, second, rest @ ..] = &work.items[..] else {
            panic!("two outputs")
        };
        let ratings = work.items.iter();
        let mut changes: Vec<_> = ratings
            .map(|output| superseding_rating(*output, 60, None))
            .collect();
        let mut moved = addition(3, Some("wrong"));
        moved.kind = "Moved".to_owned();
        changes.push(marks(*first, Some(vec![moved])));
        changes.push(marks(*second, Some(vec![addition(3, Some("fair"))])));
        changes.extend(rest.iter().map(|output| marks(*output, Some(vec![]))));
        assert!(work.save(story, &changes).await.iter().all(is_saved));

        let outcome = story.store.hand_in(work.person, work.assignment, NOW).await;
        let missing = [first, second].map(|output| MissingAnswer {
            outputs: vec![*output],
            dimension: None,
        });
        let expect = HandInOutcome::Missing(missing.to_vec());
        assert_eq!(outcome.unwrap(), Some(expect));
    })
    .await;
}
