use domain::{
    category::Category,
    ids::{AnnotationId, DiscussionId, OutputId},
    study::AssignmentState,
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationSlot, SaveOutcome},
        task::{AnnotationTask, LeadQuestion},
    },
};
use store::{
    annotator_answers::{HandInOutcome, MissingAnswer},
    assignments::{NextAssignment, UpcomingAssignment},
    discussions::{NewDiscussion, QuestionScope},
    export::ExportedOutput,
    rating_rows::{RatingScope, StudyPart},
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both};

use crate::assignment_fixture::{
    AssignmentFixture, is_saved, start_assignment, superseding_change, superseding_rating,
};

#[tokio::test]
async fn raters_get_a_source_back_and_what_they_change_supersedes() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, study) = (&story.store, work.ground.study);
        let lead = story.add_person("the lead").await;
        let question = NewDiscussion {
            id: DiscussionId(fresh_id()),
            output: work.items[0],
            scope: QuestionScope::Source,
            note: "Is the cause still told?",
            asked_by: lead,
        };
        let nobody = store.discuss(study, question, NOW).await;
        assert!(nobody.unwrap_err().to_string().contains("handed"));
        assert!(store.discussions(study).await.unwrap().is_empty());

        let first = superseding_rating(work.items[0], 40, None);
        let rest = work.items[1..]
            .iter()
            .map(|output| superseding_rating(*output, 50, None));
        let answers: Vec<_> = std::iter::once(first.clone()).chain(rest).collect();
        assert!(work.save(story, &answers).await.iter().all(is_saved));
        let hand_in = async || store.hand_in(work.person, work.assignment, NOW).await;
        assert_eq!(hand_in().await.unwrap(), Some(HandInOutcome::Done));
        assert!(work.task(story).await.questions.is_empty());

        let before = store.newest_events().await.unwrap();
        let rater_count = store.discuss(study, question, NOW + MINUTE).await.unwrap();
        assert_eq!(rater_count, Some(1));
        assert!(store.newest_events().await.unwrap() != before);
        let list = store.assignments_of(study, work.person).await.unwrap();
        assert_eq!(list[0].state, AssignmentState::Open);
        assert_eq!(list[0].reason, question.note);
        let task = work.task(story).await;
        assert_eq!(task.questions, [lead_question(&question)]);
        assert!(!task.only_questions);
        let open = &store.discussions(study).await.unwrap()[0];
        assert_eq!((open.output, open.open), (work.items[0], 1));

        let changed = superseding_rating(work.items[0], 77, Some(first.id));
        assert!(work.save(story, &[changed]).await.iter().all(is_saved));
        assert_eq!(hand_in().await.unwrap(), Some(HandInOutcome::Done));
        assert!(work.task(story).await.questions.is_empty());
        assert_eq!(store.discussions(study).await.unwrap()[0].open, 0);
        let query = format!(
            "SELECT CAST(value AS BIGINT) FROM annotation WHERE id = '{}' AND current = 0",
            first.id
        );
        assert_eq!(
            story.query_rows(&query).await.len(),
            1,
            "the old answer is still there"
        );
    })
    .await;
}

#[tokio::test]
async fn an_output_of_another_study_cannot_be_asked_about() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let elsewhere = story.add_study("elsewhere", None).await;
        let question = NewDiscussion {
            id: DiscussionId(fresh_id()),
            output: work.items[0],
            scope: QuestionScope::Output,
            note: "And this?",
            asked_by: work.person,
        };
        let result = story.store.discuss(elsewhere, question, NOW).await;
        assert_eq!(result.unwrap(), None);
    })
    .await;
}

fn lead_question(question: &NewDiscussion<'_>) -> LeadQuestion {
    LeadQuestion {
        id: question.id,
        output: question.output,
        note: question.note.to_owned(),
    }
}

/// A new lead's question about one output.
async fn ask(
    story: &TestDatabase,
    work: &AssignmentFixture,
    output: OutputId,
    note: &'static str,
) -> LeadQuestion {
    let question = NewDiscussion {
        id: DiscussionId(fresh_id()),
        output,
        scope: QuestionScope::Output,
        note,
        asked_by: story.add_person(&format!("lead who asks {note}")).await,
    };
    let raters = story.store.discuss(work.ground.study, question, NOW).await;
    assert_eq!(raters.unwrap(), Some(1));
    lead_question(&question)
}

/// A submitted source whose outputs have the ratings 50, 51, 52 and 53.
async fn handed_in(story: &TestDatabase) -> AssignmentFixture {
    let work = start_assignment(story).await;
    let ratings = (50..).zip(&work.items);
    let ratings: Vec<_> = ratings
        .map(|(score, output)| superseding_rating(*output, score, None))
        .collect();
    assert!(work.save(story, &ratings).await.iter().all(is_saved));
    let done = story.store.hand_in(work.person, work.assignment, NOW).await;
    assert_eq!(done.unwrap(), Some(HandInOutcome::Done));
    work
}

