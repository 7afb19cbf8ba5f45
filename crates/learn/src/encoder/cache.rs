//! Texts that were encoded lately, within a bound on memory.

use std::sync::Arc;

use hashlink::LruCache;
use sha2::{Digest, Sha256};

use super::Encoded;

/// What a text is known by: a hash of its words.
pub(super) type Key = [u8; 32];

/// The key of a text given as words.
pub(super) fn key(words: &[&str]) -> Key {
    let mut hash = Sha256::new();
    for word in words {
        // The length keeps words apart that would read the same in a row.
        hash.update(word.len().to_le_bytes());
        hash.update(word);
    }
    hash.finalize().into()
}

/// Keeps vectors, forgetting first what was unused for longest.
pub(super) struct Cache {
    kept: LruCache<Key, Arc<Encoded>>,
    bytes: usize,
    most: usize,
}

impl Cache {
    /// Keeps at most `most` bytes of vectors.
    pub(super) fn new(most: usize) -> Self {
        Self {
            kept: LruCache::new_unbounded(),
            bytes: 0,
            most,
        }
    }

    /// What is kept of the text.
    pub(super) fn get(&mut self, key: &Key) -> Option<Arc<Encoded>> {
        self.kept.get(key).cloned()
    }

    /// Keeps the text's vectors, unless they alone are more than fits.
    pub(super) fn put(&mut self, key: Key, encoded: &Arc<Encoded>) {
        let size = cost(encoded);
        if size > self.most {
            return;
        }
        self.bytes += size;
        if let Some(old) = self.kept.insert(key, Arc::clone(encoded)) {
            self.bytes -= cost(&old);
        }
        while self.bytes > self.most {
            let Some((_, oldest)) = self.kept.remove_lru() else {
                break;
            };
            self.bytes -= cost(&oldest);
        }
    }
}

/// Bytes that an entry takes, with its key and what holds it.
fn cost(encoded: &Encoded) -> usize {
    encoded.bytes() + size_of::<Encoded>() + 2 * size_of::<Key>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: usize) -> Arc<Encoded> {
        Arc::new(Encoded::new(words, 1, 1))
    }

    #[test]
    fn what_was_unused_for_longest_goes_first() {
        let (a, b, c) = (key(&["a"]), key(&["b"]), key(&["c"]));
        let mut cache = Cache::new(2 * cost(&text(1)));
        cache.put(a, &text(1));
        cache.put(b, &text(1));
        assert!(cache.get(&a).is_some());
        cache.put(c, &text(1));
        assert!(cache.get(&a).is_some() && cache.get(&b).is_none() && cache.get(&c).is_some());
    }

    #[test]
    fn the_bound_holds() {
        let mut cache = Cache::new(1000);
        for index in 0..50 {
            cache.put(key(&[&(index % 7).to_string()]), &text(index));
            let kept: usize = cache.kept.iter().map(|(_, encoded)| cost(encoded)).sum();
            assert_eq!(kept, cache.bytes);
            assert!(kept <= 1000);
        }
        cache.put(key(&["long"]), &text(1000));
        assert!(cache.get(&key(&["long"])).is_none());
    }

    #[test]
    fn words_are_kept_apart() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&[""]), key(&[]));
    }
}
