//! Texts that repeat, each kept once.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Numbers for texts, in order of first occurrence.
///
/// Its fast hash does not withstand a file made to provoke collisions: it is for files of the person who reads them.
#[derive(Debug, Default)]
pub(crate) struct TextTable {
    ids: FxHashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl TextTable {
    /// The number of the text, which is added if new.
    pub(crate) fn id(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = u32::try_from(self.texts.len()).expect("memory holds fewer texts");
        let text = Arc::<str>::from(text);
        self.ids.insert(Arc::clone(&text), id);
        self.texts.push(text);
        id
    }

    /// As [`Self::id`], but fast if the text is that of the number `before`: rows of a file often share texts
    /// with the row before.
    pub(crate) fn id_after(&mut self, before: Option<u32>, text: &str) -> u32 {
        match before {
            Some(id) if *self.texts[id as usize] == *text => id,
            _ => self.id(text),
        }
    }

    /// The number of texts.
    pub(crate) const fn len(&self) -> usize {
        self.texts.len()
    }

    /// The text of this number.
    pub(crate) fn text(&self, id: u32) -> &Arc<str> {
        &self.texts[id as usize]
    }

    /// All texts, in the order of their numbers.
    pub(crate) fn to_strings(&self) -> Vec<String> {
        self.texts.iter().map(ToString::to_string).collect()
    }
}
