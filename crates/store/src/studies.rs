//! Studies, and the one question that every request about a study begins with: who may do what.

use domain::{
    ids::{PersonId, RaterId, StudyId},
    study::{Role, Settings, Slug},
};
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{Error, Result, Store, event, read};

/// A study.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Which.
    pub id: StudyId,
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
    /// How to judge, as Markdown.
    pub guidelines: String,
    /// What annotators consent to, as Markdown; empty for nothing.
    pub information: String,
    /// What the lead has set.
    pub settings: Settings,
    /// The number of its newest event.
    pub events: i64,
    /// When it was created, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was closed; `None` while it is open.
    pub closed_at: Option<i64>,
}

/// A study in a list, with what the person is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyEntry {
    /// Which.
    pub id: StudyId,
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
    /// What the person is; `None` for an administrator who is no member.
    pub role: Option<Role>,
    /// When it was created, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was closed; `None` while it is open.
    pub closed_at: Option<i64>,
}

/// What a person may see and do in a study. There is none for who is neither a member nor an
/// administrator.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// The study.
    pub study: Study,
    /// Who.
    pub person: PersonId,
    /// What they are in the study; `None` for an administrator who is no member.
    pub role: Option<Role>,
    /// Whether they may do everything.
    pub is_admin: bool,
    /// When they consented to the information sheet.
    pub consented_at: Option<i64>,
    /// When they withdrew; their ratings do not count.
    pub withdrawn_at: Option<i64>,
    /// When they were admitted to the sources, by answers or by the lead.
    pub admitted_at: Option<i64>,
    /// When they finished the tutorial.
    pub tutorial_done_at: Option<i64>,
    /// What their ratings are filed under, once they have judged.
    pub rater: Option<RaterId>,
}

impl Access {
    /// Whether they set the study up, invite, assign, adjudicate.
    #[must_use]
    pub const fn leads(&self) -> bool {
        self.is_admin || matches!(self.role, Some(Role::Lead))
    }

    /// Whether they read panels, export, score and train.
    #[must_use]
    pub const fn researches(&self) -> bool {
        self.leads() || matches!(self.role, Some(Role::Researcher))
    }

    /// Whether they judge: an annotator who has not withdrawn.
    #[must_use]
    pub const fn annotates(&self) -> bool {
        matches!(self.role, Some(Role::Annotator)) && self.withdrawn_at.is_none()
    }

    /// Whether they have yet to consent before they may judge.
    #[must_use]
    pub const fn must_consent(&self) -> bool {
        self.consented_at.is_none() && !self.study.information.is_empty()
    }
}

/// What a new study begins with.
#[derive(Debug, Clone)]
pub struct NewStudy<'a> {
    /// Which.
    pub id: StudyId,
    /// Its short name.
    pub slug: &'a Slug,
    /// Its name for people.
    pub name: &'a str,
    /// What the lead has set.
    pub settings: &'a Settings,
    /// Who leads it; `None` where it is made by command line.
    pub lead: Option<PersonId>,
}

