//! The end of a text: its answers are stored, and the next text follows.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// An answer as form fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerField {
    pub id: String,
    pub question: String,
    /// The place at which the chosen answer was shown, from 1 to 5; empty for none.
    #[serde(default)]
    pub choice: String,
}

/// Stores those answers to a text that are not stored yet, and leads to the next text.
///
/// # Errors
/// [`Refusal::Invalid`] where a question has no answer, or the session has ended.
#[server(endpoint = "reading/next")]
pub async fn finish_text(
    reading: String,
    #[server(default)] answers: Vec<AnswerField>,
) -> Result<(), Refusal> {
    use domain::ids::ReadingId;
    use store::comprehension::{NewParticipantAnswer, ParticipantAnswerOutcome};

    use super::reader;
    use crate::{
        links,
        request::{parse, refuse, see_other},
        services,
    };

    let session = reader()?;

    let services = services();
    let (store, now) = (&services.store, services.context.now_ms());
    let reading: ReadingId = parse::id(&reading)?;

    let participant_session = store.participant_session(&session).await.map_err(refuse)?;
    let participant_session = participant_session.ok_or(Refusal::NotFound)?;
    let text = participant_session
        .texts
        .iter()
        .find(|own| own.id == reading);
    let text = text.ok_or(Refusal::NotFound)?;

    let mut fresh = Vec::new();
    for field in answers.iter().filter(|field| !field.choice.is_empty()) {
        let answer = NewParticipantAnswer {
            id: parse::id(&field.id)?,
            reading,
            question: parse::id(&field.question)?,
            place: parse::integer(&field.choice, "An answer", 1..=5)?,
        };
        // The page's script may already have stored the answer under another id.
        let stored = text
            .questions
            .iter()
            .find(|question| question.id == answer.question);
        if stored.is_none_or(|question| question.choice != question.order.choice_at(answer.place)) {
            fresh.push(answer);
        }
    }

    let saved = store.save_participant_answers(&session, &fresh, now).await;
    for outcome in saved.map_err(refuse)? {
        if let ParticipantAnswerOutcome::Refused(why) = outcome {
            return Err(Refusal::Invalid(why));
        }
    }

    store
        .finish_participant_text(&session, reading, now)
        .await
        .map_err(refuse)?;

    see_other(links::READ);
    Ok(())
}
