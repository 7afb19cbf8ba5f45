//! Erasing a person's account.

use domain::{
    ids::{PersonId, StudyId},
    study::Role,
};
use sqlx::AnyConnection;

use super::raters;
use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, read_rows},
    event, membership,
    people::{end_sessions, require_another_admin},
};

/// The data that is erased with an account, in addition to the name, the password and the
/// memberships.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccountErasure {
    /// Notes, reasons for skipping and for final values, and questions to raters.
    pub comments: bool,
    /// All answers as an annotator, notes included.
    pub ratings: bool,
}

/// A study in which a person has a role or answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountStudy {
    /// The study.
    pub study: StudyId,
    /// Its name.
    pub name: String,
    /// Their role; `None` for a person who was removed.
    pub role: Option<Role>,
    /// Whether they are its only lead.
    pub leads_alone: bool,
    /// Whether they withdrew, so that their ratings do not count.
    pub withdrawn: bool,
    /// The pseudonym of their ratings, once they have judged.
    pub label: Option<String>,
    /// Their current ratings.
    pub ratings: u32,
    /// Their current notes.
    pub comments: u32,
}

/// Statements that remove links from other tables to a person `$1`.
const LINKS: [&str; 10] = [
    // Their ids on the platform that sent them, their answers to screening questions, their
    // comment.
    "DELETE FROM participant WHERE person_id = $1",
    "DELETE FROM password_link WHERE person_id = $1",
    "DELETE FROM known_device WHERE person_id = $1",
    "UPDATE invitation SET created_by = NULL WHERE created_by = $1",
    "UPDATE job SET created_by = NULL WHERE created_by = $1",
    "UPDATE upload SET created_by = NULL WHERE created_by = $1",
    "UPDATE import SET person_id = NULL WHERE person_id = $1",
    "UPDATE discussion SET asked_by = NULL WHERE asked_by = $1",
    "UPDATE final_value SET decided_by = NULL WHERE decided_by = $1",
    // Raters of studies that are being erased.
    "UPDATE stored_rater SET person_id = NULL WHERE person_id = $1",
];

impl Store {
    /// The studies in which a person has a role or answers, by name: those that an erasure
    /// concerns.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn account_studies(&self, person: PersonId) -> Result<Vec<AccountStudy>> {
        let mut reader = self.reader().acquire().await?;
        let mut studies = load_studies(&mut reader, person).await?;
        // Sorted here and not in SQL, because the databases order letters differently.
        studies.sort_by_cached_key(|study| (study.name.to_lowercase(), study.study));
        Ok(studies)
    }

    /// Erases a person's account: name, password, sessions, roles. Their ratings stay under each
    /// study's pseudonym, which nothing connects to them any longer; ratings in studies from which
    /// they withdrew are erased. [`Store::finish_erasures`] deletes the rows of ratings. Returns
    /// false if there is no such person.
    ///
    /// # Errors
    /// Refused where no administrator would be left, or no lead of a study.
    pub async fn erase_person(
        &self,
        person: PersonId,
        also: AccountErasure,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            // Studies before the person, in the order in which joining locks them.
            for study in load_studies(&mut tx, person).await? {
                event::lock_study(&mut tx, study.study).await?;
            }

            // Loaded again: they may have changed while we waited.
            let studies = load_studies(&mut tx, person).await?;
            require_other_leads(&studies)?;
            require_another_admin(&mut tx, person).await?;

            let erased = anonymise(&mut tx, person, now_ms).await?;
            if erased {
                for study in &studies {
                    leave_study(&mut tx, study, person, also, now_ms).await?;
                }
                end_sessions(&mut tx, person).await?;
                for sql in LINKS {
                    sqlx::query(sql).bind_id(person).execute(&mut *tx).await?;
                }
            }
            erased
        })
    }
}

/// The studies of a person, by id.
async fn load_studies(tx: &mut AnyConnection, person: PersonId) -> Result<Vec<AccountStudy>> {
    let rows = sqlx::query(
        "SELECT s.id AS id, s.name AS name, m.role AS role, m.withdrawn_at AS withdrawn_at,
                r.label AS label,
                (SELECT COUNT(*) FROM member o
                 WHERE o.study_id = s.id AND o.role = 'lead' AND o.person_id <> $1) AS other_leads,
                (SELECT COUNT(*) FROM stored_annotation a
                 WHERE a.rater_id = r.id AND a.kind = 'rating' AND a.current = 1) AS ratings,
                (SELECT COUNT(*) FROM stored_annotation a
                 WHERE a.rater_id = r.id AND a.kind IN ('note', 'reply') AND a.current = 1) AS comments
         FROM study s
         LEFT JOIN member m ON m.study_id = s.id AND m.person_id = $1
         LEFT JOIN stored_rater r ON r.study_id = s.id AND r.person_id = $1
         WHERE s.erased_at IS NULL AND (m.person_id IS NOT NULL OR r.id IS NOT NULL)
         ORDER BY s.id",
    )
    .bind_id(person)
    .fetch_all(tx)
    .await?;

    read_rows("study", &rows, |row| {
        let role: Option<Role> = row.parse_optional("role")?;
        Ok(AccountStudy {
            study: row.parse("id")?,
            name: row.get("name")?,
            role,
            leads_alone: role == Some(Role::Lead) && row.count("other_leads")? == 0,
            withdrawn: row.is_set("withdrawn_at")?,
            label: row.get("label")?,
            ratings: row.count("ratings")?,
            comments: row.count("comments")?,
        })
    })
}

