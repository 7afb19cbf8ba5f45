//! A participant's session as they see it.

use std::collections::HashMap;

use domain::{
    comprehension::{AnswerChoice, ChoiceOrder, PassagePurpose, Question},
    ids::{ParticipantId, QuestionId, ReadingId, StudyId},
};

use super::ExitReason;
use crate::{
    Result, Store,
    columns::{BindId, TableRow},
};

/// A session with everything that it asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantSession {
    /// The study.
    pub study: StudyId,
    /// The participant.
    pub participant: ParticipantId,
    /// The pseudonym.
    pub label: String,
    /// When they consented and were given texts.
    pub begun_at: Option<i64>,
    /// When they finished.
    pub finished_at: Option<i64>,
    /// How they left, if they did.
    pub left: Option<ExitReason>,
    /// The texts, in their order; none before they began.
    pub texts: Vec<ParticipantText>,
}

/// A text that a participant was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantText {
    /// Its id.
    pub id: ReadingId,
    /// Its purpose.
    pub purpose: PassagePurpose,
    /// Its title.
    pub title: String,
    /// The text.
    pub text: String,
    /// When the participant was done with it.
    pub finished_at: Option<i64>,
    /// Its questions.
    pub questions: Vec<ParticipantQuestion>,
}

/// A question as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantQuestion {
    /// Its id.
    pub id: QuestionId,
    /// The question.
    pub question: Question,
    /// The order in which its answers are shown.
    pub order: ChoiceOrder,
    /// The participant's choice.
    pub choice: Option<AnswerChoice>,
}

impl Store {
    /// The session; `None` if no participant has the cookie.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn participant_session(
        &self,
        session_hash: &str,
    ) -> Result<Option<ParticipantSession>> {
        let row = sqlx::query(
            "SELECT id, study_id, label, begun_at, finished_at, left_as FROM participant
             WHERE session_hash = $1",
        )
        .bind(session_hash)
        .fetch_optional(self.reader())
        .await?;
        let Some(row) = row else { return Ok(None) };
        let row = TableRow::new("participant", &row)?;
        let participant: ParticipantId = row.parse("id")?;

        Ok(Some(ParticipantSession {
            study: row.parse("study_id")?,
            participant,
            label: row.get("label")?,
            begun_at: row.get("begun_at")?,
            finished_at: row.get("finished_at")?,
            left: row.parse_optional("left_as")?,
            texts: self.load_texts(participant).await?,
        }))
    }

    async fn load_texts(&self, participant: ParticipantId) -> Result<Vec<ParticipantText>> {
        let rows = sqlx::query(
            "SELECT r.id, r.finished_at, p.purpose, p.title, t.text FROM reading r
             JOIN passage p ON p.id = r.passage_id
             JOIN passage_text t ON t.passage_id = r.passage_id AND t.condition_id = r.condition_id
             WHERE r.participant_id = $1 ORDER BY r.position",
        )
        .bind_id(participant)
        .fetch_all(self.reader())
        .await?;

        let mut readings = Vec::new();
        let mut at = HashMap::new();
        for row in &rows {
            let row = TableRow::new("reading", row)?;
            at.insert(row.id().to_owned(), readings.len());
            readings.push(ParticipantText {
                id: row.parse("id")?,
                purpose: row.in_table("passage").parse("purpose")?,
                title: row.get("title")?,
                text: row.get("text")?,
                finished_at: row.get("finished_at")?,
                questions: vec![],
            });
        }

        let rows = sqlx::query(
            "SELECT o.reading_id, q.id, q.body, o.answers, a.choice FROM reading_order o
             JOIN reading r ON r.id = o.reading_id
             JOIN question q ON q.id = o.question_id
             LEFT JOIN reading_answer a
               ON a.reading_id = o.reading_id AND a.question_id = o.question_id AND a.current = 1
             WHERE r.participant_id = $1 ORDER BY r.position, q.position",
        )
        .bind_id(participant)
        .fetch_all(self.reader())
        .await?;

        for row in &rows {
            let row = TableRow::new("question", row)?;
            let question = ParticipantQuestion {
                id: row.parse("id")?,
                question: row.json("body")?,
                order: row.in_table("reading_order").parse("answers")?,
                choice: row.in_table("reading_answer").parse_optional("choice")?,
            };
            if let Some(at) = at.get(row.get::<&str>("reading_id")?) {
                readings[*at].questions.push(question);
            }
        }

        Ok(readings)
    }
}