/// The values of the ratings that count, without copies.
async fn values(story: &TestDatabase, work: &AssignmentFixture, scope: RatingScope) -> Vec<i32> {
    let ratings = story.store.ratings(work.ground.study, scope).await.unwrap();
    let own = ratings.into_iter().filter(|rating| !rating.shared);
    own.map(|rating| rating.value as i32).collect()
}

fn current_id(task: &AnnotationTask, slot: &AnnotationSlot) -> Option<AnnotationId> {
    let mut answers = task.answers.iter();
    answers
        .find(|answer| answer.slot == *slot)
        .map(|answer| answer.id)
}

fn rating_slot(output: OutputId) -> AnnotationSlot {
    AnnotationSlot::Rating {
        output,
        dimension: "overall".into(),
    }
}

#[tokio::test]
async fn of_a_source_that_is_asked_about_one_output_the_rest_keeps_counting() {
    on_both(async |story| {
        let work = handed_in(story).await;
        let (store, study) = (&story.store, work.ground.study);
        let scopes = [RatingScope::HandedIn, RatingScope::IncludingOpen];
        assert_eq!(values(story, &work, scopes[0]).await, [50, 51, 52, 53]);
        let question = ask(story, &work, work.items[2], "Is the cause still told?").await;

        assert_eq!(values(story, &work, scopes[0]).await, [50, 51, 53]);
        assert_eq!(values(story, &work, scopes[1]).await, [50, 51, 52, 53]);

        let overview = store.study_overview(study, 1).await.unwrap();
        assert_eq!((overview.done, overview.in_progress), (1, 0));
        assert_eq!(
            (overview.handed_in_judgements, overview.open_judgements),
            (3, 1)
        );

        let categories = store.categories(study).await.unwrap();
        let judged: Vec<_> = categories.iter().map(|output| output.given.len()).collect();
        assert_eq!(judged, [1, 1, 0, 1, 1], "as many as there are outputs");
        let mut edits = vec![];
        let collect = |of_output| edits.push(of_output);
        store
            .each_edits(study, StudyPart::Whole, collect)
            .await
            .unwrap();
        assert!(edits.iter().all(|edits| edits.output != work.items[2]));
        let answers = store.source_answers(work.ground.sources[0]).await.unwrap();
        assert!(answers.iter().all(|answer| answer.output != work.items[2]));

        let exported = export(story, &work).await;
        let counts: Vec<_> = exported
            .iter()
            .map(|output| (output.ratings.len(), output.categories.len()))
            .collect();
        assert_eq!(counts, [(1, 1), (1, 1), (0, 0), (1, 1), (1, 1)]);

        // The source belongs to its rater again, and to nobody else.
        let task = work.task(story).await;
        assert_eq!(
            (task.questions, task.only_questions),
            (vec![question], true)
        );
        assert_eq!(task.state, AssignmentState::Open);
        let next = work.ground.next_assignment(story, work.person, NOW).await;
        assert_eq!(next, NextAssignment::Assignment(work.assignment));
        let ahead = store.upcoming_work(study, work.person, NOW).await;
        let ahead = ahead.unwrap().unwrap().next;
        assert!(matches!(ahead, UpcomingAssignment::Open(own, _) if own == work.assignment));
        let entry = &store.assignments_of(study, work.person).await.unwrap()[0];
        assert_eq!(
            (entry.state, entry.questions),
            (AssignmentState::HandedIn, 1)
        );
        assert!(entry.takes_answers());

        let late = NOW + 1_000 * MINUTE;
        let other = crate::study_fixture::add_annotator(story, study, "another").await;
        let next = work.ground.next_assignment(story, other, late).await;
        assert_eq!(next, NextAssignment::Nothing, "its place does not run out");
    })
    .await;
}

async fn export(story: &TestDatabase, work: &AssignmentFixture) -> Vec<ExportedOutput> {
    let export = story
        .store
        .begin_export(work.ground.study, RatingScope::HandedIn);
    let mut export = export.await.unwrap();
    // Spawned, as a server does it.
    let page = tokio::spawn(async move { export.next_page(50).await });
    page.await.unwrap().unwrap()
}

