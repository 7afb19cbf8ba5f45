//! Large changes in short transactions, so that saving an answer never waits long for one.

use std::time::Duration;

use crate::{DatabaseEngine, Result, Store};

/// The number of rows that are changed in one transaction.
pub(crate) const ROWS_PER_TRANSACTION: i64 = 500;

/// The pause between two transactions on SQLite, in which other processes can write. Writers of
/// this process queue, and need none.
const PAUSE: Duration = Duration::from_millis(20);

/// The row to which rows belong, with its id.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PieceOwner<'a> {
    Import(&'a str),
    Rater(&'a str),
    Study(&'a str),
}

impl<'a> PieceOwner<'a> {
    const fn id(self) -> &'a str {
        match self {
            Self::Import(id) | Self::Rater(id) | Self::Study(id) => id,
        }
    }

    /// The statement that holds the row until the transaction ends.
    const fn hold(self) -> &'static str {
        match self {
            Self::Import(_) => "UPDATE import SET began_at = began_at WHERE id = $1",
            Self::Rater(_) => "UPDATE stored_rater SET kind = kind WHERE id = $1",
            Self::Study(_) => "UPDATE study SET events = events WHERE id = $1",
        }
    }
}

impl Store {
    /// Runs a statement until it finds no more rows to change, or their owner is gone. `$1` is the
    /// owner's id, `$2` the largest number of rows at a time.
    ///
    /// Each transaction holds the owner. Otherwise, of two processes that change the same rows, the
    /// second would wait for the first, find its rows gone, and take that for the end.
    pub(crate) async fn run_in_pieces(
        &self,
        statement: &'static str,
        owner: PieceOwner<'_>,
        rows: i64,
    ) -> Result<()> {
        loop {
            let changed = in_transaction!(self, |tx| {
                let held = sqlx::query(owner.hold())
                    .bind(owner.id())
                    .execute(&mut *tx)
                    .await?
                    .rows_affected();

                if held == 0 {
                    0
                } else {
                    sqlx::query(statement)
                        .bind(owner.id())
                        .bind(rows)
                        .execute(&mut *tx)
                        .await?
                        .rows_affected()
                }
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
