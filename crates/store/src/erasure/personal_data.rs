//! The end of a study's retention period.

use domain::{ids::StudyId, study::StudySettings};
use sqlx::AnyConnection;

use super::{ErasureFailures, log, raters::hide_withdrawn};
use crate::{
    EventKind, Result, Store,
    audit::NewAuditEntry,
    columns::{BindId, TableRow},
    event,
    pieces::{PieceOwner, ROWS_PER_TRANSACTION},
};

/// Statements that remove links between a study `$1` and people. Its leads stay, so that they can
/// still open it. The log of an import's job quotes its files.
const LINKS: [&str; 11] = [
    "UPDATE stored_rater SET person_id = NULL WHERE study_id = $1 AND person_id IS NOT NULL",
    "DELETE FROM member WHERE study_id = $1 AND role <> 'lead'",
    "UPDATE member SET seen_at = NULL, visited_at = NULL WHERE study_id = $1",
    "UPDATE invitation SET label = '', created_by = NULL WHERE study_id = $1",
    "DELETE FROM job WHERE study_id = $1 AND kind = 'import' AND ended_at IS NOT NULL",
    "UPDATE job SET log = '' WHERE study_id = $1 AND log <> '' AND ended_at IS NOT NULL",
    "UPDATE job SET created_by = NULL WHERE study_id = $1",
    "UPDATE upload SET created_by = NULL WHERE study_id = $1",
    "UPDATE import SET person_id = NULL, names = '[]' WHERE study_id = $1",
    "UPDATE discussion SET asked_by = NULL WHERE study_id = $1",
    "UPDATE final_value SET decided_by = NULL WHERE study_id = $1",
];

/// Statements that erase personal data of a closed study `$1`, `$2` rows at a time: participants'
/// ids elsewhere, and free texts. Accounts of crowd raters are deleted. The newest notes go first,
/// so that no note supersedes one that is gone.
const PIECES: [&str; 6] = [
    "DELETE FROM person WHERE id IN (
        SELECT p.person_id FROM participant p JOIN study s ON s.id = p.study_id
        WHERE p.study_id = $1 AND p.person_id IS NOT NULL AND s.closed_at IS NOT NULL LIMIT $2)",
    "UPDATE participant
     SET external_id = NULL, external_study = '', external_session = '', session_hash = NULL,
         screening = NULL, comment = '', left_reason = ''
     WHERE id IN (
        SELECT p.id FROM participant p JOIN study s ON s.id = p.study_id
        WHERE p.study_id = $1 AND s.closed_at IS NOT NULL
          AND (p.external_id IS NOT NULL OR p.external_study <> '' OR p.external_session <> ''
               OR p.session_hash IS NOT NULL OR p.screening IS NOT NULL OR p.comment <> '' OR p.left_reason <> '')
        LIMIT $2)",
    "DELETE FROM stored_annotation WHERE id IN (
        SELECT a.id FROM stored_annotation a JOIN study s ON s.id = a.study_id
        WHERE a.study_id = $1 AND a.kind IN ('note', 'reply') AND s.closed_at IS NOT NULL
        ORDER BY a.event DESC LIMIT $2)",
    "UPDATE assignment SET reason = '' WHERE id IN (
        SELECT x.id FROM assignment x JOIN study s ON s.id = x.study_id
        WHERE x.study_id = $1 AND x.reason <> '' AND s.closed_at IS NOT NULL LIMIT $2)",
    "DELETE FROM discussion WHERE id IN (
        SELECT d.id FROM discussion d JOIN study s ON s.id = d.study_id
        WHERE d.study_id = $1 AND s.closed_at IS NOT NULL LIMIT $2)",
    "UPDATE final_value SET reason = '' WHERE id IN (
        SELECT f.id FROM final_value f JOIN study s ON s.id = f.study_id
        WHERE f.study_id = $1 AND f.reason <> '' AND s.closed_at IS NOT NULL LIMIT $2)",
];

/// Studies whose personal data may be due: not erased since they were closed, or with data that
/// came later.
const CANDIDATES: &str = "SELECT s.id FROM study s
    WHERE s.closed_at IS NOT NULL AND s.erased_at IS NULL
      AND (s.personal_data_erased_at IS NULL OR s.personal_data_erased_at < s.closed_at
           OR EXISTS (SELECT 1 FROM member m WHERE m.study_id = s.id AND m.role <> 'lead')
           OR EXISTS (SELECT 1 FROM participant p WHERE p.study_id = s.id AND p.left_reason <> ''))";

