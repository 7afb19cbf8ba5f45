//! Lists of the people in a study: its members and its raters.

use domain::{
    ids::{PersonId, RaterId, StudyId},
    study::{RaterKind, Role},
};
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_text, read_rows},
};

/// A member of a study. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The person.
    pub person: PersonId,
    /// The name that they log in with.
    pub name: String,
    /// Whether their account is deactivated.
    pub disabled: bool,
    /// Whether they are a crowd rater, who came by a link and has no password.
    pub is_crowd: bool,
    /// Their role.
    pub role: Role,
    /// When they became a member.
    pub joined_at: i64,
    /// When they consented to the information sheet.
    pub consented_at: Option<i64>,
    /// When they withdrew; then their ratings do not count.
    pub withdrawn_at: Option<i64>,
    /// When answers or the lead admitted them to the sources.
    pub admitted_at: Option<i64>,
    /// Their rater, with its pseudonym, once they have judged.
    pub rater: Option<(RaterId, String)>,
    /// The id of their group; `None` for none.
    pub group: Option<String>,
}

/// A rater of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rater {
    /// Its id.
    pub id: RaterId,
    /// The order in which raters came to the study.
    pub position: i64,
    /// The kind of rater.
    pub kind: RaterKind,
    /// The pseudonym; for an imported rater, the name in its file.
    pub label: String,
    /// The person, if the rater is one.
    pub person: Option<PersonId>,
    /// Whether the person withdrew, so that the ratings do not count.
    pub withdrawn: bool,
    /// The id of the group; `None` for none. For former members, the group of their last source.
    pub group: Option<String>,
}

/// The label of the consensus where raters are named.
pub(crate) const CONSENSUS_LABEL: &str = "consensus";

/// The rater that represents the consensus of a study.
pub(crate) fn consensus_rater(study: StudyId) -> Rater {
    Rater {
        id: RaterId(study.0),
        position: 0,
        kind: RaterKind::Consensus,
        label: CONSENSUS_LABEL.to_owned(),
        person: None,
        withdrawn: false,
        group: None,
    }
}

impl Store {
    /// The members of the study: leads first, annotators last, each by name.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn members(&self, study: StudyId) -> Result<Vec<Member>> {
        let rows = sqlx::query(
            "SELECT p.id AS person_id, p.name AS name, p.disabled_at AS disabled_at,
                    p.is_crowd AS is_crowd, m.role AS role, m.joined_at AS joined_at, m.consented_at AS consented_at,
                    m.withdrawn_at AS withdrawn_at, m.admitted_at AS admitted_at, m.group_id AS group_id,
                    r.id AS rater_id, r.label AS label
             FROM member m
             JOIN person p ON p.id = m.person_id
             LEFT JOIN rater r ON r.study_id = m.study_id AND r.person_id = m.person_id
             WHERE m.study_id = $1",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;

        let mut members = self.readable(study, &rows, read_member)?;
        // Sorted here and not in SQL, because the databases order letters differently.
        members.sort_by_cached_key(|m| (m.role, m.name.to_lowercase(), m.person));
        Ok(members)
    }

    /// The raters of the study, in the order in which they joined it.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn raters(&self, study: StudyId) -> Result<Vec<Rater>> {
        load_raters(&mut *self.reader().acquire().await?, study).await
    }
}

/// The raters of the study, in the order in which they joined it.
pub(crate) async fn load_raters(tx: &mut AnyConnection, study: StudyId) -> Result<Vec<Rater>> {
    let rows = sqlx::query(
        "SELECT r.id AS id, r.position AS position, r.kind AS kind, r.label AS label,
                r.person_id AS person_id, m.withdrawn_at AS withdrawn_at,
                CASE WHEN m.person_id IS NOT NULL THEN m.group_id
                ELSE (SELECT x.group_id FROM assignment x WHERE x.rater_id = r.id
                      ORDER BY x.created_at DESC, x.id DESC LIMIT 1) END AS group_id
         FROM rater r
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE r.study_id = $1 ORDER BY r.position, r.id",
    )
    .bind_id(study)
    .fetch_all(tx)
    .await?;
    read_rows("rater", &rows, read_rater)
}

fn read_member(row: &AnyRow) -> Result<Member> {
    let rater = match row.try_get::<Option<&str>, _>("rater_id")? {
        Some(rater) => Some((
            parse_text("rater", rater, "id", rater)?,
            row.try_get("label")?,
        )),
        None => None,
    };

    let row = TableRow::keyed("member", row, "person_id")?;
    Ok(Member {
        person: parse_text("person", row.id(), "id", row.id())?,
        name: row.get("name")?,
        disabled: row.is_set("disabled_at")?,
        is_crowd: row.flag("is_crowd")?,
        role: row.parse("role")?,
        joined_at: row.get("joined_at")?,
        consented_at: row.get("consented_at")?,
        withdrawn_at: row.get("withdrawn_at")?,
        admitted_at: row.get("admitted_at")?,
        rater,
        group: row.get("group_id")?,
    })
}

fn read_rater(row: &TableRow<'_>) -> Result<Rater> {
    Ok(Rater {
        id: row.parse("id")?,
        position: row.get("position")?,
        kind: row.parse("kind")?,
        label: row.get("label")?,
        person: row.parse_optional("person_id")?,
        withdrawn: row.is_set("withdrawn_at")?,
        group: row.get("group_id")?,
    })
}
