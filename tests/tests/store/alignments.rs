use domain::{
    category::Category,
    edit::{Edit, EditKind, ops, validate::validate},
    ids::{ModelId, OutputId, PersonId, StudyId},
    protocol::{ProtocolStep, RateStep, StudyProtocol},
    span::Span,
    study::{RaterKind, SourcePurpose, StudySettings},
    text::{align::AlignerGrade, edits::EditsVersion},
    work::change::{AnnotationAnswer, AnnotationSlot, SaveOutcome},
};
use serde_json::json;
use store::{
    Store,
    alignments::{AVAILABLE_MS, HOLD_MS},
    assignments::{NextAssignment, UpcomingAssignment},
    import::{AutomaticAnswers, NewOutput},
    metrics::{ALIGNER_MODEL, NewModel},
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both};

use crate::study_fixture::{
    StoreFixture, add_annotator, automatic_results, begin_import, create_study, create_study_with,
    new_assignment, new_change,
};

/// The aligner version that the study's edits begin with.
const OLDER: &str = "story 1";

fn edits() -> Vec<Edit> {
    vec![Edit {
        kind: EditKind::Paraphrase,
        source: vec![Span::new(0, 3)],
        output: vec![Span::new(0, 1)],
        confidence: Some(0.25),
    }]
}

/// A study with a single output.
async fn create_study_with_output(story: &TestDatabase) -> StoreFixture {
    let settings = StudySettings::default();
    create_study_with(story, &settings, SourcePurpose::Main, &[&["A."]]).await
}

async fn to_align(story: &TestDatabase, ground: &StoreFixture) -> Vec<OutputId> {
    let outputs = story.store.outputs_to_align(ground.study, OLDER, 9).await;
    let mut outputs: Vec<_> = outputs
        .unwrap()
        .iter()
        .map(|output| output.output)
        .collect();
    outputs.sort_unstable();

    let count = story.store.count_to_align(ground.study, OLDER).await;
    assert_eq!(count.unwrap(), outputs.len() as u64);
    outputs
}

#[tokio::test]
async fn the_aligner_of_the_servers_is_the_best_of_those_that_ran_last() {
    on_both(async |story| {
        let store = &story.store;
        assert_eq!(store.server_aligner().await.unwrap(), None);

        let version = |grade, number| EditsVersion::new(grade, number);
        let reports = [
            (version(AlignerGrade::Encoder, 9), NOW),
            (version(AlignerGrade::Grid, 3), NOW + AVAILABLE_MS),
            (version(AlignerGrade::Grid, 2), NOW + AVAILABLE_MS + 1),
        ];
        for (version, at) in reports {
            store.report_aligner(version, at).await.unwrap();
        }

        let best = store.server_aligner().await.unwrap();
        assert_eq!(best, Some(version(AlignerGrade::Grid, 3)));
    })
    .await;
}

#[tokio::test]
async fn edits_are_recomputed_except_those_that_people_corrected_or_were_given() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[
            &["One a.", "One b."],
            &["Two a."],
            &["Three a.", "Three b."],
        ];
        let settings = StudySettings::default();
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let person = add_annotator(story, ground.study, "annotator 1").await;
        ground.expect_assignment(story, person, NOW).await;

        let corrected = {
            let mut import = begin_import(story, ground.study).await;
            let rater = import.rater("simulated 1", RaterKind::Simulated).unwrap();
            let source = import
                .source(None, "The source number 2.", SourcePurpose::Main)
                .unwrap();
            let system = import.system("system 1", None).unwrap();
            let new = NewOutput::new(source, system, "Three a.");
            let (output, is_new) = import.output(&new, || unreachable!()).unwrap();
            assert!(!is_new);
            import
                .answer(rater, output, &AnnotationAnswer::Edits(Some(vec![])))
                .unwrap();
            import.commit().await.unwrap();
            output
        };

        let assigned_sources: Vec<_> = story
            .store
            .assignments(ground.study)
            .await
            .unwrap()
            .iter()
            .map(|assignment| assignment.source)
            .collect();

        let mut free: Vec<OutputId> = ground
            .sources
            .iter()
            .zip(&ground.outputs)
            .filter(|(source, _)| !assigned_sources.contains(source))
            .flat_map(|(_, outputs)| outputs.clone())
            .filter(|output| *output != corrected)
            .collect();
        free.sort_unstable();
        assert_eq!(to_align(story, &ground).await, free);

        let new_edits: Vec<_> = ground
            .outputs
            .iter()
            .flatten()
            .map(|output| (*output, edits(), "story 2".to_owned()))
            .collect();
        let before = story.store.newest_event(ground.study).await.unwrap();
        let changed = story
            .store
            .put_automatic_edits(ground.study, &new_edits, NOW);
        assert_eq!(changed.await.unwrap(), free.len() as u64);
        let after = story.store.newest_event(ground.study).await.unwrap();
        assert_eq!(after, before.map(|number| number + 1));
        assert_eq!(to_align(story, &ground).await, []);

        let outputs = story.store.source_outputs(ground.sources[2]).await.unwrap();
        let edits_of = |output: OutputId| {
            outputs
                .iter()
                .find(|candidate| candidate.id == output)
                .unwrap()
                .edits
                .clone()
        };
        assert_eq!(edits_of(corrected), []);
        let versions = story.store.edits_versions().await.unwrap();
        let mine = versions.iter().filter(|(study, _)| *study == ground.study);
        assert_eq!(
            mine.map(|(_, version)| version.as_str())
                .collect::<Vec<_>>(),
            ["story 2"]
        );
    })
    .await;
}

