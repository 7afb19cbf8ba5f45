//! Sources that are hidden, shown again and removed.

use domain::ids::{SourceId, StudyId};
use sqlx::AnyConnection;

use super::source_use::{load_source_use, refuse_open, refuse_use};
use crate::{
    EventKind, Result, Store,
    columns::{BindId, read_rows},
    event, lock,
};

/// A source that a lead hid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenSource {
    /// Its id.
    pub id: SourceId,
    /// Its name in the files it came from.
    pub key: String,
    /// The source text.
    pub text: String,
}

impl Store {
    /// The sources of the study that a lead hid, in the order in which they came.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn hidden_sources(&self, study: StudyId) -> Result<Vec<HiddenSource>> {
        let rows = sqlx::query(
            "SELECT id, key, text FROM stored_source
             WHERE study_id = $1 AND hidden_at IS NOT NULL ORDER BY position, id",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        read_rows("source", &rows, |row| {
            Ok(HiddenSource {
                id: row.parse("id")?,
                key: row.get("key")?,
                text: row.get("text")?,
            })
        })
    }

    /// Hides a source with its outputs. Returns false if the study shows no such source.
    ///
    /// # Errors
    /// Refused while an annotator has it, and where the study is closed.
    pub async fn hide_source(&self, study: StudyId, source: SourceId, now_ms: i64) -> Result<bool> {
        let statements = [
            "UPDATE stored_source SET hidden_at = $2 WHERE id = $1",
            "UPDATE stored_output SET hidden_at = $2 WHERE source_id = $1 AND hidden_at IS NULL",
        ];

        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let is_known = is_shown(&mut tx, study, source).await?;
            if is_known {
                refuse_open(load_source_use(&mut tx, source).await?)?;
                for sql in statements {
                    let hidden = sqlx::query(sql).bind_id(source).bind(now_ms);
                    hidden.execute(&mut *tx).await?;
                }
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            is_known
        })
    }

    /// Shows a source again, with the outputs that were hidden together with it. Returns false if
    /// the study hides no such source.
    ///
    /// # Errors
    /// Refused where the study is closed.
    pub async fn show_source(&self, study: StudyId, source: SourceId, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            sqlx::query(
                "UPDATE stored_output SET hidden_at = NULL WHERE source_id = $1 AND hidden_at =
                    (SELECT hidden_at FROM stored_source WHERE id = $1 AND study_id = $2)",
            )
            .bind_id(source)
            .bind_id(study)
            .execute(&mut *tx)
            .await?;

            let shown = sqlx::query(
                "UPDATE stored_source SET hidden_at = NULL
                 WHERE id = $1 AND study_id = $2 AND hidden_at IS NOT NULL",
            )
            .bind_id(source)
            .bind_id(study)
            .execute(&mut *tx)
            .await?
            .rows_affected()
                == 1;

            if shown {
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            shown
        })
    }

    /// Removes a source with its outputs for good. Returns false if the study shows no such source.
    ///
    /// # Errors
    /// Refused where an annotator has or judged anything of it, while an import is under way, and where the
    /// study is closed.
    pub async fn remove_source(
        &self,
        study: StudyId,
        source: SourceId,
        now_ms: i64,
    ) -> Result<bool> {
        let statements = [
            // Identical outputs reference the first of them, which may be deleted before them.
            "UPDATE stored_output SET twin_of = NULL WHERE source_id = $1",
            "DELETE FROM stored_source WHERE id = $1",
        ];

        change_in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let is_known = is_shown(&mut tx, study, source).await?;
            if is_known {
                refuse_use(&mut tx, study, source).await?;
                for sql in statements {
                    let removed = sqlx::query(sql).bind_id(source);
                    removed.execute(&mut *tx).await?;
                }
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            is_known
        })
    }
}

async fn is_shown(tx: &mut AnyConnection, study: StudyId, source: SourceId) -> Result<bool> {
    let row = sqlx::query("SELECT id FROM source WHERE id = $1 AND study_id = $2")
        .bind_id(source)
        .bind_id(study)
        .fetch_optional(tx)
        .await?;
    Ok(row.is_some())
}
