//! A cache of recently encoded texts, within a bound on memory.

use std::sync::Arc;

use hashlink::LruCache;
use sha2::{Digest, Sha256};

use super::EncodedText;

/// The cache key of a text: a hash of its words.
pub(super) type EncodingCacheKey = [u8; 32];

/// The key of a text given as words.
pub(super) fn hash_words(words: &[&str]) -> EncodingCacheKey {
    let mut hash = Sha256::new();
    for word in words {
        // Without the lengths, texts that differ only in word boundaries would have the same key.
        hash.update(word.len().to_le_bytes());
        hash.update(word);
    }
    hash.finalize().into()
}

/// A least-recently-used cache of vectors.
pub(super) struct EncodingCache {
    entries: LruCache<EncodingCacheKey, Arc<EncodedText>>,
    bytes: usize,
    max_bytes: usize,
}

impl EncodingCache {
    /// A cache of at most `most` bytes of vectors.
    pub(super) fn new(most: usize) -> Self {
        Self {
            entries: LruCache::new_unbounded(),
            bytes: 0,
            max_bytes: most,
        }
    }

    /// The vectors of the text, if they are cached.
    pub(super) fn get(&mut self, key: &EncodingCacheKey) -> Option<Arc<EncodedText>> {
        self.entries.get(key).cloned()
    }

    /// Drops everything.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }

    /// Caches the text's vectors, unless they alone exceed the bound.
    pub(super) fn put(&mut self, key: EncodingCacheKey, encoded: &Arc<EncodedText>) {
        let size = entry_bytes(encoded);
        if size > self.max_bytes {
            return;
        }
        self.bytes += size;
        if let Some(old) = self.entries.insert(key, Arc::clone(encoded)) {
            self.bytes -= entry_bytes(&old);
        }

        while self.bytes > self.max_bytes {
            let Some((_, oldest)) = self.entries.remove_lru() else {
                break;
            };
            self.bytes -= entry_bytes(&oldest);
        }
    }
}

/// The bytes that an entry takes, with its key and the map's overhead.
fn entry_bytes(encoded: &EncodedText) -> usize {
    encoded.bytes() + size_of::<EncodedText>() + 2 * size_of::<EncodingCacheKey>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: usize) -> Arc<EncodedText> {
        Arc::new(EncodedText::new(words, 1, 1))
    }

    #[test]
    fn what_was_unused_for_longest_goes_first() {
        let (a, b, c) = (hash_words(&["a"]), hash_words(&["b"]), hash_words(&["c"]));
        let mut cache = EncodingCache::new(2 * entry_bytes(&text(1)));
        cache.put(a, &text(1));
        cache.put(b, &text(1));
        assert!(cache.get(&a).is_some());
        cache.put(c, &text(1));
        assert!(cache.get(&a).is_some() && cache.get(&b).is_none() && cache.get(&c).is_some());
    }

    #[test]
    fn the_bound_holds() {
        let mut cache = EncodingCache::new(1000);
        for index in 0..50 {
            cache.put(hash_words(&[&(index % 7).to_string()]), &text(index));
            let total_bytes: usize = cache
                .entries
                .iter()
                .map(|(_, encoded)| entry_bytes(encoded))
                .sum();
            assert_eq!(total_bytes, cache.bytes);
            assert!(total_bytes <= 1000);
        }
        cache.put(hash_words(&["long"]), &text(1000));
        assert!(cache.get(&hash_words(&["long"])).is_none());
        cache.clear();
        assert!(cache.bytes == 0 && cache.get(&hash_words(&["6"])).is_none());
    }

    #[test]
    fn words_are_kept_apart() {
        assert_ne!(hash_words(&["ab", "c"]), hash_words(&["a", "bc"]));
        assert_ne!(hash_words(&[""]), hash_words(&[]));
    }
}
