//! Outputs that annotators cannot judge.

use std::collections::BTreeMap;

use domain::{
    ids::{DiscussionId, OutputId},
    statistics::quality::CheckOutcome,
    study::{OutputPurpose, QualificationRule, SourcePurpose, StudySettings},
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome},
        unjudged::UnjudgedReason,
    },
};
use store::{
    AnswerValue,
    annotator_answers::{HandInOutcome, MissingAnswer},
    discussions::{NewDiscussion, QuestionScope},
    rating_rows::{RatingScope, StudyPart},
    unjudged::UnjudgedOutputs,
};
use stories::{NOW, TestDatabase, fresh_id, on_both};

use crate::{
    assignment_fixture::{
        AssignmentFixture, is_saved, start_assignment, superseding_change, superseding_rating,
    },
    study_fixture::{add_annotator, create_study_with, save_changes},
};

fn reason(output: OutputId, reason: Option<UnjudgedReason>) -> AnnotationChange {
    let slot = AnnotationSlot::Unjudged { output };
    superseding_change(slot, AnnotationAnswer::Unjudged(reason), None)
}

fn unclear(output: OutputId) -> AnnotationChange {
    reason(output, Some(UnjudgedReason::Unclear))
}

/// The change that takes an answer back.
fn taken_back(change: &AnnotationChange) -> AnnotationChange {
    let unanswered = change.slot.unanswered();
    superseding_change(change.slot.clone(), unanswered, Some(change.id))
}

fn refusal(outcome: &SaveOutcome) -> &str {
    match outcome {
        SaveOutcome::Refused { reason, .. } => reason,
        other => panic!("{other:?}"),
    }
}

async fn hand_in(story: &TestDatabase, work: &AssignmentFixture) -> HandInOutcome {
    let outcome = story.store.hand_in(work.person, work.assignment, NOW).await;
    outcome.unwrap().unwrap()
}

#[tokio::test]
async fn an_output_has_either_scores_or_a_reason() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let output = work.items[0];
        let rating = superseding_rating(output, 40, None);
        let mark = unclear(output);
        let outcomes = work.save(story, &[rating.clone(), mark.clone()]).await;
        assert!(is_saved(&outcomes[0]));
        assert!(refusal(&outcomes[1]).starts_with("You gave this output a score"));

        let mark = AnnotationChange {
            id: unclear(output).id,
            ..mark
        };
        let outcomes = work.save(story, &[taken_back(&rating), mark.clone()]).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
        // A device that saw the score taken back, but not the reason.
        let AnnotationChange { id, .. } = taken_back(&rating);
        let cleared = work.task(story).await.answers;
        let cleared = cleared.iter().find(|answer| answer.slot == rating.slot);
        let stale = AnnotationChange {
            id,
            supersedes: cleared.map(|answer| answer.id),
            ..rating.clone()
        };
        let outcomes = work.save(story, std::slice::from_ref(&stale)).await;
        assert!(refusal(&outcomes[0]).contains("you cannot judge this output"));
        let outcomes = work.save(story, &[taken_back(&mark), stale]).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");

        let stranger = OutputId(fresh_id());
        let outcomes = work.save(story, &[unclear(stranger)]).await;
        assert!(refusal(&outcomes[0]).starts_with("This output is not one of those"));
        let mixed = superseding_change(
            AnnotationSlot::Unjudged { output },
            AnnotationAnswer::Note("?".into()),
            None,
        );
        let outcomes = work.save(story, &[mixed]).await;
        assert!(refusal(&outcomes[0]).starts_with("The answer is not of the kind"));
    })
    .await;
}

