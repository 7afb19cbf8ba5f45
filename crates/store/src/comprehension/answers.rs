//! Answers of participants, and their times.

use domain::{
    comprehension::ChoiceOrder,
    ids::{AnnotationId, QuestionId, ReadingId},
    work::activity::{ActiveDuration, MOST_TABS},
};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use super::{ParticipantState, lock_active_participant, material::load_settings};
use crate::{Error, EventKind, Result, Store, columns::BindId, event};

/// An answer as the browser sends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewParticipantAnswer {
    /// Made by the browser, so that an answer sent twice is stored once.
    pub id: AnnotationId,
    /// The text.
    pub reading: ReadingId,
    /// The question.
    pub question: QuestionId,
    /// The place at which the answer was shown, from 1 to 5. Only the server knows what each place
    /// means: [`domain::comprehension::ChoiceOrder`].
    pub place: u8,
}

/// The outcome of sending an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParticipantAnswerOutcome {
    /// It is stored, now or before.
    Saved,
    /// It is not stored, for this reason.
    Refused(String),
}

/// A browser tab's active time: its total so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParticipantTabTime {
    /// The text.
    pub reading: ReadingId,
    /// The question of the text; `None` for the text with all its questions.
    pub question: Option<QuestionId>,
    /// The tab.
    pub tab: Uuid,
    /// The time, in milliseconds.
    pub active_ms: u64,
}

impl Store {
    /// Stores answers in their order, all in one commit, and returns each one's outcome. A later
    /// answer to the same question supersedes the one before.
    ///
    /// # Errors
    /// Refused as a whole where the session is unknown or has ended, or the study is closed.
    pub async fn save_participant_answers(
        &self,
        session_hash: &str,
        answers: &[NewParticipantAnswer],
        now_ms: i64,
    ) -> Result<Vec<ParticipantAnswerOutcome>> {
        in_transaction!(self, |tx| {
            let seat = lock_active_participant(&mut tx, session_hash).await?;
            record_last_seen(&mut tx, &seat, now_ms).await?;

            let goes_back = load_settings(&mut tx, seat.study)
                .await?
                .is_some_and(|s| s.goes_back);

            let mut outcomes = Vec::with_capacity(answers.len());
            for answer in answers {
                outcomes.push(save_answer(&mut tx, &seat, answer, goes_back, now_ms).await?);
            }
            outcomes
        })
    }

    /// Stores the active times of tabs: the largest total of each, at most the length of the
    /// session. Leaves out texts and questions of other sessions, and tabs of a text past the first
    /// [`MOST_TABS`].
    ///
    /// # Errors
    /// Refused where the session is unknown or has ended, or the study is closed.
    pub async fn save_participant_times(
        &self,
        session_hash: &str,
        spent: &[ParticipantTabTime],
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            let seat = lock_active_participant(&mut tx, session_hash).await?;
            record_last_seen(&mut tx, &seat, now_ms).await?;

            let longest = u64::try_from(now_ms.saturating_sub(seat.joined_at)).unwrap_or(0);
            for time_spent in spent {
                sqlx::query(
                    "INSERT INTO reading_activity (reading_id, tab, part, active_ms)
                     SELECT r.id, $3, $4, CAST($5 AS BIGINT) FROM reading r
                     WHERE r.id = $1 AND r.participant_id = $2
                       AND ($4 = '' OR EXISTS (SELECT 1 FROM reading_order o
                            WHERE o.reading_id = r.id AND o.question_id = $4))
                       AND (SELECT COUNT(DISTINCT v.tab) FROM reading_activity v
                            WHERE v.reading_id = r.id AND v.tab <> $3) < $6
                     ON CONFLICT (reading_id, tab, part) DO UPDATE
                     SET active_ms = excluded.active_ms
                     WHERE excluded.active_ms > reading_activity.active_ms",
                )
                .bind_id(time_spent.reading)
                .bind_id(seat.participant)
                .bind_id(time_spent.tab)
                .bind(
                    time_spent
                        .question
                        .map(|id| id.to_string())
                        .unwrap_or_default(),
                )
                .bind(ActiveDuration::at_most(time_spent.active_ms, longest).get())
                .bind(MOST_TABS)
                .execute(&mut *tx)
                .await?;
            }
        })
    }

    /// Marks a text of the session as done.
    ///
    /// # Errors
    /// Refused where a question of it has no answer, the session is unknown or has ended, or the
    /// study is closed.
    pub async fn finish_participant_text(
        &self,
        session_hash: &str,
        reading: ReadingId,
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            let seat = lock_active_participant(&mut tx, session_hash).await?;
            record_last_seen(&mut tx, &seat, now_ms).await?;

            let open = count_unanswered(&mut tx, &seat, Some(reading)).await?;
            if open > 0 {
                return Err(Error::Refused(missing_answers_sentence(open)));
            }

            sqlx::query(
                "UPDATE reading SET finished_at = $3
                 WHERE id = $1 AND participant_id = $2 AND finished_at IS NULL",
            )
            .bind_id(reading)
            .bind_id(seat.participant)
            .bind(now_ms)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// Ends the session with a comment, which may be empty. A second call changes nothing.
    ///
    /// # Errors
    /// Refused where a question has no answer.
    pub async fn finish_participant_session(
        &self,
        session_hash: &str,
        comment: &str,
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            let seat = lock_active_participant(&mut tx, session_hash).await?;
            if !seat.finished {
                let open = count_unanswered(&mut tx, &seat, None).await?;
                if open > 0 || !seat.begun {
                    return Err(Error::Refused(missing_answers_sentence(open)));
                }

                sqlx::query("UPDATE participant SET finished_at = $2, comment = $3 WHERE id = $1")
                    .bind_id(seat.participant)
                    .bind(now_ms)
                    .bind(comment)
                    .execute(&mut *tx)
                    .await?;
                seat.record_event(&mut tx, now_ms).await?;
            }
        })
    }
}

