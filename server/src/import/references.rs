//! References of sources that are there already.

use std::sync::Arc;

use app::imports::{FoundReferences, Matched, Progress, Report};
use domain::ids::{SourceId, StudyId};
use formats::{BadRow, Fatal, Opened};
use store::{SourceEntry, Store, import::Import};
use tokio::runtime::Handle;

use super::{AT_ONCE, Failure, ImportOrigin, begin, complete, send};

/// Which texts are taken for sources that the file writes otherwise.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Accepted {
    /// Those on these lines for these sources.
    pub(crate) lines: Vec<(SourceId, u64)>,
    /// All that are as similar as this, from 0 to 1; none without.
    pub(crate) least_similarity: Option<f64>,
}

/// Gives the sources of a study the references that `open` opens, matched by the source's text as
/// [`formats::SourceReferences`] does. References that a source has already change nothing.
pub(crate) async fn bring_references(
    store: &Store,
    study: StudyId,
    open: impl FnOnce() -> Result<Opened<'static>, Fatal> + Send + 'static,
    accepted: Accepted,
    origin: ImportOrigin,
    progress: Arc<Progress>,
) -> Result<Report, Failure> {
    let sources = store.sources(study).await?;
    let import = begin(store, study, &origin, &progress).await?;
    complete(store, import, move |runtime, import| {
        take_rows(runtime, import, &sources, open()?, &accepted, &progress)
    })
    .await
}

fn take_rows(
    runtime: &Handle,
    import: &mut Import,
    sources: &[SourceEntry],
    opened: Opened<'static>,
    accepted: &Accepted,
    progress: &Progress,
) -> Result<Report, Failure> {
    let mut report = Report {
        format: format!("references, {}", opened.format.name()),
        ..Report::default()
    };
    let mut found = FoundReferences::read(opened)?;
    found.accept(sources, &accepted.lines);
    if let Some(least) = accepted.least_similarity {
        found.accept_similar(sources, least);
    }
    report.rows = found.rows;
    for bad in std::mem::take(&mut found.bad_rows) {
        report.leave_out(bad);
    }
    let good = report.rows - report.bad;
    for (at, source) in (1..).zip(sources) {
        if progress.stops() {
            return Err(Failure::Cancelled);
        }
        let references = found.references.of(&source.text);
        if references.is_empty() {
            continue;
        }
        match import.references(source.id, references) {
            Ok(()) => {}
            Err(store::Error::Refused(reason)) => report.leave_out(BadRow {
                line: found.references.line(&source.text).unwrap_or_default(),
                column: None,
                reason,
            }),
            Err(error) => return Err(error.into()),
        }
        if u64::is_multiple_of(at, AT_ONCE) {
            send(runtime, import)?;
        }
    }
    let summary = found.summary(sources);
    report.matched = Some(Matched {
        matched: good - summary.unused_rows,
        unmatched: summary.unused_rows,
    });
    report.references = Some(summary);
    Ok(report)
}

/// A text as outputs are compared.
pub(super) fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}