#[tokio::test]
async fn a_source_is_handed_in_with_reasons_in_place_of_scores() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, study) = (&story.store, work.ground.study);
        let [rated, twin, other, unread] = work.items[..] else {
            panic!("four outputs");
        };
        let changes = [
            superseding_rating(rated, 70, None),
            unclear(twin),
            reason(other, Some(UnjudgedReason::Other)),
            reason(unread, Some(UnjudgedReason::Incomplete)),
        ];
        assert!(work.save(story, &changes).await.iter().all(is_saved));
        let missing = MissingAnswer {
            outputs: vec![other],
            dimension: Some("overall".into()),
        };
        let expect = HandInOutcome::Missing(vec![missing]);
        assert_eq!(hand_in(story, &work).await, expect, "it needs a note");
        let slot = AnnotationSlot::Note { output: other };
        let note = AnnotationAnswer::Note("A poem.".into());
        work.save(story, &[superseding_change(slot, note, None)])
            .await;
        assert_eq!(hand_in(story, &work).await, HandInOutcome::Done);

        let entry = &store.assignments_of(study, work.person).await.unwrap()[0];
        assert_eq!((entry.progress.rated, entry.progress.items), (4, 4));
        let ratings = store.ratings(study, RatingScope::HandedIn).await.unwrap();
        assert_eq!(ratings.len(), 1);
        let overview = store.study_overview(study, 3).await.unwrap();
        assert_eq!(overview.handed_in_judgements, 1);
        let answers = store.source_answers(work.ground.sources[0]).await.unwrap();
        let reasons = answers.iter().filter_map(|answer| match &answer.value {
            AnswerValue::Unjudged(reason, note) => Some((answer.output, (*reason, note.as_str()))),
            _ => None,
        });
        let expect = [
            (twin, (UnjudgedReason::Unclear, "")),
            (other, (UnjudgedReason::Other, "A poem.")),
            (unread, (UnjudgedReason::Incomplete, "")),
        ];
        assert_eq!(reasons.collect::<BTreeMap<_, _>>(), BTreeMap::from(expect));

        // Each system has one output; two are alike, and each counts for its system.
        let by_system = store.unjudged_outputs(study).await.unwrap();
        let reasons: Vec<_> = by_system
            .iter()
            .map(|system| (system.submitted, system.reasons.keys().copied().collect()))
            .collect::<Vec<(u32, Vec<_>)>>();
        let once = |reason| (1, vec![reason]);
        let expect = [
            once(UnjudgedReason::Unclear),
            once(UnjudgedReason::Other),
            once(UnjudgedReason::Unclear),
            once(UnjudgedReason::Incomplete),
        ];
        assert_eq!(reasons, expect);

        // A reason that is taken back leaves the output without an answer.
        let reopened = store.reopen(work.person, work.assignment, NOW).await;
        reopened.unwrap().unwrap();
        work.save(story, &[taken_back(&changes[1])]).await;
        assert!(matches!(
            hand_in(story, &work).await,
            HandInOutcome::Missing(_)
        ));
        assert_eq!(
            store.unjudged_outputs(study).await.unwrap(),
            [] as [UnjudgedOutputs; 0]
        );
    })
    .await;
}

#[tokio::test]
async fn outputs_that_are_to_be_looked_at_again_do_not_count() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 2,
            ..StudySettings::default()
        };

        // Both are outputs of one system.
        let texts: &[&[&str]] = &[&["Zero."], &["Null."]];
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);
        let outputs: Vec<_> = ground.outputs.iter().map(|of| of[0]).collect();

        for name in ["one", "two"] {
            let person = add_annotator(story, study, name).await;
            for _ in &outputs {
                let assignment = ground.expect_assignment(story, person, NOW).await;
                let task = store.task(person, assignment).await.unwrap().unwrap();
                let output = task.items[0].output;
                let change = match (name, output == outputs[0]) {
                    ("one", true) => unclear(output),
                    _ => superseding_rating(output, 50, None),
                };
                save_changes(story, person, assignment, &[change]).await;
                let done = store.hand_in(person, assignment, NOW).await.unwrap();
                assert_eq!(done, Some(HandInOutcome::Done));
            }
        }

        let submitted = async || {
            let systems = store.unjudged_outputs(study).await.unwrap();
            systems
                .iter()
                .map(|system| (system.submitted, system.reasons[&UnjudgedReason::Unclear]))
                .collect::<Vec<_>>()
        };
        assert_eq!(submitted().await, [(4, 1)]);

        let lead = story.add_person("the lead").await;
        let ask = async |output| {
            let question = NewDiscussion {
                id: DiscussionId(fresh_id()),
                output,
                scope: QuestionScope::Output,
                note: "Sure?",
                asked_by: lead,
            };
            store.discuss(study, question, NOW).await.unwrap()
        };
        assert_eq!(ask(outputs[1]).await, Some(2));
        assert_eq!(submitted().await, [(2, 1)]);
        assert_eq!(ask(outputs[0]).await, Some(2));
        assert_eq!(submitted().await, []);
    })
    .await;
}

