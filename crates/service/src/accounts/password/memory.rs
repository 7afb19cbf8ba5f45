//! Memory for hashing.

use argon2::Block;

/// The capacity that is reserved for the blocks of a hash, which fill 19 MiB of it. Only the filled part takes memory.
///
/// The allocator of the GNU C library keeps freed memory, for every thread that ever hashed: after 81 sign-ins
/// the process had grown from 139 to 1,073 MB. Only allocations above 32 MiB always go back to the operating
/// system.
const ROOM_BYTES: usize = 33 << 20;

/// Blocks for one hash.
pub(super) fn allocate_blocks(count: usize) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(count.max(ROOM_BYTES.div_ceil(Block::SIZE)));
    blocks.resize(count, Block::default());
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_more_room_than_the_allocator_keeps() {
        for count in [1, 19_456, 70_000] {
            let blocks = allocate_blocks(count);
            assert_eq!(blocks.len(), count);
            assert!(blocks.capacity() * Block::SIZE > 32 << 20);
        }
    }
}
