//! Tokens by which programs use the HTTP API.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    domain::{ids::ApiTokenId, study::Slug},
    store::api_tokens::{NewApiToken, TokenStudies},
};

/// A study that a token gives access to, as a form field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenStudyField {
    /// The study's short name.
    pub slug: String,
}

/// Makes a token. The next page shows it, and no page after that.
///
/// # Errors
/// [`Refusal::ConfirmPassword`] where the password was typed too long ago; [`Refusal::Invalid`] for an empty
/// name, a number of days out of range, or no study; [`Refusal::NotFound`] for a study whose figures the
/// person may not read.
#[server(endpoint = "make-token")]
pub async fn make_token(
    /// The token's name, for the list.
    name: String,
    /// `read` or `write`.
    access: String,
    /// `all` for all studies of the person; otherwise those of `studies`.
    #[server(default)]
    scope: String,
    #[server(default)] studies: Vec<TokenStudyField>,
    /// The number of days for which the token works.
    days: String,
) -> Result<(), Refusal> {
    let person = signed_in().await?;
    require_confirmed()?;

    let name = parse::line(&name, "The name of the token", 80)?;
    let access = parse::choice(&access)?;
    let days = parse::integer(&days, "The number of days", 1..=366)?;

    let services = services();
    let chosen = if scope == "all" {
        TokenStudies::All
    } else {
        let mut chosen = Vec::new();
        for TokenStudyField { slug } in &studies {
            let slug: Slug = parse::id(slug)?;
            let found = services.store.study_access(person.id, &slug).await;
            let found = found
                .map_err(refuse)?
                .filter(store::StudyAccess::researches);
            let study = found.ok_or(Refusal::NotFound)?.study.id;
            if !chosen.contains(&study) {
                chosen.push(study);
            }
        }
        if chosen.is_empty() {
            return Err(Refusal::invalid(
                "The token has no study: choose some of your studies, or all of them.",
            ));
        }
        TokenStudies::Only(chosen)
    };

    let token = SecretToken::new_api(services.context.random_bytes());
    let now = services.context.now_ms();
    let new = NewApiToken {
        id: ApiTokenId(services.context.new_id()),
        token_hash: &token.hash(),
        person: person.id,
        name: &name,
        access,
        studies: &chosen,
        expires_at: now + days * 24 * 60 * 60 * 1000,
    };

    let subject = AuditSubject::Named(name.clone());
    audited(AuditKind::TokenMade, None, subject)
        .create_api_token(&new, now)
        .await
        .map_err(refuse)?;

    flash::set(&Flash::Secret(
        format!(
            "This is the only time the token “{name}” is shown. Copy it now, and keep it as you keep a password."
        ),
        token.secret().to_owned(),
    ));
    see_other(links::ACCOUNT);
    Ok(())
}

/// Revokes one of the person's own tokens.
///
/// # Errors
/// [`Refusal::Invalid`] where the person does not have the token.
#[server(endpoint = "revoke-token")]
pub async fn revoke_token(
    /// The token's id.
    token: String,
) -> Result<(), Refusal> {
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
