//! Joining a study by an invitation, with a new account.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes an account and a member of the study that the link invites to, and signs them in.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work, or name or password are not ones to take.
#[server(endpoint = "register")]
pub async fn register(
    /// The end of the link.
    token: String,
    /// The name to sign in with.
    name: String,
    /// The password.
    new: String,
) -> Result<(), Refusal> {
    use domain::ids::PersonId;

    use crate::{
        links::study_entrance,
        request::{hash_password, refuse, see_other},
        services, sessions,
    };
    use service::accounts::SecretToken;

    let (services, token) = (services(), SecretToken::from_text(&token).hash());
    let (id, now) = (
        PersonId(services.context.new_id()),
        services.context.now_ms(),
    );
    // Hashing is work: it is done for links that work only.
    services
        .store
        .preview_invitation(&token, now)
        .await
        .map_err(refuse)?;
    let hash = hash_password(&name, &new).await?;
    let made = services
        .store
        .register_by_invitation(&token, id, &name, &hash, now)
        .await;
    let (person, invited) = made.map_err(refuse)?;
    sessions::begin(&person).await?;
    see_other(&study_entrance(&invited.slug, Some(invited.role)));
    Ok(())
}
