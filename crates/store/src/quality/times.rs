use domain::ids::{RaterId, SourceId, StudyId};

use crate::{
    Result, Store,
    columns::{BindId, TableRow},
    rating_rows::{StudyPart, part},
};

/// An annotator's active time on a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveTime {
    /// The rater.
    pub rater: RaterId,
    /// The source.
    pub source: SourceId,
    /// Active time in all steps, in milliseconds, without idle time.
    pub active_ms: u64,
}

impl Store {
    /// The active times of main sources of a part of the study that were handed in, in the order of
    /// raters. Leaves out raters who withdrew, and sources without a recorded time.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn active_times(&self, study: StudyId, part: StudyPart) -> Result<Vec<ActiveTime>> {
        let statement = part!(
            part,
            "SELECT x.id, x.rater_id, x.source_id, CAST(SUM(v.active_ms) AS BIGINT) AS active_ms
             FROM assignment x
             JOIN activity v ON v.assignment_id = x.id
             JOIN source s ON s.id = x.source_id
             JOIN rater r ON r.id = x.rater_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id",
            whole: "WHERE x.study_id = $1 AND $2 = ''",
            source: "WHERE x.study_id = $1 AND x.source_id = $2",
            "AND s.purpose = 'main' AND x.state = 'handed-in' AND m.withdrawn_at IS NULL
             GROUP BY x.id, x.rater_id, x.source_id, r.position, s.position, s.id
             ORDER BY r.position, s.position, s.id"
        );
        let rows = self.part_rows(statement, study, part).await?;
        self.readable_rows("assignment", study, &rows, read_active_time)
    }

    /// The active time, in milliseconds, on each of the `count` main sources of the study that were
    /// handed in last. Leaves out raters who withdrew, and sources without a recorded time.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn recent_active_times(&self, study: StudyId, count: u32) -> Result<Vec<u64>> {
        let times: Vec<i64> = sqlx::query_scalar(
            "SELECT CAST(SUM(v.active_ms) AS BIGINT) AS active_ms
             FROM (
                SELECT x.id FROM assignment x
                JOIN source s ON s.id = x.source_id
                JOIN rater r ON r.id = x.rater_id
                LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
                WHERE x.study_id = $1 AND x.state = 'handed-in' AND s.purpose = 'main'
                  AND m.withdrawn_at IS NULL
                ORDER BY x.ended_at DESC LIMIT $2
             ) newest JOIN activity v ON v.assignment_id = newest.id
             GROUP BY newest.id",
        )
        .bind_id(study)
        .bind(i64::from(count))
        .fetch_all(self.reader())
        .await?;

        Ok(times.into_iter().map(i64::unsigned_abs).collect())
    }
}

fn read_active_time(row: &TableRow<'_>) -> Result<ActiveTime> {
    Ok(ActiveTime {
        rater: row.parse("rater_id")?,
        source: row.parse("source_id")?,
        active_ms: row.get::<i64>("active_ms")?.unsigned_abs(),
    })
}
