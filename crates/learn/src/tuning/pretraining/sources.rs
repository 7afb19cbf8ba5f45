//! The sources that an encoder was pre-trained on, as listed in its file.

use std::{collections::BTreeSet, path::Path};

use crate::{encoder::weights::read_texts, metric::fingerprint, tuning::TuningError};

/// The key of the list in a file's header.
pub(super) const SOURCES_KEY: &str = "rankrate-pretrained-sources";

/// The number of listed digits of a source's fingerprint. Among a million sources and a thousand others, two have the
/// same with a chance of one in ten thousand million.
const LISTED_DIGITS: usize = 16;

/// The sources that an encoder was pre-trained on. A source is listed by the first digits of the
/// [`fingerprint`] of its key, which is the same for all spellings of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PretrainedSources {
    listed: BTreeSet<String>,
}

impl PretrainedSources {
    /// The list in the file at `path`; `None` if an earlier version of the program wrote it without one.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path) -> Result<Option<Self>, TuningError> {
        let text = read_texts(path)?.remove(SOURCES_KEY);
        Ok(text.map(|text| Self {
            listed: text.split_whitespace().map(str::to_owned).collect(),
        }))
    }

    /// Adds the source with this key.
    pub(super) fn add(&mut self, key: &str) {
        self.listed.insert(list_name(key));
    }

    /// The text of the list in a file.
    pub(super) fn write(&self) -> String {
        let listed: Vec<&str> = self.listed.iter().map(String::as_str).collect();
        listed.join(" ")
    }

    /// Whether the source with this key is listed.
    #[must_use]
    pub fn contains(&self, key: &str) -> bool {
        self.listed.contains(&list_name(key))
    }

    /// The number of sources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.listed.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }
}

fn list_name(key: &str) -> String {
    let mut name = fingerprint(key);
    name.truncate(LISTED_DIGITS);
    name
}
