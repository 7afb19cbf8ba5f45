use domain::study::AssignmentState;
use store::{annotator_answers::HandInOutcome, discussions::NewDiscussion};
use stories::{MINUTE, NOW, fresh_id, on_both};

use crate::assignment_fixture::{is_saved, start_assignment, superseding_rating};

#[tokio::test]
async fn raters_get_an_output_back_and_what_they_change_supersedes() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, study) = (&story.store, work.ground.study);
        let lead = story.add_person("the lead").await;
        let question = NewDiscussion {
            id: domain::ids::DiscussionId(fresh_id()),
            output: work.items[0],
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
        assert_eq!(
            store.discussion_question(work.assignment).await.unwrap(),
            None
        );

        let before = store.newest_events().await.unwrap();
        let rater_count = store.discuss(study, question, NOW + MINUTE).await.unwrap();
        assert_eq!(rater_count, Some(1));
        assert!(store.newest_events().await.unwrap() != before);
        let list = store.assignments_of(study, work.person).await.unwrap();
        assert_eq!(list[0].state, AssignmentState::Open);
        assert_eq!(list[0].reason, question.note);
        let shown = store.discussion_question(work.assignment).await.unwrap();
        assert_eq!(shown, Some((question.note.to_owned(), "Zero.".to_owned())));
        let open = &store.discussions(study).await.unwrap()[0];
        assert_eq!((open.output, open.open), (work.items[0], 1));

        let changed = superseding_rating(work.items[0], 77, Some(first.id));
        assert!(work.save(story, &[changed]).await.iter().all(is_saved));
        assert_eq!(hand_in().await.unwrap(), Some(HandInOutcome::Done));
        assert_eq!(
            store.discussion_question(work.assignment).await.unwrap(),
            None
        );
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
            id: domain::ids::DiscussionId(fresh_id()),
            output: work.items[0],
            note: "And this?",
            asked_by: work.person,
        };
        let result = story.store.discuss(elsewhere, question, NOW).await;
        assert_eq!(result.unwrap(), None);
    })
    .await;
}
