//! Membership of a study: joining, consent, admission, leaving.

use domain::{
    ids::{PersonId, StudyId},
    study::Role,
};
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, parse_text},
    discussions, event, lock, people, places,
};

impl Store {
    /// Makes a person a member of the study. A closed study takes only leads.
    ///
    /// # Errors
    /// [`Error::Taken`] where they are one already, refused where the study is closed.
    pub async fn add_member(
        &self,
        study: StudyId,
        person: PersonId,
        role: Role,
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            if role == Role::Lead {
                lock::lock_unarchived_study(&mut tx, study).await?;
            } else {
                lock::lock_open_study(&mut tx, study).await?;
            }

            people::refuse_crowd_rater(&mut tx, person).await?;
            if !insert(&mut tx, study, person, role, now_ms).await? {
                return Err(Error::Taken(
                    "This person is a member of the study already.".into(),
                ));
            }
        })
    }

    /// Gives a member another role. If they no longer judge, what they have open is taken back.
    /// Returns false if they aren't a member.
    ///
    /// # Errors
    /// [`Error::Refused`] where nobody would be left to lead.
    pub async fn set_role(
        &self,
        study: StudyId,
        person: PersonId,
        role: Role,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            people::refuse_crowd_rater(&mut tx, person).await?;

            if role != Role::Lead {
                require_another_lead(&mut tx, study, person).await?;
            }
            if role != Role::Annotator {
                release_open(&mut tx, study, person, "another role", now_ms).await?;
            }

            let changed = sqlx::query(
                "UPDATE member SET role = $3,
                            group_id = CASE WHEN $3 = $4 THEN group_id END
                     WHERE study_id = $1 AND person_id = $2",
            )
            .bind_id(study)
            .bind_id(person)
            .bind(role.name())
            .bind(Role::Annotator.name())
            .execute(&mut *tx)
            .await?
            .rows_affected();

            record_change(&mut tx, study, person, changed, now_ms).await?
        })
    }

    /// The ids of groups for which sources were given out, including groups that the study no
    /// longer has.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn used_group_ids(&self, study: StudyId) -> Result<Vec<String>> {
        Ok(sqlx::query_scalar(
            "SELECT DISTINCT group_id FROM assignment WHERE study_id = $1 AND group_id IS NOT NULL",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?)
    }

    /// Puts an annotator into a group of the study, or into none. The sources that they were given
    /// keep the dimensions of their group, and count for its number of raters. Returns false if
    /// they aren't an annotator of the study.
    ///
    /// # Errors
    /// [`Error::Refused`] where the study has no such group, or is archived.
    pub async fn set_member_group(
        &self,
        study: StudyId,
        person: PersonId,
        group: Option<&str>,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            let settings = lock::lock_study(&mut tx, study).await?.settings;
            lock::refuse_archived(&mut tx, study).await?;
            if group.is_some() && settings.group(group).is_none() {
                return Err(Error::Refused(
                    "The study no longer has this group: reload the page and choose another."
                        .into(),
                ));
            }
            set_group(&mut tx, study, person, group, now_ms).await?
        })
    }

    /// Removes a member from the study, and takes back what they have open. Their ratings stay and
    /// count. Returns false if they aren't a member.
    ///
    /// # Errors
    /// [`Error::Refused`] where nobody would be left to lead, and for a member who withdrew,
    /// because their ratings would count again.
    pub async fn remove_member(
        &self,
        study: StudyId,
        person: PersonId,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            require_another_lead(&mut tx, study, person).await?;
            if has_withdrawn(&mut tx, study, person).await? {
                return Err(Error::Refused(
                    "A member who withdrew stays on the list, so that their ratings stay out."
                        .into(),
                ));
            }

            release_open(&mut tx, study, person, "left the study", now_ms).await?;
            let changed = sqlx::query("DELETE FROM member WHERE study_id = $1 AND person_id = $2")
                .bind_id(study)
                .bind_id(person)
                .execute(&mut *tx)
                .await?
                .rows_affected();
            record_change(&mut tx, study, person, changed, now_ms).await?
        })
    }

    /// Records that a member consents to the information sheet; only the first time counts. Returns
    /// false if they consented before, aren't a member or withdrew.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn consent(&self, study: StudyId, person: PersonId, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            let statement = "UPDATE member SET consented_at = $3
                 WHERE study_id = $1 AND person_id = $2
                   AND consented_at IS NULL AND withdrawn_at IS NULL";
            let changed = set_time(&mut tx, statement, study, person, now_ms).await?;
            record_change(&mut tx, study, person, changed, now_ms).await?
        })
    }

    /// Records that an annotator withdraws: what they have open is taken back, and what they handed
    /// in stays as it is but no longer counts. Returns false if they withdrew before or aren't an
    /// annotator.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn withdraw(&self, study: StudyId, person: PersonId, now_ms: i64) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            event::lock_study(&mut tx, study).await?;
            let statement = "UPDATE member SET withdrawn_at = $3
                 WHERE study_id = $1 AND person_id = $2
                   AND role = 'annotator' AND withdrawn_at IS NULL";
            let changed = set_time(&mut tx, statement, study, person, now_ms).await?;
            if changed > 0 {
                release_open(&mut tx, study, person, "withdrew", now_ms).await?;
                // For leads, who see with a crowd rater how their work ended.
                let statement = "UPDATE participant SET left_at = $3, left_as = 'withdrawn'
                     WHERE study_id = $1 AND person_id = $2";
                set_time(&mut tx, statement, study, person, now_ms).await?;
            }

            record_change(&mut tx, study, person, changed, now_ms).await?
        })
    }

    /// Admits an annotator to the sources of the study; only the first time counts. Returns false
    /// if they are admitted, aren't an annotator or withdrew.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn admit(&self, study: StudyId, person: PersonId, now_ms: i64) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            admit(&mut tx, study, person, now_ms).await?
        })
    }
}

