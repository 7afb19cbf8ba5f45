//! The end of the time for which a study keeps personal data.

use domain::{ids::StudyId, study::StudySettings};
use sqlx::{AnyConnection, Row};

use super::raters::hide_withdrawn;
use crate::{
    EventKind, Result, Store,
    columns::{BindId, TableRow, parse_json},
    event,
    pieces::ROWS_PER_TRANSACTION,
};

/// Links between a study `$1` and people. Its leads stay, so that somebody can still open it.
const LINKS: [&str; 7] = [
    "UPDATE stored_rater SET person_id = NULL WHERE study_id = $1 AND person_id IS NOT NULL",
    "DELETE FROM member WHERE study_id = $1 AND role <> 'lead'",
    "UPDATE invitation SET label = '', created_by = NULL WHERE study_id = $1",
    "UPDATE job SET created_by = NULL WHERE study_id = $1",
    "UPDATE upload SET created_by = NULL WHERE study_id = $1",
    "UPDATE import SET person_id = NULL WHERE study_id = $1",
    "UPDATE discussion SET asked_by = NULL WHERE study_id = $1",
];

/// Personal data of a closed study `$1`, `$2` rows at a time: who participants are elsewhere, and what
/// people wrote in free text. The newest note goes first: none supersedes one that is gone.
const PIECES: [&str; 4] = [
    "UPDATE participant
     SET external_id = NULL, external_study = '', external_session = '', session_hash = NULL,
         comment = '', left_reason = ''
     WHERE id IN (
        SELECT p.id FROM participant p JOIN study s ON s.id = p.study_id
        WHERE p.study_id = $1 AND s.closed_at IS NOT NULL
          AND (p.external_id IS NOT NULL OR p.external_study <> '' OR p.external_session <> ''
               OR p.session_hash IS NOT NULL OR p.comment <> '' OR p.left_reason <> '')
        LIMIT $2)",
    "DELETE FROM stored_annotation WHERE id IN (
        SELECT a.id FROM stored_annotation a JOIN study s ON s.id = a.study_id
        WHERE a.study_id = $1 AND a.kind = 'note' AND s.closed_at IS NOT NULL
        ORDER BY a.event DESC LIMIT $2)",
    "UPDATE assignment SET reason = '' WHERE id IN (
        SELECT x.id FROM assignment x JOIN study s ON s.id = x.study_id
        WHERE x.study_id = $1 AND x.reason <> '' AND s.closed_at IS NOT NULL LIMIT $2)",
    "DELETE FROM discussion WHERE id IN (
        SELECT d.id FROM discussion d JOIN study s ON s.id = d.study_id
        WHERE d.study_id = $1 AND s.closed_at IS NOT NULL LIMIT $2)",
];

impl Store {
    /// Erases the personal data of closed studies whose settings say that its time is over; gives their
    /// ids. Ratings and answers stay, without a link to a person; those of people who withdrew go.
    ///
    /// # Errors
    /// When the database fails; what is left is erased the next time.
    pub async fn erase_expired_personal_data(&self, now_ms: i64) -> Result<Vec<StudyId>> {
        let rows = sqlx::query(
            "SELECT id FROM study
             WHERE closed_at IS NOT NULL AND erased_at IS NULL
               AND (personal_data_erased_at IS NULL OR personal_data_erased_at < closed_at)",
        )
        .fetch_all(self.reader())
        .await?;
        let mut erased = vec![];
        for row in &rows {
            let id: StudyId = TableRow::new("study", row)?.parse("id")?;
            let study = match self.study(id).await {
                Err(error) if error.concerns_row() => {
                    tracing::warn!(study = %id, %error, "a study's settings do not read");
                    continue;
                }
                study => study?,
            };
            let due =
                study.filter(|study| study.personal_data_due_at().is_some_and(|at| at <= now_ms));
            if let Some(study) = due
                && self.erase_personal_data(id, now_ms).await?
            {
                erased.push(study.id);
            }
        }
        Ok(erased)
    }

    /// Erases the personal data of one study. False where it was opened again meanwhile.
    async fn erase_personal_data(&self, study: StudyId, now_ms: i64) -> Result<bool> {
        let is_begun = in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            let is_over = is_due(&mut tx, study, now_ms).await?;
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
        for sql in PIECES {
            self.run_in_pieces(sql, &study.to_string(), ROWS_PER_TRANSACTION)
                .await?;
        }
        self.delete_erased_raters().await?;
        in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            let is_over = is_due(&mut tx, study, now_ms).await?;
            if is_over {
                sqlx::query("UPDATE study SET personal_data_erased_at = $2 WHERE id = $1")
                    .bind_id(study)
                    .bind(now_ms)
                    .execute(&mut *tx)
                    .await?;
                event::record(&mut tx, study, EventKind::Erased, study, now_ms).await?;
            }
            is_over
        })
    }
}

/// Whether the study is closed and the time is over for which it keeps personal data. The study must be
/// held.
async fn is_due(tx: &mut AnyConnection, study: StudyId, now_ms: i64) -> Result<bool> {
    let row = sqlx::query("SELECT settings, closed_at FROM study WHERE id = $1")
        .bind_id(study)
        .fetch_one(tx)
        .await?;
    let settings: StudySettings = parse_json("study", study, "settings", row.try_get("settings")?)?;
    let closed_at: Option<i64> = row.try_get("closed_at")?;
    let due_at = closed_at.and_then(|at| settings.retention.due_at(at));
    Ok(due_at.is_some_and(|at| at <= now_ms))
}
