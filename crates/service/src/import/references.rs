//! References of sources that are there already.

use std::sync::Arc;

use crate::import::{FileReferences, ImportReport, MatchedRowCounts, RunningJobProgress};
use domain::ids::{SourceId, StudyId};
use formats::{BadRow, FatalReadError, OpenedFile};
use store::{SourceEntry, Store, import::StudyImport};
use tokio::runtime::Handle;

use super::{
    ImportFailure, ImportOrigin,
    run::{BATCH_SIZE, begin, complete, send_batch},
};
use crate::Context;

/// Which texts are taken for sources that the file writes otherwise.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AcceptedReferences {
    /// Those on these lines for these sources.
    pub lines: Vec<(SourceId, u64)>,
    /// All that are as similar as this, from 0 to 1; none without.
    pub min_similarity: Option<f64>,
}

/// Gives the sources of a study the references that `open` opens, matched by the source's text as
/// [`formats::SourceReferences`] does. References that a source has already change nothing.
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
    complete(store, context, import, move |runtime, import| {
        take_rows(
            context,
            runtime,
            import,
            &sources,
            open()?,
            &accepted,
            &progress,
        )
    })
    .await
}

fn take_rows(
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
        ..ImportReport::default()
    };
    let mut found = FileReferences::read(opened)?;
    found.accept(sources, &accepted.lines);
    if let Some(least) = accepted.min_similarity {
        found.accept_similar(sources, least);
    }
    report.rows = found.rows;
    for bad in std::mem::take(&mut found.bad_rows) {
        report.leave_out(bad);
    }
    let good = report.rows - report.bad;
    for (at, source) in (1..).zip(sources) {
        if progress.stop_requested() {
            return Err(ImportFailure::Cancelled);
        }
        let references = found.references.references_for(&source.text);
        if references.is_empty() {
            continue;
        }
        match import.references(source.id, references) {
            Ok(()) => {}
            Err(store::Error::Refused(reason)) => report.leave_out(BadRow {
                line: found.references.line_for(&source.text).unwrap_or_default(),
                column: None,
                reason,
            }),
            Err(error) => return Err(error.into()),
        }
        if u64::is_multiple_of(at, BATCH_SIZE) {
            send_batch(context, runtime, import)?;
        }
    }
    let summary = found.summary(sources);
    report.matched = Some(MatchedRowCounts {
        matched: good - summary.unused_rows,
        unmatched: summary.unused_rows,
    });
    report.references = Some(summary);
    Ok(report)
}

/// A text as outputs are compared.
pub(super) fn fold_text(text: &str) -> String {
    text.trim().to_lowercase()
}
