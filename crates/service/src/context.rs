use std::fmt;

use uuid::Uuid;

/// The sources of time, ids and random numbers.
///
/// Functions that need one of them take a `Context` by value, as it is three function pointers; a test
/// passes its own.
#[derive(Clone, Copy)]
pub struct Context {
    /// Returns the current time, in milliseconds since 1970.
    pub clock: fn() -> i64,
    /// Returns a new id; ids sort by the time at which they were made (UUID version 7).
    pub ids: fn() -> Uuid,
    /// Returns 256 random bits, for secrets.
    pub random: fn() -> [u8; 32],
}

impl Context {
    /// The current time, in milliseconds since 1970.
    #[must_use]
    pub fn now_ms(self) -> i64 {
        (self.clock)()
    }

    /// A new id that sorts by time.
    #[must_use]
    pub fn new_id(self) -> Uuid {
        (self.ids)()
    }

    /// A random seed. Nobody can guess it from ids that were made at the same time.
    #[must_use]
    pub fn new_seed(self) -> i64 {
        let [a, b, c, d, e, f, g, h, ..] = self.random_bytes();
        i64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    /// 256 random bits, for secrets.
    #[must_use]
    pub fn random_bytes(self) -> [u8; 32] {
        (self.random)()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}
