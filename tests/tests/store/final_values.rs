//! Final values supersede each other, are stored next to the ratings, and make training items.

use domain::{
    category::Category,
    ids::{FinalValueId, OutputId, PersonId},
    source_context::SourceContext,
    study::{SourcePurpose, StudySettings},
    work::task::ExpectedAnswer,
};
use store::{
    erasure::AccountErasure,
    final_values::{FinalAnswer, FinalValue, NewFinalValue},
    gold_items::NewGoldItem,
    rating_rows::RatingScope,
};
use stories::{NOW, TestDatabase, fresh_id, on_both};

use crate::study_fixture::{StoreFixture, add_annotator, begin_import, create_study_with, hand_in};

const TEXTS: &[&[&str]] = &[&["One.", "Same.", "Same.", "Four."]];

/// A study with one submitted source, and its lead.
async fn judged(story: &TestDatabase) -> (StoreFixture, PersonId) {
    let settings = StudySettings::default();
    let ground = create_study_with(story, &settings, SourcePurpose::Main, TEXTS).await;
    let person = add_annotator(story, ground.study, "the annotator").await;
    let assignment = ground.expect_assignment(story, person, NOW).await;
    hand_in(story, person, assignment, |_| 40).await;
    (ground, story.add_person("Lea").await)
}

fn decision(lead: PersonId, output: OutputId, value: Option<f64>) -> NewFinalValue<'static> {
    NewFinalValue {
        ids: [FinalValueId(fresh_id()), FinalValueId(fresh_id())],
        output,
        dimension: "overall",
        value,
        category: None,
        reason: "A word is lost.",
        decided_by: lead,
    }
}

async fn decided(story: &TestDatabase, ground: &StoreFixture) -> Vec<FinalValue> {
    story.store.final_values(ground.study).await.unwrap()
}

