//! The visitor behind a request, identified before a page is rendered.

use std::net::IpAddr;

use store::Person;

use service::accounts::SecretToken;

/// The visitor behind a request.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The network address; the browser's own if the proxies in between are known.
    pub address: IpAddr,
    /// The session of the cookie, if it is valid.
    pub session: Option<VisitorSession>,
}

/// A valid session.
#[derive(Debug, Clone)]
pub struct VisitorSession {
    /// The value of the session's cookie.
    pub token: SecretToken,
    /// The person who is signed in.
    pub person: Person,
    /// When the person last typed their password in this session, in milliseconds since 1970.
    pub confirmed_at: i64,
}

/// The time for which a typed password allows changes of rights, in milliseconds: ten minutes.
const CONFIRMED_MS: i64 = 10 * 60 * 1000;

impl VisitorSession {
    /// Whether the person typed their password recently enough to change rights and to erase.
    pub fn is_confirmed(&self, now_ms: i64) -> bool {
        // In both directions: a clock that is set back must not extend the confirmation.
        (now_ms - self.confirmed_at).abs() < CONFIRMED_MS
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::PersonId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_password_counts_for_ten_minutes() {
        let session = VisitorSession {
            token: SecretToken::from_text("t"),
            person: Person {
                id: PersonId(Uuid::nil()),
                name: "a".into(),
                is_admin: false,
                disabled: false,
                is_crowd: false,
            },
            confirmed_at: 10 * CONFIRMED_MS,
        };
        for (after, expect) in [
            (0, true),
            (CONFIRMED_MS - 1, true),
            (CONFIRMED_MS, false),
            (1 - CONFIRMED_MS, true),
            (-CONFIRMED_MS, false),
        ] {
            let now = session.confirmed_at + after;
            assert_eq!(session.is_confirmed(now), expect, "{after}");
        }
    }
}
