//! Erasing raters with their answers, and raters' free texts.

use domain::ids::StudyId;
use sqlx::AnyConnection;

use super::ErasureFailures;
use crate::{
    Result, Store,
    columns::BindId,
    pieces::{PieceOwner, ROWS_PER_TRANSACTION},
    places,
};

/// The number of assignments deleted at a time, each with its times of activity.
const ASSIGNMENTS: i64 = 50;

/// Deletions for a rater `$1`, `$2` rows at a time; rows that others reference come last.
const DELETIONS: [(&str, i64); 3] = [
    (
        "DELETE FROM stored_annotation WHERE id IN
            (SELECT id FROM stored_annotation WHERE rater_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM assignment WHERE id IN (SELECT id FROM assignment WHERE rater_id = $1 LIMIT $2)",
        ASSIGNMENTS,
    ),
    (
        "DELETE FROM stored_rater WHERE id IN
            (SELECT id FROM stored_rater WHERE id = $1 AND erased_at IS NOT NULL LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
];

/// Free texts that a rater `$1` wrote: notes, replies to leads, and why they skipped sources.
const RATER_TEXTS: [&str; 2] = [
    "DELETE FROM stored_annotation WHERE rater_id = $1 AND kind IN ('note', 'reply')",
    "UPDATE assignment SET reason = '' WHERE rater_id = $1 AND state = 'skipped'",
];

impl Store {
    /// Deletes the answers of raters that [`hide`] hid. Returns the number of raters.
    pub(super) async fn delete_erased_raters(&self) -> Result<u64> {
        let query = "SELECT id FROM stored_rater WHERE erased_at IS NOT NULL";
        let raters: Vec<String> = sqlx::query_scalar(query).fetch_all(self.reader()).await?;
        let (mut deleted, mut failures) = (0, ErasureFailures::default());
        for rater in &raters {
            match self.delete_rater(rater).await {
                Ok(()) => deleted += 1,
                Err(error) => failures.note("rater", rater, error),
            }
        }
        failures.result(deleted)
    }

    async fn delete_rater(&self, rater: &str) -> Result<()> {
        for (deletion, most) in DELETIONS {
            self.run_in_pieces(deletion, PieceOwner::Rater(rater), most)
                .await?;
        }
        Ok(())
    }
}

/// Hides a rater with all of their answers, which are deleted later. Their sources may go to
/// others. The study must be held.
pub(super) async fn hide(tx: &mut AnyConnection, rater: &str, now_ms: i64) -> Result<()> {
    for sql in [
        "UPDATE stored_rater SET erased_at = $2 WHERE id = $1",
        "UPDATE assignment SET state = 'released', reason = '', ended_at = COALESCE(ended_at, $2)
         WHERE rater_id = $1",
    ] {
        sqlx::query(sql)
            .bind(rater)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;
    }
    places::count_rater_places(tx, rater).await
}

/// Hides, as [`hide`] does, the raters of the study who withdrew: without the member who says so,
/// their answers would count again.
pub(super) async fn hide_withdrawn(
    tx: &mut AnyConnection,
    study: StudyId,
    now_ms: i64,
) -> Result<()> {
    let raters: Vec<String> = sqlx::query_scalar(
        "SELECT r.id FROM stored_rater r
         JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE r.study_id = $1 AND m.withdrawn_at IS NOT NULL",
    )
    .bind_id(study)
    .fetch_all(&mut *tx)
    .await?;

    for rater in &raters {
        hide(tx, rater, now_ms).await?;
    }
    Ok(())
}

/// Erases a rater's free texts.
pub(super) async fn erase_texts(tx: &mut AnyConnection, rater: &str) -> Result<()> {
    for sql in RATER_TEXTS {
        sqlx::query(sql).bind(rater).execute(&mut *tx).await?;
    }
    Ok(())
}
