//! Signing in.

use leptos::prelude::*;

use crate::error::Refusal;

/// Signs a person in and leads to the page they wanted.
///
/// # Errors
/// [`Refusal::Invalid`] where the name or password is wrong, [`Refusal::TooMany`] after too many attempts.
#[server(endpoint = "log-in")]
pub async fn log_in(
    name: String,
    password: String,
    /// The path within the site to continue at; empty for the start page.
    #[server(default)]
    next: String,
) -> Result<(), Refusal> {
    use crate::{
        known_devices::login_origin,
        links::next_page,
        request::{check_password, refuse_login, see_other},
        sessions,
    };

    let checked = check_password(login_origin(), &name, &password);
    let verified = checked.await.map_err(refuse_login)?;

    sessions::begin(&verified.person, &verified.password_hash).await?;
    see_other(next_page(&next));
    Ok(())
}
