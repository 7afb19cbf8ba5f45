//! Joining a study by an invitation, with a new account.

use leptos::prelude::*;

use crate::error::Refusal;

/// Creates an account, makes it a member of the study that the link invites to, and signs it in.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work, or where the name or password is not accepted;
/// [`Refusal::TooMany`] after too many new accounts through the link from the address.
#[server(endpoint = "register")]
pub async fn register(
    /// The token at the end of the link.
    token: String,
    name: String,
    new: String,
) -> Result<(), Refusal> {
    use domain::ids::PersonId;
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{audited_as, hash_password, refuse, see_other, visitor},
        services, sessions,
    };
    use service::accounts::{SecretToken, network_hash};

    let (services, token) = (services(), SecretToken::from_text(&token).hash());
    let (id, now) = (
        PersonId(services.context.new_id()),
        services.context.now_ms(),
    );

    // Only valid links are worth the cost of hashing a password.
    let preview = services
        .store
        .preview_invitation(&token, now)
        .await
        .map_err(refuse)?;
    let hash = hash_password(&name, &new).await?;

    let (kind, member) = (AuditKind::AccountRegistered, AuditSubject::Member(id));
    let network = network_hash(visitor().address);
    let registration = audited_as(id, kind, Some(preview.study), member)
        .register_by_invitation(&token, id, &name, &hash, &network, now)
        .await;
    let (person, invited) = registration.map_err(refuse)?;

    sessions::begin(&person, &hash).await?;
    see_other(&StudyPage::entrance(Some(invited.role)).path(&invited.slug));
    Ok(())
}
