use domain::{
    category::Category,
    ids::{ImportId, OutputId, RaterId, StudyId},
    score::RatingScale,
    study::{RaterKind, SourcePurpose, StudySettings, SystemKind},
    work::change::AnnotationAnswer,
};
use store::{
    DatabaseEngine, Error, Store,
    import::{ImportCounts, NewOutput, NewRating, StudyImport, VerbatimRating},
    rating_rows::RatingScope,
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both};

use crate::study_fixture::{
    add_annotator, automatic_results, begin_import, create_study, create_study_with, rating_change,
    save_changes,
};

fn output(import: &mut StudyImport, key: &str, system: &str, text: &str) -> (OutputId, bool) {
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
        .output(&new, || automatic_results(Category::Deletion))
        .unwrap()
}

fn rating(rater: RaterId, output: OutputId, value: f64, text: &str) -> NewRating<'static> {
    NewRating {
        shared: false,
        recorded_at: None,
        rater,
        output,
        dimension: "overall",
        scale: RatingScale::PERCENT,
        value,
        verbatim: VerbatimRating {
            value: text.to_owned(),
            z: Some("0.5".to_owned()),
            column: None,
        },
    }
}

/// A file with two systems, two raters, a reference and a category by hand.
async fn bring(story: &TestDatabase, study: StudyId) -> ImportCounts {
    let mut import = begin_import(story, study).await;
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

    let split = AnnotationAnswer::Category(Some(Category::Split));
    import.answer(second, b, &split).unwrap();
    import.commit().await.unwrap()
}

#[tokio::test]
async fn postgres_counts_its_rows_before_a_large_import_is_seen() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let mut import = begin_import(story, study).await;
        for number in 0..1_000 {
            let system = format!("system {number}");
            output(&mut import, "0", &system, &format!("Text {number}."));
        }
        import.commit().await.unwrap();

        let rows = match story.store.engine() {
            DatabaseEngine::Postgres => {
                let counted =
                    "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE relname = 'stored_output'
                    AND relnamespace = current_schema()::regnamespace";
                story.query_rows(counted).await
            }
            DatabaseEngine::Sqlite => story.query_rows("SELECT COUNT(*) FROM stored_output").await,
        };
        assert_eq!(rows, [["1000"]]);
    })
    .await;
}

#[tokio::test]
async fn importing_twice_changes_nothing() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let counts = bring(story, study).await;
        let expect = ImportCounts {
            sources: 1,
            references: 3,
            contexts: 0,
            systems: 2,
            outputs: 2,
            raters: 2,
            answers: 4,
        };
        assert_eq!(counts, expect);
        let newest = story.store.newest_event(study).await.unwrap();
        let events = story.events_after(study, 1).await;
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].kind.name(), "import");

        assert_eq!(bring(story, study).await, ImportCounts::default());
        assert_eq!(story.store.newest_event(study).await.unwrap(), newest);
    })
    .await;
}

#[tokio::test]
async fn shared_ratings_of_an_import_are_no_ratings_of_their_own() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let bring = async || {
            let mut import = begin_import(story, study).await;
            let (first, _) = output(&mut import, "0", "one", "Short.");
            let (twin, _) = output(&mut import, "0", "two", "Short.");
            let rater = import.rater("rater 1", RaterKind::Imported).unwrap();
            let own = NewRating {
                recorded_at: Some(NOW - MINUTE),
                ..rating(rater, first, 40.0, "40")
            };
            import.rating(own).unwrap();
            let shared = NewRating {
                shared: true,
                // A time in the future counts as that of the import.
                recorded_at: Some(i64::MAX),
                ..rating(rater, twin, 40.0, "40")
            };
            import.rating(shared).unwrap();
            import.commit().await.unwrap()
        };
        assert_eq!(bring().await.answers, 2);
        assert_eq!(bring().await, ImportCounts::default());

        let ratings = story.store.ratings(study, RatingScope::HandedIn).await;
        let ratings = ratings.unwrap();
        let shared: Vec<_> = ratings.iter().map(|row| row.shared).collect();
        assert_eq!(shared, [false, true]);
        assert_eq!(ratings[0].recorded_at, NOW - MINUTE);
        assert!(ratings[1].recorded_at < i64::MAX);

        let counted = story.store.count_ratings(study, "overall").await;
        assert_eq!(counted.unwrap(), 1);
        let export = story.store.begin_export(study, RatingScope::HandedIn).await;
        let page = export.unwrap().next_page(10).await.unwrap();
        let exported = page.iter().flat_map(|output| &output.ratings);
        let exported: Vec<_> = exported.map(|rating| rating.shared).collect();
        assert_eq!(exported, [false, true]);
    })
    .await;
}

