//! The sources of a study and of earlier rows, each as it was first written.

use std::borrow::Cow;

use domain::study::SourcePurpose;
use formats::{RowRemark, SourceSpellings, loose_key};
use store::import::ImportRows;

/// The texts of sources, by which rows find a source whose text they write differently.
pub(super) struct KnownSources {
    purpose: SourcePurpose,
    spellings: SourceSpellings,
    /// The remark on a row whose text is another spelling of the text of the source that it names.
    renamed: Option<RowRemark>,
}

impl KnownSources {
    /// Collects the study's sources with this purpose.
    pub(super) fn new(import: &ImportRows, purpose: SourcePurpose) -> Self {
        let mut spellings = SourceSpellings::default();
        for text in import.source_texts(purpose) {
            spellings.add(text);
        }
        Self {
            purpose,
            spellings,
            renamed: None,
        }
    }

    /// The text under which the source of a row is or will be stored: that of the source with its key, or else of one
    /// whose text differs only in tokenisation, quotes, dashes, case or Unicode form.
    pub(super) fn spelling<'a>(
        &'a mut self,
        import: &ImportRows,
        key: Option<&str>,
        text: &'a str,
    ) -> Cow<'a, str> {
        let Some(key) = key else {
            return match import.has_source_text(self.purpose, text) {
                true => text.into(),
                false => self.spellings.first_spelling(text).into(),
            };
        };

        match import.source_text(key) {
            Some(stored) if *stored != *text && loose_key(&stored) == loose_key(text) => {
                self.renamed
                    .get_or_insert_with(|| RowRemark::JoinedSources {
                        written: text.to_owned(),
                        read: stored.to_string(),
                    });
                stored.to_string().into()
            }
            _ => text.into(),
        }
    }

    /// The remark that rows with different texts were taken for one source; `None` if none were.
    pub(super) fn remark(&self) -> Option<RowRemark> {
        self.spellings.remark().or_else(|| self.renamed.clone())
    }
}
