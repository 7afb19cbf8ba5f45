//! The sources of a study and of the rows before, in the way in which each was written first.

use std::borrow::Cow;

use domain::study::SourcePurpose;
use formats::{RowRemark, SourceSpellings, loose_key};
use store::import::ImportRows;

/// The texts of sources, by which rows find the source that they write in another way.
pub(super) struct KnownSources {
    purpose: SourcePurpose,
    spellings: SourceSpellings,
    /// A row whose text is another spelling of the text of the source that it names.
    renamed: Option<RowRemark>,
}

impl KnownSources {
    /// The sources with this purpose that an import finds in its study.
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

    /// The text in which the source of a row is stored, or is to be: of the source with its key, else of one with the
    /// same text but for tokenisation, quotes, dashes, case or Unicode form.
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

    /// The remark that rows with different texts were taken for one source; `None` where none were.
    pub(super) fn remark(&self) -> Option<RowRemark> {
        self.spellings.remark().or_else(|| self.renamed.clone())
    }
}
