//! The people of an experiment, who are members of all of its arms.

use domain::{
    ids::{ExperimentId, PersonId, StudyId},
    study::{Role, StudySettings},
};
use sqlx::AnyConnection;

use super::load_arm_studies;
use crate::{
    EventKind, Result, Store,
    audit::{self, NewAuditEntry, StoredAuditEntry},
    columns::{BindId, TableRow},
    event, lock,
};

/// Makes the entry of the log of changes for a person who becomes a member of an arm.
pub type MemberEntry<'a> = dyn Fn(StudyId, PersonId) -> NewAuditEntry + Send + Sync + 'a;

impl Store {
    /// Makes the annotators of each open arm annotators of every other open arm. Existing members
    /// stay as they are, and people who judged in an arm and were removed by a lead stay removed.
    /// Returns the number of new memberships; `entry` makes the entry of the log of changes for
    /// each.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn spread_annotators(
        &self,
        experiment: ExperimentId,
        entry: &MemberEntry<'_>,
        now_ms: i64,
    ) -> Result<u64> {
        let stored: Result<Vec<StoredAuditEntry>> = in_transaction!(self, |tx| {
            let mut open = vec![];
            for (study, _) in load_arm_studies(&mut tx, experiment).await? {
                let locked = lock::lock_study(&mut tx, study).await?;
                if locked.closed_reason.is_none() {
                    open.push((study, locked.settings));
                }
            }

            let mut stored = vec![];
            for (to, settings) in &open {
                for (from, _) in &open {
                    let arm = ArmMembers {
                        study: *to,
                        settings,
                    };
                    let only = Some(Role::Annotator);
                    stored.extend(arm.copy(&mut tx, *from, only, entry, now_ms).await?);
                }
            }

            stored
        });

        let stored = stored?;
        stored.iter().for_each(StoredAuditEntry::log);
        Ok(stored.len() as u64)
    }
}

/// An arm that gets members. It must be held.
pub(super) struct ArmMembers<'a> {
    pub(super) study: StudyId,
    pub(super) settings: &'a StudySettings,
}

impl ArmMembers<'_> {
    /// Makes the members of a study, or those with one role, members of the arm with the same roles
    /// and, if the arm has them, the same groups. Leaves out members who withdrew, and people who
    /// have a rater in the arm: they are members of it, or a lead removed them.
    pub(super) async fn copy(
        &self,
        tx: &mut AnyConnection,
        from: StudyId,
        only: Option<Role>,
        entry: &MemberEntry<'_>,
        now_ms: i64,
    ) -> Result<Vec<StoredAuditEntry>> {
        let rows = sqlx::query(
            "SELECT m.person_id AS id, m.role, m.group_id FROM member m JOIN person p ON p.id = m.person_id
             WHERE m.study_id = $2 AND m.withdrawn_at IS NULL AND p.is_crowd = 0
               AND NOT EXISTS (SELECT 1 FROM member o WHERE o.study_id = $1 AND o.person_id = m.person_id)
               AND NOT EXISTS (SELECT 1 FROM stored_rater r WHERE r.study_id = $1 AND r.person_id = m.person_id)
             ORDER BY m.joined_at, m.person_id",
        )
        .bind_id(self.study)
        .bind_id(from)
        .fetch_all(&mut *tx)
        .await?;

        let mut stored = vec![];
        for row in &rows {
            let row = TableRow::new("member", row)?;
            let (person, role): (PersonId, Role) = (row.parse("id")?, row.parse("role")?);
            if only.is_some_and(|only| only != role) {
                continue;
            }

            let group: Option<String> = row.get("group_id")?;
            let group = group.filter(|group| self.settings.group(Some(group)).is_some());
            sqlx::query(
                "INSERT INTO member (study_id, person_id, role, joined_at, group_id) VALUES ($1, $2, $3, $4, $5)",
            )
            .bind_id(self.study)
            .bind_id(person)
            .bind(role.name())
            .bind(now_ms)
            .bind(group)
            .execute(&mut *tx)
            .await?;

            event::record(tx, self.study, EventKind::Member, person, now_ms).await?;
            let entry = entry(self.study, person);
            stored.extend(Box::pin(audit::insert(tx, &entry)).await?);
        }

        Ok(stored)
    }
}
