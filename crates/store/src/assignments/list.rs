//! Lists of assignments and their progress.

use domain::{
    ids::{AssignmentId, PersonId, RaterId, SourceId, StudyId},
    study::{AssignmentState, SourcePurpose},
};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_count},
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
    /// The source's purpose; in a list for the annotator, as they see it.
    pub purpose: SourcePurpose,
    /// Its rater.
    pub rater: RaterId,
    /// The rater's pseudonym.
    pub label: String,
    /// Its state.
    pub state: AssignmentState,
    /// Why it was skipped or taken back.
    pub reason: String,
    /// When it was given, milliseconds since 1970.
    pub created_at: i64,
    /// How long it stays with a rater who does nothing; after that, another may get it.
    pub leased_until: i64,
    /// When it was handed in, skipped or taken back.
    pub ended_at: Option<i64>,
    /// The number of its outputs that the rater should look at again, once it was handed in.
    pub questions: u32,
    /// How much is done.
    pub progress: AssignmentProgress,
}

impl AssignmentEntry {
    /// Whether the rater can change something: it is open, or it was handed in and single outputs
    /// were given back.
    #[must_use]
    pub fn takes_answers(&self) -> bool {
        let is_asked = self.state == AssignmentState::HandedIn && self.questions > 0;
        self.state == AssignmentState::Open || is_asked
    }
}

/// The progress of an assignment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AssignmentProgress {
    /// The number of outputs to rate; outputs with the same text count once.
    pub items: u32,
    /// The number of them with at least one score, or a reason why they have none.
    pub rated: u32,
    /// The number of comparisons made or begun.
    pub compared: u32,
    /// The number of answers, without notes and replies.
    pub answers: u32,
    /// Milliseconds of activity.
    pub active_ms: u64,
}

/// The assignments of a study to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignmentFilter {
    /// Those in progress.
    Open,
    /// Also those that have ended.
    All,
}

/// The number of a study's assignments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AssignmentCounts {
    /// Those in progress.
    pub open: u32,
    /// Also those that have ended.
    pub all: u32,
}

/// Orders assignments by rater, each rater's in the order of work.
macro_rules! by_rater {
    () => {
        " ORDER BY r.position,
            CASE s.purpose WHEN 'tutorial' THEN 0 WHEN 'training' THEN 1
                WHEN 'qualification' THEN 2 ELSE 3 END,
            a.created_at, a.id"
    };
}

/// One row per assignment; each rater's rows are in the order of work.
macro_rules! assigned {
    ($($which:expr),+) => {
        concat!(
            "SELECT a.id, a.source_id, a.rater_id, a.state, a.reason, a.created_at, a.leased_until,
                    a.ended_at, s.key, s.text, s.purpose, r.label,
                    (SELECT COUNT(*) FROM output o
                     WHERE o.source_id = a.source_id AND o.twin_of IS NULL) AS items,
                    -- Three counts in one pass over the answers: outputs rated, comparisons made, answers.
                    (SELECT '[' || concat_ws(',',
                        COUNT(DISTINCT CASE WHEN (n.kind = 'rating' AND n.value IS NOT NULL)
                            OR (n.kind = 'unjudged' AND n.body <> 'null') THEN n.output_id END),
                        COUNT(DISTINCT CASE WHEN n.kind = 'comparison' AND n.body <> 'null'
                            THEN n.compared END),
                        COUNT(CASE WHEN n.kind NOT IN ('progress', 'note', 'reply')
                            AND (n.value IS NOT NULL OR n.body <> 'null') THEN 1 END)) || ']'
                     FROM annotation n
                     WHERE n.assignment_id = a.id AND n.current = 1) AS answered,
                    (SELECT CAST(COALESCE(SUM(t.active_ms), 0) AS BIGINT) FROM activity t
                     WHERE t.assignment_id = a.id) AS active_ms,
                    (SELECT COUNT(DISTINCT q.output_id) FROM open_question q
                     WHERE q.assignment_id = a.id) AS questions
             FROM assignment a
             JOIN source s ON s.id = a.source_id
             JOIN rater r ON r.id = a.rater_id ",
            $($which),+,
            by_rater!()
        )
    };
}

