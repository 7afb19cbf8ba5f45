//! Sessions: a random token in a cookie, its hash in the database, and an expiry that use extends.

use cookie::Cookie;
use http::HeaderMap;
use store::{
    Person,
    audit::{AuditKind, AuditSubject},
};

use crate::{
    Services, cookies,
    error::Refusal,
    request::{audited_as, refuse, visitor},
    services,
    visitor::VisitorSession,
};
use service::accounts::SecretToken;

const NAME: &str = "session";
/// A session is extended once this share of its lifetime has passed, and not with each request, because
/// an extension is a write.
const EXTEND_AFTER: i64 = 10;

/// The session of a request's cookie, and the cookie to send where it was extended.
///
/// # Errors
/// When the database fails.
pub async fn resume(
    services: &Services,
    headers: &HeaderMap,
) -> Result<(Option<VisitorSession>, Option<Cookie<'static>>), store::Error> {
    let Some(token) = cookies::read_from(headers, NAME).map(|text| SecretToken::from_text(&text))
    else {
        return Ok((None, None));
    };
    let (hash, now, lifetime) = (token.hash(), services.context.now_ms(), services.session_ms);
    let Some(stored_session) = services.store.session(&hash, now).await? else {
        return Ok((None, None));
    };
    let session = VisitorSession {
        token,
        person: stored_session.person,
    };
    if now + lifetime - stored_session.expires_at < lifetime / EXTEND_AFTER {
        return Ok((Some(session), None));
    }
    services
        .store
        .extend_session(&hash, now, now + lifetime)
        .await?;
    let secret = session.token.secret();
    let cookie = cookies::build(NAME, secret, seconds(services), services.secure_cookies);
    Ok((Some(session), Some(cookie)))
}

/// Signs a person in with this response, in place of a person who was signed in before.
///
/// # Errors
/// When the database fails.
pub async fn begin(person: &Person) -> Result<(), Refusal> {
    let services = services();
    if let Some(before) = visitor().session {
        services
            .store
            .end_session(&before.token.hash())
            .await
            .map_err(refuse)?;
    }
    let (token, now) = (
        SecretToken::new(services.context.random_bytes()),
        services.context.now_ms(),
    );
    let expires = now + services.session_ms;
    audited_as(person.id, AuditKind::SignedIn, None, AuditSubject::Nothing)
        .create_session(&token.hash(), person.id, now, expires)
        .await
        .map_err(refuse)?;
    cookies::send(NAME, token.secret(), seconds(&services));
    Ok(())
}

/// Signs out the person who is signed in.
///
/// # Errors
/// When the database fails.
pub async fn end() -> Result<(), Refusal> {
    if let Some(session) = visitor().session {
        services()
            .store
            .end_session(&session.token.hash())
            .await
            .map_err(refuse)?;
    }
    cookies::send(NAME, "", 0);
    Ok(())
}

/// Whether a response sets the cookie.
pub fn is_set(headers: &HeaderMap) -> bool {
    let set = headers.get_all(http::header::SET_COOKIE).iter();
    set.filter_map(|cookie| cookie.to_str().ok())
        .any(|cookie| cookie.split_once('=').is_some_and(|(name, _)| name == NAME))
}

fn seconds(services: &Services) -> i64 {
    services.session_ms / 1000
}
