//! Ids without a clock.

use std::sync::atomic::{AtomicU64, Ordering};

use uuid::{Builder, Uuid};

/// An id that no other call in this process returns, later than all earlier ones.
#[must_use]
pub fn fresh_id() -> Uuid {
    static GIVEN: AtomicU64 = AtomicU64::new(1);
    let number = GIVEN.fetch_add(1, Ordering::Relaxed);
    Builder::from_unix_timestamp_millis(number, &[0; 10]).into_uuid()
}