#[tokio::test]
async fn a_closed_study_is_left_alone() {
    on_both(async |story| {
        let ground = create_study_with_output(story).await;
        story.store.close_study(ground.study, NOW).await.unwrap();
        let versions = story.store.edits_versions().await.unwrap();
        assert!(versions.iter().all(|(study, _)| *study != ground.study));

        let new_edits = [(ground.outputs[0][0], edits(), "story 2".to_owned())];
        let refused = story
            .store
            .put_automatic_edits(ground.study, &new_edits, NOW)
            .await;
        assert!(refused.unwrap_err().to_string().contains("closed"));
    })
    .await;
}

/// Edits of all outputs of the study, made by an aligner of that grade.
fn made_by(ground: &StoreFixture, grade: AlignerGrade) -> Vec<(OutputId, Vec<Edit>, String)> {
    let version = EditsVersion::new(grade, 1).to_string();
    let outputs = ground.outputs.iter().flatten();
    outputs
        .map(|output| (*output, vec![], version.clone()))
        .collect()
}

#[tokio::test]
async fn new_outputs_hold_their_source_back_until_the_best_aligner_has_made_their_edits() {
    on_both(async |story| {
        let settings = StudySettings {
            overlap: 1,
            ..StudySettings::default()
        };
        let texts: &[&[&str]] = &[&["One a.", "One b."], &["Two a."]];
        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        let (store, study) = (&story.store, ground.study);
        let one = add_annotator(story, study, "annotator 1").await;
        let two = add_annotator(story, study, "annotator 2").await;

        let ahead = async |store: &Store, person: PersonId, at: i64| {
            let outlook = store
                .upcoming_work(study, person, at)
                .await
                .unwrap()
                .unwrap();
            outlook.next
        };

        let expected = UpcomingAssignment::Source(SourcePurpose::Main);
        let strings = made_by(&ground, AlignerGrade::String);
        store
            .put_automatic_edits(study, &strings, NOW)
            .await
            .unwrap();

        // No server has a better aligner.
        assert_eq!(ahead(store, one, NOW).await, expected);
        let string = EditsVersion::new(AlignerGrade::String, 1);
        store.report_aligner(string, NOW).await.unwrap();
        assert_eq!(ahead(store, one, NOW).await, expected);

        // One of several has: no server gives the sources out, neither to annotators nor when a lead assigns them.
        let other = story.another_store().await;
        let grid = EditsVersion::new(AlignerGrade::Grid, 1);
        other.report_aligner(grid, NOW).await.unwrap();
        for store in [store, &other] {
            assert_eq!(ahead(store, one, NOW).await, UpcomingAssignment::Preparing);
            let next = store.next_assignment(study, one, new_assignment(NOW)).await;
            assert_eq!(next.unwrap(), NextAssignment::Preparing);
        }

        // Where nobody sees edits, nobody waits for them.
        let mut rated = settings.clone();
        rated.protocol = StudyProtocol::new(vec![ProtocolStep::Rate(RateStep::default())]).unwrap();
        assert!(store.set_settings(study, &rated, NOW).await.unwrap());
        assert_eq!(ahead(store, one, NOW).await, expected);
        assert!(store.set_settings(study, &settings, NOW).await.unwrap());

        // Only sources with all of their edits are given out.
        let grids = made_by(&ground, AlignerGrade::Grid);
        store
            .put_automatic_edits(study, &grids[..1], NOW)
            .await
            .unwrap();
        assert_eq!(ahead(store, one, NOW).await, UpcomingAssignment::Preparing);
        store
            .put_automatic_edits(study, &grids[..2], NOW)
            .await
            .unwrap();
        let assignment = ground.expect_assignment(story, one, NOW).await;
        let task = store.task(one, assignment).await.unwrap().unwrap();
        assert_eq!(task.items.len(), 2);
        assert_eq!(
            ground.next_assignment(story, two, NOW).await,
            NextAssignment::Preparing
        );
        let rater = store.assignments(study).await.unwrap()[0].rater;
        let assigned = store
            .assign(study, ground.sources[1], rater, new_assignment(NOW))
            .await;
        assert!(
            assigned
                .unwrap_err()
                .to_string()
                .contains("still being made")
        );

        // A server that is gone, or an aligner that fails, keeps nobody waiting either.
        assert_eq!(ahead(store, two, NOW + AVAILABLE_MS).await, expected);
        let late = NOW + HOLD_MS - MINUTE;
        store.report_aligner(grid, late).await.unwrap();
        assert_eq!(ahead(store, two, late).await, UpcomingAssignment::Preparing);
        assert_eq!(ahead(store, two, NOW + HOLD_MS).await, expected);
        other.close().await;
    })
    .await;
}

