//! How far a study has come.

use domain::{
    ids::{RaterId, StudyId},
    study::RaterKind,
};
use sqlx::any::AnyRow;

use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_count},
};

/// A study in numbers. Only main sources and their main outputs count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StudyOverview {
    /// Texts that were simplified.
    pub sources: u32,
    /// Of these, those that as many annotators handed in as the study asks for.
    pub done: u32,
    /// Of these, those that are open or handed in by a rater, and not done.
    pub in_progress: u32,
    /// Outputs of systems.
    pub outputs: u32,
    /// Writers of these.
    pub systems: u32,
    /// Ratings that came with files, or from simulated annotators.
    pub imported_ratings: u32,
    /// Ratings of annotators, in sources that were handed in.
    pub handed_in_ratings: u32,
    /// Ratings of annotators, in open sources or of outputs that they are to look at again.
    pub open_ratings: u32,
    /// How far each rater has come, in the order in which they came to the study.
    pub raters: Vec<RaterProgress>,
}

impl StudyOverview {
    /// Sources that nobody has begun.
    #[must_use]
    pub const fn not_started(&self) -> u32 {
        self.sources - self.done - self.in_progress
    }
}

/// How far a rater has come in the main sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaterProgress {
    /// The rater.
    pub rater: RaterId,
    /// The kind of rater.
    pub kind: RaterKind,
    /// The pseudonym.
    pub label: String,
    /// Whether the person withdrew: then nothing of it counts.
    pub withdrawn: bool,
    /// Sources in progress.
    pub open: u32,
    /// Sources handed in.
    pub handed_in: u32,
    /// Sources skipped.
    pub skipped: u32,
    /// Current ratings.
    pub ratings: u32,
    /// Milliseconds of activity.
    pub active_ms: u64,
}

