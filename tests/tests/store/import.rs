use domain::{
    category::Category,
    ids::{OutputId, RaterId, StudyId},
    score::Scale,
    study::{RaterKind, Settings, SourcePurpose, SystemKind},
    work::change::Answer,
};
use store::{
    Error,
    import::{Counts, Import, NewOutput, NewRating, Verbatim},
};
use stories::{NOW, Story, both, fresh};

use crate::ground::{automatic, import, study};

fn output(import: &mut Import, key: &str, system: &str, text: &str) -> (OutputId, bool) {
    let source = import
        .source(Some(key), "What was simplified.", SourcePurpose::Main)
        .unwrap();
    let system = import.system(system, None).unwrap();
    let new = NewOutput {
        source,
        system,
        text,
        verbatim: Some(r#"{"id":"7"}"#),
        expected: None,
    };
    import
        .output(&new, || automatic(Category::Deletion))
        .unwrap()
}

fn rating(rater: RaterId, output: OutputId, value: f64, text: &str) -> NewRating<'static> {
    NewRating {
        rater,
        output,
        dimension: "overall",
        scale: Scale::PERCENT,
        value,
        verbatim: Verbatim {
            value: text.to_owned(),
            z: Some("0.5".to_owned()),
            column: None,
        },
    }
}

/// A file with two systems, two raters, a reference and a category by hand.
async fn bring(story: &Story, study: StudyId) -> Counts {
    let mut import = import(story, study).await;
    let (a, _) = output(&mut import, "0", "one", "Short.");
    let (b, _) = output(&mut import, "0", "two", "Shorter.");
    let source = import
        .source(Some("0"), "What was simplified.", SourcePurpose::Main)
        .unwrap();
    import
        .references(source, &["Same.", "Same.", "Other."])
        .unwrap();
    let first = import.rater("rater 1", RaterKind::Imported).unwrap();
    let second = import.rater("rater 2", RaterKind::Imported).unwrap();
    import.rating(rating(first, a, 100.0, "100.0")).unwrap();
    import.flush().await.unwrap();
    import.rating(rating(second, a, 33.5, "33.5")).unwrap();
    import.rating(rating(second, b, 0.0, "0")).unwrap();
    let split = Answer::Category(Some(Category::Split));
    import.answer(second, b, &split).unwrap();
    import.commit().await.unwrap()
}

#[tokio::test]
async fn importing_twice_changes_nothing() {
    both(async |story| {
        let study = study(story, &Settings::default()).await;
        let counts = bring(story, study).await;
        let expect = Counts {
            sources: 1,
            references: 3,
            systems: 2,
            outputs: 2,
            raters: 2,
            answers: 4,
        };
        assert_eq!(counts, expect);
        let newest = story.store.newest_event(study).await.unwrap();
        let events = story.store.events_after(study, 1, 10).await.unwrap();
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].kind, "import");

        assert_eq!(bring(story, study).await, Counts::default());
        assert_eq!(story.store.newest_event(study).await.unwrap(), newest);
    })
    .await;
}

#[tokio::test]
async fn an_import_rolled_back_or_dropped_leaves_nothing() {
    both(async |story| {
        let study = study(story, &Settings::default()).await;
        let mut rolled_back = import(story, study).await;
        output(&mut rolled_back, "0", "one", "Short.");
        rolled_back.flush().await.unwrap();
        rolled_back.rollback().await.unwrap();
        let mut dropped = import(story, study).await;
        output(&mut dropped, "0", "one", "Short.");
        dropped.flush().await.unwrap();
        drop(dropped);
        let mut third = import(story, study).await;
        assert!(output(&mut third, "0", "one", "Short.").1);
        assert_eq!(third.counts().sources, 1);
    })
    .await;
}

