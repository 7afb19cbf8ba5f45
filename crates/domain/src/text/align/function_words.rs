//! English function words, in classes of interchangeable words.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The classes of function words; a word may be in several.
const CLASSES: [&str; 7] = [
    "is are was were be been being am 's has have had do does did",
    "will would can could may might shall should must",
    "a an the this that these those his her their its our my your any some",
    "he she it they him them we us",
    "that which who whom whose where",
    "in on at by for of from to with into over under about as upon within during since between \
     among",
    "and or but nor while although though however",
];

/// The bits of the classes of each function word.
static CLASSES_BY_WORD: LazyLock<FxHashMap<&str, u8>> = LazyLock::new(|| {
    let mut classes_by_word = FxHashMap::default();
    for (index, class) in CLASSES.iter().enumerate() {
        for word in class.split(' ') {
            *classes_by_word.entry(word).or_default() |= 1 << index;
        }
    }
    classes_by_word
});

/// The classes of `word` (lower-case) as a set of bits; 0 for a content word, a number or punctuation.
pub(super) fn classes(word: &str) -> u8 {
    CLASSES_BY_WORD.get(word).copied().unwrap_or_default()
}
