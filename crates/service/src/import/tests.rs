//! Imports into a study in its own database.

use std::sync::Arc;

use domain::{
    ids::{PersonId, StudyId, UploadId},
    metrics::ScoreDirection,
    study::{QualityControl, StudySettings},
};
use formats::FileReadOptions;
use store::{NewUpload, Store, rating_rows::RatingScope};

use super::*;
use crate::{
    figures::StudyAgreement,
    live::LiveStudies,
    testing::{self, CONTEXT, new_study},
};

#[tokio::test]
async fn references_and_scores_find_sources_and_outputs_and_a_second_import_adds_nothing() {
    let (_folder, store, id) = new_study(StudySettings::default()).await;
    let table = "source,output,system\nThe river rose.,It rose.,a\nThe ferry sank.,It sank.,a\n";
    import_table(&store, id, table, ImportOptions::default())
        .await
        .unwrap();

    for new in [2, 0] {
        let references = r#"{"source":"the river rose.","references":["It rose.","Up it went."]}
{"source":"The mill burned.","reference":"It burned."}"#;
        let open = || {
            let input = references.as_bytes().into();
            let name = "references.jsonl".to_owned();
            formats::open_references(vec![formats::TextFile { name, input }])
        };
        let origin = ImportOrigin::default();
        let accepted = AcceptedReferences::default();

        let report =
            import_references(&store, CONTEXT, id, open, accepted, origin, Arc::default()).await;
        let report = report.unwrap();
        assert_eq!(report.new.references, new);
        let rows = report.matched.unwrap();
        assert_eq!((rows.matched, rows.unmatched), (1, 1));
    }

    let summary = async |accepted| {
        let references = "source,reference\n\
                          The `` ferry '' sank .,Ferry down.\nThe river rise.,Up.\n";
        let open = move || {
            let input = references.as_bytes().into();
            let name = "more.csv".to_owned();
            formats::open_references(vec![formats::TextFile { name, input }])
        };

        let report = import_references(
            &store,
            CONTEXT,
            id,
            open,
            accepted,
            ImportOrigin::default(),
            Arc::default(),
        )
        .await;
        report.unwrap().references.unwrap()
    };

    // The river already has references, so none are offered for it.
    let matched = summary(AcceptedReferences::default()).await;
    assert_eq!(
        (matched.sources, matched.exact, matched.normalised),
        (2, 0, 0)
    );
    assert_eq!((matched.without, matched.unused), (1, 2));
    let nearest = matched.first_without[0].nearest.as_ref().unwrap();
    assert_eq!(nearest.line, 2);
    assert!((0.8..1.0).contains(&nearest.similarity), "{nearest:?}");

    let ferry = store.sources(id).await.unwrap();
    let ferry = ferry
        .iter()
        .find(|source| source.text == "The ferry sank.")
        .unwrap();

    let accepted = AcceptedReferences {
        lines: vec![(ferry.id, 2)],
        min_similarity: None,
    };
    let matched = summary(accepted).await;
    assert_eq!(
        (matched.accepted, matched.without, matched.unused),
        (1, 0, 1)
    );
    assert_eq!(
        store.references(ferry.id).await.unwrap(),
        ["Ferry down.".to_owned()]
    );

    let entries = store.output_entries(id).await.unwrap();
    let is_reference: Vec<_> = entries.iter().map(|entry| entry.is_reference).collect();
    assert_eq!(is_reference, [true, false]);

    let import = async |scores: String, choices| {
        let open = move || formats::open_scores(std::io::Cursor::new(scores));
        let (name, progress) = ("lens.csv", Arc::default());
        let report = import_scores(&store, CONTEXT, id, name, choices, open, progress).await;
        report.unwrap()
    };
    for score in [0.25, 0.5] {
        let scores = format!("source,system,lens\nThe ferry sank.,a,{score}\nThe mill,a,1\n");
        let report = import(scores, ImportChoices::default()).await;
        assert_eq!((report.rows, report.bad, report.metric_scores), (2, 1, 1));
        assert_eq!(report.bad_rows[0].line, 3);
        let metric_scores = store.metric_scores(id).await.unwrap();
        let metric_scores: Vec<_> = metric_scores
            .iter()
            .map(|metric_score| (metric_score.output, metric_score.value))
            .collect();
        assert_eq!(metric_scores, [(entries[1].output, score)]);
    }

    let metrics = store.metrics(id).await.unwrap();
    assert_eq!(metrics[0].signature, "lens|imported|file:lens.csv");
    assert_eq!(metrics[0].direction, ScoreDirection::HigherIsBetter);

    let choices = ImportChoices {
        directions: vec![("lens".to_owned(), ScoreDirection::LowerIsBetter)],
        ..ImportChoices::default()
    };
    let scores = "source,system,lens\nThe ferry sank.,a,1\n".to_owned();
    import(scores, choices).await;

    let metrics = store.metrics(id).await.unwrap();
    assert_eq!(
        (metrics.len(), metrics[0].direction),
        (1, ScoreDirection::LowerIsBetter)
    );
}