impl Store {
    /// Makes a study, led by whoever made it.
    ///
    /// # Errors
    /// [`Error::Taken`] where another study has the short name.
    pub async fn create_study(&self, new: &NewStudy<'_>, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "INSERT INTO study (id, slug, name, settings, created_at)
                 VALUES ($1, $2, $3, $4, $5)",
            )
            .bind(new.id.to_string())
            .bind(new.slug.as_str())
            .bind(new.name)
            .bind(read::to_json(new.settings))
            .bind(now_ms)
            .execute(&mut *tx)
            .await
            .map_err(|error| {
                let error = Error::from(error);
                if error.is_unique_violation() {
                    let slug = new.slug;
                    Error::Taken(format!("The short name “{slug}” is taken: use another."))
                } else {
                    error
                }
            })?;
            if let Some(lead) = new.lead {
                sqlx::query(
                    "INSERT INTO member (study_id, person_id, role, joined_at)
                     VALUES ($1, $2, $3, $4)",
                )
                .bind(new.id.to_string())
                .bind(lead.to_string())
                .bind(Role::Lead.name())
                .bind(now_ms)
                .execute(&mut *tx)
                .await?;
            }
            record(&mut tx, new.id, now_ms).await?;
        })
    }

    /// The study of that short name, for whoever needs no leave: commands and jobs. A request asks
    /// [`Store::access`].
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn study_by_slug(&self, slug: &Slug) -> Result<Option<Study>> {
        let row = sqlx::query(
            "SELECT id, slug, name, guidelines, information, settings, events, created_at, closed_at
             FROM study WHERE slug = $1",
        )
        .bind(slug.as_str())
        .fetch_optional(self.reader())
        .await?;
        row.as_ref().map(study).transpose()
    }

    /// The study, for whoever needs no leave: jobs and live panels.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn study(&self, id: StudyId) -> Result<Option<Study>> {
        let row = sqlx::query(
            "SELECT id, slug, name, guidelines, information, settings, events, created_at, closed_at
             FROM study WHERE id = $1",
        )
        .bind(id.to_string())
        .fetch_optional(self.reader())
        .await?;
        row.as_ref().map(study).transpose()
    }

    /// What the person may see and do in the study of that short name. `None` alike where there is
    /// no such study and where it is none of their business.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn access(&self, person: PersonId, slug: &Slug) -> Result<Option<Access>> {
        let row = sqlx::query(
            "SELECT s.id AS id, s.slug AS slug, s.name AS name, s.guidelines AS guidelines,
                    s.information AS information, s.settings AS settings, s.events AS events,
                    s.created_at AS created_at, s.closed_at AS closed_at, p.is_admin AS is_admin,
                    m.role AS role, m.consented_at AS consented_at, m.withdrawn_at AS withdrawn_at,
                    m.admitted_at AS admitted_at, m.tutorial_done_at AS tutorial_done_at,
                    r.id AS rater_id
             FROM study s
             JOIN person p ON p.id = $1 AND p.disabled_at IS NULL
             LEFT JOIN member m ON m.study_id = s.id AND m.person_id = p.id
             LEFT JOIN rater r ON r.study_id = s.id AND r.person_id = p.id
             WHERE s.slug = $2 AND (m.role IS NOT NULL OR p.is_admin = 1)",
        )
        .bind(person.to_string())
        .bind(slug.as_str())
        .fetch_optional(self.reader())
        .await?;
        let Some(row) = row else { return Ok(None) };
        let rater: Option<&str> = row.try_get("rater_id")?;
        Ok(Some(Access {
            study: study(&row)?,
            person,
            role: role(&row, person)?,
            is_admin: row.try_get::<i64, _>("is_admin")? != 0,
            consented_at: row.try_get("consented_at")?,
            withdrawn_at: row.try_get("withdrawn_at")?,
            admitted_at: row.try_get("admitted_at")?,
            tutorial_done_at: row.try_get("tutorial_done_at")?,
            rater: rater
                .map(|id| read::parsed("rater", id, "id", id))
                .transpose()?,
        }))
    }

    /// The studies that the person may see, by name: their own, or all for an administrator.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn studies_of(&self, person: PersonId) -> Result<Vec<StudyEntry>> {
        let rows = sqlx::query(
            "SELECT s.id AS id, s.slug AS slug, s.name AS name, s.created_at AS created_at,
                    s.closed_at AS closed_at, m.role AS role
             FROM study s
             JOIN person p ON p.id = $1 AND p.disabled_at IS NULL
             LEFT JOIN member m ON m.study_id = s.id AND m.person_id = p.id
             WHERE m.role IS NOT NULL OR p.is_admin = 1",
        )
        .bind(person.to_string())
        .fetch_all(self.reader())
        .await?;
        let entry = |row: &AnyRow| {
            let id: &str = row.try_get("id")?;
            Ok(StudyEntry {
                id: read::parsed("study", id, "id", id)?,
                slug: read::parsed("study", id, "slug", row.try_get("slug")?)?,
                name: row.try_get("name")?,
                role: role(row, person)?,
                created_at: row.try_get("created_at")?,
                closed_at: row.try_get("closed_at")?,
            })
        };
        let mut entries = rows.iter().map(entry).collect::<Result<Vec<_>>>()?;
        entries.sort_by_cached_key(|entry| (entry.name.to_lowercase(), entry.id));
        Ok(entries)
    }

    /// Every study, by short name, for commands and for the first screen of the live panels.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn studies(&self) -> Result<Vec<Study>> {
        let rows = sqlx::query(
            "SELECT id, slug, name, guidelines, information, settings, events, created_at, closed_at
             FROM study",
        )
        .fetch_all(self.reader())
        .await?;
        let mut studies = rows.iter().map(study).collect::<Result<Vec<_>>>()?;
        studies.sort_by(|a, b| a.slug.cmp(&b.slug));
        Ok(studies)
    }

    /// Sets the name, the guidelines and the information sheet. False where there is no such study.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn describe_study(
        &self,
        id: StudyId,
        name: &str,
        guidelines: &str,
        information: &str,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            let changed = sqlx::query(
                "UPDATE study SET name = $2, guidelines = $3, information = $4 WHERE id = $1",
            )
            .bind(id.to_string())
            .bind(name)
            .bind(guidelines)
            .bind(information)
            .execute(&mut *tx)
            .await?
            .rows_affected();
            recorded(&mut tx, id, changed, now_ms).await?
        })
    }

    /// Sets the settings. False where there is no such study.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_settings(
        &self,
        id: StudyId,
        settings: &Settings,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            let changed = sqlx::query("UPDATE study SET settings = $2 WHERE id = $1")
                .bind(id.to_string())
                .bind(read::to_json(settings))
                .execute(&mut *tx)
                .await?
                .rows_affected();
            recorded(&mut tx, id, changed, now_ms).await?
        })
    }

    /// Closes the study, so that nothing is assigned any more. False where it is closed or unknown.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn close_study(&self, id: StudyId, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            let changed =
                sqlx::query("UPDATE study SET closed_at = $2 WHERE id = $1 AND closed_at IS NULL")
                    .bind(id.to_string())
                    .bind(now_ms)
                    .execute(&mut *tx)
                    .await?
                    .rows_affected();
            recorded(&mut tx, id, changed, now_ms).await?
        })
    }

    /// Opens a closed study again. False where it is open or unknown.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn reopen_study(&self, id: StudyId, now_ms: i64) -> Result<bool> {
        in_transaction!(self, |tx| {
            let changed = sqlx::query(
                "UPDATE study SET closed_at = NULL WHERE id = $1 AND closed_at IS NOT NULL",
            )
            .bind(id.to_string())
            .execute(&mut *tx)
            .await?
            .rows_affected();
            recorded(&mut tx, id, changed, now_ms).await?
        })
    }
}

