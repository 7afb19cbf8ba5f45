//! Figures that a snapshot keeps until its study changes.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
};

use super::StudySnapshot;

/// A key under which a [`StudySnapshot`] caches a value.
///
/// A key names all that the value depends on, apart from the snapshot. Keys of different types never
/// collide, and the type of the value follows from the type of the key. Keys are compared by `==` rather than
/// hashed, because options of figures contain floating-point numbers; there are only a few for each study.
pub trait CacheKey: PartialEq + Send + Sync + 'static {
    /// The type of the cached value.
    type Value: Send + Sync + 'static;
}

/// The key of a figure that follows from the snapshot alone.
pub trait FigureKey: CacheKey {
    /// Computes the figure.
    fn compute(&self, snapshot: &StudySnapshot) -> Self::Value;
}

/// Values by the type of their key, and then by the key.
#[derive(Default)]
pub(super) struct FigureCache {
    /// For each type of key, its entries as `Vec<CacheEntry<K>>`.
    entries: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
}

struct CacheEntry<K: CacheKey> {
    key: K,
    value: Arc<K::Value>,
}

impl FigureCache {
    /// The value cached under the key.
    pub(super) fn get<K: CacheKey>(&self, key: &K) -> Option<Arc<K::Value>> {
        let entries = self.entries.get(&TypeId::of::<K>())?;
        let entries = entries.downcast_ref::<Vec<CacheEntry<K>>>()?;
        let entry = entries.iter().find(|entry| entry.key == *key)?;
        Some(entry.value.clone())
    }

    /// Caches a value, replacing one with an equal key.
    pub(super) fn insert<K: CacheKey>(&mut self, key: K, value: Arc<K::Value>) {
        let entries = self
            .entries
            .entry(TypeId::of::<K>())
            .or_insert_with(|| Box::new(Vec::<CacheEntry<K>>::new()))
            .downcast_mut::<Vec<CacheEntry<K>>>()
            .expect("entries are stored under the type of their key");

        entries.retain(|entry| entry.key != key);
        entries.push(CacheEntry { key, value });
    }

    /// Removes all values.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(PartialEq)]
    struct WordsKey(&'static str);

    impl CacheKey for WordsKey {
        type Value = usize;
    }

    #[derive(PartialEq)]
    struct LettersKey(&'static str);

    impl CacheKey for LettersKey {
        type Value = usize;
    }

    #[test]
    fn keys_of_two_types_do_not_collide() {
        let mut cache = FigureCache::default();
        cache.insert(WordsKey("a b"), Arc::new(2));
        cache.insert(LettersKey("a b"), Arc::new(3));
        assert_eq!(cache.get(&WordsKey("a b")).as_deref(), Some(&2));
        assert_eq!(cache.get(&LettersKey("a b")).as_deref(), Some(&3));
        assert_eq!(cache.get(&WordsKey("a")), None);

        cache.insert(WordsKey("a b"), Arc::new(7));
        assert_eq!(cache.get(&WordsKey("a b")).as_deref(), Some(&7));

        cache.clear();
        assert_eq!(cache.get(&LettersKey("a b")), None);
    }
}