#[tokio::test]
async fn a_file_that_the_database_does_not_give_out_is_not_a_bad_file() {
    let (folder, store, study) = new_study(StudySettings::default()).await;
    let new = NewUpload {
        id: UploadId(testing::new_id()),
        study,
        name: "rows.csv",
        size: 9,
        created_by: None,
    };
    store.create_upload(&new, testing::now_ms()).await.unwrap();
    store.append_chunk(new.id, 0, b"source\na\n").await.unwrap();
    store.seal_upload(new.id).await.unwrap();

    let url = store::sqlite_url(&folder.path().join("study.sqlite"));
    let away = Store::open(&url).await.unwrap();
    let files = UploadedFiles::find(&away, study, &[new.id]).await.unwrap();
    away.close().await;

    let preview = files.preview(&Default::default()).await.unwrap_err();
    assert!(
        matches!(&preview, ImportFileError::Store(error) if error.may_pass()),
        "{preview:?}"
    );

    let open = move || files.open(&ReadOptions::default(), None, None);
    let (study, options) = (store.study(study).await.unwrap(), ImportOptions::default());
    let origin = ImportOrigin::default();
    let progress = Arc::default();
    let import = import_sources(
        &store,
        CONTEXT,
        study.unwrap(),
        open,
        options,
        origin,
        progress,
    );

    let failure = import.await.unwrap_err();
    assert!(
        matches!(&failure, ImportFailure::Store(error) if error.may_pass()),
        "{failure:?}"
    );
}

/// Imports a table into the study.
async fn import_table(
    store: &Store,
    id: StudyId,
    table: &str,
    options: ImportOptions,
) -> Result<ImportReport, ImportFailure> {
    let study = store.study(id).await.unwrap().unwrap();
    let table = table.to_owned();

    let open = move || {
        let input = std::io::Cursor::new(table.clone());
        formats::open(input, FileReadOptions::default())
    };

    let origin = ImportOrigin::default();
    import_sources(store, CONTEXT, study, open, options, origin, Arc::default()).await
}

