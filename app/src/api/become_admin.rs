//! The first administrator.

use leptos::prelude::*;

use crate::error::Refusal;

/// Creates the first administrator from the one-time link that the server printed, and signs them in.
///
/// # Errors
/// [`Refusal::NotFound`] where the link does not work; [`Refusal::Invalid`] where the name or password is not
/// accepted.
#[server(endpoint = "become-admin")]
pub async fn become_admin(
    /// The token at the end of the link.
    token: String,
    name: String,
    new: String,
) -> Result<(), Refusal> {
    use domain::ids::PersonId;
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        request::{audited_as, hash_password, refuse, see_other},
        services, sessions,
    };
    use service::accounts::SecretToken;

    let (services, token) = (services(), SecretToken::from_text(&token).hash());
    let (id, now) = (
        PersonId(services.context.new_id()),
        services.context.now_ms(),
    );

    // Only valid links are worth the cost of hashing a password.
    if !services
        .store
        .is_first_admin_link(&token, now)
        .await
        .map_err(refuse)?
    {
        return Err(Refusal::NotFound);
    }

    let hash = hash_password(&name, &new).await?;
    let person = audited_as(id, AuditKind::AdminAdded, None, AuditSubject::Person(id))
        .redeem_first_admin_link(&token, id, &name, &hash, now)
        .await;

    sessions::begin(&person.map_err(refuse)?, &hash).await?;
    see_other("/");
    Ok(())
}
