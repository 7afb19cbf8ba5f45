use domain::{
    category::Category,
    ids::{OutputId, SourceId},
    study::{OutputPurpose, QualityControl, Settings, SourcePurpose},
};
use sqlx::{Row, any::AnyRow};
use store::ratings::{Part, Which};
use stories::{NOW, Story, both, fresh};

use crate::ground::{Ground, annotator, automatic, ground, hand_in};

fn all_kinds(every: u32) -> Settings {
    Settings {
        quality_control: QualityControl {
            copy_every: every,
            scrambled_every: every,
            repeated_every: every,
        },
        ..Settings::default()
    }
}

async fn add(story: &Story, ground: &Ground, seed: u64) -> u32 {
    let made = story
        .store
        .add_quality_control(ground.study, seed, NOW, fresh, |_, _| {
            automatic(Category::Paraphrase)
        })
        .await;
    made.unwrap()
}

/// The items of a source that are no outputs of systems, in the order in which they were made.
async fn items(story: &Story, source: SourceId) -> Vec<(OutputId, OutputPurpose, String)> {
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
async fn kinds(story: &Story, ground: &Ground) -> Vec<Vec<OutputPurpose>> {
    let mut kinds = vec![];
    for source in &ground.sources {
        let items = items(story, *source).await;
        kinds.push(items.into_iter().map(|item| item.1).collect());
    }
    kinds
}

#[tokio::test]
async fn one_source_in_so_many_gets_an_item_and_only_once() {
    both(async |story| {
        let texts = [&["One of them is here.", "Another."][..]; 12];
        let ground = ground(story, &all_kinds(4), SourcePurpose::Main, &texts).await;
        assert_eq!(add(story, &ground, 1).await, 9);
        let found = kinds(story, &ground).await;
        for block in found.chunks(4) {
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
        assert_eq!(kinds(story, &ground).await, found);
    })
    .await;
}

#[tokio::test]
async fn a_source_that_somebody_was_given_gets_no_item() {
    both(async |story| {
        let texts: &[&[&str]] = &[&["One of them is here."]];
        let ground = ground(story, &all_kinds(1), SourcePurpose::Main, texts).await;
        let person = annotator(story, ground.study, "one").await;
        ground.given(story, person, NOW).await;
        assert_eq!(add(story, &ground, 1).await, 0);
    })
    .await;
}

#[tokio::test]
async fn items_tell_of_annotators_and_enter_no_figure() {
    both(async |story| {
        let text = "One of them is here.";
        let texts: &[&[&str]] = &[&[text]];
        let ground = ground(story, &all_kinds(1), SourcePurpose::Main, texts).await;
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

        let person = annotator(story, study, "one").await;
        let assignment = ground.given(story, person, NOW).await;
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
        let rated = store.ratings(study, Which::WithInWork).await.unwrap();
        assert_eq!(rated.iter().map(|r| r.output).collect::<Vec<_>>(), [main]);
        assert_eq!(store.categories(study).await.unwrap().len(), 1);
        assert_eq!(store.edits(study, Part::Whole).await.unwrap().len(), 1);
        let mut export = store.export(study, Which::WithInWork).await.unwrap();
        assert_eq!(export.next_page(10).await.unwrap().len(), 1);
        let overview = store.overview(study, 3).await.unwrap();
        assert_eq!((overview.outputs, overview.systems), (1, 1));
        assert_eq!(overview.handed_in_ratings, 1);

        let checks = store.quality_checks(study, Part::Whole).await.unwrap();
        let found: Vec<_> = checks
            .iter()
            .map(|c| (c.purpose, c.value, c.original))
            .collect();
        let expect = [
            (OutputPurpose::Copy, 78.0, None),
            (OutputPurpose::Scrambled, 5.0, Some(80.0)),
            (OutputPurpose::Repeated, 78.0, Some(80.0)),
        ];
        assert_eq!(found, expect);
    })
    .await;
}
