//! An annotator's own finished sources and repeated scores, for the annotator alone.

use domain::{
    ids::{PersonId, StudyId},
    study::{AssignmentState, SourcePurpose},
    work::pace::FinishedSource,
};

use crate::{
    Result, Store,
    columns::{BindId, TableRow},
};

// The statements begin with the person's rater: otherwise SQLite would go through the whole study.
// It joins in the order of CROSS JOIN, and finds an answer by the index `annotation_current` only
// if its source and the expression of its output are named; by the rater alone it would go through
// all of their answers, again for each repeated output. The expression has to equal another one:
// SQLite compares with a plain column as text, and then uses the source only.

impl Store {
    /// The sources of the study that the person submitted or skipped, in chronological order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn finished_sources(
        &self,
        study: StudyId,
        person: PersonId,
    ) -> Result<Vec<FinishedSource>> {
        let rows = sqlx::query(
            "SELECT a.id, a.state, a.ended_at, s.purpose,
                    (SELECT CAST(COALESCE(SUM(v.active_ms), 0) AS BIGINT) FROM activity v
                     WHERE v.assignment_id = a.id) AS active_ms
             FROM assignment a
             JOIN source s ON s.id = a.source_id
             JOIN rater r ON r.id = a.rater_id
             WHERE r.study_id = $1 AND r.person_id = $2 AND a.state IN ('handed-in', 'skipped')
               AND a.ended_at IS NOT NULL
             ORDER BY a.ended_at, a.id",
        )
        .bind_id(study)
        .bind_id(person)
        .fetch_all(self.reader())
        .await?;
        self.readable_rows("assignment", study, &rows, read_finished)
    }

    /// The person's scores of repeated outputs on a dimension, each with their score of the output
    /// that it repeats. Only submitted sources count, so that nothing reveals which outputs of an
    /// open source are repeats.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn repeated_scores(
        &self,
        study: StudyId,
        person: PersonId,
        dimension: &str,
    ) -> Result<Vec<(f64, f64)>> {
        Ok(sqlx::query_as(
            "SELECT a.value, b.value AS original
             FROM rater r
             CROSS JOIN assignment x
             CROSS JOIN output o
             CROSS JOIN annotation a
             CROSS JOIN annotation b
             WHERE r.study_id = $1 AND r.person_id = $2
               AND x.rater_id = r.id AND x.state = 'handed-in'
               AND o.source_id = x.source_id AND o.purpose <> 'main' AND o.purpose = 'repeated' -- first the clause of the partial index
               AND a.rater_id = r.id AND a.source_id = o.source_id AND COALESCE(a.output_id, '') = COALESCE(o.id, '')
               AND a.kind = 'rating' AND a.dimension = $3 AND a.current = 1 AND a.value IS NOT NULL
               AND b.rater_id = r.id AND b.source_id = o.source_id
               AND COALESCE(b.output_id, '') = COALESCE(o.made_from, '')
               AND b.kind = 'rating' AND b.dimension = a.dimension AND b.current = 1
               AND b.value IS NOT NULL
             ORDER BY a.event, a.id",
        )
        .bind_id(study)
        .bind_id(person)
        .bind(dimension)
        .fetch_all(self.reader())
        .await?)
    }
}

fn read_finished(row: &TableRow<'_>) -> Result<FinishedSource> {
    let state: AssignmentState = row.parse("state")?;
    let purpose: SourcePurpose = row.parse("purpose")?;
    Ok(FinishedSource {
        counts: state == AssignmentState::HandedIn && purpose.as_shown() == SourcePurpose::Main,
        ended_at_ms: row.get("ended_at")?,
        active_ms: row.get::<i64>("active_ms")?.unsigned_abs(),
    })
}
