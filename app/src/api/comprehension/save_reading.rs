//! Storing a participant's answers, as the page's script sends them.

use domain::ids::{AnnotationId, QuestionId, ReadingId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{error::Refusal, json::Json};

/// Answers in order, and the active time so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComprehensionBatch {
    /// The answers, oldest first.
    pub answers: Vec<AnswerSubmission>,
    /// The active time of each tab.
    #[serde(default)]
    pub spent: Vec<ParticipantActiveTime>,
}

/// An answer to a question about a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSubmission {
    /// The id, made by the browser.
    pub id: AnnotationId,
    /// The text.
    pub reading: ReadingId,
    /// The question.
    pub question: QuestionId,
    /// The place at which the chosen answer was shown, from 1 to 5.
    pub choice: String,
}

/// The total time for which a tab has been active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParticipantActiveTime {
    /// The text.
    pub reading: ReadingId,
    /// One of the text's questions; absent for the whole text.
    #[serde(default)]
    pub question: Option<QuestionId>,
    pub tab: Uuid,
    pub active_ms: u64,
}

/// Stores each answer once, however often it is sent. Returns for each answer the reason why it was refused,
/// or `None` if it is stored.
///
/// # Errors
/// [`Refusal::Invalid`] where the session is unknown or has ended, or where there are more answers than a
/// page sends at once.
#[server(endpoint = "reading/save/v1", input = Json, output = Json)]
pub async fn save_reading(batch: ComprehensionBatch) -> Result<Vec<Option<String>>, Refusal> {
    use store::comprehension::{
        NewParticipantAnswer, ParticipantAnswerOutcome, ParticipantTabTime,
    };

    use super::reader;
    use crate::{request::refuse, services};

    /// The most answers, and the most times, in one request; a page sends fewer than a hundred of each.
    const MOST: usize = 500;

    let session = reader()?;
    if batch.answers.len() > MOST || batch.spent.len() > MOST {
        return Err(Refusal::invalid(format!(
            "There are more than {MOST} answers in one request. Reload the page and try again."
        )));
    }

    let services = services();
    let (store, now) = (&services.store, services.context.now_ms());

    let answers = batch.answers.iter().map(|chosen| NewParticipantAnswer {
        id: chosen.id,
        reading: chosen.reading,
        question: chosen.question,
        // A number that is not a place is refused like a place that does not exist.
        place: chosen.choice.parse().unwrap_or(0),
    });
    let answers: Vec<_> = answers.collect();
    let saved = store
        .save_participant_answers(&session, &answers, now)
        .await;
    let saved = saved.map_err(refuse)?;

    let spent = batch.spent.iter().map(|active| ParticipantTabTime {
        reading: active.reading,
        question: active.question,
        tab: active.tab,
        active_ms: active.active_ms,
    });
    let spent: Vec<_> = spent.collect();
    if !spent.is_empty() {
        store
            .save_participant_times(&session, &spent, now)
            .await
            .map_err(refuse)?;
    }

    let refusals = saved.into_iter().map(|outcome| match outcome {
        ParticipantAnswerOutcome::Saved => None,
        ParticipantAnswerOutcome::Refused(why) => Some(why),
    });
    Ok(refusals.collect())
}
