//! Crowd raters, as leads see them.

use domain::{
    crowd::CrowdEnd,
    ids::{ParticipantId, PersonId, StudyId},
};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, read_row},
};

/// A crowd rater. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrowdRater {
    /// Its id.
    pub id: ParticipantId,
    /// The study.
    pub study: StudyId,
    /// Their account; `None` after it was erased.
    pub person: Option<PersonId>,
    /// The name in lists.
    pub label: String,
    /// The pseudonym of their ratings, once they have judged.
    pub pseudonym: Option<String>,
    /// The id by which the platform that sent them knows them.
    pub platform_id: Option<String>,
    /// The platform's study.
    pub platform_study: String,
    /// The platform's session.
    pub platform_session: String,
    /// Their answers to the screening questions.
    pub screening: Vec<String>,
    /// When they came.
    pub joined_at: i64,
    /// How their work ended, if it did.
    pub end: Option<CrowdEnd>,
    /// Why they were excluded.
    pub reason: String,
    /// Their comment at the end.
    pub comment: String,
    /// The number of sources of the study itself that they submitted, including attention items.
    pub done: u32,
    /// Active time, in milliseconds.
    pub active_ms: u64,
}

/// The columns of a crowd rater.
macro_rules! crowd_raters {
    ($which:literal) => {
        concat!(
            "SELECT p.id, p.study_id, p.person_id, p.label, p.external_id, p.external_study, p.external_session,
                    p.screening, p.joined_at, p.finished_at, p.left_as, p.left_reason, p.comment,
                    r.label AS pseudonym,
                    (SELECT COUNT(*) FROM assignment x JOIN source s ON s.id = x.source_id
                     WHERE x.rater_id = r.id AND x.state = 'handed-in'
                       AND s.purpose IN ('main', 'attention')) AS done,
                    (SELECT CAST(COALESCE(SUM(v.active_ms), 0) AS BIGINT) FROM activity v
                     JOIN assignment x ON x.id = v.assignment_id WHERE x.rater_id = r.id) AS active_ms
             FROM participant p
             LEFT JOIN stored_rater r ON r.study_id = p.study_id AND r.person_id = p.person_id
             WHERE p.kind = 'rating' AND ",
            $which
        )
    };
}

impl Store {
    /// The crowd raters of the study, in the order in which they came.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn crowd_raters(&self, study: StudyId) -> Result<Vec<CrowdRater>> {
        let rows = sqlx::query(crowd_raters!("p.study_id = $1 ORDER BY p.joined_at, p.id"))
            .bind_id(study)
            .fetch_all(self.reader())
            .await?;
        self.readable_rows("participant", study, &rows, read)
    }

    /// The crowd rater whose account this is; `None` for other people.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn crowd_rater(&self, person: PersonId) -> Result<Option<CrowdRater>> {
        let row = sqlx::query(crowd_raters!("p.person_id = $1"))
            .bind_id(person)
            .fetch_optional(self.reader())
            .await?;
        read_row("participant", row, read)
    }
}

fn read(row: &TableRow<'_>) -> Result<CrowdRater> {
    let is_finished = row.is_set("finished_at")?;
    let left: Option<CrowdEnd> = row.parse_optional("left_as")?;

    Ok(CrowdRater {
        id: row.parse("id")?,
        study: row.parse("study_id")?,
        person: row.parse_optional("person_id")?,
        label: row.get("label")?,
        pseudonym: row.get("pseudonym")?,
        platform_id: row.get("external_id")?,
        platform_study: row.get("external_study")?,
        platform_session: row.get("external_session")?,
        screening: row.json_optional("screening")?.unwrap_or_default(),
        joined_at: row.get("joined_at")?,
        end: left.or(is_finished.then_some(CrowdEnd::Completed)),
        reason: row.get("left_reason")?,
        comment: row.get("comment")?,
        done: row.count("done")?,
        active_ms: row.get::<i64>("active_ms")?.unsigned_abs(),
    })
}
