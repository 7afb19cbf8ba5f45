//! The people of an experiment, who are members of all of its arms.

use domain::ids::{ExperimentId, StudyId};
use sqlx::AnyConnection;

use super::load_arm_studies;
use crate::{EventKind, Result, Store, columns::BindId, event, lock};

impl Store {
    /// Makes the annotators of each arm annotators of every other open one, unless they are members of it. Tells how many
    /// memberships are new.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn spread_annotators(&self, experiment: ExperimentId, now_ms: i64) -> Result<u64> {
        in_transaction!(self, |tx| {
            let arms = load_arm_studies(&mut tx, experiment).await?;
            let mut open = vec![];
            for (study, _) in &arms {
                let is_open = lock::lock_study(&mut tx, *study)
                    .await?
                    .closed_reason
                    .is_none();
                open.extend(is_open.then_some(*study));
            }
            let mut added = 0;
            for to in &open {
                let before = added;
                for (from, _) in &arms {
                    added += copy_annotators(&mut tx, *from, *to, now_ms).await?;
                }
                if added > before {
                    event::record(&mut tx, *to, EventKind::Member, *to, now_ms).await?;
                }
            }
            added
        })
    }
}

/// Makes the members of a study, those aside who withdrew, members of another one with the same roles.
pub(super) async fn copy_all_members(
    tx: &mut AnyConnection,
    from: StudyId,
    to: StudyId,
    now_ms: i64,
) -> Result<u64> {
    let copied = sqlx::query(
        "INSERT INTO member (study_id, person_id, role, joined_at)
         SELECT $1, m.person_id, m.role, $3 FROM member m JOIN person p ON p.id = m.person_id
         WHERE m.study_id = $2 AND m.withdrawn_at IS NULL AND p.is_crowd = 0
         ON CONFLICT (study_id, person_id) DO NOTHING",
    )
    .bind_id(to)
    .bind_id(from)
    .bind(now_ms)
    .execute(tx)
    .await?;
    Ok(copied.rows_affected())
}

async fn copy_annotators(
    tx: &mut AnyConnection,
    from: StudyId,
    to: StudyId,
    now_ms: i64,
) -> Result<u64> {
    let copied = sqlx::query(
        "INSERT INTO member (study_id, person_id, role, joined_at)
         SELECT $1, m.person_id, m.role, $3 FROM member m JOIN person p ON p.id = m.person_id
         WHERE m.study_id = $2 AND m.role = 'annotator' AND m.withdrawn_at IS NULL AND p.is_crowd = 0
         ON CONFLICT (study_id, person_id) DO NOTHING",
    )
    .bind_id(to)
    .bind_id(from)
    .bind(now_ms)
    .execute(tx)
    .await?;
    Ok(copied.rows_affected())
}
