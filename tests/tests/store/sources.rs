use domain::{
    category::Category,
    score::Scale,
    study::{RaterKind, Settings, SourcePurpose, SystemKind},
    work::change::{Answer, Change, Slot},
};
use store::{
    Said,
    import::{NewRating, Verbatim},
};
use stories::{MINUTE, NOW, both, fresh};

use crate::ground::{annotator, ground, import};

#[tokio::test]
async fn a_lead_reads_what_counts_and_nothing_of_work_that_is_not_handed_in() {
    both(async |story| {
        let texts: &[&[&str]] = &[&["One.", "Two.", "One."], &["Three."]];
        let mut ground = ground(story, &Settings::default(), SourcePurpose::Main, texts).await;
        ground
            .add(story, SourcePurpose::Training, &[&["Trained."]])
            .await;
        let mut file = import(story, ground.study).await;
        let rater = file.rater("rater 1", RaterKind::Imported).unwrap();
        file.references(ground.sources[1], &["Reference."]).unwrap();
        let verbatim = Verbatim {
            value: "33.5".into(),
            z: None,
            column: None,
        };
        let (scale, output) = (Scale::PERCENT, ground.outputs[1][0]);
        let rating = NewRating {
            rater,
            output,
            dimension: "overall",
            scale,
            value: 33.5,
            verbatim,
        };
        file.rating(rating).unwrap();
        file.commit().await.unwrap();

        let sources = story.store.sources(ground.study).await.unwrap();
        let counts: Vec<_> = sources
            .iter()
            .map(|it| (it.outputs, it.references, it.raters, it.open))
            .collect();
        assert_eq!(counts, [(3, 0, 0, 0), (1, 1, 1, 0), (1, 0, 0, 0)]);
        assert_eq!(sources[2].purpose, SourcePurpose::Training);
        let outputs = story.store.source_outputs(ground.sources[0]).await.unwrap();
        let twins: Vec<_> = outputs.iter().map(|it| it.twin_of).collect();
        assert_eq!(twins, [None, None, Some(ground.outputs[0][0])]);
        assert_eq!(outputs[1].system, "system 2");
        assert_eq!(outputs[1].kind, SystemKind::Machine);
        let answers = story.store.source_answers(ground.sources[1]).await.unwrap();
        assert_eq!(answers.len(), 1);
        assert_eq!(answers[0].label, "rater 1");
        assert_eq!(answers[0].said, Said::Rating("overall".into(), 33.5));
        assert_eq!(
            story.store.references(ground.sources[1]).await.unwrap(),
            ["Reference."]
        );
        let systems = story.store.systems(ground.study).await.unwrap();
        let systems: Vec<_> = systems
            .iter()
            .map(|it| (it.name.as_str(), it.outputs))
            .collect();
        assert_eq!(systems, [("system 1", 3), ("system 2", 1), ("system 3", 1)]);

        // An annotator at work is seen to be, but not what they say.
        let person = annotator(story, ground.study, "somebody").await;
        story.store.admit(ground.study, person, NOW).await.unwrap();
        story
            .store
            .finish_tutorial(ground.study, person, NOW)
            .await
            .unwrap();
        let training = ground.given(story, person, NOW).await;
        let output = ground.outputs[2][0];
        let change = |slot, answer| Change {
            id: domain::ids::AnnotationId(fresh()),
            supersedes: None,
            slot,
            answer,
        };
        let rate = change(
            Slot::Rating {
                output,
                dimension: "overall".into(),
            },
            Answer::Rating(Some(Scale::PERCENT.score(70).unwrap())),
        );
        let sort = change(
            Slot::Category { output },
            Answer::Category(Some(Category::Split)),
        );
        let saved = story
            .store
            .save_changes(person, training, &[rate, sort], NOW + MINUTE)
            .await;
        assert_eq!(saved.unwrap().unwrap().len(), 2);
        assert_eq!(
            story.store.source_answers(ground.sources[2]).await.unwrap(),
            []
        );
        story
            .store
            .hand_in(person, training, NOW + MINUTE)
            .await
            .unwrap();
        let said: Vec<_> = story.store.source_answers(ground.sources[2]).await.unwrap();
        let said: Vec<_> = said.into_iter().map(|it| it.said).collect();
        assert_eq!(
            said,
            [
                Said::Rating("overall".into(), 70.0),
                Said::Category(Category::Split)
            ]
        );

        ground.given(story, person, NOW + MINUTE).await;
        let events = story.store.latest_events(ground.study, 2).await.unwrap();
        assert_eq!(events[0].0.kind, "open");
        assert_eq!(events[0].0.number, events[1].0.number + 1);

        // Of another study there is nothing to see.
        let other = crate::ground::study(story, &Settings::default()).await;
        assert_eq!(
            story.store.source(other, ground.sources[0]).await.unwrap(),
            None
        );
        assert_eq!(story.store.sources(other).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn what_somebody_said_who_withdrew_is_not_read() {
    both(async |story| {
        let texts: &[&[&str]] = &[&["One."]];
        let ground = ground(story, &Settings::default(), SourcePurpose::Main, texts).await;
        let person = annotator(story, ground.study, "somebody").await;
        let assignment = ground.given(story, person, NOW).await;
        let slot = Slot::Rating {
            output: ground.outputs[0][0],
            dimension: "overall".into(),
        };
        let answer = Answer::Rating(Some(Scale::PERCENT.score(70).unwrap()));
        let id = domain::ids::AnnotationId(fresh());
        let change = Change {
            id,
            supersedes: None,
            slot,
            answer,
        };
        story
            .store
            .save_changes(person, assignment, &[change], NOW)
            .await
            .unwrap();
        story.store.hand_in(person, assignment, NOW).await.unwrap();
        assert_eq!(
            story
                .store
                .source_answers(ground.sources[0])
                .await
                .unwrap()
                .len(),
            1
        );
        story
            .store
            .withdraw(ground.study, person, NOW)
            .await
            .unwrap();
        assert_eq!(
            story.store.source_answers(ground.sources[0]).await.unwrap(),
            []
        );
    })
    .await;
}
