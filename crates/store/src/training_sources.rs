//! Sources that teach and test annotators, and the answers that a lead expects to them.

use domain::{
    ids::{OutputId, SourceId, StudyId},
    study::SourcePurpose,
    work::task::ExpectedAnswer,
};

use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, to_json},
    event, lock,
    sources::source_in_use,
};

impl Store {
    /// Sets the purpose of a source of the study. Returns false if there is no such source.
    ///
    /// # Errors
    /// Refused once it has been given out or answered.
    pub async fn set_purpose(
        &self,
        study: StudyId,
        source: SourceId,
        purpose: SourcePurpose,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;

            let is_in_use: i64 = sqlx::query_scalar(concat!("SELECT ", source_in_use!("$1")))
                .bind_id(source)
                .fetch_one(&mut *tx)
                .await?;
            if is_in_use > 0 {
                return Err(Error::Refused(
                    "This source has been given out or judged already: its purpose can no longer be \
                     changed."
                        .into(),
                ));
            }

            let changed = sqlx::query(
                "UPDATE stored_source SET purpose = $3 WHERE study_id = $1 AND id = $2",
            )
            .bind_id(study)
            .bind_id(source)
            .bind(purpose.name())
            .execute(&mut *tx)
            .await?
            .rows_affected();

            if changed > 0 {
                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
            changed > 0
        })
    }

    /// Moves a source before the previous one, or after the next one, among those with the same
    /// purpose. Returns false if there is no such neighbour, or no such source.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn move_source(
        &self,
        study: StudyId,
        source: SourceId,
        to_front: bool,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;

            let order: Vec<(String, i64)> = sqlx::query_as(
                "SELECT s.id, s.position FROM source s
                 JOIN source this ON this.study_id = s.study_id AND this.purpose = s.purpose
                 WHERE s.study_id = $1 AND this.id = $2 ORDER BY s.position, s.id",
            )
            .bind_id(study)
            .bind_id(source)
            .fetch_all(&mut *tx)
            .await?;

            let id = source.to_string();
            let at = order.iter().position(|(other_id, _)| *other_id == id);
            let other = at.and_then(|at| {
                if to_front {
                    at.checked_sub(1)
                } else {
                    Some(at + 1)
                }
            });

            match (at, other.filter(|other| *other < order.len())) {
                (Some(at), Some(other)) => {
                    for (id, position) in [
                        (&order[at].0, order[other].1),
                        (&order[other].0, order[at].1),
                    ] {
                        sqlx::query("UPDATE stored_source SET position = $2 WHERE id = $1")
                            .bind(id)
                            .bind(position)
                            .execute(&mut *tx)
                            .await?;
                        sqlx::query("UPDATE group_place SET position = $2 WHERE source_id = $1")
                            .bind(id)
                            .bind(position)
                            .execute(&mut *tx)
                            .await?;
                    }
                    event::record(&mut tx, study, EventKind::Source, &id, now_ms).await?;
                    true
                }
                _ => false,
            }
        })
    }

    /// Sets the expected answers to outputs of the study, in one commit; `None` clears them.
    /// Returns the number of outputs updated.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_expected(
        &self,
        study: StudyId,
        answers: &[(OutputId, Option<ExpectedAnswer>)],
        now_ms: i64,
    ) -> Result<u64> {
        in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;

            let mut changed = 0;
            for (output, expected) in answers {
                let output = output.to_string();
                let set = "UPDATE stored_output SET expected = $3 WHERE study_id = $1 AND id = $2";
                let rows = sqlx::query(set)
                    .bind_id(study)
                    .bind(&output)
                    .bind(expected.as_ref().map(to_json))
                    .execute(&mut *tx)
                    .await?
                    .rows_affected();
                if rows > 0 {
                    event::record(&mut tx, study, EventKind::Expected, &output, now_ms).await?;
                }
                changed += rows;
            }
            changed
        })
    }
}
