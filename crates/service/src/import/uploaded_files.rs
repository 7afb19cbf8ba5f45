use std::sync::Arc;

use domain::ids::{StudyId, UploadId};
use formats::{
    FatalReadError, FileFormat, FilePreview, FileReadOptions, FileSurvey, OpenedFile, ScoreRows,
    SimplificationUse, TextFile, open_references, open_scores, simpeval::SlotRaters,
};
use store::{SourceEntry, Store, Upload};

use super::{
    FileReferences, ImportKind, ReadOptions, ReferenceSummary, RunningJobProgress, UploadReader,
    upload_reader::find_store_error,
};

/// The number of rows in a preview.
const PREVIEW_ROWS: usize = 6;

/// Files that were uploaded together: one table, or texts that belong together.
#[derive(Debug, Clone)]
pub struct UploadedFiles {
    store: Store,
    uploads: Vec<Upload>,
}

/// The first rows of uploaded files.
#[derive(Debug, Clone)]
pub struct UploadPreview {
    /// The preview; of text files, each is a column.
    pub preview: FilePreview,
    /// Whether the file is read by a mapping of columns.
    pub mapped: bool,
}

/// Why files cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFileError {
    /// They were deleted, or did not arrive completely.
    #[error("the file is no longer here: send it again")]
    Gone,
    /// They cannot be read.
    #[error(transparent)]
    File(FatalReadError),
    /// They do not belong together.
    #[error(
        "several files go together only as texts, one of them called NAME.orig: send tables one by \
         one"
    )]
    Apart,
    /// Score files have to be imported one at a time, as each has metrics of its own.
    #[error("scores come one file at a time: send the others after this one")]
    Several,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<FatalReadError> for ImportFileError {
    fn from(fault: FatalReadError) -> Self {
        find_store_error(fault).map_or_else(Self::File, Self::Store)
    }
}

impl UploadedFiles {
    /// Finds the study's files with these ids.
    ///
    /// # Errors
    /// [`ImportFileError::Gone`] where one is missing or incomplete, and [`ImportFileError::Store`].
    pub async fn find(
        store: &Store,
        study: StudyId,
        ids: &[UploadId],
    ) -> Result<Self, ImportFileError> {
        let mut uploads = Vec::new();
        for id in ids {
            let upload = store.upload(*id).await?;
            let upload = upload.filter(|upload| upload.study == study && upload.complete);
            uploads.push(upload.ok_or(ImportFileError::Gone)?);
        }
        if uploads.is_empty() {
            return Err(ImportFileError::Gone);
        }
        Ok(Self {
            store: store.clone(),
            uploads,
        })
    }

    /// Their names.
    pub fn names(&self) -> Vec<String> {
        self.uploads
            .iter()
            .map(|upload| upload.name.clone())
            .collect()
    }

    /// Their total size in bytes.
    pub fn bytes(&self) -> u64 {
        self.uploads
            .iter()
            .map(|upload| upload.size.unsigned_abs())
            .sum()
    }

    /// Whether they are text files with one sentence per line.
    pub fn are_texts(&self) -> bool {
        self.uploads.iter().any(|upload| is_text(&upload.name))
    }

    /// Reads the first rows.
    ///
    /// # Errors
    /// [`ImportFileError::File`] for a fault in what was read, and [`ImportFileError::Apart`].
    pub async fn preview(&self) -> Result<UploadPreview, ImportFileError> {
        let files = self.clone();
        blocking(move || {
            if !files.are_texts() {
                let [upload] = &files.uploads[..] else {
                    return Err(ImportFileError::Apart);
                };
                let preview =
                    formats::preview(&upload.name, files.reader(upload, None), PREVIEW_ROWS)?;
                // Lines of invalid JSON are not shown, so a preview without rows is no proof that the file
                // has none.
                if preview.rows.is_empty() && preview.format != FileFormat::Jsonl {
                    return Err(FatalReadError::NoRows.into());
                }
                let mapped = matches!(preview.format, FileFormat::Csv | FileFormat::Jsonl);
                return Ok(UploadPreview { preview, mapped });
            }
            // Checks that their names and number are right, and that each begins well.
            files.open_texts(&ReadOptions::default(), None)?;
            let mut rows = vec![Vec::new(); PREVIEW_ROWS];
            for upload in &files.uploads {
                let reader = files.reader(upload, None);
                let mut sentences = formats::preview(".txt", reader, PREVIEW_ROWS)?
                    .rows
                    .into_iter();
                for row in &mut rows {
                    row.push(sentences.next().unwrap_or_default().concat());
                }
            }
            rows.retain(|row| row.iter().any(|sentence| !sentence.is_empty()));
            let preview = FilePreview {
                format: FileFormat::Text,
                header: files.names(),
                rows,
                mapping: Default::default(),
            };
            Ok(UploadPreview {
                preview,
                mapped: false,
            })
        })
        .await
    }

