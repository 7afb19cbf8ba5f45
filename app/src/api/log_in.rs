//! Signing in.

use leptos::prelude::*;

use crate::error::Refusal;

/// Signs a person in and leads on to where they wanted to go.
///
/// # Errors
/// [`Refusal::Invalid`] where name and password do not belong together, [`Refusal::TooMany`]
/// after too many attempts.
#[server(endpoint = "log-in")]
pub async fn log_in(
    /// The name that the person signs in with.
    name: String,
    /// Their password.
    password: String,
    /// The path within the site to go on to; empty for the start page.
    #[server(default)]
    next: String,
) -> Result<(), Refusal> {
    use crate::{
        links::next_page,
        request::{refuse_login, see_other, visitor},
        services, sessions,
    };
    use service::accounts::attempts;

    let services = services();
    let now = services.context.now_ms();
    let checked = attempts::check(&services.store, visitor().address, &name, &password, now);
    let person = checked.await.map_err(refuse_login)?;
    sessions::begin(&person).await?;
    see_other(next_page(&next));
    Ok(())
}
