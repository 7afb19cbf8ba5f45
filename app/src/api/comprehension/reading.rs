//! A participant's session of reading comprehension.

use domain::ids::{AnnotationId, QuestionId, ReadingId};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{error::Refusal, json::Json};

#[cfg(feature = "ssr")]
use {
    crate::api::ssr::*,
    crate::cookies,
    domain::ids::ParticipantId,
    store::{
        audit::AuditActor,
        comprehension::{
            NewParticipant, NewParticipantAnswer, ParticipantAnswerOutcome, ParticipantTabTime,
            PlatformIds, ReadingStart,
        },
    },
};

/// Begins a session through a link, or continues the one that this browser has.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work, where consent, a screening answer or a required
/// platform ID is missing, or where every text has enough readers; [`Refusal::TooMany`] after too many
/// participants from the address.
#[server(endpoint = "reading/begin")]
pub async fn begin_reading(
    /// The token at the end of the link.
    token: String,
    /// Present where the participant consents.
    #[server(default)]
    consent: String,
    /// The answers to the screening questions, in their order.
    #[server(default)]
    screening: Vec<String>,
    /// The recruitment platform's id for the participant; may be empty.
    #[server(default)]
    participant: String,
    /// The platform's id for its study.
    #[server(default)]
    platform_study: String,
    /// The platform's id for its session.
    #[server(default)]
    platform_session: String,
) -> Result<(), Refusal> {
    let services = services();
    let (store, now) = (&services.store, services.context.now_ms());

    let link_hash = SecretToken::from_text(&token).hash();
    let (study, _) = store.comprehension_link(&link_hash).await.map_err(refuse)?;
    let settings = store.comprehension_settings(study).await.map_err(refuse)?;
    let settings = settings.ok_or(Refusal::NotFound)?;

    if consent.is_empty() {
        return Err(Refusal::invalid(
            "Tick the box to confirm that you have read the information and want to take part, or close this page.",
        ));
    }

    let mut screening_answers = Vec::new();
    for (asked, answer) in settings
        .screening
        .iter()
        .zip(screening.iter().chain(std::iter::repeat(&String::new())))
    {
        let answer = parse::line(answer, &format!("The answer to “{}”", asked.question), 200)?;
        screening_answers.push(answer);
    }

    let own = match reader() {
        Ok(hash) => {
            let existing_session = store.participant_session(&hash).await.map_err(refuse)?;
            existing_session
                .filter(|session| session.study == study)
                .map(|_| hash)
        }
        Err(_) => None,
    };

    let session = match own {
        Some(hash) => hash,
        None => {
            let line = |text: &str| parse::optional_line(text, "The platform's ID", 200);
            let (participant, study, platform_session) = (
                line(&participant)?,
                line(&platform_study)?,
                line(&platform_session)?,
            );
            let platform = PlatformIds {
                participant: Some(participant.as_str()).filter(|id| !id.is_empty()),
                study: &study,
                session: &platform_session,
            };
            join(&link_hash, platform).await?
        }
    };

    let begun = store
        .begin_comprehension(&session, &screening_answers, services.context.ids, now)
        .await;
    if begun.map_err(refuse)? == ReadingStart::NoPlace {
        return Err(Refusal::invalid(
            "All places are taken at the moment. Thank you for your interest.",
        ));
    }

    see_other(links::READ);
    Ok(())
}

/// Begins a session in this browser. Returns the hash under which it is stored.
#[cfg(feature = "ssr")]
async fn join(
    link_hash: &str,
    platform: store::comprehension::PlatformIds<'_>,
) -> Result<String, Refusal> {
    const A_MONTH: i64 = 30 * 24 * 60 * 60;

    let services = services();
    let secret = SecretToken::new(services.context.random_bytes());
    let (hash, seed) = (secret.hash(), services.context.random_bytes());
    let new = NewParticipant {
        id: ParticipantId(services.context.new_id()),
        session_hash: &hash,
        link_hash,
        platform,
        network: &network_hash(visitor().address),
        seed: i64::from_le_bytes(seed[..8].try_into().expect("eight of 32 bytes")),
    };

    let now = services.context.now_ms();
    let joined = services.store.join_comprehension(&new, now).await;
    joined.map_err(refuse)?;

    cookies::send(READER, secret.secret(), A_MONTH);
    Ok(hash)
}

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

/// Ends the participant's session and stores their comment.
///
/// # Errors
/// [`Refusal::Invalid`] where a question has no answer, or the session has already ended.
#[server(endpoint = "reading/finish")]
pub async fn finish_session(
    /// An optional comment.
    #[server(default)]
    comment: String,
) -> Result<(), Refusal> {
    let session = reader()?;
    let comment = parse::text(&comment, "The comment")?;

    let (store, now) = store_and_now();
    let finished = store
        .finish_participant_session(&session, &comment, now)
        .await;
    finished.map_err(refuse)?;

    see_other(links::READ);
    Ok(())
}

/// Ends the participant's session; their answers no longer count.
///
/// # Errors
/// [`Refusal::Invalid`] where the session is unknown or has already ended.
#[server(endpoint = "reading/withdraw")]
pub async fn withdraw_reader() -> Result<(), Refusal> {
    let session = reader()?;

    let (store, now) = store_and_now();
    store
        .withdraw_participant(&session, now)
        .await
        .map_err(refuse)?;

    see_other(links::READ);
    Ok(())
}

/// Deletes everything that is stored of the participant, and ends their session.
///
/// # Errors
/// [`Refusal::Invalid`] where the session is unknown or the study is closed.
#[server(endpoint = "reading/erase")]
pub async fn erase_reader() -> Result<(), Refusal> {
    let session = reader()?;

    let services = services();
    let now = services.context.now_ms();

    // The session determines the study. The entry names neither the participant nor their address, which are
    // erased too.
    let kind = AuditKind::ParticipantErased;
    let mut entry = audit_entry(&services, &visitor(), kind, None, AuditSubject::Nothing);
    entry.actor = AuditActor::Nobody;
    entry.address.clear();
    services
        .store
        .audited(entry)
        .erase_own_participation(&session, now)
        .await
        .map_err(refuse)?;

    cookies::send(READER, "", 0);
    see_other(links::READ_ERASED);
    Ok(())
}

/// The name of the cookie that holds a participant's session.
#[cfg(feature = "ssr")]
pub const READER: &str = "reader";

/// The hash under which a participant's session is stored.
///
/// # Errors
/// [`Refusal::Invalid`] where the browser has no session.
#[cfg(feature = "ssr")]
pub fn reader() -> Result<String, Refusal> {
    let secret = cookies::read(READER).filter(|secret| !secret.is_empty());

    let unknown = "This browser has no session. Open your link again.";
    Ok(SecretToken::from_text(&secret.ok_or_else(|| Refusal::invalid(unknown))?).hash())
}