async fn record_last_seen(
    tx: &mut AnyConnection,
    seat: &ParticipantState,
    now_ms: i64,
) -> Result<()> {
    sqlx::query("UPDATE participant SET seen_at = $2 WHERE id = $1 AND seen_at < $2")
        .bind_id(seat.participant)
        .bind(now_ms)
        .execute(tx)
        .await?;
    Ok(())
}

async fn save_answer(
    tx: &mut AnyConnection,
    seat: &ParticipantState,
    answer: &NewParticipantAnswer,
    goes_back: bool,
    now_ms: i64,
) -> Result<ParticipantAnswerOutcome> {
    let refused = |why: &str| Ok(ParticipantAnswerOutcome::Refused(why.to_owned()));

    let stored = sqlx::query("SELECT participant_id FROM reading_answer WHERE id = $1")
        .bind_id(answer.id)
        .fetch_optional(&mut *tx)
        .await?;
    if let Some(row) = stored {
        let own = row.try_get::<Option<&str>, _>("participant_id")?;
        return match own == Some(seat.participant.to_string().as_str()) {
            true => Ok(ParticipantAnswerOutcome::Saved),
            false => refused("This answer was made in another session."),
        };
    }

    let place = sqlx::query(
        "SELECT r.condition_id, r.finished_at, o.answers, a.id AS before FROM reading r
         JOIN reading_order o ON o.reading_id = r.id AND o.question_id = $2
         LEFT JOIN reading_answer a
           ON a.reading_id = r.id AND a.question_id = $2 AND a.current = 1
         WHERE r.id = $1 AND r.participant_id = $3",
    )
    .bind_id(answer.reading)
    .bind_id(answer.question)
    .bind_id(seat.participant)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(place) = place else {
        return refused("This question is not asked in this session.");
    };

    if seat.finished {
        return refused("This session is finished: its answers stay as they are.");
    }
    if !goes_back && place.try_get::<Option<i64>, _>("finished_at")?.is_some() {
        return refused("This text is done: its answers stay as they are.");
    }

    let order: &str = place.try_get("answers")?;
    let order: ChoiceOrder =
        crate::columns::parse_text("reading_order", answer.question, "answers", order)?;
    let Some(choice) = order.choice_at(answer.place) else {
        return refused("This is none of the answers shown: load the page again, and choose one.");
    };

    let before: Option<&str> = place.try_get("before")?;
    if let Some(before) = before {
        sqlx::query("UPDATE reading_answer SET current = 0 WHERE id = $1")
            .bind(before)
            .execute(&mut *tx)
            .await?;
    }

    let event = event::record(tx, seat.study, EventKind::ReadingAnswer, answer.id, now_ms).await?;
    sqlx::query(
        "INSERT INTO reading_answer (id, study_id, question_id, condition_id, participant_id,
             reading_id, choice, answers, supersedes, current, event, recorded_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11)",
    )
    .bind_id(answer.id)
    .bind_id(seat.study)
    .bind_id(answer.question)
    .bind(place.try_get::<&str, _>("condition_id")?)
    .bind_id(seat.participant)
    .bind_id(answer.reading)
    .bind(choice.name())
    .bind(place.try_get::<&str, _>("answers")?)
    .bind(before)
    .bind(event)
    .bind(now_ms)
    .execute(tx)
    .await?;

    Ok(ParticipantAnswerOutcome::Saved)
}

/// The number of questions without an answer, of one text or of the whole session.
async fn count_unanswered(
    tx: &mut AnyConnection,
    seat: &ParticipantState,
    reading: Option<ReadingId>,
) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT COUNT(*) FROM reading_order o JOIN reading r ON r.id = o.reading_id
         WHERE r.participant_id = $1 AND (r.id = $2 OR $2 = '')
           AND NOT EXISTS (SELECT 1 FROM reading_answer a WHERE a.reading_id = o.reading_id
                           AND a.question_id = o.question_id AND a.current = 1)",
    )
    .bind_id(seat.participant)
    .bind(reading.map(|id| id.to_string()).unwrap_or_default())
    .fetch_one(tx)
    .await?)
}

fn missing_answers_sentence(open: i64) -> String {
    match open {
        1 => "One question has no answer yet: answer it, then go on.".to_owned(),
        open => format!("{open} questions have no answer yet: answer them, then go on."),
    }
}
