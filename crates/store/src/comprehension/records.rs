//! The records from which figures and exports are made.

use std::collections::HashMap;

use domain::{
    comprehension::{AnswerChoice, AnswerTable, ChoiceOrder, ReaderAnswer},
    ids::{ParticipantId, StudyId},
};
use sqlx::{Row, any::AnyRow};

use super::ExitReason;
use crate::{
    Result, Store,
    columns::{self, BindId, TableRow},
};

/// A current answer to a main passage, with everything that is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantAnswer {
    /// The participant's pseudonym; `None` if it is unknown.
    pub participant: Option<String>,
    /// The passage.
    pub passage: String,
    /// The question.
    pub question: String,
    /// The condition that was read.
    pub condition: String,
    /// The choice.
    pub choice: AnswerChoice,
    /// The order in which the answers were shown.
    pub order: Option<ChoiceOrder>,
    /// Active time on the question, in milliseconds.
    pub active_ms: Option<u64>,
    /// Active time on the passage, in milliseconds.
    pub passage_active_ms: Option<u64>,
    /// How the participant left; figures leave such answers out.
    pub left: Option<ExitReason>,
    /// When it was recorded, in milliseconds since 1970.
    pub recorded_at: i64,
}

/// A participant, as the lead sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantEntry {
    /// Its id.
    pub id: ParticipantId,
    /// The pseudonym.
    pub label: String,
    /// When they joined.
    pub joined_at: i64,
    /// When they were given texts.
    pub begun_at: Option<i64>,
    /// When they finished.
    pub finished_at: Option<i64>,
    /// How they left.
    pub left: Option<ExitReason>,
    /// Why they were excluded.
    pub reason: String,
    /// Their comment at the end.
    pub comment: String,
    /// Texts given.
    pub texts: u32,
    /// Texts done.
    pub done: u32,
    /// Active time of each main text done, in milliseconds.
    pub passages_ms: Vec<u64>,
    /// Answers to attention checks that are A.
    pub checks_passed: u32,
    /// Answers to attention checks.
    pub checks: u32,
}

impl ParticipantEntry {
    /// Whether the answers came from a file: a participant who reads here gets texts before they
    /// finish.
    #[must_use]
    pub const fn is_imported(&self) -> bool {
        self.texts == 0 && self.finished_at.is_some()
    }
}

/// A text with its participants who have not left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellProgress {
    /// The passage.
    pub passage: String,
    /// The condition.
    pub condition: String,
    /// The number of participants who have it.
    pub given: u32,
    /// The number of participants who are done with it.
    pub done: u32,
}

impl Store {
    /// The current answers to main passages, in the order in which they were recorded.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn participant_answers(&self, study: StudyId) -> Result<Vec<ParticipantAnswer>> {
        let rows = sqlx::query(
            "SELECT a.id, a.choice, a.answers, a.active_ms, a.recorded_at, p.label, p.left_as,
                    s.name AS passage, q.name AS question, c.name AS condition,
                    (SELECT CAST(SUM(v.active_ms) AS BIGINT) FROM reading_activity v
                     WHERE v.reading_id = a.reading_id AND v.part = a.question_id) AS question_ms,
                    (SELECT CAST(SUM(v.active_ms) AS BIGINT) FROM reading_activity v
                     WHERE v.reading_id = a.reading_id AND v.part = '') AS passage_ms
             FROM reading_answer a
             JOIN question q ON q.id = a.question_id
             JOIN passage s ON s.id = q.passage_id AND s.purpose = 'main'
             JOIN reading_condition c ON c.id = a.condition_id
             LEFT JOIN participant p ON p.id = a.participant_id
             WHERE a.study_id = $1 AND a.current = 1
             ORDER BY a.event, a.id",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        self.readable_rows("reading_answer", study, &rows, read_answer)
    }