impl Store {
    /// The person's assignments in the study, in the order of work. Attention items are listed as main sources.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn assignments_of(
        &self,
        study: StudyId,
        person: PersonId,
    ) -> Result<Vec<AssignmentEntry>> {
        // By the rater's study: otherwise SQLite would go through all assignments of the study.
        let rows = sqlx::query(assigned!("WHERE r.study_id = $1 AND r.person_id = $2"))
            .bind_id(study)
            .bind_id(person)
            .fetch_all(self.reader())
            .await?;

        let mut entries = self.readable_rows("assignment", study, &rows, read_entry)?;
        for entry in &mut entries {
            entry.purpose = entry.purpose.as_shown();
        }
        Ok(entries)
    }

    /// The assignments of a source of the study, current and past, rater by rater.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn source_assignments(
        &self,
        study: StudyId,
        source: SourceId,
    ) -> Result<Vec<AssignmentEntry>> {
        let rows = sqlx::query(assigned!("WHERE a.study_id = $1 AND a.source_id = $2"))
            .bind_id(study)
            .bind_id(source)
            .fetch_all(self.reader())
            .await?;
        self.readable_rows("assignment", study, &rows, read_entry)
    }

    /// All assignments of the study, rater by rater.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn assignments(&self, study: StudyId) -> Result<Vec<AssignmentEntry>> {
        let rows = sqlx::query(assigned!("WHERE a.study_id = $1"))
            .bind_id(study)
            .fetch_all(self.reader())
            .await?;
        self.readable_rows("assignment", study, &rows, read_entry)
    }

    /// At most `count` of the study's assignments after the first `skipped`, rater by rater.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn assignment_page(
        &self,
        study: StudyId,
        filter: AssignmentFilter,
        skipped: usize,
        count: usize,
    ) -> Result<Vec<AssignmentEntry>> {
        let rows = sqlx::query(assigned!(
            "WHERE a.id IN (
                SELECT a.id FROM assignment a
                JOIN source s ON s.id = a.source_id
                JOIN rater r ON r.id = a.rater_id
                WHERE a.study_id = $1 AND ($2 = 1 OR a.state = 'open')",
            by_rater!(),
            " LIMIT $3 OFFSET $4)"
        ))
        .bind_id(study)
        .bind(i64::from(filter == AssignmentFilter::All))
        .bind(i64::try_from(count).unwrap_or(i64::MAX))
        .bind(i64::try_from(skipped).unwrap_or(i64::MAX))
        .fetch_all(self.reader())
        .await?;

        self.readable_rows("assignment", study, &rows, read_entry)
    }

    /// The number of the study's assignments.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_assignments(&self, study: StudyId) -> Result<AssignmentCounts> {
        let row = sqlx::query(
            "SELECT COUNT(CASE WHEN a.state = 'open' THEN 1 END) AS open, COUNT(*) AS all_of_them
             FROM assignment a
             JOIN source s ON s.id = a.source_id
             JOIN rater r ON r.id = a.rater_id
             WHERE a.study_id = $1",
        )
        .bind_id(study)
        .fetch_one(self.reader())
        .await?;
        Ok(AssignmentCounts {
            open: parse_count(&row, "open")?,
            all: parse_count(&row, "all_of_them")?,
        })
    }
}

fn read_entry(row: &TableRow<'_>) -> Result<AssignmentEntry> {
    let [rated, compared, answers] = row.json("answered")?;
    Ok(AssignmentEntry {
        assignment: row.parse("id")?,
        source: row.parse("source_id")?,
        key: row.get("key")?,
        text: row.get("text")?,
        purpose: row.parse("purpose")?,
        rater: row.parse("rater_id")?,
        label: row.get("label")?,
        state: row.parse("state")?,
        reason: row.get("reason")?,
        created_at: row.get("created_at")?,
        leased_until: row.get("leased_until")?,
        ended_at: row.get("ended_at")?,
        questions: row.count("questions")?,
        progress: AssignmentProgress {
            items: row.count("items")?,
            rated,
            compared,
            answers,
            active_ms: row.get::<i64>("active_ms")?.unsigned_abs(),
        },
    })
}
