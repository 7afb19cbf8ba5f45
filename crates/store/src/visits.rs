//! Members' visits to a study's overview, and the work that was done since.

use domain::ids::{PersonId, StudyId};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_count},
    comparisons::is_without_checks,
};

/// A visit is over when the member has not looked at the overview for this long, in milliseconds.
const VISIT_GAP_MS: i64 = 30 * 60 * 1000;

/// The shortest time between two records of a visit, in milliseconds.
const NOTED_EVERY_MS: i64 = 60 * 1000;

/// A look at a study's overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StudyVisit {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The number of the newest event that the overview showed.
    pub event: i64,
}

/// The work in a study since an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecentWork {
    /// Outputs rated and comparisons made, once for each rater and dimension. Only main outputs of
    /// main sources count.
    pub judgements: u32,
    /// The number of raters who gave them.
    pub raters: u32,
    /// The number of imports and of undone imports.
    pub imports: u32,
}

impl Store {
    /// The end of the member's visit before the current one. `None` if there was none, or the
    /// person is not a member.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn previous_visit(
        &self,
        study: StudyId,
        person: PersonId,
        now_ms: i64,
    ) -> Result<Option<StudyVisit>> {
        let row = sqlx::query(
            "SELECT person_id AS id,
                    CASE WHEN $3 - seen_at >= $4 THEN seen_at ELSE visited_at END AS at,
                    CASE WHEN $3 - seen_at >= $4 THEN seen_event ELSE visited_event END AS event
             FROM member WHERE study_id = $1 AND person_id = $2",
        )
        .bind_id(study)
        .bind_id(person)
        .bind(now_ms)
        .bind(VISIT_GAP_MS)
        .fetch_optional(self.reader())
        .await?;

        let Some(row) = row else { return Ok(None) };
        let row = TableRow::new("member", &row)?;
        let event = row.get("event")?;
        let at: Option<i64> = row.get("at")?;
        Ok(at.map(|at| StudyVisit { at, event }))
    }

    /// Records that the member looks at the overview, unless they did a moment ago.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn note_visit(
        &self,
        study: StudyId,
        person: PersonId,
        visit: StudyVisit,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "UPDATE member
                 SET visited_at = CASE WHEN $3 - seen_at >= $5 THEN seen_at ELSE visited_at END,
                     visited_event = CASE WHEN $3 - seen_at >= $5 THEN seen_event ELSE visited_event END,
                     seen_at = $3, seen_event = $4
                 WHERE study_id = $1 AND person_id = $2 AND (seen_at IS NULL OR $3 - seen_at >= $6)",
            )
            .bind_id(study)
            .bind_id(person)
            .bind(visit.at)
            .bind(visit.event)
            .bind(VISIT_GAP_MS)
            .bind(NOTED_EVERY_MS)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// The work in the study after the event of that number.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn work_since(&self, study: StudyId, event: i64) -> Result<RecentWork> {
        let row = sqlx::query(concat!(
            "SELECT (SELECT COUNT(*) FROM event
                     WHERE study_id = $1 AND number > $2 AND kind = 'import') AS imports,
                    COUNT(*) AS judgements, COUNT(DISTINCT judged.rater_id) AS raters
             FROM (
                SELECT a.rater_id, a.output_id, a.dimension, '' AS compared
                FROM event e
                JOIN annotation a ON a.id = e.subject
                JOIN output o ON o.id = a.output_id
                JOIN source s ON s.id = a.source_id
                WHERE e.study_id = $1 AND e.number > $2 AND e.kind = 'rating'
                  AND a.value IS NOT NULL AND o.purpose = 'main' AND s.purpose = 'main'
                UNION
                SELECT a.rater_id, NULL AS output_id, a.dimension, a.compared
                FROM event e
                JOIN annotation a ON a.id = e.subject
                JOIN source s ON s.id = a.source_id
                WHERE e.study_id = $1 AND e.number > $2 AND e.kind = 'comparison'
                  AND a.body <> 'null' AND s.purpose = 'main'",
            is_without_checks!(),
            ") judged"
        ))
        .bind_id(study)
        .bind(event)
        .fetch_one(self.reader())
        .await?;

        Ok(RecentWork {
            judgements: parse_count(&row, "judgements")?,
            raters: parse_count(&row, "raters")?,
            imports: parse_count(&row, "imports")?,
        })
    }
}
