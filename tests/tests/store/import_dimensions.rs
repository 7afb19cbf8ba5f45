//! The dimensions and the kinds of systems that an import brings.

use domain::{
    category::Category,
    dimensions::RatedRange,
    ids::OutputId,
    score::RatingScale,
    study::{Dimension, RaterKind, SourcePurpose, StudySettings, SystemKind},
};
use store::{
    Error, SystemFacts,
    figure_changes::FigureChanges,
    import::{NewOutput, NewRating, StudyImport, VerbatimRating},
};
use stories::{NOW, on_both};

use crate::study_fixture::{automatic_results, begin_import, create_study};

const FIVE: RatingScale = RatingScale { low: 1, high: 5 };

fn range(name: &str, stated: Option<RatingScale>, low: f64, high: f64) -> RatedRange {
    RatedRange {
        name: name.into(),
        stated,
        low,
        high,
        ratings: 2,
    }
}

fn dimension(name: &str, scale: RatingScale) -> Dimension {
    Dimension::new(name, scale)
}

/// Adds a source with one output.
fn add_output(import: &mut StudyImport, system: &str, kind: Option<SystemKind>) -> OutputId {
    let source = import.source(None, "A b.", SourcePurpose::Main).unwrap();
    let system = import.system(system, kind).unwrap();
    let new = NewOutput::new(source, system, "A.");
    let (output, _) = import
        .output(&new, || automatic_results(Category::Deletion))
        .unwrap();
    output
}

#[tokio::test]
async fn an_import_brings_its_dimensions_with_its_ratings_or_not_at_all() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let settings = async || story.store.study(study).await.unwrap().unwrap().settings;
        let file = [range("fluency", None, 1.0, 4.5)];
        let mut dropped = begin_import(story, study).await;
        dropped.dimensions(&file).await.unwrap();
        dropped.rollback().await.unwrap();
        assert_eq!(settings().await.dimensions, [Dimension::default()]);

        let before = story.store.newest_event(study).await.unwrap().unwrap();
        let mut import = begin_import(story, study).await;
        let plan = import.dimensions(&file).await.unwrap();
        assert_eq!(plan.created, [dimension("fluency", FIVE)]);
        let output = add_output(&mut import, "one", None);
        let rater = import.rater("w", RaterKind::Imported).unwrap();
        let rating = NewRating {
            shared: false,
            recorded_at: None,
            rater,
            output,
            dimension: "fluency",
            scale: plan.scales["fluency"],
            value: 4.5,
            verbatim: VerbatimRating {
                value: "4.50".into(),
                z: None,
                column: None,
            },
        };
        import.rating(rating).unwrap();
        import.commit().await.unwrap();

        assert_eq!(settings().await.dimensions, [dimension("fluency", FIVE)]);
        let changed = story.store.figure_changes_after(study, before).await;
        assert_eq!(changed.unwrap(), FigureChanges::Everything);
        let dimensions = story.store.rated_dimensions(study).await.unwrap();
        assert_eq!(dimensions, [dimension("fluency", FIVE)]);
        let ratings = story
            .store
            .ratings(study, store::rating_rows::RatingScope::HandedIn)
            .await;
        assert_eq!(ratings.unwrap()[0].value, 4.5);
    })
    .await;
}

#[tokio::test]
async fn a_study_that_lacks_the_dimensions_of_its_ratings_gets_them_by_importing_again() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let file = [range("meaning", Some(RatingScale::PERCENT), 3.0, 50.0)];
        let mut import = begin_import(story, study).await;
        import.dimensions(&file).await.unwrap();
        import.commit().await.unwrap();
        let stored_study = story.store.study(study).await.unwrap().unwrap();
        assert_eq!(
            stored_study.settings.dimensions,
            [dimension("meaning", RatingScale::PERCENT)]
        );
        assert_eq!(stored_study.events, 2);

        let mut again = crate::study_fixture::begin_import(story, study).await;
        assert!(again.dimensions(&file).await.unwrap().created.is_empty());
        again.commit().await.unwrap();
        assert_eq!(story.store.newest_event(study).await.unwrap(), Some(2));

        let mut clash = crate::study_fixture::begin_import(story, study).await;
        let error = clash
            .dimensions(&[range("meaning", Some(FIVE), 1.0, 2.0)])
            .await;
        let Err(Error::Refused(sentence)) = error else {
            panic!("{error:?}")
        };
        assert!(
            sentence.starts_with(
                "“meaning” is rated from 0 to 100 in this study and from 1 to 5 in the file"
            ),
            "{sentence}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_lead_says_what_systems_are_and_an_import_does_not_undo_it() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let bring = async |kind| {
            let mut import = begin_import(story, study).await;
            add_output(&mut import, "asset.test.simp", kind);
            import.commit().await.unwrap();
        };
        bring(Some(SystemKind::Human)).await;
        let systems = async || story.store.systems(study).await.unwrap();
        let system = systems().await[0].clone();
        assert_eq!(system.kind, SystemKind::Human);

        let facts = |kind| SystemFacts {
            kind,
            ..SystemFacts::from(&system)
        };
        let set = async |kind| {
            let facts = [facts(kind)];
            let changed = story.store.update_systems(study, &facts, NOW).await;
            changed.unwrap()
        };
        let before = story.store.newest_event(study).await.unwrap().unwrap();
        assert_eq!(set(SystemKind::Baseline).await, 1);
        // Pages that show figures hear of it, and read the systems again.
        let changed = story.store.figure_changes_after(study, before).await;
        assert_eq!(changed.unwrap(), FigureChanges::Everything);
        assert_eq!(set(SystemKind::Baseline).await, 0);
        assert_eq!(
            story.store.newest_event(study).await.unwrap(),
            Some(before + 1)
        );

        bring(Some(SystemKind::Human)).await;
        assert_eq!(systems().await[0].kind, SystemKind::Baseline);

        // Nobody changes another study's systems.
        let other = crate::study_fixture::create_study(story, &StudySettings::default()).await;
        let facts = [facts(SystemKind::Machine)];
        let changed = story
            .store
            .update_systems(other, &facts, NOW)
            .await
            .unwrap();
        assert_eq!(
            (changed, systems().await[0].kind),
            (0, SystemKind::Baseline)
        );
    })
    .await;
}