#[tokio::test]
async fn an_import_rolled_back_or_dropped_leaves_nothing() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let mut rolled_back = begin_import(story, study).await;
        output(&mut rolled_back, "0", "one", "Short.");
        rolled_back.flush().await.unwrap();
        rolled_back.rollback().await.unwrap();
        let mut dropped = begin_import(story, study).await;
        output(&mut dropped, "0", "one", "Short.");
        dropped.flush().await.unwrap();
        drop(dropped);
        let mut third = begin_import(story, study).await;
        assert!(output(&mut third, "0", "one", "Short.").1);
        assert_eq!(third.counts().sources, 1);
    })
    .await;
}

#[tokio::test]
async fn a_refused_row_says_why_and_the_import_goes_on() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        bring(story, study).await;
        let mut import = begin_import(story, study).await;
        let sentence = |error: Error| match error {
            Error::Refused(sentence) => sentence,
            other => panic!("{other:?}"),
        };
        let check = |error, expect: &str| {
            let message = sentence(error);
            assert!(message.contains(expect), "{message}");
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
        let other = NewOutput::new(source, system, "Another text.");
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
        let error = import.answer(rater, a, &AnnotationAnswer::Order(None));
        check(error.unwrap_err(), "order cannot be imported");
        assert_eq!(import.counts(), ImportCounts::default());

        output(&mut import, "1", "one", "It goes on.");
        assert_eq!(import.commit().await.unwrap().outputs, 1);
    })
    .await;
}

#[tokio::test]
async fn a_source_without_a_key_is_known_by_its_text() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let main = SourcePurpose::Main;
        let mut first = begin_import(story, study).await;
        // The number that the second source would get is taken.
        let keyed = first.source(Some("2"), "One.", main).unwrap();
        let other = first.source(None, "Two.", main).unwrap();
        assert_ne!(keyed, other);
        assert_eq!(first.source(None, "One.", main).unwrap(), keyed);
        assert_eq!(first.source(Some("3"), "Two.", main).unwrap(), other);
        first.commit().await.unwrap();
        let mut second = begin_import(story, study).await;
        assert_eq!(second.source(None, "Two.", main).unwrap(), other);
    })
    .await;
}

#[tokio::test]
async fn a_closed_study_takes_no_import() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        story.store.close_study(study, NOW).await.unwrap();
        let error = story.store.begin_import(study, NOW, fresh_id).await.err();
        assert!(matches!(error, Some(Error::Refused(_))), "{error:?}");
    })
    .await;
}

/// As many rows as simpeval_past has: several statements each, and fast also in a dev build.
#[tokio::test]
async fn two_thousand_outputs_with_five_raters() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let mut import = begin_import(story, study).await;
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

/// Everything of a study that a page or an export shows, as far as an import changes it.
async fn seen(store: &Store, study: StudyId) -> String {
    let sources = store.sources(study).await.unwrap();
    let mut text = format!("{sources:?} {:?}", store.systems(study).await.unwrap());
    for source in &sources {
        let outputs = store.source_outputs(source.id).await.unwrap();
        let answers = store.source_answers(source.id).await.unwrap();
        let references = store.references(source.id).await.unwrap();
        text += &format!("{outputs:?} {answers:?} {references:?}");
    }
    let mut export = store
        .begin_export(study, RatingScope::IncludingOpen)
        .await
        .unwrap();
    let raters = format!("{:?}", export.raters);
    text += &format!("{raters} {:?}", export.ratings().await.unwrap());
    text + &format!("{:?}", export.next_page(1_000).await.unwrap())
}

