//! Deleting the rows of imports that did not finish or were undone.

use domain::ids::{ImportId, StudyId};

use crate::{
    Result, Store,
    columns::TableRow,
    pieces::{PieceOwner, ROWS_PER_TRANSACTION},
};

/// Deletions, one per table; rows that others reference come last. The first of identical outputs
/// goes last.
const DELETIONS: [&str; 8] = [
    "DELETE FROM stored_annotation WHERE id IN
        (SELECT id FROM stored_annotation WHERE import_id = $1 LIMIT $2)",
    "DELETE FROM stored_output WHERE id IN
        (SELECT id FROM stored_output WHERE import_id = $1 AND twin_of IS NOT NULL LIMIT $2)",
    "DELETE FROM stored_output WHERE id IN
        (SELECT id FROM stored_output WHERE import_id = $1 LIMIT $2)",
    "DELETE FROM stored_reference WHERE import_id = $1 AND source_id IN
        (SELECT source_id FROM stored_reference WHERE import_id = $1 LIMIT $2)",
    "DELETE FROM stored_context WHERE import_id = $1 AND source_id IN
        (SELECT source_id FROM stored_context WHERE import_id = $1 LIMIT $2)",
    "DELETE FROM stored_source WHERE id IN
        (SELECT id FROM stored_source WHERE import_id = $1 LIMIT $2)",
    "DELETE FROM stored_rater WHERE id IN
        (SELECT id FROM stored_rater WHERE import_id = $1 LIMIT $2)",
    "DELETE FROM stored_system WHERE id IN
        (SELECT id FROM stored_system WHERE import_id = $1 LIMIT $2)",
];

impl Store {
    /// Deletes the rows of imports that did not finish, and returns the number of imports. Nobody
    /// has seen any of the rows.
    ///
    /// # Errors
    /// When the database fails; what is left is deleted the next time.
    pub async fn clear_imports(&self, now_ms: i64) -> Result<u64> {
        self.clear_imports_of(None, now_ms).await
    }

    /// Like [`Self::clear_imports`], for one study or all.
    pub(super) async fn clear_imports_of(
        &self,
        study: Option<StudyId>,
        now_ms: i64,
    ) -> Result<u64> {
        let rows = sqlx::query(
            "SELECT id, state, leased_until FROM import
             WHERE state IN ('running', 'leaving') AND ($1 = '' OR study_id = $1)",
        )
        .bind(study.map_or_else(String::new, |study| study.to_string()))
        .fetch_all(self.reader())
        .await?;

        let mut cleared = 0;
        for row in &rows {
            let row = TableRow::new("import", row)?;
            let id: ImportId = row.parse("id")?;

            let begun_here = self
                .live_imports()
                .get(&id)
                .map(|sign| sign.strong_count() > 0);
            let alive = begun_here.unwrap_or(row.get::<i64>("leased_until")? >= now_ms);

            if row.get::<&str>("state")? == "leaving" || !alive {
                self.clear_import(id).await?;
                cleared += 1;
            }
        }

        Ok(cleared)
    }

    /// Deletes the rows of an import that is not done, in short transactions, then its record,
    /// unless it was undone.
    pub(super) async fn clear_import(&self, import: ImportId) -> Result<()> {
        let id = import.to_string();
        let leaving = in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE import SET state = 'leaving'
                 WHERE id = $1 AND state IN ('running', 'leaving')",
            )
            .bind(&id)
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1
        })?;

        if leaving {
            for deletion in DELETIONS {
                self.run_in_pieces(deletion, PieceOwner::Import(&id), ROWS_PER_TRANSACTION)
                    .await?;
            }

            in_transaction!(self, |tx| {
                for sql in [
                    "DELETE FROM import WHERE id = $1 AND state = 'leaving' AND undone_at IS NULL",
                    "UPDATE import SET state = 'undone' WHERE id = $1 AND state = 'leaving'",
                ] {
                    sqlx::query(sql).bind(&id).execute(&mut *tx).await?;
                }
            })?;
        }

        self.live_imports().remove(&import);
        Ok(())
    }
}
