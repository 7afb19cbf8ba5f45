//! Deletes erased data in the background.

use std::time::Duration;

use store::{
    Store,
    audit::{AuditKind, AuditSubject},
};
use tokio_util::sync::CancellationToken;

use crate::{audit::server_entry, clock};

/// Interval between checks for erased studies and raters.
const INTERVAL: Duration = Duration::from_secs(10);

/// Number of these intervals between checks for personal data whose retention period is over.
const RETENTION_EVERY: u32 = 360;

/// Deletes erased rows, and personal data whose retention period is over, until `stop`. The next process
/// finds what is left.
pub(crate) async fn work(store: Store, stop: CancellationToken) {
    let mut beats = tokio::time::interval(INTERVAL);
    let mut beat = 0_u32;
    while stop.run_until_cancelled(beats.tick()).await.is_some() {
        let round = delete_once(&store, beat.is_multiple_of(RETENTION_EVERY));
        if stop.run_until_cancelled(round).await.is_none() {
            return;
        }
        beat = beat.wrapping_add(1);
    }
}

async fn delete_once(store: &Store, is_retention_due: bool) {
    if is_retention_due {
        let entry = |study| server_entry(AuditKind::Retention, Some(study), AuditSubject::Nothing);
        match store
            .erase_expired_personal_data(clock::now_ms(), entry)
            .await
        {
            Ok(studies) if studies.is_empty() => {}
            Ok(studies) => tracing::info!(studies = studies.len(), "personal data was erased"),
            Err(error) => tracing::warn!(%error, "personal data was not erased"),
        }
    }

    match store.finish_erasures().await {
        Ok(0) => {}
        Ok(erased) => tracing::info!(erased, "rows of what was erased were deleted"),
        Err(error) => tracing::warn!(%error, "rows of what was erased were not deleted"),
    }
}