#[tokio::test]
async fn likert_ratings_create_dimensions_that_figures_read_and_kinds_are_guessed() {
    let (_folder, store, id) = new_study(StudySettings::default()).await;
    let table = "WorkerId,Input.original,Input.simplified,Input.system,Answer.fluency,Answer.simplicity\n\
                 w1,The river rose.,It rose.,copy,4.5,-2\n\
                 w2,The river rose.,It rose.,copy,4,-1\n\
                 w1,The river rose.,Up it went.,human 1,2,1.5\n\
                 w2,The river rose.,Up it went.,human 1,1,2\n";
    let import = async |options| import_table(&store, id, table, options).await.unwrap();
    let report = import(ImportOptions::default()).await;
    let created: Vec<_> = report
        .dimensions
        .iter()
        .map(|dimension| format!("{} {}", dimension.name, dimension.scale))
        .collect();
    assert_eq!(created, ["fluency 1 to 5", "simplicity -2 to 2"]);
    assert_eq!((report.bad, report.new.answers), (0, 8));

    let message = "The kinds of new systems were guessed from their names (human: human 1; baseline: \
                copy). Change them on the page Systems, or with “rankrate system”.";
    assert_eq!(report.notes, [message]);

    let study = store.study(id).await.unwrap().unwrap();
    let of_settings = study.settings.dimensions.clone();
    let (dimension, agreement) = LiveStudies::new(testing::now_ms)
        .read(&store, id, RatingScope::HandedIn, move |snapshot| {
            let first = snapshot.dimensions(&of_settings)[0].name.clone();
            let figures = StudyAgreement::compute(snapshot, &first, &[], Default::default());
            (first, figures.raw.agreement)
        })
        .await
        .unwrap();
    assert_eq!(
        (&dimension[..], agreement.ratings, agreement.units),
        ("fluency", 4, 2)
    );
    assert!(agreement.alpha.is_ok());

    // A second import changes nothing, even if it states other kinds for systems that the study has.
    let options = ImportOptions {
        kinds: vec![("copy".into(), domain::study::SystemKind::Machine)],
        ..ImportOptions::default()
    };

    let report = import(options).await;
    assert_eq!(
        (report.new, &report.dimensions[..]),
        (Default::default(), &[][..])
    );
    let message = "These systems were in the study before and stay what they are: copy (baseline).";
    assert_eq!(report.notes, [message]);
}

#[tokio::test]
async fn a_clash_of_scales_refuses_the_file_as_a_whole() {
    let (_folder, store, id) = new_study(StudySettings::default()).await;
    let row = |rating: &str| {
        format!(
            "source,output,system,rater,dimension,rating\nA b.,A.,s,w,fluency,1\n\
             A b.,A.,s,x,fluency,{rating}\n"
        )
    };

    let import =
        async |rating: &str| import_table(&store, id, &row(rating), ImportOptions::default()).await;
    import("4").await.unwrap();
    let error = import("80").await.unwrap_err().to_string();
    assert!(error.starts_with("“fluency” is rated from 1 to 5 in this study and from 0 to 100"));

    let ratings = store.ratings(id, RatingScope::HandedIn).await;
    assert_eq!(ratings.unwrap().len(), 2);
}

#[tokio::test]
async fn new_sources_get_the_quality_control_items_that_the_study_asks_for() {
    let quality_control = QualityControl {
        copy_every: 2,
        ..QualityControl::default()
    };
    let (_folder, store, id) = new_study(StudySettings {
        quality_control,
        ..StudySettings::default()
    })
    .await;

    let table = "source,output,system\n\
                 The river rose.,It rose.,a\nThe bridge held.,It held.,a\n\
                 The ferry sank.,It sank.,a\nThe mill burned.,It burned.,a\n";

    for added in [
        Some("2 quality-control items were added: outputs with a known answer."),
        None,
    ] {
        let report = import_table(&store, id, table, ImportOptions::default())
            .await
            .unwrap();
        assert_eq!(report.notes.last().map(String::as_str), added);
    }
}

#[tokio::test]
async fn a_rehearsal_says_what_an_import_then_does_and_stores_nothing() {
    let (_folder, store, id) = new_study(StudySettings::default()).await;
    let table = "source_id,source,output,system,rater,rating\n\
                 1,The river rose.,It rose.,a,w,3\n\
                 1,The river rose.,Up it went.,b,w,4\n\
                 2,The ferry sank.,It sank.,a,w,1\n\
                 2,The ferry sank.,It went down.,a,w,1\n\
                 2,Another text.,It sank.,b,w,1\n\
                 3,,Nothing.,a,w,2\n";

    let rehearse = async |max_rows| {
        let study = store.study(id).await.unwrap().unwrap();
        let open = move || formats::open(table.as_bytes(), FileReadOptions::default());
        let options = ImportOptions::default();
        let rehearsed = rehearse_sources(&store, CONTEXT, Some(&study), open, options, max_rows);
        rehearsed.await.unwrap()
    };

    let summary = rehearse(u64::MAX).await;
    assert_eq!(
        summary.sentence(),
        "6 rows → 2 sources, 2 systems, 3 outputs (1 to 2 per source), 1 rater, 3 ratings, 3 problems."
    );
    assert_eq!(summary.known_sentence(), None);
    assert_eq!((summary.lines, summary.complete), (7, true));
    assert!(store.sources(id).await.unwrap().is_empty());

    let report = import_table(&store, id, table, ImportOptions::default());
    let report = report.await.unwrap();
    assert_eq!(report.bad_rows, summary.bad_rows);
    assert_eq!(report.new, summary.new);

    let summary = rehearse(2).await;
    assert_eq!((summary.rows, summary.complete), (2, false));
    let known = summary.known_sentence();
    assert_eq!(known.as_deref(), Some("The study has all of it already."));

    let entry = store.imports(id).await.unwrap().remove(0);
    assert_eq!(entry.job, None);
}

