//! The end of groups of raters that a lead removes.

use domain::{ids::StudyId, study::StudySettings};
use sqlx::AnyConnection;

use crate::{EventKind, Result, columns::BindId, event};

/// Removes members and links from groups that the study no longer has. The study must be held.
pub(crate) async fn leave_removed_groups(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
    now_ms: i64,
) -> Result<()> {
    let groups: Vec<String> = sqlx::query_scalar(
        "SELECT group_id FROM member WHERE study_id = $1 AND group_id IS NOT NULL
         UNION SELECT group_id FROM invitation WHERE study_id = $1 AND group_id IS NOT NULL",
    )
    .bind_id(study)
    .fetch_all(&mut *tx)
    .await?;

    for group in &groups {
        if settings.group(Some(group)).is_some() {
            continue;
        }

        let left: Vec<String> = sqlx::query_scalar(
            "UPDATE member SET group_id = NULL WHERE study_id = $1 AND group_id = $2
             RETURNING person_id",
        )
        .bind_id(study)
        .bind(group)
        .fetch_all(&mut *tx)
        .await?;
        for person in &left {
            event::record(tx, study, EventKind::Member, person, now_ms).await?;
        }

        sqlx::query("UPDATE invitation SET group_id = NULL WHERE study_id = $1 AND group_id = $2")
            .bind_id(study)
            .bind(group)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}
