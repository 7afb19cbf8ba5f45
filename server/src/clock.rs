//! The only place that reads the clock or a random source. Everything else receives both.
#![expect(
    clippy::disallowed_methods,
    reason = "this is where time and ids come from"
)]

use std::time::{SystemTime, UNIX_EPOCH};

use service::Context;
use uuid::Uuid;

/// The machine's own clock and random source.
pub(crate) const CONTEXT: Context = Context {
    clock: now_ms,
    ids: new_id,
    random,
};

/// Now, in milliseconds since 1970; zero on a clock set before that.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
}

/// A new id that sorts by time.
pub(crate) fn new_id() -> Uuid {
    Uuid::now_v7()
}

/// 256 random bits from the operating system, for secrets.
pub(crate) fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}