impl Store {
    /// Erases the personal data of closed studies whose retention period is over, and returns their
    /// ids. Ratings and answers stay, without a link to a person, except those of people who
    /// withdrew. The end of each erasure is stored together with its entry of the log of changes. A
    /// failure does not stop the others.
    ///
    /// # Errors
    /// When the database fails; what is left is erased the next time.
    pub async fn erase_expired_personal_data(
        &self,
        now_ms: i64,
        entry: impl Fn(StudyId) -> NewAuditEntry + Send + Sync,
    ) -> Result<Vec<StudyId>> {
        let rows = sqlx::query(CANDIDATES).fetch_all(self.reader()).await?;
        let (mut erased, mut failures) = (vec![], ErasureFailures::default());

        for row in &rows {
            let id: StudyId = TableRow::new("study", row)?.parse("id")?;
            match self.erase_where_due(id, now_ms, &entry).await {
                Ok(true) => erased.push(id),
                Ok(false) => {}
                Err(error) if error.concerns_row() => {
                    tracing::warn!(study = %id, %error, "a study's settings do not read");
                }
                Err(error) => failures.note("personal data of a study", id, error),
            }
        }

        if !erased.is_empty() {
            self.delete_erased_raters().await?;
        }

        failures.result(erased)
    }

    /// Erases the study's personal data if its retention period is over. Returns whether it did.
    async fn erase_where_due(
        &self,
        study: StudyId,
        now_ms: i64,
        entry: impl Fn(StudyId) -> NewAuditEntry,
    ) -> Result<bool> {
        let due_at = self.study(study).await?.and_then(|study| {
            let retention = study.settings.retention;
            study.closed_at.and_then(|at| retention.due_at(at))
        });
        if due_at.is_none_or(|at| at > now_ms) {
            return Ok(false);
        }
        self.audited(entry(study))
            .erase_personal_data(study, now_ms)
            .await
    }

    /// Erases the personal data of one study. Returns false if it was reopened meanwhile. The entry
    /// of the log of changes that this handle carries is stored at the end.
    async fn erase_personal_data(&self, study: StudyId, now_ms: i64) -> Result<bool> {
        let plain = self.without_audit_entry();
        let is_begun = in_transaction!(plain, |tx| {
            let is_over = hold_due(&mut tx, study, now_ms).await?;
            if is_over {
                hide_withdrawn(&mut tx, study, now_ms).await?;
                for sql in LINKS {
                    sqlx::query(sql).bind_id(study).execute(&mut *tx).await?;
                }
                event::record(&mut tx, study, EventKind::Erased, study, now_ms).await?;
            }
            is_over
        })?;

        if !is_begun {
            return Ok(false);
        }

        let owner = study.to_string();
        for sql in PIECES {
            plain
                .run_in_pieces(sql, PieceOwner::Study(&owner), ROWS_PER_TRANSACTION)
                .await?;
        }

        loop {
            // Data that arrived meanwhile goes first.
            let (is_left, is_done) = change_in_transaction!(self, |tx| {
                let is_over = hold_due(&mut tx, study, now_ms).await?;
                let is_left = is_over && erase_pieces(&mut tx, study).await?;
                let is_done = is_over && !is_left;
                if is_done {
                    sqlx::query("UPDATE study SET personal_data_erased_at = $2 WHERE id = $1")
                        .bind_id(study)
                        .bind(now_ms)
                        .execute(&mut *tx)
                        .await?;
                    event::record(&mut tx, study, EventKind::Erased, study, now_ms).await?;
                }
                (is_left, is_done)
            })?;
            if !is_left {
                return Ok(is_done);
            }
            self.pause_for_writers().await;
        }
    }
}

/// Erases some of the remaining personal data, and returns whether there was any. The study must be
/// held.
async fn erase_pieces(tx: &mut AnyConnection, study: StudyId) -> Result<bool> {
    for sql in PIECES {
        let changed = sqlx::query(sql)
            .bind_id(study)
            .bind(ROWS_PER_TRANSACTION)
            .execute(&mut *tx)
            .await?
            .rows_affected();
        if changed > 0 {
            return Ok(true);
        }
    }
    Ok(log::erase_names(tx, study, ROWS_PER_TRANSACTION).await? > 0)
}

/// Holds the study until the transaction ends, and returns whether its personal data is due.
async fn hold_due(tx: &mut AnyConnection, study: StudyId, now_ms: i64) -> Result<bool> {
    event::lock_study(tx, study).await?;
    is_due(tx, study, now_ms).await
}

/// Whether the study is closed and its retention period is over. The study must be held.
async fn is_due(tx: &mut AnyConnection, study: StudyId, now_ms: i64) -> Result<bool> {
    let row = sqlx::query("SELECT settings, closed_at FROM study WHERE id = $1")
        .bind_id(study)
        .fetch_one(tx)
        .await?;

    let row = TableRow::named("study", &row, study);
    let settings: StudySettings = row.json("settings")?;
    let closed_at: Option<i64> = row.get("closed_at")?;
    let due_at = closed_at.and_then(|at| settings.retention.due_at(at));
    Ok(due_at.is_some_and(|at| at <= now_ms))
}
