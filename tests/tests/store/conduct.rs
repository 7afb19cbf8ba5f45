use domain::{
    study::{Settings, SourcePurpose},
    work::change::{Answer, Slot, Step},
};
use store::ratings::Part;
use stories::{MINUTE, NOW, both};
use uuid::Uuid;

use crate::ground::{annotator, change, ground, hand_in, save};

#[tokio::test]
async fn orders_and_times_are_told_of_sources_that_were_handed_in() {
    both(async |story| {
        let settings = Settings {
            overlap: 2,
            ..Settings::default()
        };
        let texts: &[&[&str]] = &[&["One.", "Two."], &["Three.", "Four."]];
        let ground = ground(story, &settings, SourcePurpose::Main, texts).await;
        let (study, store) = (ground.study, &story.store);
        let (one, two) = (
            annotator(story, study, "one").await,
            annotator(story, study, "two").await,
        );
        let first = ground.given(story, one, NOW).await;
        let order: Vec<_> = ground.outputs[0].iter().rev().copied().collect();
        let set = change(Slot::Order, Answer::Order(Some(order.clone())));
        save(story, one, first, &[set]).await;
        let spent = [(Step::Categorise, 2_000), (Step::Rate, 5_000)];
        for tab in [1, 2].map(Uuid::from_u128) {
            let later = NOW + MINUTE;
            let saved = store.save_activity(one, first, tab, &spent, later).await;
            assert!(saved.unwrap().is_some());
        }
        // As long as the source is in work it says nothing.
        assert!(store.orders(study, Part::Whole).await.unwrap().is_empty());
        assert!(
            store
                .active_times(study, Part::Whole)
                .await
                .unwrap()
                .is_empty()
        );
        hand_in(story, one, first, |_| 50).await;

        let taken_back = ground.given(story, two, NOW).await;
        let set = change(Slot::Order, Answer::Order(None));
        save(story, two, taken_back, &[set]).await;
        hand_in(story, two, taken_back, |_| 50).await;

        let orders = store.orders(study, Part::Whole).await.unwrap();
        let raters = store.raters(study).await.unwrap();
        assert_eq!(orders.len(), 1);
        assert_eq!(orders[0].order, order);
        assert_eq!(
            (orders[0].rater, orders[0].source),
            (raters[0].id, ground.sources[0])
        );
        let times = store.active_times(study, Part::Whole).await.unwrap();
        let times: Vec<_> = times.iter().map(|t| (t.rater, t.active_ms)).collect();
        assert_eq!(times, [(raters[0].id, 14_000)]);

        store.withdraw(study, one, NOW).await.unwrap();
        assert!(store.orders(study, Part::Whole).await.unwrap().is_empty());
        assert!(
            store
                .active_times(study, Part::Whole)
                .await
                .unwrap()
                .is_empty()
        );
    })
    .await;
}
