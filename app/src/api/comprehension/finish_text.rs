//! A participant is done with a text.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// An answer, as fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerField {
    /// The answer's own id.
    pub id: String,
    /// The question.
    pub question: String,
    /// Where the chosen answer was shown, from 1 to 5; empty for nothing.
    #[serde(default)]
    pub choice: String,
}

/// Stores what is not stored yet of a text's answers, and leads on to the next one.
///
/// # Errors
/// [`Refusal::Invalid`] where a question has no answer, or the session has ended.
#[server(endpoint = "reading/next")]
pub async fn finish_text(
    /// The text.
    reading: String,
    /// The answers.
    #[server(default)]
    answers: Vec<AnswerField>,
) -> Result<(), Refusal> {
    use domain::ids::ReadingId;
    use store::comprehension::{NewParticipantAnswer, ParticipantAnswerOutcome};

    use super::reader;
    use crate::{
        request::{parse, refuse, see_other},
        services,
    };

    let session = reader()?;
    let services = services();
    let (store, now) = (&services.store, services.context.now_ms());
    let reading: ReadingId = parse::id(&reading)?;
    let known = store.participant_session(&session).await.map_err(refuse)?;
    let known = known.ok_or(Refusal::NotFound)?;
    let of = known.texts.iter().find(|own| own.id == reading);
    let of = of.ok_or(Refusal::NotFound)?;
    let mut fresh = Vec::new();
    for field in answers.iter().filter(|field| !field.choice.is_empty()) {
        let answer = NewParticipantAnswer {
            id: parse::id(&field.id)?,
            reading,
            question: parse::id(&field.question)?,
            place: parse::integer(&field.choice, "An answer", 1..=5)?,
        };
        // The page's script may have stored it under another id.
        let stored = of
            .questions
            .iter()
            .find(|asked| asked.id == answer.question);
        if stored.is_none_or(|asked| asked.choice != asked.order.choice_at(answer.place)) {
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
    see_other("/read");
    Ok(())
}