#[tokio::test]
async fn only_the_output_that_is_asked_about_changes_and_counts_once_submitted() {
    on_both(async |story| {
        let work = handed_in(story).await;
        let (store, study) = (&story.store, work.ground.study);
        let (asked, other) = (work.items[1], work.items[0]);
        ask(story, &work, asked, "Is the cause still told?").await;
        let task = work.task(story).await;
        let old = |output| current_id(&task, &rating_slot(output));

        let split = AnnotationAnswer::Category(Some(Category::Split));
        let refused = [
            superseding_rating(other, 9, old(other)),
            superseding_change(
                AnnotationSlot::Category { output: other },
                split.clone(),
                None,
            ),
        ];
        for outcome in work.save(story, &refused).await {
            let SaveOutcome::Refused { reason, .. } = outcome else {
                panic!("{outcome:?}")
            };
            assert!(reason.contains("the lead asks about"), "{reason}");
        }

        // The output moves past the others, which keep their order.
        let shown: Vec<_> = task.items.iter().map(|item| item.output).collect();
        let mut moved = shown.clone();
        moved.retain(|output| *output != asked);
        let mut others = moved.clone();
        moved.push(asked);
        others.reverse();
        others.push(asked);
        let order = |order| AnnotationAnswer::Order(Some(order));
        let changes = [
            superseding_change(AnnotationSlot::Order, order(others), None),
            superseding_change(AnnotationSlot::Order, order(moved), None),
            superseding_rating(asked, 7, old(asked)),
            superseding_change(AnnotationSlot::Category { output: asked }, split, None),
        ];
        let outcomes = work.save(story, &changes).await;
        assert!(!is_saved(&outcomes[0]), "{outcomes:?}");
        assert!(outcomes[1..].iter().all(is_saved), "{outcomes:?}");

        let scope = RatingScope::HandedIn;
        assert_eq!(values(story, &work, scope).await, [50, 52, 53]);

        // Time spent on it is not time of the first reading.
        let spent = ActivityReport {
            tab: fresh_id(),
            rate_ms: 1_000,
            ..ActivityReport::default()
        };
        let (person, assignment) = (work.person, work.assignment);
        store
            .save_work(person, assignment, &[], &[spent], NOW + MINUTE)
            .await
            .unwrap();
        let times = store.active_times(study, StudyPart::Whole).await.unwrap();
        assert_eq!(times, []);

        // Without a score it cannot be submitted.
        let cleared = superseding_change(
            rating_slot(asked),
            AnnotationAnswer::Rating(None),
            Some(changes[2].id),
        );
        assert!(
            work.save(story, std::slice::from_ref(&cleared))
                .await
                .iter()
                .all(is_saved)
        );

        let hand_in = async || {
            store
                .hand_in(work.person, work.assignment, NOW)
                .await
                .unwrap()
        };
        let missing = MissingAnswer {
            outputs: vec![asked],
            dimension: Some("overall".into()),
        };
        assert_eq!(hand_in().await, Some(HandInOutcome::Missing(vec![missing])));
        let again = superseding_rating(asked, 8, Some(cleared.id));
        assert!(work.save(story, &[again]).await.iter().all(is_saved));
        assert_eq!(hand_in().await, Some(HandInOutcome::Done));
        assert_eq!(values(story, &work, scope).await, [50, 8, 52, 53]);

        assert_eq!(store.discussions(study).await.unwrap()[0].open, 0);
        let task = work.task(story).await;
        assert_eq!(task.state, AssignmentState::HandedIn);
        assert!(task.questions.is_empty() && !task.only_questions);
        let closed = work
            .save(story, &[superseding_rating(asked, 1, None)])
            .await;
        assert!(!is_saved(&closed[0]));
    })
    .await;
}

#[tokio::test]
async fn several_questions_are_answered_at_once_and_end_with_the_annotator() {
    on_both(async |story| {
        let work = handed_in(story).await;
        let (store, study) = (&story.store, work.ground.study);
        // An identical output is judged through the first one.
        let twin = work.ground.outputs[0][3];
        let first = ask(story, &work, work.items[0], "First?").await;
        let second = ask(story, &work, twin, "Second?").await;
        assert_eq!(second.output, twin);
        let judged = LeadQuestion {
            output: work.items[1],
            ..second
        };
        assert_eq!(work.task(story).await.questions, [first, judged]);
        let scope = RatingScope::HandedIn;
        assert_eq!(values(story, &work, scope).await, [52, 53]);
        let done = store.hand_in(work.person, work.assignment, NOW).await;
        assert_eq!(done.unwrap(), Some(HandInOutcome::Done));
        assert_eq!(values(story, &work, scope).await, [50, 51, 52, 53]);

        ask(story, &work, work.items[0], "Third?").await;
        store.remove_member(study, work.person, NOW).await.unwrap();
        assert_eq!(values(story, &work, scope).await, [50, 51, 52, 53]);
        let asked = store.discussions(study).await.unwrap();
        assert!(asked.iter().all(|question| question.open == 0));
    })
    .await;
}

#[tokio::test]
async fn a_question_that_is_withdrawn_lets_the_answers_count_as_they_are() {
    on_both(async |story| {
        let work = handed_in(story).await;
        let (store, study) = (&story.store, work.ground.study);
        ask(story, &work, work.items[0], "Why?").await;
        let asked = &store.discussions(study).await.unwrap()[0];
        assert_eq!((asked.scope, asked.open), (QuestionScope::Output, 1));
        let elsewhere = story.add_study("elsewhere", None).await;
        let withdraw = async |study| store.withdraw_question(study, asked.id, NOW).await.unwrap();
        assert!(!withdraw(elsewhere).await);
        let scope = RatingScope::HandedIn;
        assert_eq!(values(story, &work, scope).await, [51, 52, 53]);
        assert!(withdraw(study).await);
        assert!(!withdraw(study).await, "once");
        assert_eq!(values(story, &work, scope).await, [50, 51, 52, 53]);
        assert_eq!(work.task(story).await.state, AssignmentState::HandedIn);
    })
    .await;
}
