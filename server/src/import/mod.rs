//! Brings a file's rows into a study: read, categorise, align, store.
//!
//! Good rows land and bad ones come back with line, column and reason; or, where it is strict,
//! nothing lands unless every row is good. All of it is one transaction, so whatever goes wrong on
//! the way leaves the study as it was, and importing twice changes nothing.

pub(crate) mod kept;
mod references;
mod row;
mod scores;

use std::sync::Arc;

use app::{
    automatic::automatic,
    imports::{Manner, Progress, Report},
};
use formats::{Fatal, Opened, Problem};
use store::{Store, Study, import::Import};
use tokio::runtime::Handle;

pub(crate) use self::{
    references::{Accepted, bring_references},
    scores::bring_scores,
};
use crate::clock;

/// Rows between two sendings to the database.
const AT_ONCE: u64 = 500;

/// Why nothing of a file landed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The file as a whole cannot be read.
    #[error("{0}")]
    File(#[from] Fatal),
    /// Every row has to be good, and some are not.
    #[error("{} of {} rows are bad, so nothing was imported (strict)", .0.bad, .0.rows)]
    Strict(Box<Report>),
    /// Somebody stopped it.
    #[error("the import was cancelled; nothing of it was kept")]
    Cancelled,
    /// The database did not take it.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Brings in what `open` opens. Reading and aligning is work for the processor, so all of it runs
/// on a thread that may block. `progress` is asked before each row whether to stop.
pub(crate) async fn bring_in(
    store: &Store,
    study: Study,
    open: impl FnOnce() -> Result<Opened<'static>, Fatal> + Send + 'static,
    manner: Manner,
    progress: Arc<Progress>,
) -> Result<Report, Failure> {
    let import = store
        .begin_import(study.id, clock::now_ms(), clock::new_id)
        .await?;
    let runtime = Handle::current();
    let work = move || take_rows(&runtime, import, &study, open()?, manner, &progress);
    tokio::task::spawn_blocking(work)
        .await
        .expect("reading rows does not panic")
}

fn take_rows(
    runtime: &Handle,
    mut import: Import,
    study: &Study,
    opened: Opened<'static>,
    manner: Manner,
    progress: &Progress,
) -> Result<Report, Failure> {
    let mut report = Report {
        format: opened.format.name().to_owned(),
        notes: opened.notes.iter().map(ToString::to_string).collect(),
        ..Report::default()
    };
    let context = row::Context {
        study,
        manner,
        format: opened.format,
    };
    for item in opened.rows {
        if progress.stops() {
            return Err(Failure::Cancelled);
        }
        report.rows += 1;
        match item {
            Ok(row) => match row::take(&mut import, &context, &row) {
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
            Err(Problem::Row(bad)) => report.leave_out(bad),
            Err(Problem::Fatal(fault)) => return Err(fault.into()),
        }
        if report.rows.is_multiple_of(AT_ONCE) {
            runtime.block_on(import.flush())?;
        }
    }
    if manner.strict && report.bad > 0 {
        return Err(Failure::Strict(Box::new(report)));
    }
    let made = |source: &str, output: &str| automatic(&study.settings, source, output, None);
    match runtime.block_on(import.add_quality_control(made))? {
        0 => {}
        1 => report
            .notes
            .push("One quality-control item was added.".into()),
        added => report
            .notes
            .push(format!("{added} quality-control items were added.")),
    }
    report.new = runtime.block_on(import.commit())?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use app::imports::ImportChoices;
    use domain::{
        ids::StudyId,
        metrics::Direction,
        study::{QualityControl, Settings, Slug},
    };
    use formats::Reading;
    use store::NewStudy;

    use super::*;

    #[tokio::test]
    async fn references_and_scores_find_what_is_there_and_twice_is_once() {
        let folder = tempfile::tempdir().unwrap();
        let url = store::sqlite_url(&folder.path().join("beside.sqlite"));
        let store = Store::open(&url).await.unwrap();
        let (slug, settings): (Slug, _) = ("river".parse().unwrap(), Settings::default());
        let id = StudyId(clock::new_id());
        let new = NewStudy {
            id,
            slug: &slug,
            name: "River",
            settings: &settings,
            lead: None,
        };
        store.create_study(&new, clock::now_ms()).await.unwrap();
        let study = store.study(id).await.unwrap().unwrap();
        let table =
            "source,output,system\nThe river rose.,It rose.,a\nThe ferry sank.,It sank.,a\n";
        let open = || formats::open(table.as_bytes(), Reading::default());
        bring_in(&store, study, open, Manner::default(), Arc::default())
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
            let report =
                bring_references(&store, id, open, Accepted::default(), Arc::default()).await;
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
            let report = bring_references(&store, id, open, accepted, Arc::default()).await;
            report.unwrap().references.unwrap()
        };
        // The river has references already: nothing is offered for it.
        let found = summary(Accepted::default()).await;
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
        let accepted = Accepted {
            lines: vec![(ferry.id, 2)],
            least_similarity: None,
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
            let report =
                bring_scores(&store, id, ("lens.csv", choices), open, Arc::default()).await;
            let report = report.unwrap();
            assert_eq!((report.rows, report.bad, report.metric_scores), (2, 1, 1));
            assert_eq!(report.bad_rows[0].line, 3);
            let kept = store.metric_scores(id).await.unwrap();
            let kept: Vec<_> = kept.iter().map(|it| (it.output, it.value)).collect();
            assert_eq!(kept, [(entries[1].output, score)]);
        }
        let metrics = store.metrics(id).await.unwrap();
        assert_eq!(metrics[0].signature, "lens|imported|file:lens.csv");
        assert_eq!(metrics[0].direction, Direction::HigherIsBetter);
        let choices = ImportChoices {
            directions: vec![("lens".to_owned(), Direction::LowerIsBetter)],
            ..ImportChoices::default()
        };
        let scores = "source,system,lens\nThe ferry sank.,a,1\n";
        let open = move || formats::open_scores(std::io::Cursor::new(scores));
        bring_scores(&store, id, ("lens.csv", choices), open, Arc::default())
            .await
            .unwrap();
        let metrics = store.metrics(id).await.unwrap();
        assert_eq!(
            (metrics.len(), metrics[0].direction),
            (1, Direction::LowerIsBetter)
        );
    }

    #[tokio::test]
    async fn new_sources_get_the_quality_control_items_that_the_study_asks_for() {
        let folder = tempfile::tempdir().unwrap();
        let url = store::sqlite_url(&folder.path().join("import.sqlite"));
        let store = Store::open(&url).await.unwrap();
        let slug: Slug = "river".parse().unwrap();
        let settings = Settings {
            quality_control: QualityControl {
                copy_every: 2,
                ..QualityControl::default()
            },
            ..Settings::default()
        };
        let new = NewStudy {
            id: StudyId(clock::new_id()),
            slug: &slug,
            name: "River",
            settings: &settings,
            lead: None,
        };
        store.create_study(&new, clock::now_ms()).await.unwrap();
        let table = "source,output,system\n\
                     The river rose.,It rose.,a\nThe bridge held.,It held.,a\n\
                     The ferry sank.,It sank.,a\nThe mill burned.,It burned.,a\n";
        for added in [Some("2 quality-control items were added."), None] {
            let study = store.study_by_slug(&slug).await.unwrap().unwrap();
            let open = || formats::open(table.as_bytes(), Reading::default());
            let progress = Arc::new(Progress::default());
            let report = bring_in(&store, study, open, Manner::default(), progress)
                .await
                .unwrap();
            assert_eq!(report.notes.last().map(String::as_str), added);
        }
    }
}
