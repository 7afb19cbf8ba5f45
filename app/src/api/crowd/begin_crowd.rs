//! A crowd rater begins or comes back.

use leptos::prelude::*;

use crate::error::Refusal;

/// Begins a crowd rater's session through a link: with a new account without a password, or with the account
/// of the platform's participant. Leads to their work, or back to the link's page where their answers or a
/// lack of places end it.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work, the study isn't open to crowd raters, consent, a
/// screening answer or a required platform ID is missing, or an account is signed in in this browser;
/// [`Refusal::TooMany`] after too many people from the address.
#[server(endpoint = "crowd/begin")]
pub async fn begin_crowd(
    /// The token at the end of the link.
    token: String,
    /// Present where the person consents.
    #[server(default)]
    consent: String,
    /// Present where the page said that no place is left, and the person asks for the code.
    #[server(default)]
    full: String,
    /// The answers to the screening questions, in their order.
    #[server(default)]
    screening: Vec<String>,
    /// The recruitment platform's id for the person; may be empty.
    #[server(default)]
    participant: String,
    /// The platform's id for its study.
    #[server(default)]
    platform_study: String,
    /// The platform's id for its session.
    #[server(default)]
    platform_session: String,
) -> Result<(), Refusal> {
    use domain::ids::{ParticipantId, PersonId};
    use service::accounts::{SecretToken, network_hash};
    use store::{comprehension::PlatformIds, crowd::NewCrowdRater};

    use crate::{
        links::{self, StudyPage},
        request::{parse, refuse, see_other, visitor},
        services,
        sessions::LinkSession,
    };

    let visitor = visitor();
    require_no_account(&visitor)?;
    if consent.is_empty() && full.is_empty() {
        return Err(Refusal::invalid(
            "Tick the box to confirm that you have read the information and want to take part, or close this page.",
        ));
    }

    let line = |text: &str| parse::optional_line(text, "The platform's ID", 200);
    let (participant, platform_study, platform_session) = (
        line(&participant)?,
        line(&platform_study)?,
        line(&platform_session)?,
    );

    let answers = screening
        .iter()
        .take(100)
        .map(|answer| parse::optional_line(answer, "An answer", 300))
        .collect::<Result<Vec<_>, _>>()?;

    let services = services();
    let session = LinkSession::begin();
    // Never 0, which means that there is none.
    let secret = services.context.new_seed() | 1;

    let place = services
        .store
        .join_crowd(
            &NewCrowdRater {
                id: ParticipantId(services.context.new_id()),
                person: PersonId(services.context.new_id()),
                signed_in: visitor.session.map(|session| session.person.id),
                secret,
                link_hash: &SecretToken::from_text(&token).hash(),
                platform: PlatformIds {
                    participant: Some(participant.as_str()).filter(|id| !id.is_empty()),
                    study: &platform_study,
                    session: &platform_session,
                },
                consents: !consent.is_empty(),
                screening: &answers,
                network: &network_hash(visitor.address),
                session: session.stored(),
            },
            services.context.now_ms(),
        )
        .await
        .map_err(refuse)?;

    session.send();
    let study = services.store.study(place.study).await.map_err(refuse)?;
    match (place.end, study) {
        (None, Some(study)) => see_other(&StudyPage::Work.path(&study.slug)),
        _ => see_other(&links::crowd_link(&token)),
    }
    Ok(())
}

/// Refuses a visitor who is signed in with an account.
///
/// # Errors
/// [`Refusal::Invalid`] where they are.
#[cfg(feature = "ssr")]
pub(super) fn require_no_account(visitor: &crate::visitor::Visitor) -> Result<(), Refusal> {
    match &visitor.session {
        Some(session) if !session.person.is_crowd => Err(Refusal::invalid(
            "You are signed in with an account in this browser. Open the link in a private window.",
        )),
        _ => Ok(()),
    }
}