/// Refuses if a study would have no lead, and names all such studies.
fn require_other_leads(studies: &[AccountStudy]) -> Result<()> {
    let alone = studies.iter().filter(|study| study.leads_alone);
    let names: Vec<_> = alone.map(|study| format!("“{}”", study.name)).collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(Error::Refused(format!(
        "Nobody would be left to lead {}: make another member a lead first, or erase the study.",
        names.join(", ")
    )))
}

/// Removes name and password from an account, and the name from the log of changes. The account
/// gets a name with which nobody can sign in. Returns false if there is no such account.
async fn anonymise(tx: &mut AnyConnection, person: PersonId, now_ms: i64) -> Result<bool> {
    let erased: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM person WHERE erased_at IS NOT NULL")
        .fetch_one(&mut *tx)
        .await?;

    let mut number = erased + 1;
    // A person may have chosen such a name.
    while sqlx::query("SELECT 1 FROM person WHERE folded_name = $1")
        .bind(format!("erased account {number}"))
        .fetch_optional(&mut *tx)
        .await?
        .is_some()
    {
        number += 1;
    }

    let name = format!("Erased account {number}");
    erase_from_log(tx, person, &name).await?;
    let changed = sqlx::query(
        "UPDATE person
         SET name = $2, folded_name = $3, password_hash = NULL, is_admin = 0,
             disabled_at = COALESCE(disabled_at, $4), erased_at = $4
         WHERE id = $1 AND erased_at IS NULL",
    )
    .bind_id(person)
    .bind(&name)
    .bind(name.to_lowercase())
    .bind(now_ms)
    .execute(tx)
    .await?
    .rows_affected();

    Ok(changed == 1)
}

/// Replaces a person's own name in the log of changes by `name`, and removes the addresses of what
/// they did and of failed sign-ins under their name, most of which are their own.
async fn erase_from_log(tx: &mut AnyConnection, person: PersonId, name: &str) -> Result<()> {
    // A subject is a name alone, or with the role in a study.
    for sql in [
        "UPDATE audit_entry
         SET subject = $2 || SUBSTR(subject, LENGTH(p.name) + 1),
             address = CASE WHEN actor_id IS NULL AND kind IN ('sign-in-failed', 'locked-out')
                            THEN '' ELSE address END,
             folded_names = SUBSTR(folded_names, 1, LENGTH(folded_names) - LENGTH(p.folded_name)
                                                    - LENGTH(subject) + LENGTH(p.name))
                 || $3 || SUBSTR(subject, LENGTH(p.name) + 1)
         FROM person p
         WHERE p.id = $1 AND p.erased_at IS NULL
           AND subject IN (p.name, p.name || ' (lead)', p.name || ' (researcher)', p.name || ' (annotator)')",
        "UPDATE audit_entry
         SET actor_name = $2, address = '',
             folded_names = $3 || SUBSTR(folded_names, LENGTH(p.folded_name) + 1)
         FROM person p
         WHERE p.id = $1 AND p.erased_at IS NULL AND actor_id = p.id",
    ] {
        sqlx::query(sql)
            .bind_id(person)
            .bind(name)
            .bind(name.to_lowercase())
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// Ends a person's part in a study, which must be held.
async fn leave_study(
    tx: &mut AnyConnection,
    of: &AccountStudy,
    person: PersonId,
    also: AccountErasure,
    now_ms: i64,
) -> Result<()> {
    let study = of.study;
    membership::release_open(tx, study, person, "left the study", now_ms).await?;

    let query = "SELECT id FROM stored_rater WHERE study_id = $1 AND person_id = $2";
    let raters: Vec<String> = sqlx::query_scalar(query)
        .bind_id(study)
        .bind_id(person)
        .fetch_all(&mut *tx)
        .await?;

    for rater in &raters {
        // Without the member who withdrew, their ratings would count again.
        if also.ratings || of.withdrawn {
            raters::hide(tx, rater, now_ms).await?;
        } else if also.comments {
            raters::erase_texts(tx, rater).await?;
        }
    }

    if also.comments {
        for sql in QUESTIONS {
            let sql = sqlx::query(sql).bind_id(study).bind_id(person);
            sql.execute(&mut *tx).await?;
        }
    }

    for sql in [
        "UPDATE stored_rater SET person_id = NULL WHERE study_id = $1 AND person_id = $2",
        "DELETE FROM member WHERE study_id = $1 AND person_id = $2",
    ] {
        let sql = sqlx::query(sql).bind_id(study).bind_id(person);
        sql.execute(&mut *tx).await?;
    }

    event::record(tx, study, EventKind::Erased, study, now_ms).await?;
    Ok(())
}

/// Statements that erase the questions of a lead `$2` to the raters of a study `$1`, which reopened
/// sources repeat, and the lead's reasons for final values.
const QUESTIONS: [&str; 3] = [
    "UPDATE assignment SET reason = ''
     WHERE study_id = $1 AND state = 'open'
       AND reason IN (SELECT note FROM discussion WHERE study_id = $1 AND asked_by = $2)",
    "DELETE FROM discussion WHERE study_id = $1 AND asked_by = $2",
    "UPDATE final_value SET reason = '' WHERE study_id = $1 AND decided_by = $2",
];