    /// The answers from which figures are computed: those of participants who have not left.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn comprehension_answers(&self, study: StudyId) -> Result<AnswerTable> {
        let load_names = async |statement: &'static str| -> Result<Vec<String>> {
            let names = sqlx::query_scalar(statement).bind_id(study);
            Ok(names.fetch_all(self.reader()).await?)
        };

        let conditions =
            load_names("SELECT name FROM reading_condition WHERE study_id = $1 ORDER BY position");
        let mut all = AnswerTable::with_conditions(conditions.await?);
        let passages =
            load_names("SELECT name FROM passage WHERE study_id = $1 ORDER BY position, id");
        let passages = passages.await?;

        let recorded = self.participant_answers(study).await?;
        let counting = recorded.iter().filter(|answer| answer.left.is_none());
        let answers: Vec<_> = counting
            .map(|answer| ReaderAnswer {
                condition: &answer.condition,
                passage: &answer.passage,
                question: &answer.question,
                participant: answer.participant.as_deref(),
                choice: answer.choice,
                place: answer.order.map(|order| order.place_of(answer.choice)),
            })
            .collect();

        all.extend_in_order(passages.iter().map(String::as_str), &answers);
        Ok(all)
    }

    /// The participants, in the order in which they joined.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn participants(&self, study: StudyId) -> Result<Vec<ParticipantEntry>> {
        let rows = sqlx::query(
            "SELECT id, label, joined_at, begun_at, finished_at, left_as, left_reason, comment
             FROM participant WHERE study_id = $1 AND kind = 'reading' ORDER BY joined_at, id",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        let mut entries = self.readable_rows("participant", study, &rows, read_entry)?;
        let at: HashMap<String, usize> = (0..)
            .zip(&entries)
            .map(|(at, entry)| (entry.id.to_string(), at))
            .collect();

        let rows = sqlx::query(
            "SELECT r.participant_id, r.finished_at, s.purpose,
                    (SELECT CAST(SUM(v.active_ms) AS BIGINT) FROM reading_activity v
                     WHERE v.reading_id = r.id AND v.part = '') AS active_ms,
                    (SELECT COUNT(*) FROM reading_answer a
                     WHERE a.reading_id = r.id AND a.current = 1) AS answers,
                    (SELECT COUNT(*) FROM reading_answer a
                     WHERE a.reading_id = r.id AND a.current = 1 AND a.choice = 'A') AS passed
             FROM reading r JOIN passage s ON s.id = r.passage_id
             WHERE s.study_id = $1 ORDER BY r.position",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;

        for row in rows {
            let Some(at) = at.get(row.try_get::<&str, _>("participant_id")?) else {
                continue;
            };
            let entry = &mut entries[*at];
            let done = row.try_get::<Option<i64>, _>("finished_at")?.is_some();
            entry.texts += 1;
            entry.done += u32::from(done);

            match row.try_get("purpose")? {
                "main" if done => {
                    let active: Option<i64> = row.try_get("active_ms")?;
                    entry.passages_ms.extend(active.map(i64::unsigned_abs));
                }
                "check" => {
                    entry.checks += columns::parse_count(&row, "answers")?;
                    entry.checks_passed += columns::parse_count(&row, "passed")?;
                }
                _ => {}
            }
        }

        Ok(entries)
    }

    /// The progress of each text of the main passages, in the order of passages and conditions.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn comprehension_cells(&self, study: StudyId) -> Result<Vec<CellProgress>> {
        let rows = sqlx::query(
            "SELECT s.name AS passage, c.name AS condition, COUNT(p.id) AS given,
                    COUNT(CASE WHEN p.id IS NOT NULL THEN r.finished_at END) AS done
             FROM passage_text t
             JOIN passage s ON s.id = t.passage_id AND s.purpose = 'main'
             JOIN reading_condition c ON c.id = t.condition_id
             LEFT JOIN reading r ON r.passage_id = t.passage_id AND r.condition_id = t.condition_id
             LEFT JOIN participant p ON p.id = r.participant_id AND p.left_at IS NULL
             WHERE s.study_id = $1
             GROUP BY s.position, s.name, c.position, c.name
             ORDER BY s.position, c.position",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;

        let cell = |row: &AnyRow| {
            Ok(CellProgress {
                passage: row.try_get("passage")?,
                condition: row.try_get("condition")?,
                given: columns::parse_count(row, "given")?,
                done: columns::parse_count(row, "done")?,
            })
        };

        self.readable(study, &rows, cell)
    }
}

fn read_answer(row: &TableRow<'_>) -> Result<ParticipantAnswer> {
    Ok(ParticipantAnswer {
        participant: row.get("label")?,
        passage: row.get("passage")?,
        question: row.get("question")?,
        condition: row.get("condition")?,
        choice: row.parse("choice")?,
        order: row.parse_optional("answers")?,
        active_ms: read_ms(row, "active_ms")?.or(read_ms(row, "question_ms")?),
        passage_active_ms: read_ms(row, "passage_ms")?,
        left: row.in_table("participant").parse_optional("left_as")?,
        recorded_at: row.get("recorded_at")?,
    })
}

fn read_ms(row: &TableRow<'_>, column: &str) -> Result<Option<u64>> {
    let time: Option<i64> = row.get(column)?;
    Ok(time.map(i64::unsigned_abs))
}

fn read_entry(row: &TableRow<'_>) -> Result<ParticipantEntry> {
    Ok(ParticipantEntry {
        id: row.parse("id")?,
        label: row.get("label")?,
        joined_at: row.get("joined_at")?,
        begun_at: row.get("begun_at")?,
        finished_at: row.get("finished_at")?,
        left: row.parse_optional("left_as")?,
        reason: row.get("left_reason")?,
        comment: row.get("comment")?,
        texts: 0,
        done: 0,
        passages_ms: vec![],
        checks_passed: 0,
        checks: 0,
    })
}
