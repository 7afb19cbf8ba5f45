//! The memory that hashing takes, used again.
//!
//! Each hash fills 19 MiB. Asked for each time and given back, they stay with the allocator, some for every
//! thread that ever hashed: after 81 sign-ins the process had grown from 139 to 1,073 MB.

use std::sync::{Mutex, PoisonError};

use argon2::Block;

/// The most pieces that are kept; as many as passwords are worked on at a time.
const MOST: usize = 4;

static FREE: Mutex<Vec<Vec<Block>>> = Mutex::new(vec![]);

/// Lets `work` use memory that was used before, where some is free. What it holds is of earlier work.
pub(super) fn with_blocks<T>(work: impl FnOnce(&mut Vec<Block>) -> T) -> T {
    let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut blocks = free.unwrap_or_default();
    let made = work(&mut blocks);
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    if free.len() < MOST {
        free.push(blocks);
    }
    made
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
        // Another test may hold a piece at the moment: then there is a second one.
        let seen: std::collections::HashSet<_> = (0..50).map(|_| with_blocks(address)).collect();
        assert!(seen.len() <= MOST + 1, "{}", seen.len());
        assert!(FREE.lock().unwrap().len() <= MOST);
    }
}
