//! An uploaded reading-comprehension file, before and during its import.

use domain::ids::{StudyId, UploadId};
use formats::{
    FatalReadError, FileInput, FilePreview, InputOptions,
    comprehension::{ComprehensionFile, ComprehensionMapping, read_comprehension},
};
use store::{Store, comprehension::ComprehensionImportCounts};
use tokio::task::spawn_blocking;

use super::bring_in;
use crate::{
    Context,
    accounts::digest,
    wording::{count_noun, sentence},
};

/// The most bad rows and notes that a message names.
const MAX_NAMED: usize = 3;

/// An uploaded file in memory.
#[derive(Debug, Clone)]
pub struct ComprehensionUpload {
    /// Its name on the sender's machine.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// A preview of a file.
#[derive(Debug, Clone)]
pub struct ComprehensionPreview {
    /// Its contents, or why it cannot be read.
    pub read: Result<ComprehensionFile, String>,
    /// The line that is not UTF-8, if that is the fault.
    pub line_not_utf8: Option<u64>,
    /// Its columns and first rows, if it is a table.
    pub table: Option<FilePreview>,
}

/// Why nothing of a file was imported.
#[derive(Debug, thiserror::Error)]
pub enum ComprehensionImportError {
    /// The file cannot be read or does not fit the study; the sentence says what to change.
    #[error("{0}")]
    Invalid(String),
    /// The database refused it, or failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// The number of rows in a preview.
const PREVIEW_ROWS: usize = 5;

impl ComprehensionUpload {
    /// The study's file with this id; `None` if there is none, or it did not arrive completely.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(store: &Store, study: StudyId, id: UploadId) -> store::Result<Option<Self>> {
        let upload = store.upload(id).await?;
        let Some(upload) = upload.filter(|upload| upload.study == study && upload.complete) else {
            return Ok(None);
        };

        let mut bytes = Vec::new();
        let mut number = 0;
        while let Some(chunk) = store.read_chunk(id, number).await? {
            bytes.extend(chunk);
            number += 1;
        }

        Ok(Some(Self {
            name: upload.name,
            bytes,
        }))
    }

    /// Checks that the page on which a lead assigns columns can show the file.
    ///
    /// # Errors
    /// A sentence on a fault that no choice on that page resolves.
    ///
    /// # Panics
    /// When reading does.
    pub async fn check(self) -> Result<(), String> {
        let check =
            move || match read_comprehension(&self.bytes[..], &ComprehensionMapping::default()) {
                Ok(_)
                | Err(
                    FatalReadError::WrongHeader { .. }
                    | FatalReadError::NotUtf8 { .. }
                    | FatalReadError::NotInEncoding { .. },
                ) => Ok(()),
                Err(fault) => Err(fault_sentence(&fault)),
            };

        spawn_blocking(check).await.expect("reading does not panic")
    }

    /// Reads the file without importing anything, on a thread that may block.
    ///
    /// # Panics
    /// When reading does.
    pub async fn preview(self, options: InputOptions) -> ComprehensionPreview {
        let read_file = move || {
            let input = || FileInput::new(&self.bytes[..], options.clone());
            let read = read_comprehension(input(), &ComprehensionMapping::default());
            let line_not_utf8 = read.as_ref().err().and_then(FatalReadError::line_not_utf8);
            ComprehensionPreview {
                read: read.map_err(|fault| fault_sentence(&fault)),
                line_not_utf8,
                table: formats::comprehension::preview(&self.name, input(), PREVIEW_ROWS).ok(),
            }
        };

        spawn_blocking(read_file)
            .await
            .expect("reading does not panic")
    }

    /// Imports the whole file or nothing; returns a sentence on what was added.
    ///
    /// # Errors
    /// [`ComprehensionImportError::Invalid`] if it cannot be read or does not fit the study.
    ///
    /// # Panics
    /// When reading does.
    pub async fn bring_in(
        self,
        store: &Store,
        study: StudyId,
        options: InputOptions,
        mapping: ComprehensionMapping,
        context: Context,
    ) -> Result<String, ComprehensionImportError> {
        let read = move || {
            let file = read_comprehension(FileInput::new(&self.bytes[..], options), &mapping);
            file.map(|file| (file, digest(&self.bytes)))
        };
        let read = spawn_blocking(read).await.expect("reading does not panic");

        let (file, digest) =
            read.map_err(|fault| ComprehensionImportError::Invalid(fault_sentence(&fault)))?;
        require_no_bad_rows(&file)?;

        let added = bring_in(store, study, &file, &digest, context).await?;
        Ok(import_sentence(added, &file.notes))
    }
}

/// A sentence on why a file cannot be read, for the page on which a lead assigns columns.
fn fault_sentence(fault: &FatalReadError) -> String {
    match fault {
        FatalReadError::WrongHeader { .. } => {
            "No column is known to name the passage: choose what each column holds.".to_owned()
        }
        fault => sentence(&fault.page_message()),
    }
}

/// Refuses a file with a bad row.
fn require_no_bad_rows(file: &ComprehensionFile) -> Result<(), ComprehensionImportError> {
    if file.bad_rows.is_empty() {
        return Ok(());
    }

    let bad_rows: Vec<_> = file.bad_rows.iter().map(ToString::to_string).collect();
    Err(ComprehensionImportError::Invalid(format!(
        "Nothing was imported, because some rows have faults. {}",
        first_sentences(&bad_rows)
    )))
}

/// A sentence on what an import added, with its notes.
fn import_sentence(added: ComprehensionImportCounts, notes: &[String]) -> String {
    let counts = [
        (added.passages, "passage"),
        (added.texts, "text"),
        (added.questions, "question"),
        (added.answers, "answer"),
    ];
    let new: Vec<_> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| count_noun(count as usize, noun))
        .collect();

    match &new[..] {
        [] => "Everything in the file was already there: nothing was added.".to_owned(),
        new => format!("Imported: {}. {}", new.join(", "), first_sentences(notes))
            .trim_end()
            .to_owned(),
    }
}

/// Joins the first few sentences and adds the number of the others.
fn first_sentences(sentences: &[String]) -> String {
    let named = sentences.iter().take(MAX_NAMED).map(|text| sentence(text));
    let named: Vec<_> = named.collect();

    let more = match sentences.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" And {more} more."),
    };

    named.join(" ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_what_was_added_and_the_first_notes() {
        let added = ComprehensionImportCounts {
            passages: 1,
            texts: 2,
            ..ComprehensionImportCounts::default()
        };
        assert_eq!(import_sentence(added, &[]), "Imported: 1 passage, 2 texts.");

        let notes = ["one", "two", "three", "four", "five"].map(str::to_owned);
        let with_notes = import_sentence(added, &notes);
        assert_eq!(
            with_notes,
            "Imported: 1 passage, 2 texts. One. Two. Three. And 2 more."
        );

        assert!(
            import_sentence(ComprehensionImportCounts::default(), &notes)
                .starts_with("Everything in the file was already there")
        );
    }
}
