//! Brings a file's rows into a study: read, categorise, align, store.
//!
//! Good rows land and bad ones come back with line, column and reason; or, where it is strict,
//! nothing lands unless every row is good. Nobody sees any row before all of them are there, so whatever
//! goes wrong on the way leaves the study as it was, and importing twice changes nothing. Rows are made
//! while the database waits for nobody, and sent in short transactions ([`store::import`]).

use std::{sync::Arc, time::Duration};

use domain::ids::{PersonId, StudyId};
use formats::{FatalReadError, FileSurvey, OpenedFile, ReadError, survey};
use store::{Store, Study, import::StudyImport};
use tokio::runtime::Handle;

use super::{ImportOptions, ImportReport, RunningJobProgress, resolve_kinds, row, system_kinds};
use crate::{Context, automatic_annotation::annotate_automatically};

/// Rows between two sendings to the database.
pub(super) const BATCH_SIZE: u64 = 250;

/// How often an import asks whether another one of its study is over.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Whose import it is, and of which files; the default is one of the command line without files.
#[derive(Debug, Clone, Default)]
pub struct ImportOrigin {
    /// Who began it in a browser.
    pub person: Option<PersonId>,
    /// The names of its files.
    pub names: Vec<String>,
}

/// Why nothing of a file landed.
#[derive(Debug, thiserror::Error)]
pub enum ImportFailure {
    /// The file as a whole cannot be read.
    #[error("{0}")]
    File(#[from] FatalReadError),
    /// Every row has to be good, and some are not.
    #[error("{} of {} rows are bad, so nothing was imported (strict)", .0.bad, .0.rows)]
    Strict(Box<ImportReport>),
    /// Somebody stopped it.
    #[error("the import was cancelled; nothing of it was kept")]
    Cancelled,
    /// The database did not take it.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Brings in what `open` opens. It is called twice: a first reading tells the dimensions, their scales
/// and the systems, before anybody else has to wait for the study. Reading and aligning is work for the
/// processor, so all of it runs on a thread that may block. `progress` is asked before each row whether
/// to stop.
pub async fn import_sources(
    store: &Store,
    context: Context,
    study: Study,
    open: impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Send + 'static,
    manner: ImportOptions,
    origin: ImportOrigin,
    progress: Arc<RunningJobProgress>,
) -> Result<ImportReport, ImportFailure> {
    let survey_file = {
        let progress = progress.clone();
        move || {
            let found = open().and_then(|opened| survey(opened, |_| !progress.stop_requested()));
            (open, found)
        }
    };
    let (open, found) = tokio::task::spawn_blocking(survey_file)
        .await
        .expect("reading rows does not panic");
    let found = found?;
    if progress.stop_requested() {
        return Err(ImportFailure::Cancelled);
    }
    let import = begin(store, context, study.id, &origin, &progress).await?;
    complete(store, context, import, move |runtime, import| {
        take_rows(
            context,
            runtime,
            import,
            &study,
            (found, open()?),
            &manner,
            &progress,
        )
    })
    .await
}

/// Begins an import as soon as no other one is under way in the study.
pub(super) async fn begin(
    store: &Store,
    context: Context,
    study: StudyId,
    origin: &ImportOrigin,
    progress: &RunningJobProgress,
) -> Result<StudyImport, ImportFailure> {
    loop {
        let begun = store.begin_import(study, context.now_ms(), context.ids);
        match begun.await {
            Err(store::Error::ImportUnderWay) if progress.stop_requested() => {
                return Err(ImportFailure::Cancelled);
            }
            Err(store::Error::ImportUnderWay) => tokio::time::sleep(POLL_INTERVAL).await,
            Err(error) => return Err(error.into()),
            Ok(mut import) => {
                import.describe(origin.person, &origin.names);
                return Ok(import);
            }
        }
    }
}

/// Lets `take` put rows into an import on a thread that may block, and then lets everybody see them; or
/// nobody where it fails.
pub(super) async fn complete(
    store: &Store,
    context: Context,
    mut import: StudyImport,
    take: impl FnOnce(&Handle, &mut StudyImport) -> Result<ImportReport, ImportFailure> + Send + 'static,
) -> Result<ImportReport, ImportFailure> {
    let runtime = Handle::current();
    let work = move || {
        let report = take(&runtime, &mut import);
        (import, report)
    };
    let (import, report) = tokio::task::spawn_blocking(work)
        .await
        .expect("reading rows does not panic");
    match report {
        Ok(mut report) => {
            report.new = import.commit().await?;
            Ok(report)
        }
        Err(failure) => {
            let undone = async {
                import.rollback().await?;
                // A server that shuts down has no time for it.
                match failure {
                    ImportFailure::Cancelled => Ok(0),
                    _ => store.clear_imports(context.now_ms()).await,
                }
            };
            if let Err(error) = undone.await {
                tracing::warn!(%error, "rows of an import are left for later to delete");
            }
            Err(failure)
        }
    }
}

/// Sends what was taken so far, and says that the import is alive.
pub(super) fn send_batch(
    context: Context,
    runtime: &Handle,
    import: &mut StudyImport,
) -> store::Result<()> {
    import.renew(context.now_ms());
    runtime.block_on(import.flush())
}

fn take_rows(
    context: Context,
    runtime: &Handle,
    import: &mut StudyImport,
    study: &Study,
    (found, opened): (FileSurvey, OpenedFile<'static>),
    manner: &ImportOptions,
    progress: &RunningJobProgress,
) -> Result<ImportReport, ImportFailure> {
    let plan = runtime.block_on(import.dimensions(&found.dimensions))?;
    let there = |name: &str| import.system_kind(name);
    let systems = resolve_kinds(&found, &manner.kinds, there);
    let mut report = ImportReport {
        format: opened.format.name().to_owned(),
        notes: opened.notes.iter().map(ToString::to_string).collect(),
        dimensions: plan.created,
        ..ImportReport::default()
    };
    report.notes.extend(system_kinds::notes(&systems));
    let row_context = row::RowContext {
        study,
        manner,
        format: opened.format,
        scales: &plan.scales,
        kinds: &systems.iter().map(|it| (&*it.name, it.kind)).collect(),
    };
    for item in opened.rows {
        if progress.stop_requested() {
            return Err(ImportFailure::Cancelled);
        }
        report.rows += 1;
        match item {
            Ok(row) => match row::import_row(import, &row_context, &row) {
                Ok(scores) => report.scores += scores,
                Err(store::Error::Refused(reason)) => {
                    report.leave_out(formats::BadRow {
                        line: row.line,
                        column: None,
                        reason,
                    });
                }
                Err(error) => return Err(error.into()),
            },
            Err(ReadError::Row(bad)) => report.leave_out(bad),
            Err(ReadError::Fatal(fault)) => return Err(fault.into()),
        }
        if report.rows.is_multiple_of(BATCH_SIZE) {
            send_batch(context, runtime, import)?;
        }
    }
    if manner.strict && report.bad > 0 {
        return Err(ImportFailure::Strict(Box::new(report)));
    }
    let made =
        |source: &str, output: &str| annotate_automatically(&study.settings, source, output, None);
    match runtime.block_on(import.add_quality_control(made))? {
        0 => {}
        1 => report
            .notes
            .push("One quality-control item was added.".into()),
        added => report
            .notes
            .push(format!("{added} quality-control items were added.")),
    }
    if progress.stop_requested() {
        return Err(ImportFailure::Cancelled);
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use crate::import::ImportChoices;
    use domain::{
        ids::StudyId,
        metrics::ScoreDirection,
        study::{QualityControl, Slug, StudySettings},
    };
    use formats::FileReadOptions;
    use store::NewStudy;

    use super::*;
    use crate::{
        import::{AcceptedReferences, import_references, import_scores},
        testing::{self, CONTEXT},
    };

    #[tokio::test]
    async fn references_and_scores_find_what_is_there_and_twice_is_once() {
        let folder = tempfile::tempdir().unwrap();
        let url = store::sqlite_url(&folder.path().join("beside.sqlite"));
        let store = Store::open(&url).await.unwrap();
        let (slug, settings): (Slug, _) = ("river".parse().unwrap(), StudySettings::default());
        let id = StudyId(testing::new_id());
        let new = NewStudy {
            id,
            slug: &slug,
            name: "River",
            settings: &settings,
            lead: None,
        };
        store.create_study(&new, testing::now_ms()).await.unwrap();
        let study = store.study(id).await.unwrap().unwrap();
        let table =
            "source,output,system\nThe river rose.,It rose.,a\nThe ferry sank.,It sank.,a\n";
        let open = || formats::open(table.as_bytes(), FileReadOptions::default());
        let origin = ImportOrigin::default();
        import_sources(
            &store,
            CONTEXT,
            study,
            open,
            ImportOptions::default(),
            origin,
            Arc::default(),
        )
        .await
        .unwrap();

        for new in [2, 0] {
            let references = r#"{"source":"the river rose.","references":["It rose.","Up it went."]}
{"source":"The mill burned.","reference":"It burned."}"#;
            let open = || {
                let input = Box::new(references.as_bytes());
                let name = "references.jsonl".to_owned();
                formats::open_references(vec![formats::TextFile { name, input }])
            };
            let origin = ImportOrigin::default();
            let accepted = AcceptedReferences::default();
            let report =
                import_references(&store, CONTEXT, id, open, accepted, origin, Arc::default())
                    .await;
            let report = report.unwrap();
            assert_eq!(report.new.references, new);
            let found = report.matched.unwrap();
            assert_eq!((found.matched, found.unmatched), (1, 1));
        }
        let summary = async |accepted| {
            let references = "source,reference\n\
                              The `` ferry '' sank .,Ferry down.\nThe river rise.,Up.\n";
            let open = move || {
                let input = Box::new(references.as_bytes());
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
        // The river has references already: nothing is offered for it.
        let found = summary(AcceptedReferences::default()).await;
        assert_eq!((found.sources, found.exact, found.normalised), (2, 0, 0));
        assert_eq!((found.without, found.unused), (1, 2));
        let nearest = found.first_without[0].nearest.as_ref().unwrap();
        assert_eq!(nearest.line, 2);
        assert!((0.8..1.0).contains(&nearest.similarity), "{nearest:?}");
        let ferry = store.sources(id).await.unwrap();
        let ferry = ferry
            .iter()
            .find(|it| it.text == "The ferry sank.")
            .unwrap();
        let accepted = AcceptedReferences {
            lines: vec![(ferry.id, 2)],
            min_similarity: None,
        };
        let found = summary(accepted).await;
        assert_eq!((found.accepted, found.without, found.unused), (1, 0, 1));
        assert_eq!(
            store.references(ferry.id).await.unwrap(),
            ["Ferry down.".to_owned()]
        );

        let entries = store.output_entries(id).await.unwrap();
        let are: Vec<_> = entries.iter().map(|it| it.is_reference).collect();
        assert_eq!(are, [true, false]);

        for score in [0.25, 0.5] {
            let scores = format!("source,system,lens\nThe ferry sank.,a,{score}\nThe mill,a,1\n");
            let open = move || formats::open_scores(std::io::Cursor::new(scores));
            let choices = ImportChoices::default();
            let report = import_scores(
                &store,
                CONTEXT,
                id,
                ("lens.csv", choices),
                open,
                Arc::default(),
            )
            .await;
            let report = report.unwrap();
            assert_eq!((report.rows, report.bad, report.metric_scores), (2, 1, 1));
            assert_eq!(report.bad_rows[0].line, 3);
            let kept = store.metric_scores(id).await.unwrap();
            let kept: Vec<_> = kept.iter().map(|it| (it.output, it.value)).collect();
            assert_eq!(kept, [(entries[1].output, score)]);
        }
        let metrics = store.metrics(id).await.unwrap();
        assert_eq!(metrics[0].signature, "lens|imported|file:lens.csv");
        assert_eq!(metrics[0].direction, ScoreDirection::HigherIsBetter);
        let choices = ImportChoices {
            directions: vec![("lens".to_owned(), ScoreDirection::LowerIsBetter)],
            ..ImportChoices::default()
        };
        let scores = "source,system,lens\nThe ferry sank.,a,1\n";
        let open = move || formats::open_scores(std::io::Cursor::new(scores));
        import_scores(
            &store,
            CONTEXT,
            id,
            ("lens.csv", choices),
            open,
            Arc::default(),
        )
        .await
        .unwrap();
        let metrics = store.metrics(id).await.unwrap();
        assert_eq!(
            (metrics.len(), metrics[0].direction),
            (1, ScoreDirection::LowerIsBetter)
        );
    }

    /// A study on SQLite; the folder goes with it.
    async fn new_study() -> (tempfile::TempDir, Store, StudyId) {
        let folder = tempfile::tempdir().unwrap();
        let url = store::sqlite_url(&folder.path().join("fresh.sqlite"));
        let store = Store::open(&url).await.unwrap();
        let (slug, settings): (Slug, _) = ("river".parse().unwrap(), StudySettings::default());
        let id = StudyId(testing::new_id());
        let new = NewStudy {
            id,
            slug: &slug,
            name: "River",
            settings: &settings,
            lead: None,
        };
        store.create_study(&new, testing::now_ms()).await.unwrap();
        (folder, store, id)
    }

    #[tokio::test]
    async fn likert_ratings_bring_dimensions_that_figures_read_and_kinds_are_guessed() {
        let (_folder, store, id) = new_study().await;
        let table = "WorkerId,Input.original,Input.simplified,Input.system,Answer.fluency,Answer.simplicity\n\
                     w1,The river rose.,It rose.,copy,4.5,-2\n\
                     w2,The river rose.,It rose.,copy,4,-1\n\
                     w1,The river rose.,Up it went.,human 1,2,1.5\n\
                     w2,The river rose.,Up it went.,human 1,1,2\n";
        let bring = async |manner| {
            let study = store.study(id).await.unwrap().unwrap();
            let open = move || formats::open(table.as_bytes(), FileReadOptions::default());
            import_sources(
                &store,
                CONTEXT,
                study,
                open,
                manner,
                ImportOrigin::default(),
                Arc::default(),
            )
            .await
            .unwrap()
        };
        let report = bring(ImportOptions::default()).await;
        let created: Vec<_> = report
            .dimensions
            .iter()
            .map(|it| format!("{} {}", it.name, it.scale))
            .collect();
        assert_eq!(created, ["fluency 1 to 5", "simplicity -2 to 2"]);
        assert_eq!((report.bad, report.new.answers), (0, 8));
        let said = "The kinds of new systems were guessed from their names (human: human 1; baseline: \
                    copy). Change them on the page Systems, or with “rankrate system”.";
        assert_eq!(report.notes, [said]);

        let study = store.study(id).await.unwrap().unwrap();
        let of_settings = study.settings.dimensions.clone();
        let found = crate::live::LiveStudies::new(testing::now_ms)
            .read(
                &store,
                (id, store::rating_rows::RatingScope::HandedIn),
                move |held| {
                    let first = held.dimensions(&of_settings)[0].name.clone();
                    let found =
                        crate::figures::StudyAgreement::compute(held, &first, Default::default());
                    (first, found.raw.agreement)
                },
            )
            .await
            .unwrap();
        assert_eq!(
            (&found.0[..], found.1.ratings, found.1.units),
            ("fluency", 4, 2)
        );
        assert!(found.1.alpha.is_ok());

        // Once more changes nothing, whatever is said of systems that are there.
        let manner = ImportOptions {
            kinds: vec![("copy".into(), domain::study::SystemKind::Machine)],
            ..ImportOptions::default()
        };
        let report = bring(manner).await;
        assert_eq!(
            (report.new, &report.dimensions[..]),
            (Default::default(), &[][..])
        );
        let said =
            "These systems were in the study before and stay what they are: copy (baseline).";
        assert_eq!(report.notes, [said]);
    }

    #[tokio::test]
    async fn a_clash_of_scales_refuses_the_file_as_a_whole() {
        let (_folder, store, id) = new_study().await;
        let row = |rating: &str| {
            format!(
                "source,output,system,rater,dimension,rating\nA b.,A.,s,w,fluency,1\n\
                 A b.,A.,s,x,fluency,{rating}\n"
            )
        };
        let bring = async |rating: &str| {
            let study = store.study(id).await.unwrap().unwrap();
            let table = row(rating);
            let open = move || {
                formats::open(
                    std::io::Cursor::new(table.clone()),
                    FileReadOptions::default(),
                )
            };
            import_sources(
                &store,
                CONTEXT,
                study,
                open,
                ImportOptions::default(),
                ImportOrigin::default(),
                Arc::default(),
            )
            .await
        };
        bring("4").await.unwrap();
        let said = bring("80").await.unwrap_err().to_string();
        assert!(said.starts_with("“fluency” is rated from 1 to 5 in this study and from 0 to 100"));
        let ratings = store
            .ratings(id, store::rating_rows::RatingScope::HandedIn)
            .await;
        assert_eq!(ratings.unwrap().len(), 2);
    }

    #[tokio::test]
    async fn new_sources_get_the_quality_control_items_that_the_study_asks_for() {
        let folder = tempfile::tempdir().unwrap();
        let url = store::sqlite_url(&folder.path().join("import.sqlite"));
        let store = Store::open(&url).await.unwrap();
        let slug: Slug = "river".parse().unwrap();
        let settings = StudySettings {
            quality_control: QualityControl {
                copy_every: 2,
                ..QualityControl::default()
            },
            ..StudySettings::default()
        };
        let new = NewStudy {
            id: StudyId(testing::new_id()),
            slug: &slug,
            name: "River",
            settings: &settings,
            lead: None,
        };
        store.create_study(&new, testing::now_ms()).await.unwrap();
        let table = "source,output,system\n\
                     The river rose.,It rose.,a\nThe bridge held.,It held.,a\n\
                     The ferry sank.,It sank.,a\nThe mill burned.,It burned.,a\n";
        for added in [Some("2 quality-control items were added."), None] {
            let study = store.study_by_slug(&slug).await.unwrap().unwrap();
            let open = || formats::open(table.as_bytes(), FileReadOptions::default());
            let progress = Arc::new(RunningJobProgress::default());
            let origin = ImportOrigin::default();
            let report = import_sources(
                &store,
                CONTEXT,
                study,
                open,
                ImportOptions::default(),
                origin,
                progress,
            )
            .await
            .unwrap();
            assert_eq!(report.notes.last().map(String::as_str), added);
        }
    }
}
