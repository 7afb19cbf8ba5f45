//! Reuse of the memory for hashing.
//!
//! Each hash fills 19 MiB. If these were allocated and freed each time, the allocator would keep some for
//! every thread that ever hashed: after 81 sign-ins the process had grown from 139 to 1,073 MB.

use std::sync::{Mutex, PoisonError};

use argon2::Block;

/// The most buffers that are kept: one for each password that is hashed at a time.
const MAX_FREE: usize = 4;

static FREE: Mutex<Vec<Vec<Block>>> = Mutex::new(vec![]);

/// Calls `work` with a buffer, a used one where one is free. It contains data of earlier calls.
pub(super) fn with_blocks<T>(work: impl FnOnce(&mut Vec<Block>) -> T) -> T {
    let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut blocks = free.unwrap_or_default();
    let result = work(&mut blocks);
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    if free.len() < MAX_FREE {
        free.push(blocks);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again() {
        let address = |blocks: &mut Vec<Block>| {
            blocks.resize(7, Block::default());
            blocks.as_ptr().addr()
        };
        // Another test may hold a buffer at the same time: then there is a second one.
        let addresses: std::collections::HashSet<_> =
            (0..50).map(|_| with_blocks(address)).collect();
        assert!(addresses.len() <= MAX_FREE + 1, "{}", addresses.len());
        assert!(FREE.lock().unwrap().len() <= MAX_FREE);
    }
}