#[tokio::test]
async fn a_refused_row_says_why_and_the_import_goes_on() {
    both(async |story| {
        let study = study(story, &Settings::default()).await;
        bring(story, study).await;
        let mut import = import(story, study).await;
        let sentence = |error: Error| match error {
            Error::Refused(sentence) => sentence,
            other => panic!("{other:?}"),
        };
        let check = |error, expect: &str| {
            let said = sentence(error);
            assert!(said.contains(expect), "{said}");
        };
        let main = SourcePurpose::Main;
        let error = import.source(Some("0"), "Something else.", main);
        check(error.unwrap_err(), "“0” is there with another text");
        let error = import.source(Some("0"), "What was simplified.", SourcePurpose::Tutorial);
        check(error.unwrap_err(), "another purpose (main)");
        check(import.source(Some("1"), "A\0B", main).unwrap_err(), "NUL");
        let source = import
            .source(Some("0"), "What was simplified.", main)
            .unwrap();
        let system = import.system("one", Some(SystemKind::Human)).unwrap();
        let other = NewOutput {
            source,
            system,
            text: "Another text.",
            verbatim: None,
            expected: None,
        };
        let error = import.output(&other, || panic!("it is refused before"));
        check(error.unwrap_err(), "another output for this source");
        let (a, new) = output(&mut import, "0", "one", "Short.");
        assert!(!new);
        let rater = import.rater("rater 1", RaterKind::Imported).unwrap();
        let error = import.rating(rating(rater, a, 99.0, "99"));
        check(
            error.unwrap_err(),
            "gave this output 100 before, and here 99",
        );
        let error = import.rating(rating(rater, a, 101.0, "101"));
        check(error.unwrap_err(), "outside the scale from 0 to 100");
        let error = import.rater("rater 1", RaterKind::Simulated);
        check(error.unwrap_err(), "of another kind (imported)");
        let error = import.answer(rater, a, &Answer::Order(None));
        check(error.unwrap_err(), "order cannot be imported");
        assert_eq!(import.counts(), Counts::default());

        output(&mut import, "1", "one", "It goes on.");
        assert_eq!(import.commit().await.unwrap().outputs, 1);
    })
    .await;
}

#[tokio::test]
async fn a_source_without_a_key_is_known_by_its_text() {
    both(async |story| {
        let study = study(story, &Settings::default()).await;
        let main = SourcePurpose::Main;
        let mut first = import(story, study).await;
        // The number that the second source would get is taken.
        let keyed = first.source(Some("2"), "One.", main).unwrap();
        let other = first.source(None, "Two.", main).unwrap();
        assert_ne!(keyed, other);
        assert_eq!(first.source(None, "One.", main).unwrap(), keyed);
        assert_eq!(first.source(Some("3"), "Two.", main).unwrap(), other);
        first.commit().await.unwrap();
        let mut second = import(story, study).await;
        assert_eq!(second.source(None, "Two.", main).unwrap(), other);
    })
    .await;
}

#[tokio::test]
async fn a_closed_study_takes_no_import() {
    both(async |story| {
        let study = study(story, &Settings::default()).await;
        story.store.close_study(study, NOW).await.unwrap();
        let error = story.store.begin_import(study, NOW, fresh).await.err();
        assert!(matches!(error, Some(Error::Refused(_))), "{error:?}");
    })
    .await;
}

/// As many rows as simpeval_past has: several statements each, and fast also in a dev build.
#[tokio::test]
async fn two_thousand_outputs_with_five_raters() {
    both(async |story| {
        let study = study(story, &Settings::default()).await;
        let mut import = import(story, study).await;
        let raters: Vec<_> = (1..=5)
            .map(|n| import.rater(&format!("rater {n}"), RaterKind::Imported))
            .collect::<Result<_, _>>()
            .unwrap();
        for row in 0..2_400_u32 {
            let (key, system) = (row / 24, row % 24);
            let text = format!("Output {} of source {key}.", system / 2);
            let (id, _) = output(&mut import, &key.to_string(), &format!("s{system}"), &text);
            for (n, rater) in raters.iter().enumerate() {
                let value = f64::from(row % 101) + 0.1 * n as f64;
                let value = value.min(100.0);
                import
                    .rating(rating(*rater, id, value, &value.to_string()))
                    .unwrap();
            }
        }
        // Spawned, as a server does it.
        let counts = tokio::spawn(import.commit()).await.unwrap().unwrap();
        assert_eq!((counts.outputs, counts.answers), (2_400, 12_000));
    })
    .await;
}