#[tokio::test]
async fn where_every_output_gets_a_score_reasons_are_refused() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let before = unclear(work.items[0]);
        assert!(
            work.save(story, std::slice::from_ref(&before))
                .await
                .iter()
                .all(is_saved)
        );

        let study = story.store.study(work.ground.study).await.unwrap().unwrap();
        let settings = StudySettings {
            accepts_unjudged: false,
            ..study.settings
        };
        let saved = story.store.set_settings(study.id, &settings, NOW).await;
        assert!(saved.unwrap());
        assert!(!work.task(story).await.accepts_unjudged);

        let outcomes = work.save(story, &[unclear(work.items[1])]).await;
        assert!(refusal(&outcomes[0]).starts_with("In this study every output gets a score"));

        // A reason that was given before counts, and can be taken back.
        let ratings = work.items[1..].iter();
        let ratings: Vec<_> = ratings
            .map(|output| superseding_rating(*output, 9, None))
            .collect();
        work.save(story, &ratings).await;
        assert_eq!(hand_in(story, &work).await, HandInOutcome::Done);
        let reopened = story.store.reopen(work.person, work.assignment, NOW).await;
        reopened.unwrap().unwrap();
        let outcomes = work.save(story, &[taken_back(&before)]).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
    })
    .await;
}

#[tokio::test]
async fn an_attention_item_that_cannot_be_judged_is_neither_passed_nor_failed() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One of them is here."]];
        let settings = StudySettings {
            quality_control: domain::study::QualityControl {
                copy_every: 1,
                scrambled_every: 1,
                repeated_every: 1,
                ..Default::default()
            },
            ..StudySettings::default()
        };

        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        crate::quality::add(story, &ground, 1).await;
        let person = add_annotator(story, ground.study, "one").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let outputs = story.store.source_outputs(ground.sources[0]).await.unwrap();

        let answer = |output: &store::SourceOutput| match output.purpose {
            OutputPurpose::Scrambled => reason(output.id, Some(UnjudgedReason::Unclear)),
            OutputPurpose::Main => unclear(output.id),
            _ => superseding_rating(output.id, 60, None),
        };
        let changes: Vec<_> = outputs.iter().map(answer).collect();
        save_changes(story, person, assignment, &changes).await;
        let done = story.store.hand_in(person, assignment, NOW).await.unwrap();
        assert_eq!(done, Some(HandInOutcome::Done));

        let checks = story
            .store
            .quality_checks(ground.study, StudyPart::Whole)
            .await;
        let checks: Vec<_> = checks
            .unwrap()
            .into_iter()
            .map(|check| (check.purpose, check.outcome))
            .collect();
        // The output that the repeated item repeats has no score to compare with.
        let expect = [
            (OutputPurpose::Copy, CheckOutcome::Score(60.0, None)),
            (OutputPurpose::Repeated, CheckOutcome::Score(60.0, None)),
        ];
        assert_eq!(checks, expect);
    })
    .await;
}

#[tokio::test]
async fn reasons_in_place_of_expected_scores_admit_nobody() {
    on_both(async |story| {
        let rule = QualificationRule::Answers {
            tolerance: 100.0,
            categories: 0.0,
        };
        let study = crate::qualification::ground(story, rule).await;
        let person = add_annotator(story, study, "a").await;
        for _ in 0..2 {
            crate::qualification::judge_with(story, study, person, |output| vec![unclear(output)])
                .await;
        }
        assert!(!crate::qualification::is_admitted(story, study, person).await);
    })
    .await;
}
