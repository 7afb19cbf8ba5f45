//! Signing in and out, and the colour theme of a browser.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    crate::{
        known_devices::login_origin,
        links::next_page,
        request::{check_password, refuse_login},
        theme::{self, Theme},
    },
    http::{HeaderName, HeaderValue},
    leptos_axum::ResponseOptions,
};

/// Only copies of pages are cleared at sign-out. The browser's storage may hold answers that the server does not have, also of
/// other people: `sign_out.js` removes what may be removed.
#[cfg(feature = "ssr")]
const CLEARED_AT_SIGN_OUT: HeaderValue = HeaderValue::from_static("\"cache\"");

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
    let checked = check_password(login_origin(), &name, &password);
    let verified = checked.await.map_err(refuse_login)?;

    sessions::begin(&verified.person, &verified.password_hash).await?;
    see_other(next_page(&next));
    Ok(())
}

/// Signs out the person who is signed in and leads to the start page.
///
/// # Errors
/// [`Refusal::Internal`] only.
#[server(endpoint = "log-out")]
pub async fn log_out() -> Result<(), Refusal> {
    sessions::end().await?;

    let response = expect_context::<ResponseOptions>();
    let clear_site_data = HeaderName::from_static("clear-site-data");
    response.insert_header(clear_site_data, CLEARED_AT_SIGN_OUT);
    see_other("/");
    Ok(())
}

/// Signs out one of the devices on which the person is signed in.
///
/// # Errors
/// [`Refusal::Invalid`] where it is no longer signed in.
#[server(endpoint = "end-session")]
pub async fn end_session(
    /// The session's name in forms.
    session: String,
) -> Result<(), Refusal> {
    let person = signed_in().await?;

    let (store, now) = store_and_now();
    let own = store.sessions(person.id, now).await;
    let named = |hash: &str| sessions::form_name(hash) == session;
    let found = own
        .map_err(refuse)?
        .into_iter()
        .find(|entry| named(&entry.token_hash));
    let found = found
        .ok_or_else(|| Refusal::invalid("This device is no longer signed in. Reload the page."))?;

    audited(AuditKind::SessionEnded, None, AuditSubject::Nothing)
        .end_session(&found.token_hash)
        .await
        .map_err(refuse)?;

    see_other_with(links::ACCOUNT, "The device has been signed out.");
    Ok(())
}

/// Signs out all of the person's other devices.
///
/// # Errors
/// [`Refusal::Internal`] only.
#[server(endpoint = "end-other-sessions")]
pub async fn end_other_sessions() -> Result<(), Refusal> {
    let person = signed_in().await?;
    let session = visitor().session.ok_or(Refusal::NotSignedIn)?;

    let ended = audited(AuditKind::SessionEnded, None, AuditSubject::Nothing)
        .end_other_sessions(person.id, &session.token.hash())
        .await
        .map_err(refuse)?;

    let message = match ended {
        0 => "You were not signed in anywhere else.".to_owned(),
        1 => "1 other device has been signed out.".to_owned(),
        ended => format!("{ended} other devices have been signed out."),
    };
    see_other_with(links::ACCOUNT, message);
    Ok(())
}

/// Stores a person's colour theme in a cookie: `light`, `dark` or `system`.
///
/// # Errors
/// [`Refusal::Invalid`] for anything else.
#[server(endpoint = "theme")]
pub async fn set_theme(theme: String) -> Result<(), Refusal> {
    let theme = Theme::parse(&theme)
        .ok_or_else(|| Refusal::invalid("Choose light, dark or system colours."))?;
    theme::save(theme);
    Ok(())
}
