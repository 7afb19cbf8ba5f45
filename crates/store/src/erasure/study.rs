//! Erasing a study.

use domain::ids::StudyId;

use super::ErasureFailures;
use crate::{
    Error, Result, Store,
    columns::{BindId, parse_count},
    event,
    pieces::{PieceOwner, ROWS_PER_TRANSACTION},
};

/// The number of rows of up to a megabyte each that are deleted at a time.
const LARGE_ROWS: i64 = 8;

/// The number of rows deleted at a time whose children in other tables go with them: scores of
/// outputs, activity of assignments, answers of participants, texts and questions of passages. If
/// the children were deleted by themselves, each piece would search for them from the beginning.
const PARENT_ROWS: i64 = 50;

/// Deletions for a study `$1`, each with its largest number of rows at a time, `$2`; rows that
/// others reference come last.
const DELETIONS: [(&str, i64); 29] = [
    (
        "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE study_id = $1 LIMIT $2)",
        LARGE_ROWS,
    ),
    (
        "DELETE FROM upload_chunk WHERE (upload_id, number) IN
            (SELECT c.upload_id, c.number FROM upload_chunk c
             JOIN upload u ON u.id = c.upload_id WHERE u.study_id = $1 LIMIT $2)",
        LARGE_ROWS,
    ),
    (
        "DELETE FROM upload WHERE id IN (SELECT id FROM upload WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM final_value WHERE id IN
            (SELECT id FROM final_value WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM consensus_answer WHERE id IN
            (SELECT id FROM consensus_answer WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM consensus WHERE source_id IN
            (SELECT source_id FROM consensus WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM reopened_output WHERE (discussion_id, assignment_id) IN
            (SELECT p.discussion_id, p.assignment_id FROM reopened_output p
             JOIN discussion d ON d.id = p.discussion_id WHERE d.study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM discussion WHERE id IN
            (SELECT id FROM discussion WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM model_chunk WHERE (model_id, number) IN
            (SELECT c.model_id, c.number FROM model_chunk c
             JOIN model m ON m.id = c.model_id WHERE m.study_id = $1 LIMIT $2)",
        LARGE_ROWS,
    ),
    (
        "DELETE FROM model WHERE id IN (SELECT id FROM model WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM stored_annotation WHERE id IN
            (SELECT id FROM stored_annotation WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM assignment WHERE id IN
            (SELECT id FROM assignment WHERE study_id = $1 LIMIT $2)",
        PARENT_ROWS,
    ),
    // The first of identical outputs goes last.
    (
        "DELETE FROM stored_output WHERE id IN
            (SELECT id FROM stored_output WHERE study_id = $1 AND twin_of IS NOT NULL LIMIT $2)",
        PARENT_ROWS,
    ),
    (
        "DELETE FROM stored_output WHERE id IN
            (SELECT id FROM stored_output WHERE study_id = $1 LIMIT $2)",
        PARENT_ROWS,
    ),
    (
        "DELETE FROM metric WHERE id IN (SELECT id FROM metric WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM group_place WHERE (source_id, group_id) IN
            (SELECT source_id, group_id FROM group_place WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM stored_source WHERE id IN
            (SELECT id FROM stored_source WHERE study_id = $1 LIMIT $2)",
        PARENT_ROWS,
    ),
    (
        "DELETE FROM stored_rater WHERE id IN
            (SELECT id FROM stored_rater WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM stored_system WHERE id IN
            (SELECT id FROM stored_system WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM import WHERE id IN (SELECT id FROM import WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM reading_answer WHERE id IN
            (SELECT id FROM reading_answer WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    // Accounts of crowd raters belong to this study alone.
    (
        "DELETE FROM person WHERE id IN
            (SELECT person_id FROM participant WHERE study_id = $1 AND person_id IS NOT NULL LIMIT $2)",
        PARENT_ROWS,
    ),
    (
        "DELETE FROM participant WHERE id IN
            (SELECT id FROM participant WHERE study_id = $1 LIMIT $2)",
        PARENT_ROWS,
    ),
    (
        "DELETE FROM passage WHERE id IN (SELECT id FROM passage WHERE study_id = $1 LIMIT $2)",
        PARENT_ROWS,
    ),
    (
        "DELETE FROM reading_condition WHERE id IN
            (SELECT id FROM reading_condition WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM webhook_delivery WHERE (webhook_id, number) IN
            (SELECT d.webhook_id, d.number FROM webhook_delivery d
             JOIN webhook w ON w.id = d.webhook_id WHERE w.study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM webhook WHERE id IN (SELECT id FROM webhook WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    (
        "DELETE FROM event WHERE study_id = $1 AND number IN
            (SELECT number FROM event WHERE study_id = $1 LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
    // Last, with everything that a job wrote before it heard of the erasure.
    (
        "DELETE FROM study WHERE id IN
            (SELECT id FROM study WHERE id = $1 AND erased_at IS NOT NULL LIMIT $2)",
        ROWS_PER_TRANSACTION,
    ),
];

/// Counts of the data that belongs to a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StudyHoldings {
    /// Sources, including hidden ones and training items.
    pub sources: u32,
    /// System outputs.
    pub outputs: u32,
    /// Current ratings.
    pub ratings: u32,
    /// Participants in reading comprehension.
    pub participants: u32,
    /// Members.
    pub members: u32,
}

impl Store {
    /// Counts the data that is erased with the study.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn study_holdings(&self, study: StudyId) -> Result<StudyHoldings> {
        let row = sqlx::query(
            "SELECT (SELECT COUNT(*) FROM stored_source WHERE study_id = $1) AS sources,
                    (SELECT COUNT(*) FROM stored_output
                     WHERE study_id = $1 AND purpose = 'main') AS outputs,
                    (SELECT COUNT(*) FROM stored_annotation
                     WHERE study_id = $1 AND kind = 'rating' AND current = 1) AS ratings,
                    (SELECT COUNT(*) FROM participant WHERE study_id = $1) AS participants,
                    (SELECT COUNT(*) FROM member WHERE study_id = $1) AS members",
        )
        .bind_id(study)
        .fetch_one(self.reader())
        .await?;

        Ok(StudyHoldings {
            sources: parse_count(&row, "sources")?,
            outputs: parse_count(&row, "outputs")?,
            ratings: parse_count(&row, "ratings")?,
            participants: parse_count(&row, "participants")?,
            members: parse_count(&row, "members")?,
        })
    }

    /// Erases a closed study: from now on nobody finds it. [`Store::finish_erasures`] deletes its
    /// rows later.
    ///
    /// # Errors
    /// Refused where the study is open, or erased already.
    pub async fn erase_study(&self, study: StudyId, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            let closed = sqlx::query(
                "UPDATE study SET erased_at = $2 WHERE id = $1 AND closed_at IS NOT NULL",
            )
            .bind_id(study)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?
            .rows_affected();
            if closed == 0 {
                return Err(Error::Refused(
                    "This study is open: close it first, so that nobody works in it.".into(),
                ));
            }

            for sql in [
                // An import under way writes no more.
                "UPDATE import SET state = 'leaving' WHERE study_id = $1 AND state = 'running'",
                // Nobody has access to it any longer, no link leads to it, and its jobs stop.
                "DELETE FROM member WHERE study_id = $1",
                "DELETE FROM invitation WHERE study_id = $1",
                "UPDATE job SET cancelled = 1 WHERE study_id = $1 AND state = 'running'",
                "DELETE FROM job WHERE study_id = $1 AND state = 'queued'",
                "DELETE FROM comprehension WHERE study_id = $1",
                // The experiment's other arms stay as they are; if there are none, the experiment
                // goes, too.
                "DELETE FROM protocol_experiment WHERE id IN (
                    SELECT a.experiment_id FROM experiment_arm a WHERE a.study_id = $1 AND NOT EXISTS (
                        SELECT 1 FROM experiment_arm o
                        WHERE o.experiment_id = a.experiment_id AND o.study_id <> $1))",
                "DELETE FROM experiment_arm WHERE study_id = $1",
            ] {
                sqlx::query(sql).bind_id(study).execute(&mut *tx).await?;
            }
        })
    }

    /// Deletes the rows of studies that were erased. Returns the number of studies.
    pub(super) async fn delete_erased_studies(&self) -> Result<u64> {
        let query = "SELECT id FROM study WHERE erased_at IS NOT NULL";
        let studies: Vec<String> = sqlx::query_scalar(query).fetch_all(self.reader()).await?;
        let (mut deleted, mut failures) = (0, ErasureFailures::default());
        for study in &studies {
            match self.delete_study_rows(study).await {
                Ok(()) => deleted += 1,
                Err(error) => failures.note("study", study, error),
            }
        }
        failures.result(deleted)
    }

    async fn delete_study_rows(&self, study: &str) -> Result<()> {
        for (deletion, most) in DELETIONS {
            self.run_in_pieces(deletion, PieceOwner::Study(study), most)
                .await?;
        }
        Ok(())
    }
}
