//! A file of reading comprehension that was sent in and waits to be brought in.

use domain::ids::{StudyId, UploadId};
use formats::{
    FatalReadError, FilePreview,
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

/// Bad rows and notes that are named where there is little room.
const NAMED: usize = 3;

/// A file in memory.
#[derive(Debug, Clone)]
pub struct ComprehensionUpload {
    /// Its name, as the sender has it.
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// What a file looks like.
#[derive(Debug, Clone)]
pub struct ComprehensionPreview {
    /// What it holds, or why it does not read.
    pub read: Result<ComprehensionFile, String>,
    /// Its columns and first rows, where it is a table.
    pub table: Option<FilePreview>,
}

/// Why nothing of a file was brought in.
#[derive(Debug, thiserror::Error)]
pub enum ComprehensionImportError {
    /// The file does not read or does not fit the study; the sentence says what to change.
    #[error("{0}")]
    Invalid(String),
    /// The database refused it, or failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Rows of a table that are shown.
const SHOWN: usize = 5;

impl ComprehensionUpload {
    /// The study's file of that id; `None` where there is none, or it did not arrive whole.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(store: &Store, study: StudyId, id: UploadId) -> store::Result<Option<Self>> {
        let found = store.upload(id).await?;
        let Some(upload) = found.filter(|it| it.study == study && it.complete) else {
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

    /// Looks at it without bringing anything in, on a thread that may compute.
    ///
    /// # Panics
    /// When reading does.
    pub async fn preview(self) -> ComprehensionPreview {
        let look = move || {
            let read = read_comprehension(&self.bytes[..], &ComprehensionMapping::default());
            ComprehensionPreview {
                read: read.map_err(|fault| fault_sentence(&fault)),
                table: formats::preview(&self.name, &self.bytes[..], SHOWN).ok(),
            }
        };
        spawn_blocking(look).await.expect("reading does not panic")
    }

    /// Brings all of it in, or nothing; says what came of it.
    ///
    /// # Errors
    /// [`ComprehensionImportError::Invalid`] where it does not read or does not fit the study.
    ///
    /// # Panics
    /// When reading does.
    pub async fn bring_in(
        self,
        store: &Store,
        study: StudyId,
        mapping: ComprehensionMapping,
        context: &Context,
    ) -> Result<String, ComprehensionImportError> {
        let read = move || {
            let file = read_comprehension(&self.bytes[..], &mapping);
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

/// Why a file does not read, for somebody with a form before them.
fn fault_sentence(fault: &FatalReadError) -> String {
    match fault {
        FatalReadError::WrongHeader { .. } => {
            "It is not known which column names the passage: say what the columns are.".to_owned()
        }
        fault => sentence(&fault.to_string()),
    }
}

/// Refuses a file that has a bad row.
fn require_no_bad_rows(file: &ComprehensionFile) -> Result<(), ComprehensionImportError> {
    if file.bad_rows.is_empty() {
        return Ok(());
    }
    let bad: Vec<_> = file.bad_rows.iter().map(ToString::to_string).collect();
    Err(ComprehensionImportError::Invalid(format!(
        "Nothing was brought in, for some rows cannot be taken. {}",
        first_sentences(&bad)
    )))
}

/// What an import added, with its notes.
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
        .map(|(count, what)| count_noun(count as usize, what))
        .collect();
    match &new[..] {
        [] => "All of the file was there already: nothing was added.".to_owned(),
        new => format!("Brought in: {}. {}", new.join(", "), first_sentences(notes))
            .trim_end()
            .to_owned(),
    }
}

/// The first of many sentences, and how many more there are.
fn first_sentences(sentences: &[String]) -> String {
    let named = sentences.iter().take(NAMED).map(|it| sentence(it));
    let named: Vec<_> = named.collect();
    let more = match sentences.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" And {more} more."),
    };
    named.join(" ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_told_with_the_first_notes() {
        let added = ComprehensionImportCounts {
            passages: 1,
            texts: 2,
            ..ComprehensionImportCounts::default()
        };
        assert_eq!(
            import_sentence(added, &[]),
            "Brought in: 1 passage, 2 texts."
        );
        let notes = ["one", "two", "three", "four", "five"].map(str::to_owned);
        let found = import_sentence(added, &notes);
        assert_eq!(
            found,
            "Brought in: 1 passage, 2 texts. One. Two. Three. And 2 more."
        );
        assert!(
            import_sentence(ComprehensionImportCounts::default(), &notes)
                .starts_with("All of the file was there")
        );
    }
}