#[tokio::test]
async fn a_final_value_supersedes_the_one_before_it_and_can_be_removed() {
    on_both(async |story| {
        let (ground, lead) = judged(story).await;
        let (store, study) = (&story.store, ground.study);
        let output = ground.outputs[0][0];
        let record = async |new| store.record_final_value(study, new, NOW).await.unwrap();
        let nothing = decision(lead, output, None);
        assert_eq!(
            record(nothing).await,
            Some(false),
            "there is none to remove"
        );
        let ratings = store.ratings(study, RatingScope::HandedIn).await.unwrap();

        assert_eq!(record(decision(lead, output, Some(62.5))).await, Some(true));
        assert_eq!(
            record(decision(lead, output, Some(62.5))).await,
            Some(false)
        );
        let expected = FinalValue {
            output,
            answer: FinalAnswer::Value("overall".into(), 62.5),
            reason: "A word is lost.".into(),
            decided_by: Some("Lea".into()),
            decided_at: NOW,
        };
        assert_eq!(decided(story, &ground).await, [expected]);
        let with_category = NewFinalValue {
            category: Some(Category::Split),
            ..decision(lead, output, Some(70.0))
        };
        assert_eq!(record(with_category).await, Some(true));
        let answers: Vec<_> = decided(story, &ground).await;
        let answers: Vec<_> = answers.into_iter().map(|decided| decided.answer).collect();
        let value = FinalAnswer::Value("overall".into(), 70.0);
        assert_eq!(answers, [FinalAnswer::Category(Category::Split), value]);

        assert_eq!(record(decision(lead, output, None)).await, Some(true));
        assert_eq!(decided(story, &ground).await, []);
        let rows = story.query_rows("SELECT id FROM final_value").await;
        assert_eq!(rows.len(), 2 + 1 + 2, "nothing was overwritten");
        let after = store.ratings(study, RatingScope::HandedIn).await.unwrap();
        assert_eq!(after, ratings);

        // Leads still decide in a closed study, but not in another one.
        store.close_study(study, NOW).await.unwrap();
        assert_eq!(record(decision(lead, output, Some(1.0))).await, Some(true));
        let elsewhere = story.add_study("elsewhere", None).await;
        let foreign = decision(lead, output, Some(2.0));
        let foreign = store.record_final_value(elsewhere, foreign, NOW).await;
        assert_eq!(foreign.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn identical_outputs_share_a_final_value_and_exports_have_it() {
    on_both(async |story| {
        let (ground, lead) = judged(story).await;
        let (store, study) = (&story.store, ground.study);
        let (first, twin) = (ground.outputs[0][1], ground.outputs[0][2]);
        let new = decision(lead, twin, Some(62.5));
        store.record_final_value(study, new, NOW).await.unwrap();
        assert_eq!(decided(story, &ground).await[0].output, first);

        let mut export = store
            .begin_export(study, RatingScope::HandedIn)
            .await
            .unwrap();
        let page = tokio::spawn(async move { export.next_page(50).await });
        let page = page.await.unwrap().unwrap();
        let values: Vec<_> = page
            .iter()
            .map(|output| output.final_values.iter().map(|decided| decided.value))
            .map(Iterator::collect::<Vec<_>>)
            .collect();
        assert_eq!(values, [vec![], vec![62.5], vec![62.5], vec![]]);
        assert!(page.iter().all(|output| output.final_category.is_none()));
    })
    .await;
}

#[tokio::test]
async fn final_values_become_the_expected_answers_of_a_copy() {
    on_both(async |story| {
        let (ground, lead) = judged(story).await;
        let (store, study) = (&story.store, ground.study);
        let all = &ground.outputs[0];
        let item = |purpose| NewGoldItem {
            output: all[3],
            purpose,
            tolerance: 8,
        };
        let make = async |purpose| {
            let made = store.make_gold_item(study, item(purpose), fresh_id, NOW);
            made.await.unwrap()
        };

        assert_eq!(
            make(SourcePurpose::Training).await,
            None,
            "nothing is decided"
        );

        let category = NewFinalValue {
            category: Some(Category::Deletion),
            ..decision(lead, all[2], None)
        };
        for new in [decision(lead, all[0], Some(62.5)), category] {
            store.record_final_value(study, new, NOW).await.unwrap();
        }

        let mut import = begin_import(story, study).await;
        let around = SourceContext {
            before: "It rained.".into(),
            after: String::new(),
        };
        import.context(ground.sources[0], &around).unwrap();
        import.commit().await.unwrap();

        let made = make(SourcePurpose::Training).await.expect("an item");
        assert_eq!(store.source_context(made).await.unwrap(), around);
        let again = make(SourcePurpose::Training).await.expect("another item");
        let sources = store.sources(study).await.unwrap();
        let named = |id| sources.iter().find(|source| source.id == id).unwrap();
        assert_eq!(named(made).key, "main 0 (training)");
        assert_eq!(named(again).key, "main 0 (training 2)");
        assert_eq!(named(made).purpose, SourcePurpose::Training);
        assert_eq!(named(made).text, named(ground.sources[0]).text);

        let outputs = store.source_outputs(made).await.unwrap();
        let expected = |category, rating| {
            Some(ExpectedAnswer {
                category,
                rating,
                tolerance: 8,
                explanation: "A word is lost.".into(),
                ..ExpectedAnswer::default()
            })
        };
        let answers: Vec<_> = outputs
            .iter()
            .map(|output| (output.text.as_str(), output.expected.clone()))
            .collect();
        assert_eq!(
            answers,
            [
                ("One.", expected(None, Some(63))),
                ("Same.", expected(Some(Category::Deletion), None)),
            ]
        );

        // The source itself stays as it was.
        assert_eq!(named(ground.sources[0]).purpose, SourcePurpose::Main);
        let ratings = store.ratings(study, RatingScope::HandedIn).await.unwrap();
        assert_eq!(ratings.len(), 4);
    })
    .await;
}

#[tokio::test]
async fn an_erased_lead_leaves_final_values_without_a_name() {
    on_both(async |story| {
        let (ground, lead) = judged(story).await;
        let (store, study) = (&story.store, ground.study);
        let other = story.add_person("Ole").await;
        for person in [lead, other] {
            let role = domain::study::Role::Lead;
            store.add_member(study, person, role, NOW).await.unwrap();
        }

        let new = decision(lead, ground.outputs[0][0], Some(62.5));
        store.record_final_value(study, new, NOW).await.unwrap();
        let also = AccountErasure {
            comments: true,
            ratings: false,
        };

        assert!(store.erase_person(lead, also, NOW).await.unwrap());
        let left = &decided(story, &ground).await[0];
        assert_eq!(
            (left.decided_by.as_deref(), left.reason.as_str()),
            (None, "")
        );
        assert_eq!(left.answer, FinalAnswer::Value("overall".into(), 62.5));
    })
    .await;
}
