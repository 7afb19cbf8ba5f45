//! Removing names from a study's log of changes.

use domain::ids::StudyId;
use sqlx::{AnyConnection, Row};

use crate::{Result, audit::fold, columns::BindId};

/// The name of actors whose own was erased.
const FORMER_MEMBER: &str = "a former member";

/// Entries of a study `$1`, at most `$2`, that name files, or people who are neither its leads nor
/// administrators. The kind and the time of an entry stay.
const NAMING: &str = "SELECT id, actor_name, subject, hides_actor, hides_subject FROM (
        SELECT e.id, e.actor_name, e.subject,
            CAST(CASE WHEN e.actor_id IS NOT NULL
                  AND e.actor_id NOT IN (SELECT m.person_id FROM member m
                                         WHERE m.study_id = $1 AND m.role = 'lead')
                  AND e.actor_id NOT IN (SELECT p.id FROM person p WHERE p.is_admin = 1)
                 THEN 1 ELSE 0 END AS BIGINT) AS hides_actor,
            CAST(CASE WHEN e.subject <> ''
                  AND e.kind IN ('account-registered', 'import-begun', 'import-undone', 'invitation-made',
                                 'invitation-revoked', 'member-added', 'member-joined', 'member-removed',
                                 'member-withdrew', 'role-changed')
                  AND NOT EXISTS (
                    SELECT 1 FROM member m JOIN person p ON p.id = m.person_id
                    WHERE m.study_id = $1 AND m.role = 'lead'
                      AND e.subject IN (p.name, p.name || ' (lead)', p.name || ' (researcher)',
                                        p.name || ' (annotator)'))
                 THEN 1 ELSE 0 END AS BIGINT) AS hides_subject
        FROM audit_entry e WHERE e.study_id = $1) entry
    WHERE hides_actor = 1 OR hides_subject = 1 LIMIT $2";

/// Removes names from at most `most` entries, and returns the number of entries. The study must be
/// held.
pub(super) async fn erase_names(
    tx: &mut AnyConnection,
    study: StudyId,
    most: i64,
) -> Result<usize> {
    let rows = sqlx::query(NAMING)
        .bind_id(study)
        .bind(most)
        .fetch_all(&mut *tx)
        .await?;

    for row in &rows {
        let is_set = |column| Ok::<_, sqlx::Error>(row.try_get::<i64, _>(column)? == 1);
        let (hides_actor, hides_subject) = (is_set("hides_actor")?, is_set("hides_subject")?);
        let actor = match hides_actor {
            true => FORMER_MEMBER,
            false => row.try_get("actor_name")?,
        };
        let subject = match hides_subject {
            true => "",
            false => row.try_get("subject")?,
        };

        let sql = if hides_actor {
            "UPDATE audit_entry SET actor_id = NULL, address = '', actor_name = $2, subject = $3,
                 folded_names = $4 WHERE id = $1"
        } else {
            "UPDATE audit_entry SET actor_name = $2, subject = $3, folded_names = $4 WHERE id = $1"
        };

        sqlx::query(sql)
            .bind(row.try_get::<&str, _>("id")?)
            .bind(actor)
            .bind(subject)
            .bind(fold(&format!("{actor}\n{subject}")))
            .execute(&mut *tx)
            .await?;
    }

    Ok(rows.len())
}