impl Store {
    /// The study in numbers.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn study_overview(&self, study: StudyId, overlap: u32) -> Result<StudyOverview> {
        let raters = self.rater_progress(study).await?;
        let row = sqlx::query(
            "SELECT COUNT(*) AS sources,
                    COUNT(CASE WHEN handed_in >= $2 THEN 1 END) AS done,
                    COUNT(CASE WHEN handed_in < $2 AND taken > 0 THEN 1 END) AS in_progress
             FROM (
                SELECT s.id, COALESCE(x.handed_in, 0) AS handed_in, COALESCE(x.taken, 0) AS taken
                FROM source s
                LEFT JOIN (
                    SELECT a.source_id, COUNT(*) AS taken,
                           COUNT(CASE WHEN a.state = 'handed-in' THEN 1 END) AS handed_in
                    FROM assignment a
                    JOIN rater r ON r.id = a.rater_id
                    LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
                    WHERE a.study_id = $1 AND a.state IN ('open', 'handed-in')
                      AND m.withdrawn_at IS NULL
                    GROUP BY a.source_id
                ) x ON x.source_id = s.id
                WHERE s.study_id = $1 AND s.purpose = 'main'
             ) counted",
        )
        .bind_id(study)
        .bind(i64::from(overlap))
        .fetch_one(self.reader())
        .await?;
        let answer_rows = sqlx::query(
            "SELECT COUNT(*) AS outputs, COUNT(DISTINCT o.system_id) AS systems
             FROM output o JOIN source s ON s.id = o.source_id
             WHERE o.study_id = $1 AND o.purpose = 'main' AND s.purpose = 'main'",
        )
        .bind_id(study)
        .fetch_one(self.reader())
        .await?;
        let rating_counts = sqlx::query(
            "SELECT COUNT(CASE WHEN x.id IS NULL THEN 1 END) AS imported,
                    COUNT(CASE WHEN x.state = 'handed-in' AND q.output_id IS NULL THEN 1 END)
                        AS handed_in,
                    COUNT(CASE WHEN x.state = 'open'
                               OR (x.state = 'handed-in' AND q.output_id IS NOT NULL) THEN 1 END) AS open
             FROM annotation a
             JOIN output o ON o.id = a.output_id
             JOIN source s ON s.id = a.source_id
             JOIN rater r ON r.id = a.rater_id
             LEFT JOIN assignment x ON x.id = a.assignment_id
             LEFT JOIN (SELECT DISTINCT assignment_id, output_id FROM open_question) q
                ON q.assignment_id = a.assignment_id AND q.output_id = a.output_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
             WHERE a.study_id = $1 AND a.kind = 'rating' AND a.current = 1
               AND a.value IS NOT NULL AND o.purpose = 'main' AND s.purpose = 'main'
               AND m.withdrawn_at IS NULL",
        )
        .bind_id(study)
        .fetch_one(self.reader())
        .await?;
        Ok(StudyOverview {
            sources: parse_count(&row, "sources")?,
            done: parse_count(&row, "done")?,
            in_progress: parse_count(&row, "in_progress")?,
            outputs: parse_count(&answer_rows, "outputs")?,
            systems: parse_count(&answer_rows, "systems")?,
            imported_ratings: parse_count(&rating_counts, "imported")?,
            handed_in_ratings: parse_count(&rating_counts, "handed_in")?,
            open_ratings: parse_count(&rating_counts, "open")?,
            raters,
        })
    }

    /// How far each rater has come, in the order in which they came to the study.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn rater_progress(&self, study: StudyId) -> Result<Vec<RaterProgress>> {
        let rows = sqlx::query(
            "SELECT r.id, r.kind, r.label, m.withdrawn_at,
                    COALESCE(w.open, 0) AS open, COALESCE(w.handed_in, 0) AS handed_in,
                    COALESCE(w.skipped, 0) AS skipped, COALESCE(g.ratings, 0) AS ratings,
                    COALESCE(t.active_ms, 0) AS active_ms
             FROM rater r
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
             LEFT JOIN (
                SELECT a.rater_id, COUNT(CASE WHEN a.state = 'open' THEN 1 END) AS open,
                       COUNT(CASE WHEN a.state = 'handed-in' THEN 1 END) AS handed_in,
                       COUNT(CASE WHEN a.state = 'skipped' THEN 1 END) AS skipped
                FROM assignment a JOIN source s ON s.id = a.source_id
                WHERE a.study_id = $1 AND s.purpose = 'main' GROUP BY a.rater_id
             ) w ON w.rater_id = r.id
             LEFT JOIN (
                SELECT a.rater_id, COUNT(*) AS ratings
                FROM annotation a
                JOIN output o ON o.id = a.output_id
                JOIN source s ON s.id = a.source_id
                WHERE a.study_id = $1 AND a.kind = 'rating' AND a.current = 1
                  AND a.value IS NOT NULL AND o.purpose = 'main' AND s.purpose = 'main'
                GROUP BY a.rater_id
             ) g ON g.rater_id = r.id
             LEFT JOIN (
                SELECT a.rater_id, CAST(SUM(v.active_ms) AS BIGINT) AS active_ms
                FROM activity v
                JOIN assignment a ON a.id = v.assignment_id
                JOIN source s ON s.id = a.source_id
                WHERE a.study_id = $1 AND s.purpose = 'main' GROUP BY a.rater_id
             ) t ON t.rater_id = r.id
             WHERE r.study_id = $1 ORDER BY r.position, r.id",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        self.readable(study, &rows, read_progress)
    }
}

fn read_progress(row: &AnyRow) -> Result<RaterProgress> {
    let row = TableRow::new("rater", row)?;
    Ok(RaterProgress {
        rater: row.parse("id")?,
        kind: row.parse("kind")?,
        label: row.get("label")?,
        withdrawn: row.get::<Option<i64>>("withdrawn_at")?.is_some(),
        open: row.count("open")?,
        handed_in: row.count("handed_in")?,
        skipped: row.count("skipped")?,
        ratings: row.count("ratings")?,
        active_ms: row.get::<i64>("active_ms")?.unsigned_abs(),
    })
}
