//! A participant's answers on their way into the store, as the page's script sends them.

use domain::ids::{AnnotationId, QuestionId, ReadingId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{error::Refusal, json::Json};

/// Answers in their order, and active time so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComprehensionBatch {
    /// The answers, oldest first.
    pub answers: Vec<AnswerSubmission>,
    /// Active time by tab.
    #[serde(default)]
    pub spent: Vec<ParticipantActiveTime>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSubmission {
    /// Made by the browser.
    pub id: AnnotationId,
    /// To which text.
    pub reading: ReadingId,
    /// To which question.
    pub question: QuestionId,
    /// Where the chosen answer was shown, from 1 to 5.
    pub choice: String,
}

/// How long a tab was active: its total so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParticipantActiveTime {
    /// On which text.
    pub reading: ReadingId,
    /// On which of its questions; absent for all of it.
    #[serde(default)]
    pub question: Option<QuestionId>,
    /// The tab.
    pub tab: Uuid,
    /// Milliseconds.
    pub active_ms: u64,
}

/// Stores answers, each once, however often it is sent. Of each it tells why it was refused; nothing
/// where it is stored.
///
/// # Errors
/// [`Refusal::Invalid`] where the session is not known or has ended, or for more answers at once than a
/// page sends.
#[server(endpoint = "reading/save/v1", input = Json, output = Json)]
pub async fn save_reading(
    /// The answers.
    batch: ComprehensionBatch,
) -> Result<Vec<Option<String>>, Refusal> {
    use store::comprehension::{
        NewParticipantAnswer, ParticipantAnswerOutcome, ParticipantTabTime,
    };

    use super::reader;
    use crate::{request::refuse, services};

    /// The most answers in a request, and the most times; a page sends fewer than a hundred.
    const MOST: usize = 500;

    let session = reader()?;
    if batch.answers.len() > MOST || batch.spent.len() > MOST {
        return Err(Refusal::invalid(format!(
            "These are more than {MOST} answers at once: reload the page and try again."
        )));
    }
    let services = services();
    let (store, now) = (&services.store, services.context.now_ms());
    let answers = batch.answers.iter().map(|chosen| NewParticipantAnswer {
        id: chosen.id,
        reading: chosen.reading,
        question: chosen.question,
        // What is no place is refused like a place that there is not.
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
    let told = saved.into_iter().map(|outcome| match outcome {
        ParticipantAnswerOutcome::Saved => None,
        ParticipantAnswerOutcome::Refused(why) => Some(why),
    });
    Ok(told.collect())
}
