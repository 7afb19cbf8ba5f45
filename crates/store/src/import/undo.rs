//! Undoing an import.

use domain::ids::{ImportId, StudyId};
use sqlx::AnyConnection;

use super::record::refuse_concurrent_import;
use crate::{Error, EventKind, Result, Store, columns::BindId, event, lock};

/// Reasons against undoing an import: a statement that counts rows, and the sentence if there are
/// any.
const REASONS: [(&str, &str); 3] = [
    (
        // Answers about its rows, and assignments of sources with its rows that are open or were
        // handed in since.
        "SELECT (SELECT COUNT(*) FROM stored_annotation a
                 WHERE a.import_id IS NULL
                   AND (a.output_id IN (SELECT id FROM stored_output WHERE import_id = $1)
                        OR a.source_id IN (SELECT id FROM stored_source WHERE import_id = $1)))
              + (SELECT COUNT(*) FROM stored_output o
                 WHERE o.import_id = $1 AND EXISTS (
                    SELECT 1 FROM stored_annotation a
                    WHERE a.source_id = o.source_id AND a.kind = 'comparison'
                      AND a.compared LIKE '%' || o.id || '%'))
              + (SELECT COUNT(*) FROM final_value f
                 WHERE f.output_id IN (SELECT id FROM stored_output WHERE import_id = $1))
              + (SELECT COUNT(*) FROM assignment x
                 WHERE (x.state = 'open'
                        OR (x.state = 'handed-in'
                            AND x.ended_at >= (SELECT ended_at FROM import WHERE id = $1)))
                   AND (x.source_id IN (SELECT source_id FROM stored_output WHERE import_id = $1)
                        OR x.source_id IN (SELECT id FROM stored_source WHERE import_id = $1)))",
        "Something that this import brought was judged already, or an annotator has it at the moment. \
         Hide single sources or outputs on the source's page instead.",
    ),
    (
        "SELECT (SELECT COUNT(*) FROM stored_output o
                 WHERE o.import_id <> $1
                   AND (o.source_id IN (SELECT id FROM stored_source WHERE import_id = $1)
                        OR o.twin_of IN (SELECT id FROM stored_output WHERE import_id = $1)))
              + (SELECT COUNT(*) FROM stored_annotation a
                 WHERE a.import_id <> $1
                   AND a.output_id IN (SELECT id FROM stored_output WHERE import_id = $1))
              + (SELECT COUNT(*) FROM stored_reference r
                 WHERE r.import_id <> $1
                   AND r.source_id IN (SELECT id FROM stored_source WHERE import_id = $1))
              + (SELECT COUNT(*) FROM stored_context c
                 WHERE c.import_id <> $1
                   AND c.source_id IN (SELECT id FROM stored_source WHERE import_id = $1))",
        "A later import added to what this one brought: take that one back first.",
    ),
    (
        "SELECT COUNT(*) FROM import WHERE id = $1 AND state <> 'done'",
        "This import was taken back already.",
    ),
];

/// Systems and raters that rows of others reference stay; they then belong to no import.
const SHARED: [&str; 2] = [
    "UPDATE stored_system SET import_id = NULL
     WHERE import_id = $1 AND id IN (
        SELECT system_id FROM stored_output
        WHERE study_id = $2 AND (import_id IS NULL OR import_id <> $1))",
    "UPDATE stored_rater SET import_id = NULL
     WHERE import_id = $1 AND id IN (
        SELECT rater_id FROM stored_annotation
        WHERE study_id = $2 AND (import_id IS NULL OR import_id <> $1))",
];

/// Ends the job of an import `$1` whose own end was not stored, so that it does not bring the rows
/// again.
const END_JOB: &str = "UPDATE job SET cancelled = 1,
        ended_at = CASE WHEN state = 'queued' THEN CAST($2 AS BIGINT) ELSE ended_at END,
        state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END
    WHERE id = (SELECT job_id FROM import WHERE id = $1) AND state IN ('queued', 'running')";

impl Store {
    /// The reason why an import cannot be undone, for people; `None` if it can.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn why_import_stays(&self, import: ImportId) -> Result<Option<&'static str>> {
        let mut reader = self.reader().acquire().await?;
        why_stays(&mut reader, import).await
    }

    /// Undoes an import: its rows are hidden at once and deleted afterwards. Returns false if the
    /// study has no such import.
    ///
    /// # Errors
    /// Refused where something of it was judged, a later import added to it, another import is under way,
    /// or the study is closed.
    pub async fn undo_import(&self, study: StudyId, import: ImportId, now_ms: i64) -> Result<bool> {
        let (id, of_study) = (import.to_string(), study.to_string());
        let taken_back = change_in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            let row = sqlx::query(
                "SELECT id FROM import WHERE id = $1 AND study_id = $2 AND ended_at IS NOT NULL",
            )
            .bind(&id)
            .bind(&of_study)
            .fetch_optional(&mut *tx)
            .await?;

            if row.is_some() {
                refuse_concurrent_import(&mut tx, study).await?;
                if let Some(reason) = why_stays(&mut tx, import).await? {
                    return Err(Error::Refused(reason.to_owned()));
                }

                for sql in SHARED {
                    let shared = sqlx::query(sql).bind(&id).bind(&of_study);
                    shared.execute(&mut *tx).await?;
                }
                for sql in [
                    "UPDATE import SET state = 'leaving', undone_at = $2 WHERE id = $1",
                    END_JOB,
                ] {
                    sqlx::query(sql)
                        .bind(&id)
                        .bind(now_ms)
                        .execute(&mut *tx)
                        .await?;
                }
                event::record(&mut tx, study, EventKind::Import, &of_study, now_ms).await?;
            }
            row.is_some()
        })?;

        if taken_back {
            self.clear_import(import).await?;
        }
        Ok(taken_back)
    }
}

async fn why_stays(tx: &mut AnyConnection, import: ImportId) -> Result<Option<&'static str>> {
    for (sql, reason) in REASONS {
        let query = sqlx::query_scalar::<_, i64>(sql).bind_id(import);
        if query.fetch_one(&mut *tx).await? > 0 {
            return Ok(Some(reason));
        }
    }
    Ok(None)
}