/// The number of rows of each table that imports write to.
async fn stored(story: &TestDatabase) -> String {
    let mut counts = vec![];
    for table in [
        "source",
        "reference",
        "system",
        "output",
        "rater",
        "annotation",
    ] {
        let rows = story
            .query_rows(&format!("SELECT COUNT(*) FROM stored_{table}"))
            .await;
        counts.push(rows[0][0].clone());
    }
    counts.join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_an_import_or_sees_half_of_it() {
    on_both(async |story| {
        let main = SourcePurpose::Main;
        let ground = create_study_with(
            story,
            &StudySettings::default(),
            main,
            &[&["One."], &["Two."]],
        )
        .await;
        let person = add_annotator(story, ground.study, "an annotator").await;
        let work = ground.expect_assignment(story, person, NOW).await;
        let before = seen(&story.store, ground.study).await;
        let newest = story.store.newest_event(ground.study).await.unwrap();

        // A source of its own, one more output, a reference and a rating of a source that is there.
        let mut import = begin_import(story, ground.study).await;
        let (own, _) = output(&mut import, "own", "system 9", "Own.");
        import
            .references(ground.sources[0], &["A reference."])
            .unwrap();
        let system = import.system("system 9", None).unwrap();
        let new = NewOutput::new(ground.sources[1], system, "One more.");
        let make = || automatic_results(Category::Split);
        let (more, _) = import.output(&new, make).unwrap();
        let rater = import.rater("rater 1", RaterKind::Imported).unwrap();
        for output in [own, more, ground.outputs[0][0]] {
            import.rating(rating(rater, output, 5.0, "5")).unwrap();
        }
        import.flush().await.unwrap();

        assert_ne!(stored(story).await, "2 0 1 2 1 0");
        let other = story.another_store().await;
        for store in [&story.store, &other] {
            assert_eq!(seen(store, ground.study).await, before);
            assert_eq!(store.newest_event(ground.study).await.unwrap(), newest);
            let second = store.begin_import(ground.study, NOW, fresh_id).await.err();
            assert!(matches!(second, Some(Error::ImportUnderWay)), "{second:?}");
        }

        // Annotators continue, in this study and in another one.
        let task = story.store.task(person, work).await.unwrap().unwrap();
        save_changes(
            story,
            person,
            work,
            &[rating_change(task.items[0].output, 40)],
        )
        .await;
        story.add_study("another", None).await;

        import.commit().await.unwrap();
        let after = seen(&other, ground.study).await;
        assert_ne!(after, before);
        for new in ["Own.", "One more.", "A reference.", "rater 1", "system 9"] {
            assert!(after.contains(new), "{new} is not in {after}");
        }
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn what_a_process_leaves_behind_that_dies_is_deleted() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let other = story.another_store().await;
        let mut dying = other.begin_import(study, NOW, fresh_id).await.unwrap();
        let (a, _) = output(&mut dying, "0", "one", "Same.");
        output(&mut dying, "0", "two", "Same.");
        let source = dying
            .source(Some("0"), "What was simplified.", SourcePurpose::Main)
            .unwrap();
        dying.references(source, &["A reference."]).unwrap();

        let rater = dying.rater("rater 1", RaterKind::Imported).unwrap();
        dying.rating(rating(rater, a, 5.0, "5")).unwrap();
        dying.flush().await.unwrap();
        assert_eq!(stored(story).await, "1 1 2 2 1 1");
        drop(dying);
        other.close().await;

        let early = story
            .store
            .begin_import(study, NOW + MINUTE, fresh_id)
            .await;
        assert!(matches!(early.err(), Some(Error::ImportUnderWay)));
        assert_eq!(story.store.clear_imports(NOW + MINUTE).await.unwrap(), 0);
        let late = NOW + 3 * MINUTE;
        assert_eq!(story.store.clear_imports(late).await.unwrap(), 1);
        assert_eq!(stored(story).await, "0 0 0 0 0 0");
        assert_eq!(story.query_rows("SELECT id FROM import").await.len(), 0);
        let counts = bring(story, study).await;
        assert_eq!((counts.sources, counts.outputs), (1, 2));
    })
    .await;
}

#[tokio::test]
async fn rows_are_sent_once_they_fill_a_transaction() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let mut import = begin_import(story, study).await;
        // The system, 299 sources and their outputs.
        for number in 0..299 {
            output(&mut import, &number.to_string(), "one", "Short.");
        }
        import.flush_full().await.unwrap();
        assert_eq!(stored(story).await, "0 0 0 0 0 0");
        output(&mut import, "299", "one", "Short.");
        import.flush_full().await.unwrap();
        assert_eq!(stored(story).await, "300 0 1 299 0 0");
        import.commit().await.unwrap();
        assert_eq!(stored(story).await, "300 0 1 300 0 0");
    })
    .await;
}