    /// Opens them. Blocks.
    ///
    /// # Errors
    /// As for [`formats::open`] and [`formats::open_texts`].
    pub fn open(
        &self,
        options: &ReadOptions,
        raters: Option<SlotRaters>,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<OpenedFile<'static>, FatalReadError> {
        match &self.uploads[..] {
            [upload] if !is_text(&upload.name) => {
                let read_options = FileReadOptions {
                    mapping: options.mapping.clone(),
                    raters,
                    ..FileReadOptions::default()
                };
                formats::open(self.reader(upload, progress), read_options)
            }
            _ => self.open_texts(options, progress),
        }
    }

    /// Surveys at most `max_rows` rows: what an import would add.
    ///
    /// # Errors
    /// [`ImportFileError::File`].
    pub async fn survey(
        &self,
        options: &ReadOptions,
        raters: Option<SlotRaters>,
        max_rows: u64,
    ) -> Result<FileSurvey, ImportFileError> {
        let (files, options) = (self.clone(), options.clone());
        blocking(move || {
            let opened = files.open(&options, raters, None)?;
            Ok(formats::survey(opened, |survey| survey.rows < max_rows)?)
        })
        .await
    }

    /// Checks that they open under these options: the header fits, and each begins well.
    ///
    /// # Errors
    /// [`ImportFileError::File`].
    pub async fn check(&self, options: &ReadOptions) -> Result<(), ImportFileError> {
        let (files, options) = (self.clone(), options.clone());
        blocking(move || Ok(files.open(&options, None, None).map(drop)?)).await
    }

    /// Reads them as the file that names the raters behind slots.
    ///
    /// # Errors
    /// [`ImportFileError::File`] for the first bad row.
    pub async fn raters(&self) -> Result<SlotRaters, ImportFileError> {
        let files = self.clone();
        blocking(move || match &files.uploads[..] {
            [upload] => Ok(SlotRaters::read(files.reader(upload, None))?),
            _ => Err(ImportFileError::Apart),
        })
        .await
    }

    /// Opens them as references of sources that the study has. Blocks.
    ///
    /// # Errors
    /// As for [`formats::open_references`].
    pub fn open_references(
        &self,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<OpenedFile<'static>, FatalReadError> {
        open_references(self.texts(progress))
    }

    /// Opens the first one as scores of outputs that the study has. Blocks.
    ///
    /// # Errors
    /// As for [`formats::open_scores`].
    pub fn open_scores(
        &self,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<ScoreRows<'static>, FatalReadError> {
        open_scores(self.reader(&self.uploads[0], progress))
    }

    /// Checks that they open as files of this kind: the header fits, and each begins well.
    ///
    /// # Errors
    /// [`ImportFileError::File`], and [`ImportFileError::Several`] for more than one file of scores.
    pub async fn check_as(&self, kind: ImportKind) -> Result<(), ImportFileError> {
        let files = self.clone();
        blocking(move || match kind {
            ImportKind::Sources => Ok(files.open(&ReadOptions::default(), None, None).map(drop)?),
            ImportKind::References => match files.open_references(None)?.rows.next() {
                Some(_) => Ok(()),
                None => Err(FatalReadError::NoRows.into()),
            },
            ImportKind::Scores if files.uploads.len() > 1 => Err(ImportFileError::Several),
            ImportKind::Scores => Ok(files.open_scores(None).map(drop)?),
        })
        .await
    }

    /// The metrics that a file of scores names; for JSONL, those of its first rows.
    ///
    /// # Errors
    /// [`ImportFileError::File`].
    pub async fn score_names(&self) -> Result<Vec<String>, ImportFileError> {
        let files = self.clone();
        blocking(move || {
            let names = files.open_scores(None)?.names;
            Ok(names.iter().map(|name| name.to_string()).collect())
        })
        .await
    }

    /// Matches the references of the files to these sources of the study.
    ///
    /// # Errors
    /// [`ImportFileError::File`].
    pub async fn match_references(
        &self,
        sources: Vec<SourceEntry>,
    ) -> Result<ReferenceSummary, ImportFileError> {
        let files = self.clone();
        blocking(move || {
            let references = FileReferences::read(files.open_references(None)?)?;
            Ok(references.summary(&sources))
        })
        .await
    }

    fn texts(&self, progress: Option<&Arc<RunningJobProgress>>) -> Vec<TextFile<'static>> {
        let text = |upload: &Upload| TextFile {
            name: upload.name.clone(),
            input: Box::new(self.reader(upload, progress)),
        };
        self.uploads.iter().map(text).collect()
    }

    fn open_texts(
        &self,
        options: &ReadOptions,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<OpenedFile<'static>, FatalReadError> {
        let simplifications = if options.simplifications_as_outputs {
            SimplificationUse::Outputs
        } else {
            SimplificationUse::References
        };
        formats::open_texts(self.texts(progress), simplifications)
    }

    fn reader(&self, upload: &Upload, progress: Option<&Arc<RunningJobProgress>>) -> UploadReader {
        UploadReader::new(self.store.clone(), upload.id, progress.cloned())
    }
}

/// Whether a file with this name is plain text with one sentence per line.
fn is_text(name: &str) -> bool {
    name.ends_with(".orig") || name.ends_with(".txt") || name.contains(".simp.")
}

/// Runs `work` on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ImportFileError> + Send + 'static,
) -> Result<T, ImportFileError> {
    tokio::task::spawn_blocking(work)
        .await
        .expect("reading does not panic")
}
