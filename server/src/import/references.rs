//! References of sources that are there already.

use std::{collections::HashMap, sync::Arc};

use app::imports::{Matched, Progress, Report};
use domain::ids::{SourceId, StudyId};
use formats::{Fatal, Opened, Problem};
use store::{Store, import::Import};
use tokio::runtime::Handle;

use super::{AT_ONCE, Failure, ImportOrigin, begin, complete, send};

/// Gives the sources of a study the references that `open` opens, matched by the source's text,
/// whatever its case. References that a source has already change nothing.
pub(crate) async fn bring_references(
    store: &Store,
    study: StudyId,
    open: impl FnOnce() -> Result<Opened<'static>, Fatal> + Send + 'static,
    origin: ImportOrigin,
    progress: Arc<Progress>,
) -> Result<Report, Failure> {
    let mut by_text = HashMap::<String, Vec<SourceId>>::new();
    for source in store.sources(study).await? {
        by_text
            .entry(folded(&source.text))
            .or_default()
            .push(source.id);
    }
    let import = begin(store, study, &origin, &progress).await?;
    complete(store, import, move |runtime, import| {
        take_rows(runtime, import, &by_text, open()?, &progress)
    })
    .await
}

fn take_rows(
    runtime: &Handle,
    import: &mut Import,
    by_text: &HashMap<String, Vec<SourceId>>,
    opened: Opened<'static>,
    progress: &Progress,
) -> Result<Report, Failure> {
    let mut report = Report {
        format: format!("references, {}", opened.format.name()),
        ..Report::default()
    };
    let mut matched = Matched::default();
    for item in opened.rows {
        if progress.stops() {
            return Err(Failure::Cancelled);
        }
        report.rows += 1;
        let row = match item {
            Ok(row) => row,
            Err(Problem::Row(bad)) => {
                report.leave_out(bad);
                continue;
            }
            Err(Problem::Fatal(fault)) => return Err(fault.into()),
        };
        let Some(sources) = by_text.get(&folded(&row.source.text)) else {
            matched.unmatched += 1;
            continue;
        };
        matched.matched += 1;
        for source in sources {
            match import.references(*source, &row.source.references) {
                Ok(()) => {}
                Err(store::Error::Refused(reason)) => report.leave_out(formats::BadRow {
                    line: row.line,
                    column: None,
                    reason,
                }),
                Err(error) => return Err(error.into()),
            }
        }
        if report.rows.is_multiple_of(AT_ONCE) {
            send(runtime, import)?;
        }
    }
    report.matched = Some(matched);
    Ok(report)
}

/// A text as sources are compared.
pub(super) fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}