#[tokio::test]
async fn an_import_that_sends_nothing_is_not_taken_for_dead() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let other = story.another_store().await;
        let mut slow = other.begin_import(study, NOW, fresh_id).await.unwrap();
        output(&mut slow, "0", "one", "Short.");
        slow.renew(NOW + MINUTE);
        slow.flush_full().await.unwrap();
        assert_eq!(stored(story).await, "0 0 0 0 0 0");
        let later = NOW + 2 * MINUTE + MINUTE / 2;
        assert_eq!(story.store.clear_imports(later).await.unwrap(), 0);
        assert_eq!(slow.commit().await.unwrap().outputs, 1);
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_import_that_was_taken_for_dead_cannot_end() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let other = story.another_store().await;
        let mut slow = other.begin_import(study, NOW, fresh_id).await.unwrap();
        output(&mut slow, "0", "one", "Short.");
        slow.flush().await.unwrap();
        bring_at(story, study, NOW + 3 * MINUTE).await;
        output(&mut slow, "1", "one", "Short.");
        let error = slow.commit().await.unwrap_err();
        assert!(matches!(error, Error::Refused(_)), "{error:?}");
        let sources = story.store.sources(study).await.unwrap();
        let keys: Vec<_> = sources.iter().map(|source| source.key.as_str()).collect();
        assert_eq!(keys, ["late"]);
        other.close().await;
    })
    .await;
}

/// One source with one output.
async fn bring_at(story: &TestDatabase, study: StudyId, now_ms: i64) {
    let import = story.store.begin_import(study, now_ms, fresh_id).await;
    let mut import = import.unwrap();
    output(&mut import, "late", "one", "Short.");
    import.commit().await.unwrap();
}

/// The newest import of the study.
async fn newest(story: &TestDatabase, study: StudyId) -> ImportId {
    story.store.imports(study).await.unwrap()[0].id
}

