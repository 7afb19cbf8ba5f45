use domain::{
    category::Category,
    ids::{OutputId, SourceId},
    study::{OutputPurpose, QualityControl, SourcePurpose, StudySettings},
};
use sqlx::{Row, any::AnyRow};
use store::rating_rows::{RatingScope, StudyPart};
use stories::{NOW, TestDatabase, fresh_id, on_both};

use crate::study_fixture::{
    StoreFixture, add_annotator, automatic_results, create_study_with, hand_in,
};

fn all_kinds(every: u32) -> StudySettings {
    StudySettings {
        quality_control: QualityControl {
            copy_every: every,
            scrambled_every: every,
            repeated_every: every,
            ..QualityControl::default()
        },
        ..StudySettings::default()
    }
}

pub(crate) async fn add(story: &TestDatabase, ground: &StoreFixture, seed: u64) -> u32 {
    let result = story
        .store
        .add_quality_control(ground.study, seed, NOW, fresh_id, |_, _| {
            automatic_results(Category::Paraphrase)
        })
        .await;
    result.unwrap()
}

/// The items of a source that are no outputs of systems, in the order in which they were made.
async fn items(story: &TestDatabase, source: SourceId) -> Vec<(OutputId, OutputPurpose, String)> {
    let rows = sqlx::query(
        "SELECT id, purpose, text FROM output
         WHERE source_id = $1 AND purpose <> 'main' ORDER BY position",
    )
    .bind(source.to_string())
    .fetch_all(&mut story.connection().await)
    .await
    .unwrap();
    let column = |row: &AnyRow, name: &str| row.get::<String, _>(name);
    rows.iter()
        .map(|row| {
            (
                column(row, "id").parse().unwrap(),
                column(row, "purpose").parse().unwrap(),
                column(row, "text"),
            )
        })
        .collect()
}

/// Of each source the kinds of its items that are no outputs of systems.
async fn kinds(story: &TestDatabase, ground: &StoreFixture) -> Vec<Vec<OutputPurpose>> {
    let mut kinds = vec![];
    for source in &ground.sources {
        let items = items(story, *source).await;
        kinds.push(items.into_iter().map(|item| item.1).collect());
    }
    kinds
}

#[tokio::test]
async fn one_source_in_n_gets_an_item_and_only_once() {
    on_both(async |story| {
        let texts = [&["One of them is here.", "Another."][..]; 12];
        let ground = create_study_with(story, &all_kinds(4), SourcePurpose::Main, &texts).await;
        assert_eq!(add(story, &ground, 1).await, 9);
        let source_kinds = kinds(story, &ground).await;
        for block in source_kinds.chunks(4) {
            let mut kinds: Vec<_> = block.concat();
            kinds.sort_unstable();
            let expect = [
                OutputPurpose::Copy,
                OutputPurpose::Scrambled,
                OutputPurpose::Repeated,
            ];
            assert_eq!(kinds, expect);
        }
        let newest = story.store.newest_event(ground.study).await.unwrap();
        assert_eq!(add(story, &ground, 2).await, 0);
        assert_eq!(
            story.store.newest_event(ground.study).await.unwrap(),
            newest
        );
        assert_eq!(kinds(story, &ground).await, source_kinds);
    })
    .await;
}

#[tokio::test]
async fn a_source_that_somebody_was_given_gets_no_item() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One of them is here."]];
        let ground = create_study_with(story, &all_kinds(1), SourcePurpose::Main, texts).await;
        let person = add_annotator(story, ground.study, "one").await;
        ground.expect_assignment(story, person, NOW).await;
        assert_eq!(add(story, &ground, 1).await, 0);
    })
    .await;
}

#[tokio::test]
async fn items_tell_of_annotators_and_enter_no_figure() {
    on_both(async |story| {
        let text = "One of them is here.";
        let texts: &[&[&str]] = &[&[text]];
        let ground = create_study_with(story, &all_kinds(1), SourcePurpose::Main, texts).await;
        assert_eq!(add(story, &ground, 1).await, 3);
        let (study, store) = (ground.study, &story.store);
        let items = items(story, ground.sources[0]).await;
        let [copy, scrambled, repeated] = &items[..] else {
            panic!("an item of each kind");
        };
        assert_eq!(copy.2, "The source number 0.");
        assert_eq!(repeated.2, text);
        let scrambled = (scrambled.0, &scrambled.2);
        let sorted = |text: &str| {
            let mut words: Vec<_> = text
                .trim_end_matches('.')
                .split(' ')
                .map(str::to_owned)
                .collect();
            words.sort_unstable();
            words
        };
        assert_ne!(scrambled.1, text);
        assert_eq!(sorted(scrambled.1), sorted(text));

        let person = add_annotator(story, study, "one").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let task = store.task(person, assignment).await.unwrap().unwrap();
        assert_eq!(task.items.len(), 4);
        let main = ground.outputs[0][0];
        let scrambled = scrambled.0;
        let score = |output| match output {
            o if o == main => 80,
            o if o == scrambled => 5,
            _ => 78,
        };
        hand_in(story, person, assignment, score).await;
        let ratings = store
            .ratings(study, RatingScope::IncludingOpen)
            .await
            .unwrap();
        assert_eq!(ratings.iter().map(|r| r.output).collect::<Vec<_>>(), [main]);
        assert_eq!(store.categories(study).await.unwrap().len(), 1);
        let mut edits = 0;
        let count = |_| edits += 1;
        store
            .each_edits(study, StudyPart::Whole, count)
            .await
            .unwrap();
        assert_eq!(edits, 1);
        let mut export = store
            .begin_export(study, RatingScope::IncludingOpen)
            .await
            .unwrap();
        assert_eq!(export.next_page(10).await.unwrap().len(), 1);
        let overview = store.study_overview(study, 3).await.unwrap();
        assert_eq!((overview.outputs, overview.systems), (1, 1));
        assert_eq!(overview.handed_in_judgements, 1);

        let checks = store.quality_checks(study, StudyPart::Whole).await.unwrap();
        let actual: Vec<_> = checks
            .iter()
            .map(|c| (c.purpose, c.value, c.original))
            .collect();
        let expect = [
            (OutputPurpose::Copy, 78.0, None),
            (OutputPurpose::Scrambled, 5.0, Some(80.0)),
            (OutputPurpose::Repeated, 78.0, Some(80.0)),
        ];
        assert_eq!(actual, expect);
    })
    .await;
}
