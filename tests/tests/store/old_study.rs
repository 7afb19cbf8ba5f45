//! A study of version 0.1, from before protocols had steps, is read and exported as that version exported it.
//!
//! `testdata/study_of_0_1` holds the rows of its database and what `rankrate export` of that version wrote: two sources of the
//! demonstration study, judged by simulated annotators.

use std::sync::Arc;

use domain::{study::OVERALL, text::align::AlignerGrade};
use formats::FormulaEscaping;
use service::{
    export::{
        AlignmentEdits, DatasetOptions, ExportFile, ExportFormat, ExportRequest, ExportTools,
        StudyExport, WordAligner,
    },
    live::LiveStudies,
    written_texts::WordRanks,
};
use store::{Store, Study, rating_rows::RatingScope};
use stories::{NOW, on_both, slug};

use crate::migrations::restore;

/// The newest migration of that version.
const MIGRATION: i64 = 23;

const ROWS: &str = include_str!("../../../testdata/study_of_0_1/rows.sql");

/// The table of an export, as text.
async fn export(store: &Store, study: &Study, format: ExportFormat) -> String {
    let request = ExportRequest {
        format,
        which: RatingScope::HandedIn,
        dimension: OVERALL.into(),
        cells: FormulaEscaping::Verbatim,
        edits: AlignmentEdits::Corrected,
        dataset: DatasetOptions::default(),
    };
    let tools = ExportTools {
        aligner: WordAligner {
            grade: AlignerGrade::String,
            version: 1,
            align: Arc::new(|_, _, _| Err("no alignments are exported".into())),
        },
        word_ranks: WordRanks::new(|_, _| None),
    };

    let live = LiveStudies::new(|| NOW);
    let mut exporting = StudyExport::begin(store, &live, study.clone(), request, tools, NOW)
        .await
        .unwrap();

    let write = move || {
        let mut table = vec![];
        exporting.write(ExportFile::Table, &mut table).unwrap();
        String::from_utf8(table).unwrap()
    };
    tokio::task::spawn_blocking(write).await.unwrap()
}

/// A table of SimpEval without its last column, which the first version did not have.
fn without_shared_ratings(table: &str) -> String {
    let columns_before = |line: &str| {
        let (before, _) = line.rsplit_once(',').expect("there are columns");
        format!("{before}\n")
    };
    assert!(table.lines().next().unwrap().ends_with(",shared_ratings"));
    table.lines().map(columns_before).collect()
}

#[tokio::test]
async fn a_study_of_the_first_version_gives_the_same_exports() {
    on_both(async |story| {
        restore(story, MIGRATION, ROWS).await;
        let store = Store::open(&story.url).await.unwrap();
        let study = store.study_by_slug(&slug("demo")).await.unwrap().unwrap();
        for (format, expected) in [
            (
                ExportFormat::Tidy,
                include_str!("../../../testdata/study_of_0_1/tidy.csv"),
            ),
            (
                ExportFormat::Jsonl,
                include_str!("../../../testdata/study_of_0_1/study.jsonl"),
            ),
            (
                ExportFormat::SimpevalPast,
                include_str!("../../../testdata/study_of_0_1/simpeval_past.csv"),
            ),
        ] {
            let mut table = export(&store, &study, format).await;
            if format == ExportFormat::SimpevalPast {
                table = without_shared_ratings(&table);
            }
            for (line, (now, then)) in table.lines().zip(expected.lines()).enumerate() {
                assert_eq!(now, then, "line {} of {format:?}", line + 1);
            }
            assert!(table == expected, "{format:?} has another end");
        }
        assert_eq!(store.unreadable_rows(study.id), Vec::<String>::new());
        store.close().await;
    })
    .await;
}
