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
        accounts::{attempts, sessions},
        api::{see_other, services, visitor},
        links::next_page,
    };

    let person = attempts::check(&services(), &visitor(), &name, &password).await?;
    sessions::begin(&person).await?;
    see_other(next_page(&next));
    Ok(())
}
