use domain::{
    study::{SourcePurpose, StudySettings},
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationSlot},
    },
};
use store::rating_rows::StudyPart;
use stories::{MINUTE, NOW, on_both};
use uuid::Uuid;

use crate::study_fixture::{add_annotator, create_study_with, hand_in, new_change, save_changes};

#[tokio::test]
async fn orders_and_times_are_told_of_sources_that_were_handed_in() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 2,
            ..StudySettings::default()
        };
        let texts: &[&[&str]] = &[&["One.", "Two."], &["Three.", "Four."]];
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let (study, store) = (ground.study, &story.store);
        let (one, two) = (
            add_annotator(story, study, "one").await,
            add_annotator(story, study, "two").await,
        );

        let first = ground.expect_assignment(story, one, NOW).await;
        let order: Vec<_> = ground.outputs[0].iter().rev().copied().collect();
        let set = new_change(
            AnnotationSlot::Order,
            AnnotationAnswer::Order(Some(order.clone())),
        );
        save_changes(story, one, first, &[set]).await;

        let spent = [1, 2].map(|tab| ActivityReport {
            tab: Uuid::from_u128(tab),
            categorise_ms: 2_000,
            highlight_ms: 0,
            rate_ms: 5_000,
            answer_ms: 0,
            write_ms: 0,
        });
        let saved = store.save_work(one, first, &[], &spent, NOW + MINUTE).await;
        assert!(saved.unwrap().is_some());
        let is_silent = async || {
            let orders = store.orders(study, StudyPart::Whole).await.unwrap();
            let times = store.active_times(study, StudyPart::Whole).await.unwrap();
            orders.is_empty() && times.is_empty()
        };

        // A source in progress is left out.
        assert!(is_silent().await);
        hand_in(story, one, first, |_| 50).await;

        let taken_back = ground.expect_assignment(story, two, NOW).await;
        let set = new_change(AnnotationSlot::Order, AnnotationAnswer::Order(None));
        save_changes(story, two, taken_back, &[set]).await;
        hand_in(story, two, taken_back, |_| 50).await;

        let orders = store.orders(study, StudyPart::Whole).await.unwrap();
        let raters = store.raters(study).await.unwrap();
        assert_eq!(orders.len(), 1);
        assert_eq!(orders[0].order, order);
        assert_eq!(
            (orders[0].rater, orders[0].source),
            (raters[0].id, ground.sources[0])
        );
        let times = store.active_times(study, StudyPart::Whole).await.unwrap();
        let times: Vec<_> = times.iter().map(|t| (t.rater, t.active_ms)).collect();
        assert_eq!(times, [(raters[0].id, 14_000)]);

        store.withdraw(study, one, NOW).await.unwrap();
        assert!(is_silent().await);
    })
    .await;
}