#[tokio::test]
async fn an_import_is_taken_back_and_the_right_file_takes_its_place() {
    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        bring_at(story, study, NOW).await;
        let first = newest(story, study).await;
        let (before, rows) = (seen(&story.store, study).await, stored(story).await);
        let person = story.add_person("a lead").await;

        let wrong = story.store.begin_import(study, NOW + 1, fresh_id).await;
        let mut wrong = wrong.unwrap();
        wrong.describe(Some(person), &["wrong.csv".to_owned()]);
        let (late, _) = output(&mut wrong, "late", "one", "Short.");
        let (a, _) = output(&mut wrong, "0", "one", "Same.");
        output(&mut wrong, "0", "two", "Same.");
        let rater = wrong.rater("rater 1", RaterKind::Imported).unwrap();
        wrong.rating(rating(rater, a, 5.0, "5")).unwrap();
        wrong.rating(rating(rater, late, 6.0, "6")).unwrap();
        wrong.commit().await.unwrap();

        let entry = story.store.imports(study).await.unwrap().remove(0);
        assert_eq!(entry.names, ["wrong.csv"]);
        assert_eq!(entry.person.as_deref(), Some("a lead"));
        assert_eq!((entry.counts.outputs, entry.undone_at), (2, None));
        // The later one rated an output of the first.
        let error = story.store.undo_import(study, first, NOW + 2).await;
        let message = error.unwrap_err().to_string();
        assert!(message.contains("take that one back first"), "{message}");
        let elsewhere = story.add_study("elsewhere", None).await;
        let other = story.store.undo_import(elsewhere, entry.id, NOW + 2).await;
        assert!(!other.unwrap());

        let newest_event = story.store.newest_event(study).await.unwrap();
        assert!(
            story
                .store
                .undo_import(study, entry.id, NOW + 2)
                .await
                .unwrap()
        );
        assert_eq!(seen(&story.store, study).await, before);
        assert_eq!(stored(story).await, rows);
        let event = story.store.newest_event(study).await.unwrap();
        assert_eq!(event, newest_event.map(|number| number + 1));
        let entry = story.store.imports(study).await.unwrap().remove(0);
        assert_eq!(entry.undone_at, Some(NOW + 2));
        let twice = story.store.undo_import(study, entry.id, NOW + 3).await;
        assert!(twice.unwrap_err().to_string().contains("already"));

        assert_eq!(bring(story, study).await.outputs, 2);
        let mut imports = story.store.imports(study).await.unwrap().into_iter();
        let again = imports.find(|import| import.undone_at.is_none() && import.id != first);
        let undone = story.store.undo_import(study, again.unwrap().id, NOW);
        assert!(undone.await.unwrap());
        assert!(story.store.undo_import(study, first, NOW).await.unwrap());
        assert_eq!(stored(story).await, "0 0 0 0 0 0");
    })
    .await;
}

#[tokio::test]
async fn what_was_judged_or_is_with_somebody_cannot_be_taken_back() {
    on_both(async |story| {
        let main = SourcePurpose::Main;
        let mut ground =
            create_study_with(story, &StudySettings::default(), main, &[&["One."]]).await;
        let first = newest(story, ground.study).await;
        ground.add_sources(story, main, &[&["Two."]]).await;
        let second = newest(story, ground.study).await;
        assert_ne!(first, second);
        let person = add_annotator(story, ground.study, "an annotator").await;
        let work = ground.expect_assignment(story, person, NOW).await;
        let why = async |import| story.store.why_import_stays(import).await.unwrap();
        let open = story.store.task(person, work).await.unwrap().unwrap();
        let is_first = open.items[0].text == "One.";
        let (held, free) = if is_first {
            (first, second)
        } else {
            (second, first)
        };
        assert!(why(held).await.unwrap().contains("an annotator has it"));
        assert_eq!(why(free).await, None);

        // An answer remains a reason after the source was taken back, too.
        save_changes(
            story,
            person,
            work,
            &[rating_change(open.items[0].output, 7)],
        )
        .await;
        story.store.release(work, "a reason", NOW).await.unwrap();
        let error = story.store.undo_import(ground.study, held, NOW).await;
        assert!(error.unwrap_err().to_string().contains("judged already"));

        // A system of both imports stays with the other one.
        assert!(
            story
                .store
                .undo_import(ground.study, free, NOW)
                .await
                .unwrap()
        );
        let systems = story.store.systems(ground.study).await.unwrap();
        assert_eq!(systems.len(), 1);
        assert_eq!(systems[0].outputs, 1);
        assert_eq!(story.store.sources(ground.study).await.unwrap().len(), 1);
    })
    .await;
}
