use std::fmt;

use uuid::Uuid;

/// What pages and server functions are given by the server, through leptos' context.
///
/// Clock and ids are arguments everywhere below: a test hands in its own.
#[derive(Clone)]
pub struct Services {
    /// Now, in milliseconds since 1970.
    pub now_ms: fn() -> i64,
    /// A fresh id that sorts by time (UUID version 7).
    pub new_id: fn() -> Uuid,
    /// Whether cookies travel by https only.
    pub secure_cookies: bool,
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").finish_non_exhaustive()
    }
}
