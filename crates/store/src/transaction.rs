//! Transactions that are retried when the database allows it.

use std::time::Duration;

use crate::Error;

/// The largest number of attempts at a transaction.
const MAX_ATTEMPTS: u32 = 8;

/// Runs `$body` in a write transaction `$tx` and commits; on a transient failure all of it runs
/// again, up to [`MAX_ATTEMPTS`] times. The body uses `?` with [`crate::Error`] and ends in the
/// value to return. It may run more than once, so it must not move what it captures.
///
/// The entry of the log of changes that `$store` carries is stored with it.
macro_rules! in_transaction {
    ($store:expr, |$tx:ident| $body:block) => {
        in_transaction!($store, |$tx| $body, value, true)
    };
    ($store:expr, |$tx:ident| $body:block, $value:ident, $is_change:expr) => {{
        let mut attempt = 1_u32;
        loop {
            let result = async {
                let mut $tx = $store.begin().await?;
                let $value = $body;
                let stored_entry = if $is_change {
                    $store.store_audit_entry(&mut $tx).await?
                } else {
                    None
                };
                $tx.commit().await?;
                if let Some(entry) = stored_entry {
                    entry.log();
                }
                Ok::<_, $crate::Error>($value)
            }
            .await;
            match result {
                Err(error) if $crate::transaction::is_retryable(&error, attempt) => {
                    $crate::transaction::pause(attempt, &error).await;
                    attempt += 1;
                }
                result => break result,
            }
        }
    }};
}

/// Like [`in_transaction`], for a body whose value says whether anything changed: if nothing did,
/// no entry is stored.
macro_rules! change_in_transaction {
    ($store:expr, |$tx:ident| $body:block) => {
        in_transaction!(
            $store,
            |$tx| $body,
            value,
            $crate::transaction::ChangeReport::is_change(&value)
        )
    };
}

/// The value of a transaction that may find nothing to change.
pub(crate) trait ChangeReport {
    /// Whether anything changed.
    fn is_change(&self) -> bool;
}

impl ChangeReport for bool {
    fn is_change(&self) -> bool {
        *self
    }
}

impl<T> ChangeReport for Option<T> {
    fn is_change(&self) -> bool {
        self.is_some()
    }
}

/// A value, and whether anything changed.
impl<T> ChangeReport for (T, bool) {
    fn is_change(&self) -> bool {
        self.1
    }
}

/// Whether a transaction whose `attempt`th attempt failed with `error` is retried.
pub(crate) fn is_retryable(error: &Error, attempt: u32) -> bool {
    attempt < MAX_ATTEMPTS && error.is_transient()
}

/// Waits before the next attempt, twice as long each time: 20 ms, then 40, …
pub(crate) async fn pause(attempt: u32, error: &Error) {
    tracing::debug!(attempt, %error, "the database is tried again");
    tokio::time::sleep(Duration::from_millis(10 << attempt)).await;
}