/// Admits an annotator who is not admitted yet. The study must be held.
pub(crate) async fn admit(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    now_ms: i64,
) -> Result<bool> {
    let statement = "UPDATE member SET admitted_at = $3
         WHERE study_id = $1 AND person_id = $2 AND role = 'annotator'
           AND admitted_at IS NULL AND withdrawn_at IS NULL";
    let changed = set_time(tx, statement, study, person, now_ms).await?;
    record_change(tx, study, person, changed, now_ms).await
}

/// Runs a statement that sets a time of the member to `now_ms`, and returns the number of rows
/// changed.
async fn set_time(
    tx: &mut AnyConnection,
    statement: &'static str,
    study: StudyId,
    person: PersonId,
    now_ms: i64,
) -> Result<u64> {
    let result = sqlx::query(statement)
        .bind_id(study)
        .bind_id(person)
        .bind(now_ms)
        .execute(tx)
        .await?;
    Ok(result.rows_affected())
}

/// Adds a member and records it. Does nothing and returns false if they are one already. The study
/// must be held.
pub(crate) async fn insert(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    role: Role,
    now_ms: i64,
) -> Result<bool> {
    let added = sqlx::query(
        "INSERT INTO member (study_id, person_id, role, joined_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (study_id, person_id) DO NOTHING",
    )
    .bind_id(study)
    .bind_id(person)
    .bind(role.name())
    .bind(now_ms)
    .execute(&mut *tx)
    .await?
    .rows_affected();

    record_change(tx, study, person, added, now_ms).await
}

/// Puts an annotator into a group and records it. The study must be held.
pub(crate) async fn set_group(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    group: Option<&str>,
    now_ms: i64,
) -> Result<bool> {
    let changed = sqlx::query(
        "UPDATE member SET group_id = $3
         WHERE study_id = $1 AND person_id = $2 AND role = 'annotator'",
    )
    .bind_id(study)
    .bind_id(person)
    .bind(group.map(str::to_owned))
    .execute(&mut *tx)
    .await?
    .rows_affected();
    record_change(tx, study, person, changed, now_ms).await
}

/// Records a change of a member if there was one, and returns whether there was.
async fn record_change(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    changed: u64,
    now_ms: i64,
) -> Result<bool> {
    if changed > 0 {
        event::record(tx, study, EventKind::Member, person, now_ms).await?;
    }
    Ok(changed > 0)
}

