//! Replies to a lead's questions: kept with the answers, and read by the lead at once.

use domain::{
    ids::{AnnotationId, DiscussionId},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome},
};
use store::{
    discussions::{NewDiscussion, QuestionReply, QuestionScope, ScoreChange},
    rating_rows::RatingScope,
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both};

use crate::assignment_fixture::{
    AssignmentFixture, is_saved, start_assignment, superseding_rating,
};

/// Scores of 40 for all outputs, handed in, and a question about the first of them.
async fn asked(
    story: &TestDatabase,
    scope: QuestionScope,
) -> (AssignmentFixture, DiscussionId, AnnotationId) {
    let work = start_assignment(story).await;
    let (store, study) = (&story.store, work.ground.study);

    let scores: Vec<_> = work
        .items
        .iter()
        .map(|output| superseding_rating(*output, 40, None))
        .collect();
    assert!(work.save(story, &scores).await.iter().all(is_saved));
    let done = store.hand_in(work.person, work.assignment, NOW).await;
    assert!(done.unwrap().is_some());

    let id = DiscussionId(fresh_id());
    let question = NewDiscussion {
        id,
        output: work.items[0],
        scope,
        note: "Is the cause still told?",
        asked_by: story.add_person("the lead").await,
    };

    // The answers of the fixture are a minute old then.
    let asked = store.discuss(study, question, NOW + MINUTE).await;
    assert_eq!(asked.unwrap(), Some(1));
    (work, id, scores[0].id)
}

fn reply(
    work: &AssignmentFixture,
    question: DiscussionId,
    text: &str,
    supersedes: Option<AnnotationId>,
) -> AnnotationChange {
    AnnotationChange {
        id: AnnotationId(fresh_id()),
        supersedes,
        slot: AnnotationSlot::Reply {
            output: work.items[0],
            question,
        },
        answer: AnnotationAnswer::Note(text.to_owned()),
    }
}

/// Saves changes two minutes after the question.
async fn save_later(
    story: &TestDatabase,
    work: &AssignmentFixture,
    changes: &[AnnotationChange],
) -> Vec<SaveOutcome> {
    let (person, assignment) = (work.person, work.assignment);
    let saved = story
        .store
        .save_work(person, assignment, changes, &[], NOW + 3 * MINUTE);
    saved.await.unwrap().unwrap()
}

async fn replies(
    story: &TestDatabase,
    work: &AssignmentFixture,
    question: DiscussionId,
) -> Vec<QuestionReply> {
    let all = story.store.question_replies(work.ground.study).await;
    all.unwrap().remove(&question).unwrap_or_default()
}

#[tokio::test]
async fn a_reply_is_read_at_once_and_stays_with_the_scores_that_changed() {
    on_both(async |story| {
        let (work, question, score) = asked(story, QuestionScope::Output).await;
        let (store, study) = (&story.store, work.ground.study);
        let [waiting] = &replies(story, &work, question).await[..] else {
            panic!("one rater was asked")
        };
        assert!(waiting.is_open && waiting.reply.is_empty() && waiting.changes.is_empty());

        let first = reply(&work, question, "It is.", None);
        let changed = superseding_rating(work.items[0], 55, Some(score));
        let before = store.newest_event(study).await.unwrap();
        let outcomes = save_later(story, &work, &[first.clone(), changed]).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
        assert!(store.newest_event(study).await.unwrap() > before);
        let again = save_later(story, &work, std::slice::from_ref(&first)).await;
        assert!(again.iter().all(is_saved), "sent twice: {again:?}");
        let conflict = reply(&work, question, "Is it?", None);
        let outcomes = save_later(story, &work, &[conflict]).await;
        assert!(matches!(outcomes[0], SaveOutcome::Conflict { .. }));
        let better = reply(&work, question, "In the second half.", Some(first.id));
        let outcomes = save_later(story, &work, &[better]).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
        assert!(replies(story, &work, question).await[0].is_open);

        let handed_in_at = NOW + 4 * MINUTE;
        let done = store
            .hand_in(work.person, work.assignment, handed_in_at)
            .await;
        assert!(done.unwrap().is_some());
        let answered = replies(story, &work, question).await;
        assert_eq!(answered[0].reply, "In the second half.");
        assert!(!answered[0].is_open);
        let change = ScoreChange {
            dimension: "overall".into(),
            before: Some(40.0),
            after: Some(55.0),
        };
        assert_eq!(answered[0].changes, [change]);
        let mut export = store
            .begin_export(study, RatingScope::HandedIn)
            .await
            .unwrap();
        let outputs = export.next_page(100).await.unwrap();
        let own = outputs.iter().find(|output| output.output == work.items[0]);
        let exported = &own.unwrap().replies[0];
        assert_eq!(exported.question, "Is the cause still told?");
        assert_eq!(exported.reply, "In the second half.");

        let outcomes = save_later(story, &work, &[reply(&work, question, "Late.", None)]).await;
        assert!(matches!(outcomes[0], SaveOutcome::Refused { .. }));
        let elsewhere = story.add_study("elsewhere", None).await;
        assert!(store.question_replies(elsewhere).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_reply_about_a_whole_source_is_kept_and_others_are_refused() {
    on_both(async |story| {
        let (work, question, _) = asked(story, QuestionScope::Source).await;
        assert!(replies(story, &work, question).await.is_empty());

        let unknown = reply(&work, DiscussionId(fresh_id()), "To nobody.", None);
        let long = reply(&work, question, &"x".repeat(20_001), None);
        let nul = reply(&work, question, "\0", None);
        let mut other = reply(&work, question, "Another output.", None);
        other.slot = AnnotationSlot::Reply {
            output: work.items[1],
            question,
        };
        let outcomes = save_later(story, &work, &[unknown, long, nul, other]).await;
        for outcome in outcomes {
            assert!(
                matches!(outcome, SaveOutcome::Refused { .. }),
                "{outcome:?}"
            );
        }

        let own = reply(&work, question, "It is.", None);
        let outcomes = save_later(story, &work, std::slice::from_ref(&own)).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
        let task = work.task(story).await;
        assert_eq!(task.questions[0].id, question);
        assert!(task.answers.iter().any(|answer| answer.slot == own.slot));
        let all = replies(story, &work, question).await;
        assert_eq!((all[0].reply.as_str(), all[0].is_open), ("It is.", true));
        assert!(all[0].changes.is_empty());

        // Replies of raters who withdrew aren't shown to the lead.
        story
            .store
            .withdraw(work.ground.study, work.person, NOW)
            .await
            .unwrap();
        assert!(replies(story, &work, question).await.is_empty());
    })
    .await;
}
