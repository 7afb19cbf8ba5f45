//! Large changes in short transactions, so that saving an answer never waits long for one.

use std::time::Duration;

use crate::{DatabaseEngine, Result, Store};

/// Rows that are changed in one transaction.
pub(crate) const ROWS_PER_TRANSACTION: i64 = 500;

/// Between two transactions on SQLite, so that other processes find a moment to write. Those of this
/// process queue at the writer and need none.
const PAUSE: Duration = Duration::from_millis(20);

impl Store {
    /// Runs a statement until it finds no more rows to change: `$1` is the id of what they belong to, `$2`
    /// the most rows at a time.
    pub(crate) async fn run_in_pieces(
        &self,
        statement: &'static str,
        owner: &str,
        rows: i64,
    ) -> Result<()> {
        loop {
            let changed = in_transaction!(self, |tx| {
                sqlx::query(statement)
                    .bind(owner)
                    .bind(rows)
                    .execute(&mut *tx)
                    .await?
                    .rows_affected()
            })?;
            if changed == 0 {
                return Ok(());
            }
            self.pause_for_writers().await;
        }
    }

    /// Leaves other processes a moment to write.
    pub(crate) async fn pause_for_writers(&self) {
        if self.engine() == DatabaseEngine::Sqlite {
            tokio::time::sleep(PAUSE).await;
        }
    }
}