/// Refuses if `leaving` is the study's only lead. The study must be held, so that two leads cannot
/// leave at once.
async fn require_another_lead(
    tx: &mut AnyConnection,
    study: StudyId,
    leaving: PersonId,
) -> Result<()> {
    let query = "SELECT person_id FROM member WHERE study_id = $1 AND role = 'lead'";
    let leads: Vec<String> = sqlx::query_scalar(query)
        .bind_id(study)
        .fetch_all(tx)
        .await?;
    match &leads[..] {
        [only] if *only == leaving.to_string() => Err(Error::Refused(
            "Nobody would be left to lead the study: make another member a lead first.".into(),
        )),
        _ => Ok(()),
    }
}

/// Counts the raters again of each source that the person has had.
pub(crate) async fn count_places_of(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
) -> Result<()> {
    places::count_person_places(tx, study, person).await
}

/// Why the person may not judge in the study now, for them to read. `None` if they may: an
/// annotator who has not withdrawn, whose account is open, and who has consented if there is an
/// information sheet. The study must be held, so that the answer holds until the commit.
pub(crate) async fn barred_reason(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
) -> Result<Option<&'static str>> {
    let row = sqlx::query(concat!(
        "SELECT ",
        standing_columns!(),
        " FROM study t
              JOIN person p ON p.id = $2
              LEFT JOIN member m ON m.study_id = t.id AND m.person_id = p.id
              WHERE t.id = $1"
    ))
    .bind_id(study)
    .bind_id(person)
    .fetch_optional(tx)
    .await?;
    row.map_or(Ok(Some(NO_MEMBER)), |row| read_barred_reason(&row, person))
}

/// Why a person who is not a member may not judge.
const NO_MEMBER: &str = "You are no longer a member of this study, so this was not saved. Ask its lead if that is a \
    mistake.";

/// The columns that [`read_barred_reason`] reads, of the study `t`, the person `p` and the member `m`, who may be
/// missing.
macro_rules! standing_columns {
    () => {
        "m.role, m.withdrawn_at, m.consented_at, p.disabled_at,
         CAST(CASE WHEN t.information = '' THEN 0 ELSE 1 END AS BIGINT) AS informs"
    };
}
pub(crate) use standing_columns;

/// The result of [`barred_reason`] from the row of a query.
pub(crate) fn read_barred_reason(row: &AnyRow, person: PersonId) -> Result<Option<&'static str>> {
    let Some(role) = row.try_get::<Option<&str>, _>("role")? else {
        return Ok(Some(NO_MEMBER));
    };

    let role: Role = parse_text("member", person, "role", role)?;
    let at = |column| row.try_get::<Option<i64>, _>(column);
    Ok(if at("disabled_at")?.is_some() {
        Some("Your account is disabled, so this was not saved.")
    } else if role != Role::Annotator {
        Some(
            "You are no longer an annotator of this study, so this was not saved. Ask its lead if \
             that is a mistake.",
        )
    } else if at("withdrawn_at")?.is_some() {
        Some("You have withdrawn from this study, so this was not saved.")
    } else if at("consented_at")?.is_none() && at("informs")? == Some(1) {
        Some(
            "The study has an information sheet that you have not agreed to yet, so this was not \
             saved. Open the study's page, read the sheet and agree, then try again.",
        )
    } else {
        None
    })
}

async fn has_withdrawn(tx: &mut AnyConnection, study: StudyId, person: PersonId) -> Result<bool> {
    let row = sqlx::query(
        "SELECT 1 FROM member
         WHERE study_id = $1 AND person_id = $2 AND withdrawn_at IS NOT NULL",
    )
    .bind_id(study)
    .bind_id(person)
    .fetch_optional(tx)
    .await?;
    Ok(row.is_some())
}

/// Takes back what the person has open in the study. What they handed in counts, unless they
/// withdrew.
pub(crate) async fn release_open(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    reason: &str,
    now_ms: i64,
) -> Result<()> {
    let released: Vec<String> = sqlx::query_scalar(
        "UPDATE assignment SET state = 'released', reason = $3, ended_at = $4
         WHERE state = 'open'
           AND rater_id IN (SELECT id FROM rater WHERE study_id = $1 AND person_id = $2)
         RETURNING id",
    )
    .bind_id(study)
    .bind_id(person)
    .bind(reason)
    .bind(now_ms)
    .fetch_all(&mut *tx)
    .await?;

    for id in released {
        event::record(tx, study, EventKind::Released, id, now_ms).await?;
    }

    places::count_person_places(tx, study, person).await?;
    discussions::forget_person_questions(tx, study, person, now_ms).await
}
