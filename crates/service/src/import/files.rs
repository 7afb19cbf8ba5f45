use std::sync::Arc;

use domain::ids::{StudyId, UploadId};
use formats::{
    FatalReadError, FileFormat, FilePreview, FileReadOptions, FileSurvey, OpenedFile, ScoreRows,
    SimplificationUse, TextFile, open_references, open_scores, simpeval::SlotRaters,
};
use store::{SourceEntry, Store, Upload};

use super::{
    FileReferences, ImportKind, ReadOptions, ReferenceSummary, RunningJobProgress, UploadReader,
};

/// How many rows are shown of a file.
const SHOWN: usize = 6;

/// Files that were sent in together: one table, or texts that belong together.
#[derive(Debug, Clone)]
pub struct UploadedFiles {
    store: Store,
    uploads: Vec<Upload>,
}

/// What files look like.
#[derive(Debug, Clone)]
pub struct UploadPreview {
    /// The beginning. Of texts, each is a column.
    pub preview: FilePreview,
    /// Whether it is read by a mapping.
    pub mapped: bool,
}

/// Why files cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFileError {
    /// They were deleted, or never came in full.
    #[error("the file is no longer here: send it again")]
    Gone,
    /// What is in them.
    #[error(transparent)]
    File(#[from] FatalReadError),
    /// They do not belong together.
    #[error(
        "several files go together only as texts, one of them called NAME.orig: send tables one by \
         one"
    )]
    Apart,
    /// Each has metrics of its own.
    #[error("scores come one file at a time: send the others after this one")]
    Several,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl UploadedFiles {
    /// The files of those ids, which belong to the study.
    ///
    /// # Errors
    /// [`Unreadable::Gone`] where one is not there in full, [`Unreadable::Store`].
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

    /// What they are called.
    pub fn names(&self) -> Vec<String> {
        self.uploads
            .iter()
            .map(|upload| upload.name.clone())
            .collect()
    }

    /// How many bytes they have.
    pub fn bytes(&self) -> u64 {
        self.uploads
            .iter()
            .map(|upload| upload.size.unsigned_abs())
            .sum()
    }

    /// Whether they are texts, one sentence a line.
    pub fn are_texts(&self) -> bool {
        self.uploads.iter().any(|upload| is_text(&upload.name))
    }

    /// Looks at the first rows.
    ///
    /// # Errors
    /// As far as they were read: [`Unreadable::File`], [`Unreadable::Apart`].
    pub async fn preview(&self) -> Result<UploadPreview, ImportFileError> {
        let files = self.clone();
        blocking(move || {
            if !files.are_texts() {
                let [upload] = &files.uploads[..] else {
                    return Err(ImportFileError::Apart);
                };
                let preview = formats::preview(&upload.name, files.reader(upload, None), SHOWN)?;
                // Lines of JSON that do not read are not shown; the rows after them may.
                if preview.rows.is_empty() && preview.format != FileFormat::Jsonl {
                    return Err(FatalReadError::NoRows.into());
                }
                let mapped = matches!(preview.format, FileFormat::Csv | FileFormat::Jsonl);
                return Ok(UploadPreview { preview, mapped });
            }
            // Their names and their number are right, and each begins well.
            files.open_texts(&ReadOptions::default(), None)?;
            let mut rows = vec![Vec::new(); SHOWN];
            for upload in &files.uploads {
                let reader = files.reader(upload, None);
                let mut sentences = formats::preview(".txt", reader, SHOWN)?.rows.into_iter();
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

    /// Opens them; it blocks.
    ///
    /// # Errors
    /// [`Fatal`] as of [`formats::open`] and [`formats::open_texts`].
    pub fn open(
        &self,
        way: &ReadOptions,
        raters: Option<SlotRaters>,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<OpenedFile<'static>, FatalReadError> {
        match &self.uploads[..] {
            [upload] if !is_text(&upload.name) => {
                let reading = FileReadOptions {
                    mapping: way.mapping.clone(),
                    raters,
                    ..FileReadOptions::default()
                };
                formats::open(self.reader(upload, progress), reading)
            }
            _ => self.open_texts(way, progress),
        }
    }

    /// Reads at most this many rows, for what they would bring.
    ///
    /// # Errors
    /// [`Unreadable::File`].
    pub async fn survey(
        &self,
        way: &ReadOptions,
        raters: Option<SlotRaters>,
        most: u64,
    ) -> Result<FileSurvey, ImportFileError> {
        let (files, way) = (self.clone(), way.clone());
        blocking(move || {
            let opened = files.open(&way, raters, None)?;
            Ok(formats::survey(opened, |so_far| so_far.rows < most)?)
        })
        .await
    }

    /// Whether they open that way: the header fits, and each begins well.
    ///
    /// # Errors
    /// [`Unreadable::File`].
    pub async fn check(&self, way: &ReadOptions) -> Result<(), ImportFileError> {
        let (files, way) = (self.clone(), way.clone());
        blocking(move || Ok(files.open(&way, None, None).map(drop)?)).await
    }

    /// Reads them as a file of raters.
    ///
    /// # Errors
    /// [`Unreadable::File`] for the first row that is wrong.
    pub async fn raters(&self) -> Result<SlotRaters, ImportFileError> {
        let files = self.clone();
        blocking(move || match &files.uploads[..] {
            [upload] => Ok(SlotRaters::read(files.reader(upload, None))?),
            _ => Err(ImportFileError::Apart),
        })
        .await
    }

    /// Opens them as references of sources that are there; it blocks.
    ///
    /// # Errors
    /// [`Fatal`] as of [`formats::open_references`].
    pub fn open_references(
        &self,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<OpenedFile<'static>, FatalReadError> {
        open_references(self.texts(progress))
    }

    /// Opens the first as scores of outputs that are there; it blocks.
    ///
    /// # Errors
    /// [`Fatal`] as of [`formats::open_scores`].
    pub fn open_scores(
        &self,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<ScoreRows<'static>, FatalReadError> {
        open_scores(self.reader(&self.uploads[0], progress))
    }

    /// Whether they open as references or scores: the header fits, and each begins well.
    ///
    /// # Errors
    /// [`Unreadable::File`], and where there are several files of scores.
    pub async fn check_as(&self, what: ImportKind) -> Result<(), ImportFileError> {
        let files = self.clone();
        blocking(move || match what {
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

    /// The metrics that a file of scores names; of JSONL those of its first rows.
    ///
    /// # Errors
    /// [`Unreadable::File`].
    pub async fn score_names(&self) -> Result<Vec<String>, ImportFileError> {
        let files = self.clone();
        blocking(move || {
            let names = files.open_scores(None)?.names;
            Ok(names.iter().map(|name| name.to_string()).collect())
        })
        .await
    }

    /// How the references of the files fit these sources of the study.
    ///
    /// # Errors
    /// [`Unreadable::File`].
    pub async fn match_references(
        &self,
        sources: Vec<SourceEntry>,
    ) -> Result<ReferenceSummary, ImportFileError> {
        let files = self.clone();
        blocking(move || {
            let found = FileReferences::read(files.open_references(None)?)?;
            Ok(found.summary(&sources))
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
        way: &ReadOptions,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<OpenedFile<'static>, FatalReadError> {
        let simplifications = if way.simplifications_as_outputs {
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

/// Whether a file of that name is plain text, one sentence a line.
fn is_text(name: &str) -> bool {
    name.ends_with(".orig") || name.ends_with(".txt") || name.contains(".simp.")
}

/// Runs what reads on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ImportFileError> + Send + 'static,
) -> Result<T, ImportFileError> {
    tokio::task::spawn_blocking(work)
        .await
        .expect("reading does not panic")
}
