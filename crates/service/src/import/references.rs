//! Imports of references for sources that the study has.

use std::sync::Arc;

use domain::ids::{SourceId, StudyId};
use formats::{BadRow, FatalReadError, OpenedFile, visible_form};
use store::{SourceEntry, Store, import::StudyImport};
use tokio::runtime::Handle;

use super::{
    FileReferences, ImportFailure, ImportOrigin, ImportReport, MatchedRowCounts,
    RunningJobProgress,
    lifecycle::{BATCH_SIZE, begin, complete, send_batch},
    report::sheet_notes,
};
use crate::Context;

/// The texts that are accepted for sources although they differ from the sources' texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AcceptedReferences {
    /// The lines of such texts, by source.
    pub lines: Vec<(SourceId, u64)>,
    /// The similarity, from 0 to 1, from which on the most similar text of a source is accepted; `None` accepts no
    /// others.
    pub min_similarity: Option<f64>,
}

/// Imports the references that `open` opens. They are matched to sources by text, as by
/// [`formats::SourceReferences`]. References that a source already has are not added again.
pub async fn import_references(
    store: &Store,
    context: Context,
    study: StudyId,
    open: impl FnOnce() -> Result<OpenedFile<'static>, FatalReadError> + Send + 'static,
    accepted: AcceptedReferences,
    origin: ImportOrigin,
    progress: Arc<RunningJobProgress>,
) -> Result<ImportReport, ImportFailure> {
    let sources = store.sources(study).await?;
    let import = begin(store, context, study, &origin, &progress).await?;

    let completed = complete(store, context, import, move |runtime, import| {
        let opened = open()?;
        let report = add_references(
            context, runtime, import, &sources, opened, &accepted, &progress,
        );
        report.map(|report| (report, ()))
    });
    completed.await.map(|(report, ())| report)
}

fn add_references(
    context: Context,
    runtime: &Handle,
    import: &mut StudyImport,
    sources: &[SourceEntry],
    opened: OpenedFile<'static>,
    accepted: &AcceptedReferences,
    progress: &RunningJobProgress,
) -> Result<ImportReport, ImportFailure> {
    let mut report = ImportReport {
        format: format!("references, {}", opened.format.name()),
        notes: sheet_notes(&opened.input),
        ..ImportReport::default()
    };

    let mut file = FileReferences::read(opened)?;
    file.accept(sources, &accepted.lines);
    if let Some(min_similarity) = accepted.min_similarity {
        file.accept_similar(sources, min_similarity);
    }

    report.rows = file.rows;
    for bad in std::mem::take(&mut file.bad_rows) {
        report.leave_out(bad);
    }

    let good = report.rows - report.bad;
    for (number, source) in (1..).zip(sources) {
        if progress.stop_requested() {
            return Err(ImportFailure::Cancelled);
        }

        let references = file.references.references_for(&source.text);
        if !references.is_empty() {
            match import.references(source.id, references) {
                Ok(()) => {}
                Err(store::Error::Refused(reason)) => report.leave_out(BadRow {
                    line: file.references.line_for(&source.text).unwrap_or_default(),
                    column: None,
                    reason,
                }),
                Err(error) => return Err(error.into()),
            }
        }

        if u64::is_multiple_of(number, BATCH_SIZE) {
            send_batch(context, runtime, import)?;
        }
    }

    let summary = file.summary(sources);
    report.matched = Some(MatchedRowCounts {
        matched: good - summary.unused_rows,
        unmatched: summary.unused_rows,
    });
    report.references = Some(summary);
    Ok(report)
}

/// The form in which texts of outputs are compared: in lower case and without invisible characters.
pub(super) fn fold_text(text: &str) -> String {
    visible_form(text).to_lowercase()
}
