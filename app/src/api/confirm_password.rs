//! Typing one's password again before a change of rights or an erasure.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use crate::{
        flash::{self, Flash},
        known_devices::{self, login_origin},
        links::next_page,
        request::{check_own_password, refuse, see_other, signed_in, visitor},
        services,
    };

    let person = signed_in().await?;
    check_own_password(login_origin(), &person, &password).await?;

    let session = visitor().session.ok_or(Refusal::NotSignedIn)?;
    let services = services();
    let is_alive = services
        .store
        .confirm_session(&session.token.hash(), services.context.now_ms())
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