#[tokio::test]
async fn a_workbook_is_previewed_and_imported_like_a_table() {
    let (_folder, store, study) = new_study(StudySettings::default()).await;
    let rows: &[&[&str]] = &[
        &["Complex sentence", "Simplified sentence", "Item", "Model"],
        &[
            "The ferry, which was old, stopped.",
            "It stopped.",
            "f1",
            "Alpha",
        ],
        &[
            "The ferry, which was old, stopped.",
            "The ferry stopped.",
            "f1",
            "Beta",
        ],
    ];

    let bytes = testdata::workbook(&[("Notes", &[&["none"]]), ("Data", rows)]);
    let new = NewUpload {
        id: UploadId(testing::new_id()),
        study,
        name: "rows.xlsx",
        size: bytes.len() as i64,
        created_by: None,
    };

    store.create_upload(&new, testing::now_ms()).await.unwrap();
    store.append_chunk(new.id, 0, &bytes).await.unwrap();
    store.seal_upload(new.id).await.unwrap();
    let files = UploadedFiles::find(&store, study, &[new.id]).await.unwrap();

    let input = formats::InputOptions {
        sheet: Some("Data".to_owned()),
        ..formats::InputOptions::default()
    };

    let preview = files.preview(&input).await.unwrap().preview;
    let read_options = ReadOptions {
        mapping: preview.mapping,
        input,
        ..ReadOptions::default()
    };

    let study = store.study(study).await.unwrap().unwrap();
    let summary = files
        .rehearse(&study, CONTEXT, &read_options, None, 100)
        .await;
    let summary = summary.unwrap();
    assert_eq!(
        summary.sentence(),
        "2 rows → 1 source, 2 systems, 2 outputs (2 per source), 0 problems."
    );

    let id = study.id;
    let open = move || files.open(&read_options, None, None);
    let (options, origin) = (ImportOptions::default(), ImportOrigin::default());
    let import = import_sources(
        &store,
        CONTEXT,
        study,
        open,
        options,
        origin,
        Arc::default(),
    );

    assert_eq!(import.await.unwrap().new, summary.new);
    let sources = store.sources(id).await.unwrap();
    assert_eq!(sources[0].key, "f1");
}

#[tokio::test]
async fn a_preview_that_nobody_waits_for_reads_no_further() {
    let (_folder, store, study) = new_study(StudySettings::default()).await;
    let content = "source,output\nThe ferry stopped.,It stopped.\n";
    let new = NewUpload {
        id: UploadId(testing::new_id()),
        study,
        name: "rows.csv",
        size: content.len() as i64,
        created_by: None,
    };

    store.create_upload(&new, testing::now_ms()).await.unwrap();
    store
        .append_chunk(new.id, 0, content.as_bytes())
        .await
        .unwrap();
    store.seal_upload(new.id).await.unwrap();

    let turns = PreviewTurns::default();
    let turn = turns.take(PersonId(testing::new_id())).await;
    let files = UploadedFiles::find(&store, study, &[new.id])
        .await
        .unwrap()
        .in_turn(&turn);

    let input = formats::InputOptions::default();
    files.preview(&input).await.unwrap();

    drop(turn);
    let error = files.preview(&input).await.unwrap_err();
    assert!(matches!(error, ImportFileError::File(_)), "{error}");
}
