//! A crowd rater continues in another browser.

use leptos::prelude::*;

use crate::error::Refusal;

/// Begins a session for the crowd rater that the key belongs to, and leads to their work.
///
/// # Errors
/// [`Refusal::Invalid`] where the key leads to no place, or an account is signed in in this browser;
/// [`Refusal::TooMany`] after too many people from the address.
#[server(endpoint = "crowd/resume")]
pub async fn resume_crowd(
    /// The end of the address that the crowd rater was shown.
    key: String,
) -> Result<(), Refusal> {
    use service::accounts::network_hash;
    use store::crowd::{NotAResumeKey, ResumeKey};

    use super::begin_crowd::require_no_account;
    use crate::{
        links::StudyPage,
        request::{refuse, see_other, visitor},
        services,
        sessions::LinkSession,
    };

    let visitor = visitor();
    require_no_account(&visitor)?;

    let key: ResumeKey = key
        .parse()
        .map_err(|error: NotAResumeKey| Refusal::invalid(error.to_string()))?;

    let services = services();
    let session = LinkSession::begin();
    let place = services
        .store
        .resume_crowd(
            key,
            &network_hash(visitor.address),
            session.stored(),
            services.context.now_ms(),
        )
        .await
        .map_err(refuse)?;

    session.send();
    let study = services.store.study(place.study).await.map_err(refuse)?;
    let study = study.ok_or(Refusal::NotFound)?;
    see_other(&StudyPage::Work.path(&study.slug));
    Ok(())
}