/// The versions of the study's aligners with whether it uses them, newest first.
async fn used_aligners(store: &Store, study: StudyId) -> Vec<(i64, bool)> {
    let aligners = store.aligners(study).await.unwrap();
    let used = aligners.iter();
    used.map(|model| (model.version, model.adopted_at.is_some()))
        .collect()
}

#[tokio::test]
async fn a_study_waits_for_the_aligner_that_it_uses_and_goes_back_to_the_servers() {
    on_both(async |story| {
        let ground = create_study_with_output(story).await;
        let (store, study) = (&story.store, ground.study);
        let person = add_annotator(story, study, "annotator 1").await;
        let ahead = async || {
            let outlook = store.upcoming_work(study, person, NOW).await;
            outlook.unwrap().unwrap().next
        };
        let ready = UpcomingAssignment::Source(SourcePurpose::Main);
        let server = EditsVersion::new(AlignerGrade::Encoder, 1);
        store.report_aligner(server, NOW).await.unwrap();

        let put = async |version: EditsVersion| {
            let edits = [(ground.outputs[0][0], vec![], version.to_string())];
            let put = store.put_automatic_edits(study, &edits, NOW).await;
            assert_eq!(put.unwrap(), 1);
        };
        put(server).await;
        assert_eq!(ahead().await, ready);

        let hash = "00c0ffee5bc12b4cd6b3ab4b2d9f52a1";
        let own = EditsVersion::new(AlignerGrade::Encoder, 2).for_study_file(hash);
        let report = json!({ "edits_version": own.to_string() });
        let new = |name, hash| NewModel {
            id: ModelId(fresh_id()),
            name,
            hash,
            file: b"a network",
            report: &report,
            adopted: false,
        };
        let (metric, first, second) = (
            new("learned-free", "a metric"),
            new(ALIGNER_MODEL, hash),
            new(ALIGNER_MODEL, "another"),
        );
        for (model, version) in [(&metric, 1), (&first, 1), (&second, 2)] {
            let added = store.add_model(study, model, NOW).await;
            assert_eq!(added.unwrap(), version);
        }
        let metrics = store.models(study).await.unwrap();
        assert_eq!(metrics.len(), 1, "{metrics:?}");
        assert_eq!(used_aligners(store, study).await, [(2, false), (1, false)]);
        assert_eq!(ahead().await, ready, "nobody took it into use");

        // A metric cannot be adopted as an aligner, nor an aligner as a metric.
        assert!(!store.adopt_model(study, first.id, true, NOW).await.unwrap());
        assert!(
            !store
                .adopt_aligner(study, metric.id, true, NOW)
                .await
                .unwrap()
        );
        let elsewhere = story.add_study("elsewhere", None).await;
        assert!(
            !store
                .adopt_aligner(elsewhere, first.id, true, NOW)
                .await
                .unwrap()
        );

        let before = store.newest_event(study).await.unwrap();
        assert!(
            store
                .adopt_aligner(study, first.id, true, NOW)
                .await
                .unwrap()
        );
        assert_eq!(
            store.newest_event(study).await.unwrap(),
            before.map(|event| event + 1)
        );
        assert_eq!(ahead().await, UpcomingAssignment::Preparing);
        let adopted = store.adopted_aligners().await.unwrap();
        let mine: Vec<_> = adopted
            .iter()
            .filter(|adopted| adopted.study == study)
            .collect();
        let [adopted] = mine[..] else {
            panic!("one aligner, not {mine:?}")
        };
        assert_eq!((adopted.model, &adopted.hash[..]), (first.id, hash));
        put(own).await;
        assert_eq!(ahead().await, ready);

        // A study has one aligner at a time.
        assert!(
            store
                .adopt_aligner(study, second.id, true, NOW)
                .await
                .unwrap()
        );
        assert_eq!(used_aligners(store, study).await, [(2, true), (1, false)]);
        assert!(
            store
                .adopt_aligner(study, second.id, false, NOW)
                .await
                .unwrap()
        );
        assert_eq!(used_aligners(store, study).await, [(2, false), (1, false)]);
        assert_eq!(
            ahead().await,
            UpcomingAssignment::Preparing,
            "back to the server's"
        );
        put(server).await;
        assert_eq!(ahead().await, ready);
    })
    .await;
}

