//! The check with which every request about a study begins: the rights of a person.

use domain::{
    ids::{PersonId, RaterId, StudyId},
    study::{Role, Slug},
};
use sqlx::{Row, any::AnyRow};

use super::{Study, read_study};
use crate::{
    Result, Store,
    columns::{self, BindId, TableRow},
};

/// The rights of a person in a study. People who are neither members nor administrators have none.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyAccess {
    /// The study.
    pub study: Study,
    /// The person.
    pub person: PersonId,
    /// Their role in the study; `None` for an administrator who is not a member.
    pub role: Option<Role>,
    /// Whether they may do everything.
    pub is_admin: bool,
    /// When they consented to the information sheet.
    pub consented_at: Option<i64>,
    /// When they withdrew; then their ratings do not count.
    pub withdrawn_at: Option<i64>,
    /// When answers or the lead admitted them to the sources.
    pub admitted_at: Option<i64>,
    /// The rater of their ratings, once they have judged.
    pub rater: Option<RaterId>,
}

impl StudyAccess {
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

/// A study in a list, with the person's role in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyEntry {
    /// Its id.
    pub id: StudyId,
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
    /// The person's role; `None` for an administrator who is not a member.
    pub role: Option<Role>,
    /// When it was created, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was closed; `None` while it is open.
    pub closed_at: Option<i64>,
    /// When it was archived; `None` while it is not.
    pub archived_at: Option<i64>,
}

impl Store {
    /// The person's rights in the study of that short name. `None` both if there is no such study
    /// and if they may not know of it.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn study_access(&self, person: PersonId, slug: &Slug) -> Result<Option<StudyAccess>> {
        let row = sqlx::query(
            "SELECT s.id AS id, s.slug AS slug, s.name AS name, s.guidelines AS guidelines,
                    s.information AS information, s.settings AS settings, s.events AS events,
                    s.created_at AS created_at, s.closed_at AS closed_at,
                    s.archived_at AS archived_at, s.personal_data_erased_at AS personal_data_erased_at, p.is_admin AS is_admin,
                    m.role AS role, m.consented_at AS consented_at, m.withdrawn_at AS withdrawn_at,
                    m.admitted_at AS admitted_at,
                    r.id AS rater_id
             FROM study s
             JOIN person p ON p.id = $1 AND p.disabled_at IS NULL
             LEFT JOIN member m ON m.study_id = s.id AND m.person_id = p.id
             LEFT JOIN rater r ON r.study_id = s.id AND r.person_id = p.id
             WHERE s.slug = $2 AND s.erased_at IS NULL
               AND (m.role IS NOT NULL OR p.is_admin = 1)",
        )
        .bind_id(person)
        .bind(slug.as_str())
        .fetch_optional(self.reader())
        .await?;
        let Some(row) = row else { return Ok(None) };
        let rater: Option<&str> = row.try_get("rater_id")?;
        let member = TableRow::named("member", &row, person);

        let row = TableRow::new("study", &row)?;
        Ok(Some(StudyAccess {
            study: read_study(&row)?,
            person,
            role: member.parse_optional("role")?,
            is_admin: row.flag("is_admin")?,
            consented_at: row.get("consented_at")?,
            withdrawn_at: row.get("withdrawn_at")?,
            admitted_at: row.get("admitted_at")?,
            rater: rater
                .map(|id| columns::parse_text("rater", id, "id", id))
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
                    s.closed_at AS closed_at, s.archived_at AS archived_at, m.role AS role
             FROM study s
             JOIN person p ON p.id = $1 AND p.disabled_at IS NULL
             LEFT JOIN member m ON m.study_id = s.id AND m.person_id = p.id
             WHERE s.erased_at IS NULL AND (m.role IS NOT NULL OR p.is_admin = 1)",
        )
        .bind_id(person)
        .fetch_all(self.reader())
        .await?;

        let entry = |row: &AnyRow| {
            let member = TableRow::named("member", row, person);
            let row = TableRow::new("study", row)?;
            Ok(StudyEntry {
                id: row.parse("id")?,
                slug: row.parse("slug")?,
                name: row.get("name")?,
                role: member.parse_optional("role")?,
                created_at: row.get("created_at")?,
                closed_at: row.get("closed_at")?,
                archived_at: row.get("archived_at")?,
            })
        };

        let mut entries = rows.iter().map(entry).collect::<Result<Vec<_>>>()?;
        entries.sort_by_cached_key(|entry| (entry.name.to_lowercase(), entry.id));
        Ok(entries)
    }
}
