//! Passwords: changed, confirmed, and set by a one-time link.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    crate::{
        known_devices::{self, login_origin},
        links::next_page,
        request::check_own_password,
    },
};

/// Changes the password of the person who is signed in, ends all of their other sessions, and forgets their
/// other devices and their links for a new password.
///
/// # Errors
/// [`Refusal::Invalid`] where the current password is wrong or the new one is not accepted.
#[server(endpoint = "change-password")]
pub async fn change_password(
    /// The current password.
    current: String,
    /// The new password.
    new: String,
) -> Result<(), Refusal> {
    let person = signed_in().await?;
    check_own_password(login_origin(), &person, &current).await?;

    let hash = hash_password(&person.name, &new).await?;
    audited(AuditKind::PasswordChanged, None, AuditSubject::Nothing)
        .set_password_hash(person.id, Some(&hash))
        .await
        .map_err(refuse)?;

    sessions::begin(&person, &hash).await?;
    see_other_with(
        links::ACCOUNT,
        "Your password has been changed. Other devices have been signed out, and your tokens revoked.",
    );
    Ok(())
}

/// Checks the password of the person who is signed in, and leads back to the page where they wanted to change
/// rights or to erase something.
///
/// # Errors
/// [`Refusal::Invalid`] where the password is wrong, [`Refusal::TooMany`] after too many attempts.
#[server(endpoint = "confirm-password")]
pub async fn confirm_password(
    password: String,
    /// The path within the site to go back to; empty for the start page.
    #[server(default)]
    next: String,
) -> Result<(), Refusal> {
    let person = signed_in().await?;
    check_own_password(login_origin(), &person, &password).await?;

    let session = visitor().session.ok_or(Refusal::NotSignedIn)?;
    let (store, now) = store_and_now();
    let is_alive = store
        .confirm_session(&session.token.hash(), now)
        .await
        .map_err(refuse)?;

    if !is_alive {
        return Err(Refusal::NotSignedIn);
    }

    known_devices::remember(&person).await;
    flash::set(&Flash::SendAgain);
    see_other(next_page(&next));
    Ok(())
}

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
    let token = SecretToken::from_text(&token).hash();

    let (store, now) = store_and_now();
    let person = store
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
