//! Setting a password with a one-time link, for a new account or in place of a forgotten one.

use leptos::prelude::*;

use crate::error::Refusal;

/// Sets the password of the person for whom the link was made, and signs them in.
///
/// # Errors
/// [`Refusal::NotFound`] where the link does not work; [`Refusal::Invalid`] where the password is not accepted.
#[server(endpoint = "set-password")]
pub async fn set_password(
    /// The token at the end of the link.
    token: String,
    new: String,
) -> Result<(), Refusal> {
    use crate::{
        request::{audited_as, hash_password, refuse, see_other},
        services, sessions,
    };
    use service::accounts::SecretToken;
    use store::audit::{AuditKind, AuditSubject};

    let (services, token) = (services(), SecretToken::from_text(&token).hash());

    let now = services.context.now_ms();
    let person = services
        .store
        .person_of_password_link(&token, now)
        .await
        .map_err(refuse)?;
    let person = person.ok_or(Refusal::NotFound)?;

    let hash = hash_password(&person.name, &new).await?;
    let kind = AuditKind::PasswordSetByLink;
    let person = audited_as(person.id, kind, None, AuditSubject::Nothing)
        .redeem_password_link(&token, &hash, now)
        .await
        .map_err(refuse)?;

    sessions::begin(&person, &hash).await?;
    see_other("/");
    Ok(())
}