async fn record(tx: &mut AnyConnection, id: StudyId, now_ms: i64) -> Result<i64> {
    event::record(tx, id, "study", &id.to_string(), now_ms).await
}

/// Records a change of the study where there was one, and says whether there was.
async fn recorded(tx: &mut AnyConnection, id: StudyId, changed: u64, now_ms: i64) -> Result<bool> {
    if changed > 0 {
        record(tx, id, now_ms).await?;
    }
    Ok(changed > 0)
}

fn study(row: &AnyRow) -> Result<Study> {
    let id: &str = row.try_get("id")?;
    Ok(Study {
        id: read::parsed("study", id, "id", id)?,
        slug: read::parsed("study", id, "slug", row.try_get("slug")?)?,
        name: row.try_get("name")?,
        guidelines: row.try_get("guidelines")?,
        information: row.try_get("information")?,
        settings: read::json("study", id, "settings", row.try_get("settings")?)?,
        events: row.try_get("events")?,
        created_at: row.try_get("created_at")?,
        closed_at: row.try_get("closed_at")?,
    })
}

fn role(row: &AnyRow, person: PersonId) -> Result<Option<Role>> {
    let role: Option<&str> = row.try_get("role")?;
    role.map(|role| read::parsed("member", person, "role", role))
        .transpose()
}
