//! Who has what, and how far it has come.

use domain::{
    ids::{AssignmentId, PersonId, RaterId, SourceId, StudyId},
    study::{AssignmentState, SourcePurpose},
};
use sqlx::{Row, any::AnyRow};

use crate::{
    Result, Store,
    columns::{parse_count, parse_text},
};

/// An assignment in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignmentEntry {
    /// The assignment.
    pub assignment: AssignmentId,
    /// Its source.
    pub source: SourceId,
    /// The source's name in the files it came from.
    pub key: String,
    /// The source's text.
    pub text: String,
    /// What the source is there for.
    pub purpose: SourcePurpose,
    /// Who has it.
    pub rater: RaterId,
    /// The rater's pseudonym.
    pub label: String,
    /// How far it has come.
    pub state: AssignmentState,
    /// Why it was skipped or taken back.
    pub reason: String,
    /// When it was given, milliseconds since 1970.
    pub created_at: i64,
    /// Until when it stays with a rater who does nothing; past that, another may get it.
    pub leased_until: i64,
    /// When it was handed in, skipped or taken back.
    pub ended_at: Option<i64>,
    /// How much is done.
    pub progress: AssignmentProgress,
}

/// How much of an assignment is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AssignmentProgress {
    /// How many outputs there are to rate, one an identical text.
    pub items: u32,
    /// How many of them have at least one score.
    pub rated: u32,
    /// How many current answers there are, of any kind but the place to resume at.
    pub answers: u32,
    /// Milliseconds of activity.
    pub active_ms: u64,
}

/// One row an assignment; the rows of one rater are in the order in which they are worked off.
macro_rules! assigned {
    ($($which:literal),+) => {
        concat!(
            "SELECT a.id, a.source_id, a.rater_id, a.state, a.reason, a.created_at, a.leased_until,
                    a.ended_at, s.key, s.text, s.purpose, r.label,
                    (SELECT COUNT(*) FROM output o
                     WHERE o.source_id = a.source_id AND o.twin_of IS NULL) AS items,
                    (SELECT COUNT(DISTINCT n.output_id) FROM annotation n
                     WHERE n.assignment_id = a.id AND n.current = 1 AND n.kind = 'rating'
                       AND n.value IS NOT NULL) AS rated,
                    (SELECT COUNT(*) FROM annotation n
                     WHERE n.assignment_id = a.id AND n.current = 1 AND n.kind <> 'progress')
                     AS answers,
                    (SELECT CAST(COALESCE(SUM(t.active_ms), 0) AS BIGINT) FROM activity t
                     WHERE t.assignment_id = a.id) AS active_ms
             FROM assignment a
             JOIN source s ON s.id = a.source_id
             JOIN rater r ON r.id = a.rater_id ",
            $($which),+,
            " ORDER BY r.position,
                CASE s.purpose WHEN 'tutorial' THEN 0 WHEN 'training' THEN 1
                    WHEN 'qualification' THEN 2 ELSE 3 END,
                a.created_at, a.id"
        )
    };
}

impl Store {
    /// What the person was given in the study, in the order in which it is worked off.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn assignments_of(
        &self,
        study: StudyId,
        person: PersonId,
    ) -> Result<Vec<AssignmentEntry>> {
        let rows = sqlx::query(assigned!("WHERE a.study_id = $1 AND r.person_id = $2"))
            .bind(study.to_string())
            .bind(person.to_string())
            .fetch_all(self.reader())
            .await?;
        self.readable(study, &rows, read_entry)
    }

    /// Who has what in the study, rater by rater.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn assignments(&self, study: StudyId) -> Result<Vec<AssignmentEntry>> {
        let rows = sqlx::query(assigned!("WHERE a.study_id = $1"))
            .bind(study.to_string())
            .fetch_all(self.reader())
            .await?;
        self.readable(study, &rows, read_entry)
    }
}

fn read_entry(row: &AnyRow) -> Result<AssignmentEntry> {
    let id: &str = row.try_get("id")?;
    let of = "assignment";
    Ok(AssignmentEntry {
        assignment: parse_text(of, id, "id", id)?,
        source: parse_text(of, id, "source_id", row.try_get("source_id")?)?,
        key: row.try_get("key")?,
        text: row.try_get("text")?,
        purpose: parse_text(of, id, "purpose", row.try_get("purpose")?)?,
        rater: parse_text(of, id, "rater_id", row.try_get("rater_id")?)?,
        label: row.try_get("label")?,
        state: parse_text(of, id, "state", row.try_get("state")?)?,
        reason: row.try_get("reason")?,
        created_at: row.try_get("created_at")?,
        leased_until: row.try_get("leased_until")?,
        ended_at: row.try_get("ended_at")?,
        progress: AssignmentProgress {
            items: parse_count(row, "items")?,
            rated: parse_count(row, "rated")?,
            answers: parse_count(row, "answers")?,
            active_ms: row.try_get::<i64, _>("active_ms")?.unsigned_abs(),
        },
    })
}
