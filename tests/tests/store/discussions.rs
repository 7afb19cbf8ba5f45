use domain::study::AssignmentState;
use store::{answers::HandIn, discussions::NewDiscussion};
use stories::{MINUTE, NOW, both, fresh};

use crate::work::{is_saved, rate, work};

#[tokio::test]
async fn raters_get_an_output_back_and_what_they_change_supersedes() {
    both(async |story| {
        let work = work(story).await;
        let (store, study) = (&story.store, work.ground.study);
        let lead = story.person("the lead").await;
        let question = NewDiscussion {
            id: domain::ids::DiscussionId(fresh()),
            output: work.items[0],
            note: "Is the cause still told?",
            asked_by: lead,
        };
        let nobody = store.discuss(study, question, NOW).await;
        assert!(nobody.unwrap_err().to_string().contains("handed"));
        assert!(store.discussions(study).await.unwrap().is_empty());

        let first = rate(work.items[0], 40, None);
        let rest = work.items[1..].iter().map(|output| rate(*output, 50, None));
        let answers: Vec<_> = std::iter::once(first.clone()).chain(rest).collect();
        assert!(work.save(story, &answers).await.iter().all(is_saved));
        let hand_in = async || store.hand_in(work.person, work.assignment, NOW).await;
        assert_eq!(hand_in().await.unwrap(), Some(HandIn::Done));
        assert_eq!(store.question(work.assignment).await.unwrap(), None);

        let before = store.newest_events().await.unwrap();
        let asked = store.discuss(study, question, NOW + MINUTE).await.unwrap();
        assert_eq!(asked, Some(1));
        assert!(store.newest_events().await.unwrap() != before);
        let list = store.assignments_of(study, work.person).await.unwrap();
        assert_eq!(list[0].state, AssignmentState::Open);
        assert_eq!(list[0].reason, question.note);
        let shown = store.question(work.assignment).await.unwrap();
        assert_eq!(shown, Some((question.note.to_owned(), "Zero.".to_owned())));
        let open = &store.discussions(study).await.unwrap()[0];
        assert_eq!((open.output, open.open), (work.items[0], 1));

        let changed = rate(work.items[0], 77, Some(first.id));
        assert!(work.save(story, &[changed]).await.iter().all(is_saved));
        assert_eq!(hand_in().await.unwrap(), Some(HandIn::Done));
        assert_eq!(store.question(work.assignment).await.unwrap(), None);
        assert_eq!(store.discussions(study).await.unwrap()[0].open, 0);
        let kept = format!(
            "SELECT CAST(value AS BIGINT) FROM annotation WHERE id = '{}' AND current = 0",
            first.id
        );
        assert_eq!(
            story.rows(&kept).await.len(),
            1,
            "the old answer is still there"
        );
    })
    .await;
}

#[tokio::test]
async fn an_output_of_another_study_cannot_be_asked_about() {
    both(async |story| {
        let work = work(story).await;
        let elsewhere = story.study("elsewhere", None).await;
        let question = NewDiscussion {
            id: domain::ids::DiscussionId(fresh()),
            output: work.items[0],
            note: "And this?",
            asked_by: work.person,
        };
        let found = story.store.discuss(elsewhere, question, NOW).await;
        assert_eq!(found.unwrap(), None);
    })
    .await;
}
