//! The first administrator.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes the first administrator by the one-time link that the server printed, and signs them in.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work, or name or password are not ones to take.
#[server(endpoint = "become-admin")]
pub async fn become_admin(
    /// The end of the link.
    token: String,
    /// The name to sign in with.
    name: String,
    /// The password.
    new: String,
) -> Result<(), Refusal> {
    use domain::ids::PersonId;

    use crate::{
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
    if !services
        .store
        .is_first_admin_link(&token, now)
        .await
        .map_err(refuse)?
    {
        return Err(Refusal::NotFound);
    }
    let hash = hash_password(&name, &new).await?;
    let made = services
        .store
        .redeem_first_admin_link(&token, id, &name, &hash, now)
        .await;
    sessions::begin(&made.map_err(refuse)?).await?;
    see_other("/");
    Ok(())
}
