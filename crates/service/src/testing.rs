//! A clock and ids for tests.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use uuid::Uuid;

use crate::Context;

/// A context whose clock advances by a second with each call, and whose ids count up.
pub(crate) const CONTEXT: Context = Context {
    clock: now_ms,
    ids: new_id,
    random: || [7; 32],
};

pub(crate) fn now_ms() -> i64 {
    static SECONDS: AtomicI64 = AtomicI64::new(1_700_000_000);
    SECONDS.fetch_add(1, Ordering::Relaxed) * 1_000
}

pub(crate) fn new_id() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uuid::from_u128(u128::from(NEXT.fetch_add(1, Ordering::Relaxed)))
}
