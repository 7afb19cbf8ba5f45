//! A participant consents and is given their texts.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use store::comprehension::{PlatformIds, ReadingStart};

    use super::reader;
    use crate::{
        links,
        request::{parse, refuse, see_other},
        services,
    };
    use service::accounts::SecretToken;

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
    use domain::ids::ParticipantId;
    use store::comprehension::NewParticipant;

    use super::READER;
    use crate::{
        cookies,
        request::{refuse, visitor},
        services,
    };
    use service::accounts::{SecretToken, network_hash};

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
