//! The systems of a study and the facts that its lead states about them.

use domain::{
    ids::{StudyId, SystemId},
    study::SystemKind,
};

use crate::{EventKind, Result, Store, columns::BindId, event};

impl Store {
    /// Says of what kind systems of the study are, and tells how many that changed. Ids that belong to
    /// no system of the study change nothing. A closed study takes it, too: no answer changes by it.
    ///
    /// # Errors
    /// Refused where the study no longer exists; when the database fails.
    pub async fn set_system_kinds(
        &self,
        study: StudyId,
        kinds: &[(SystemId, SystemKind)],
        now_ms: i64,
    ) -> Result<u64> {
        in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            let mut changed = 0;
            for (system, kind) in kinds {
                let other = sqlx::query(
                    "UPDATE stored_system SET kind = $3 WHERE id = $1 AND study_id = $2 AND kind <> $3",
                )
                .bind_id(system)
                .bind_id(study)
                .bind(kind.name())
                .execute(&mut *tx)
                .await?
                .rows_affected();
                if other > 0 {
                    event::record(&mut tx, study, EventKind::System, system, now_ms).await?;
                }
                changed += other;
            }
            changed
        })
    }
}
