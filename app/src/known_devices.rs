//! Known devices: browsers in which people signed in before. A cookie holds a random token and survives
//! signing out; the database holds its hash with each person who signed in there.

use service::accounts::{SecretToken, attempts::LoginOrigin};
use service::wording::error_chain;
use store::Person;

use crate::{cookies, request::visitor, services};

const NAME: &str = "device";
const DAYS: i64 = 365;
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// How long an unused device stays known, in milliseconds.
pub const LIFETIME_MS: i64 = DAYS * DAY_SECONDS * 1000;

/// The origin of this request, for the limit on failed sign-ins.
pub fn login_origin() -> LoginOrigin {
    LoginOrigin {
        address: visitor().address,
        device: sent_hash(),
    }
}

/// Records that the person signed in on this device. The browser gets a new token each time, so that a token
/// copied from it or planted in it becomes useless. A failure is only logged: the person is signed in.
pub async fn remember(person: &Person) {
    let services = services();
    let (token, now) = (
        SecretToken::new(services.context.random_bytes()),
        services.context.now_ms(),
    );

    let noted = services
        .store
        .remember_device(sent_hash().as_deref(), &token.hash(), person.id, now)
        .await;

    match noted {
        Ok(()) => cookies::send(NAME, token.secret(), DAYS * DAY_SECONDS),
        Err(error) => {
            tracing::warn!(error = error_chain(&error), "a device was not made known");
        }
    }
}

/// The hash of the token that the browser sends, if any.
fn sent_hash() -> Option<String> {
    cookies::read(NAME).map(|text| SecretToken::from_text(&text).hash())
}