#[tokio::test]
async fn outputs_from_before_there_was_a_hold_are_given_as_they_are() {
    on_both(async |story| {
        let ground = create_study_with_output(story).await;
        let strings = made_by(&ground, AlignerGrade::String);
        let put = story.store.put_automatic_edits(ground.study, &strings, NOW);
        assert_eq!(put.await.unwrap(), 1);

        for statement in [
            "DELETE FROM _sqlx_migrations WHERE version = 12",
            "DROP TABLE aligner",
            "DROP INDEX output_added",
            "DROP VIEW output",
            "ALTER TABLE stored_output DROP COLUMN added_at",
        ] {
            story.execute_sql(statement.to_owned()).await;
        }

        let store = Store::open(&story.url).await.unwrap();
        let grid = EditsVersion::new(AlignerGrade::Grid, 1);
        store.report_aligner(grid, NOW).await.unwrap();
        let person = add_annotator(story, ground.study, "annotator 1").await;
        ground.expect_assignment(story, person, NOW).await;
        store.close().await;
    })
    .await;
}

#[tokio::test]
async fn edits_that_were_stored_invalid_take_corrections() {
    const SOURCE: &str = "£5000.";
    const OUTPUT: &str = "th\ne";
    let edit = |kind, source: &[Span], output: &[Span]| Edit {
        kind,
        source: source.to_vec(),
        output: output.to_vec(),
        confidence: Some(0.5),
    };
    // As version 1 of edits had it: both hold the line end.
    let stored = vec![
        edit(
            EditKind::Paraphrase,
            &[Span::new(0, SOURCE.len())],
            &[Span::new(0, 4)],
        ),
        edit(EditKind::Split, &[], &[Span::new(2, 3)]),
    ];
    assert!(validate(&stored, SOURCE, OUTPUT).is_err());

    on_both(async |story| {
        let study = create_study(story, &StudySettings::default()).await;
        let mut import = begin_import(story, study).await;
        let source = import.source(None, SOURCE, SourcePurpose::Main).unwrap();
        let system = import.system("system 1", None).unwrap();
        let new_output = NewOutput::new(source, system, OUTPUT);
        let automatic_answers = || AutomaticAnswers {
            edits: stored.clone(),
            edits_version: "string v1 edits v1".into(),
            ..automatic_results(Category::Paraphrase)
        };
        let (output, _) = import.output(&new_output, automatic_answers).unwrap();
        import.commit().await.unwrap();

        let person = add_annotator(story, study, "annotator 1").await;
        let next = story
            .store
            .next_assignment(study, person, new_assignment(NOW))
            .await;
        let NextAssignment::Assignment(given) = next.unwrap() else {
            panic!("there is a source");
        };

        let task = story.store.task(person, given).await.unwrap().unwrap();
        let shown = task.items[0].edits.clone();
        assert_eq!(validate(&shown, SOURCE, OUTPUT), Ok(()));
        let save = async |edits: Vec<Edit>, supersedes| {
            let mut change = new_change(
                AnnotationSlot::Edits { output },
                AnnotationAnswer::Edits(Some(edits)),
            );
            change.supersedes = supersedes;
            let (id, changes) = (change.id, [change]);
            let saved = story.store.save_work(person, given, &changes, &[], NOW);
            let outcomes = saved.await.unwrap().unwrap();
            assert_eq!(outcomes, [SaveOutcome::Saved { id }]);
            id
        };
        let first = save(ops::remove(shown, 1), None).await;
        // A browser that opened the page before the update sends what it was given then.
        let sent = ops::retype(stored.clone(), 1, EditKind::Paraphrase);
        save(sent, Some(first)).await;
        let task = story.store.task(person, given).await.unwrap().unwrap();
        let answer = &task.answers[0].answer;
        let AnnotationAnswer::Edits(Some(edits)) = answer else {
            panic!("edits, not {answer:?}");
        };
        assert_eq!(validate(edits, SOURCE, OUTPUT), Ok(()));
        assert_eq!(edits.len(), 2);
    })
    .await;
}
