//! Revoking tokens for the HTTP API.

use leptos::prelude::*;

use crate::error::Refusal;

/// Revokes one of the person's own tokens.
///
/// # Errors
/// [`Refusal::Invalid`] where the person does not have the token.
#[server(endpoint = "revoke-token")]
pub async fn revoke_token(
    /// The token's id.
    token: String,
) -> Result<(), Refusal> {
    use domain::ids::ApiTokenId;
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links,
        request::{audited, refuse, see_other_with, signed_in},
        services,
    };

    let gone = || Refusal::invalid("This token was revoked already. Reload the page.");

    let person = signed_in().await?;
    let id: ApiTokenId = token.parse().map_err(|_| gone())?;

    let tokens = services().store.api_tokens(person.id).await;
    let mut tokens = tokens.map_err(refuse)?.into_iter();
    let token = tokens.find(|token| token.id == id).ok_or_else(gone)?;

    let subject = AuditSubject::Named(token.name.clone());
    let revoked = audited(AuditKind::TokenRevoked, None, subject)
        .revoke_api_token(person.id, id)
        .await;
    if !revoked.map_err(refuse)? {
        return Err(gone());
    }

    see_other_with(
        links::ACCOUNT,
        format!("The token “{}” has been revoked.", token.name),
    );
    Ok(())
}
