//! Sessions: a random token in a cookie, its hash in the database, and an expiry that use extends up to an
//! absolute end.

use cookie::Cookie;
use http::{HeaderMap, header, request::Parts};
use leptos::prelude::use_context;
use store::{
    LONGEST_SESSION_MS, NewSession, Person,
    audit::{AuditKind, AuditSubject},
    crowd::NewCrowdSession,
};

use crate::{
    Services, cookies,
    error::Refusal,
    known_devices,
    request::{audited_as, refuse, refuse_login, visitor},
    services,
    visitor::VisitorSession,
};
use service::accounts::{SecretToken, attempts::LoginError, digest};

const NAME: &str = "session";
/// The absolute end of a session: this long after it began, however much it is used, in milliseconds.
pub const LONGEST_MS: i64 = LONGEST_SESSION_MS;
/// [`LONGEST_MS`] in days.
pub const LONGEST_DAYS: i64 = LONGEST_MS / (24 * 60 * 60 * 1000);
/// The pause between two extensions, in milliseconds: an extension is a write, so not every request makes one.
const EXTEND_AFTER_MS: i64 = 60 * 60 * 1000;
/// The pause is at most this fraction of the lifetime, so that short sessions are extended in time.
const SHARE_OF_LIFETIME: i64 = 10;
/// The longest description of a browser that is stored, in characters.
const MAX_USER_AGENT: usize = 200;

/// The session of a request's cookie, and the cookie to send if it was extended.
///
/// # Errors
/// When the database fails.
pub async fn resume(
    services: &Services,
    headers: &HeaderMap,
) -> Result<(Option<VisitorSession>, Option<Cookie<'static>>), store::Error> {
    let cookie = cookies::read_from(headers, NAME, services.secure_cookies);
    let Some(token) = cookie.map(|text| SecretToken::from_text(&text)) else {
        return Ok((None, None));
    };

    let (hash, now, lifetime) = (token.hash(), services.context.now_ms(), services.session_ms);
    let Some(stored_session) = services.store.session(&hash, now).await? else {
        return Ok((None, None));
    };

    let until = expiry(stored_session.created_at, now, lifetime);
    if until <= now {
        return Ok((None, None));
    }

    let session = VisitorSession {
        token,
        person: stored_session.person,
        confirmed_at: stored_session.confirmed_at,
    };

    if now - stored_session.seen_at < EXTEND_AFTER_MS.min(lifetime / SHARE_OF_LIFETIME) {
        return Ok((Some(session), None));
    }

    services.store.extend_session(&hash, now, until).await?;
    let (secret, seconds) = (session.token.secret(), (until - now) / 1000);
    let cookie = cookies::build(NAME, secret, seconds, services.secure_cookies);
    Ok((Some(session), Some(cookie)))
}

/// Signs a person in with this response, in place of anyone signed in before, and records the device as
/// known. `password_hash` is the hash that was verified or set just now.
///
/// # Errors
/// [`Refusal::Invalid`] where the account was deactivated or its password changed meanwhile.
pub async fn begin(person: &Person, password_hash: &str) -> Result<(), Refusal> {
    let services = services();
    let (token, now) = (
        SecretToken::new(services.context.random_bytes()),
        services.context.now_ms(),
    );

    let until = expiry(now, now, services.session_ms);
    let new = NewSession {
        token_hash: &token.hash(),
        person: person.id,
        password_hash: Some(password_hash),
        user_agent: &user_agent(),
        now_ms: now,
        expires_ms: until,
    };

    let begun = audited_as(person.id, AuditKind::SignedIn, None, AuditSubject::Nothing)
        .create_session(&new)
        .await;
    if !begun.map_err(refuse)? {
        return Err(refuse_login(LoginError::Wrong));
    }

    if let Some(before) = visitor().session {
        services
            .store
            .end_session(&before.token.hash())
            .await
            .map_err(refuse)?;
    }

    cookies::send(NAME, token.secret(), (until - now) / 1000);
    known_devices::remember(person).await;
    Ok(())
}

/// A session that begins through a link, without a password, with its cookie.
pub struct LinkSession {
    token: SecretToken,
    hash: String,
    user_agent: String,
    seconds: i64,
    expires_ms: i64,
}

impl LinkSession {
    /// Creates a session that begins now.
    pub fn begin() -> Self {
        let services = services();
        let now = services.context.now_ms();
        let expires_ms = expiry(now, now, services.session_ms);
        let token = SecretToken::new(services.context.random_bytes());
        Self {
            hash: token.hash(),
            token,
            user_agent: user_agent(),
            seconds: (expires_ms - now) / 1000,
            expires_ms,
        }
    }

    /// The session as the database stores it.
    pub fn stored(&self) -> NewCrowdSession<'_> {
        NewCrowdSession {
            token_hash: &self.hash,
            user_agent: &self.user_agent,
            expires_ms: self.expires_ms,
        }
    }

    /// Sends the cookie, once the session is stored.
    pub fn send(&self) {
        cookies::send(NAME, self.token.secret(), self.seconds);
    }
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

/// Whether a response sets the session cookie.
pub fn is_set(headers: &HeaderMap) -> bool {
    let set = headers.get_all(http::header::SET_COOKIE).iter();
    set.filter_map(|cookie| cookie.to_str().ok()).any(|cookie| {
        cookie
            .split_once('=')
            .is_some_and(|(name, _)| cookies::is_named(name, NAME))
    })
}

/// The name of a session in forms: a hash of the hash in the database, so that no page shows the key that
/// looks up a session.
pub fn form_name(token_hash: &str) -> String {
    digest(token_hash)
}

/// The time until which a session that is used now lasts.
fn expiry(created_at: i64, now: i64, lifetime: i64) -> i64 {
    (now + lifetime).min(created_at + LONGEST_MS)
}

/// The browser's description of itself; empty if it sends none.
fn user_agent() -> String {
    let Some(request) = use_context::<Parts>() else {
        return String::new();
    };

    let header = request.headers.get(header::USER_AGENT);
    let text = header.and_then(|text| text.to_str().ok());
    text.unwrap_or_default()
        .chars()
        .take(MAX_USER_AGENT)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_extends_a_session_up_to_its_absolute_end() {
        let (created, fortnight) = (1_000, 14 * 24 * 60 * 60 * 1000);
        assert_eq!(expiry(created, created, fortnight), created + fortnight);
        let late = created + 20 * 24 * 60 * 60 * 1000;
        assert_eq!(expiry(created, late, fortnight), created + LONGEST_MS);
        assert_eq!(
            expiry(created, created, 2 * LONGEST_MS),
            created + LONGEST_MS
        );
    }
}
