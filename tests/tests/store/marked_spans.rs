//! Spans that annotators mark, as figures and leads read them.

use domain::{
    ids::OutputId,
    protocol::{MarkSpansStep, ProtocolStep, RateStep, StudyProtocol},
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{MarkLevel, SpanTaxonomy, SpanType},
    },
    study::StudySettings,
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
        unjudged::UnjudgedReason,
    },
};
use store::{
    AnswerValue,
    annotator_answers::{HandInOutcome, MissingAnswer},
    marked_spans::StudyMarks,
    rating_rows::RatingScope,
};
use stories::{NOW, TestDatabase, on_both};

use crate::assignment_fixture::{
    AssignmentFixture, is_saved, start_assignment, superseding_change, superseding_rating,
};

/// An annotator at work on a source with five outputs, two of them alike, in which spans are marked.
async fn start_marking(story: &TestDatabase) -> AssignmentFixture {
    let work = start_assignment(story).await;
    let study = work.ground.study;
    let settings = story.store.study(study).await.unwrap().unwrap().settings;

    let taxonomy = SpanTaxonomy {
        types: vec![SpanType {
            name: "Addition".to_owned(),
            ..SpanType::default()
        }],
        levels: vec![MarkLevel {
            name: "correct".to_owned(),
            value: 1.0,
            ..MarkLevel::default()
        }],
        rules: vec![],
    };

    let steps = vec![
        ProtocolStep::MarkSpans(MarkSpansStep {
            taxonomy,
            prefills: false,
        }),
        ProtocolStep::Rate(RateStep::default()),
    ];

    let settings = StudySettings {
        protocol: StudyProtocol::new(steps).unwrap(),
        ..settings
    };
    let set = story.store.set_settings(study, &settings, NOW).await;
    assert!(set.unwrap());
    work
}

fn addition(end: usize) -> SpanMark {
    SpanMark {
        kind: "Addition".to_owned(),
        level: Some("correct".to_owned()),
        source: vec![],
        output: vec![Span::new(0, end)],
    }
}

fn marks(output: OutputId, marks: Vec<SpanMark>) -> AnnotationChange {
    let slot = AnnotationSlot::Marks { output };
    superseding_change(slot, AnnotationAnswer::Marks(Some(marks)), None)
}

#[tokio::test]
async fn marks_of_submitted_sources_are_read_with_texts_and_systems() {
    on_both(async |story| {
        let work = start_marking(story).await;
        let (store, study) = (&story.store, work.ground.study);
        let [zero, same, two, accent] = work.items[..] else {
            panic!("four outputs to judge")
        };
        let unjudged = superseding_change(
            AnnotationSlot::Unjudged { output: two },
            AnnotationAnswer::Unjudged(Some(UnjudgedReason::Unclear)),
            None,
        );
        let rated = [zero, same, accent].map(|output| superseding_rating(output, 50, None));
        let changes = [
            marks(zero, vec![]),
            marks(same, vec![addition(4)]),
            // Marked before the annotator saw that it cannot be judged.
            marks(two, vec![addition(3)]),
            unjudged,
        ];
        let changes = [&changes[..], &rated].concat();
        let outcomes = work.save(story, &changes).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");

        let hand_in = async || {
            let outcome = store.hand_in(work.person, work.assignment, NOW).await;
            outcome.unwrap().unwrap()
        };
        let missing = MissingAnswer {
            outputs: vec![accent],
            dimension: None,
        };
        assert_eq!(hand_in().await, HandInOutcome::Missing(vec![missing]));
        let last = marks(accent, vec![addition(7), addition(4)]);
        assert!(is_saved(&work.save(story, &[last]).await[0]));

        let read = async |scope| store.study_marks(study, scope).await.unwrap();
        let marked = |of: &StudyMarks| {
            let judged = of.judgements.iter();
            judged
                .map(|of| (of.output, of.text.clone(), of.marks.len()))
                .collect::<Vec<_>>()
        };
        assert_eq!(read(RatingScope::HandedIn).await.judgements, []);
        let expected = [
            (zero, "Zero.".to_owned(), 0),
            (same, "Same.".to_owned(), 1),
            (accent, "Vier é.".to_owned(), 2),
        ];
        assert_eq!(marked(&read(RatingScope::IncludingOpen).await), expected);
        assert_eq!(hand_in().await, HandInOutcome::Done);

        let submitted = read(RatingScope::HandedIn).await;
        assert_eq!(marked(&submitted), expected);
        let first = &submitted.judgements[1];
        assert_eq!(first.rater, "annotator 1");
        assert_eq!(first.marks, [addition(4)]);
        let alike = submitted.outputs.iter();
        let alike = alike.filter(|output| output.judged_as == same);
        assert_eq!(
            alike.count(),
            2,
            "an identical text is judged with the first"
        );

        let source = work.ground.sources[0];
        let answers = store.source_answers(source).await.unwrap();
        let shown = answers.iter().filter_map(|answer| match &answer.value {
            AnswerValue::Marks(marks) => Some((answer.output, marks.len())),
            _ => None,
        });
        let shown: Vec<_> = shown.collect();
        assert!(
            shown.contains(&(zero, 0)) && shown.contains(&(accent, 2)),
            "{shown:?}"
        );

        // An export has them for both of the identical outputs.
        let mut export = store
            .begin_export(study, RatingScope::HandedIn)
            .await
            .unwrap();
        let page = export.next_page(10).await.unwrap();
        let exported: Vec<_> = page
            .iter()
            .map(|output| {
                output
                    .marks
                    .iter()
                    .map(|of| (of.marks.len(), of.shared))
                    .collect::<Vec<_>>()
            })
            .collect();
        let expected: [&[(usize, bool)]; 5] = [
            &[(0, false)],
            &[(1, false)],
            &[],
            &[(1, true)],
            &[(2, false)],
        ];
        assert_eq!(exported, expected);
    })
    .await;
}
