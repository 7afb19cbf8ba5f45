use std::sync::Arc;

use domain::ids::{StudyId, UploadId};
use formats::{
    FatalReadError, FileFormat, FileInput, FilePreview, FileReadOptions, InputDescription,
    InputOptions, OpenedFile, ScoreRows, SimplificationUse, TextEncoding, TextFile, is_text_file,
    open_references, open_scores, simpeval::SlotRaters,
};
use store::{SourceEntry, Store, Study, Upload};

use super::{
    FileReferences, ImportFailure, ImportKind, ImportOptions, ImportSummary, PreviewTurn,
    ReadOptions, ReferenceSummary, RunningJobProgress, UploadReader, preview_turns::PreviewReading,
    rehearse_sources, upload_reader::find_store_error,
};
use crate::Context;

/// The number of rows in a preview.
const PREVIEW_ROWS: usize = 6;

/// Files that were uploaded together: one table, or texts that belong together.
#[derive(Debug, Clone)]
pub struct UploadedFiles {
    store: Store,
    uploads: Vec<Upload>,
    /// The preview for which they are read.
    preview: Option<Arc<PreviewReading>>,
}

/// The first rows of uploaded files.
#[derive(Debug, Clone)]
pub struct UploadPreview {
    /// The preview. For text files, each file is a column.
    pub preview: FilePreview,
    /// Whether the file is read by a column mapping.
    pub mapped: bool,
}

/// References of uploaded files, matched to the sources of a study.
#[derive(Debug, Clone)]
pub struct MatchedReferences {
    /// The result of the match.
    pub summary: ReferenceSummary,
    /// The format of the files.
    pub format: FileFormat,
    /// How their bytes are read.
    pub input: InputDescription,
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
    /// Score files have to be imported one at a time, because each has metrics of its own.
    #[error("scores come one file at a time: send the others after this one")]
    Several,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl ImportFileError {
    /// The message for pages, which mentions no flags.
    #[must_use]
    pub fn page_message(&self) -> String {
        match self {
            Self::File(fault) => fault.page_message(),
            other => other.to_string(),
        }
    }

    /// The line that is not UTF-8, if that is the fault: the file may be in another encoding.
    #[must_use]
    pub fn line_not_utf8(&self) -> Option<u64> {
        match self {
            Self::File(fault) => fault.line_not_utf8(),
            _ => None,
        }
    }
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
    /// [`ImportFileError::Gone`] if one is missing or incomplete, and [`ImportFileError::Store`].
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
            preview: None,
        })
    }

    /// The same files, read in this turn. Reading stops when the turn is dropped; the next turn begins once it has stopped.
    #[must_use]
    pub fn in_turn(self, turn: &PreviewTurn) -> Self {
        Self {
            preview: Some(turn.reading()),
            ..self
        }
    }

    /// The names of the files.
    pub fn names(&self) -> Vec<String> {
        self.uploads
            .iter()
            .map(|upload| upload.name.clone())
            .collect()
    }

    /// The total size of the files in bytes.
    pub fn bytes(&self) -> u64 {
        self.uploads
            .iter()
            .map(|upload| upload.size.unsigned_abs())
            .sum()
    }

    /// Whether they are text files with one sentence per line.
    pub fn are_texts(&self) -> bool {
        self.uploads.iter().any(|upload| is_text_file(&upload.name))
    }

    /// Reads the first rows.
    ///
    /// # Errors
    /// [`ImportFileError::File`] for a fault in what was read, and [`ImportFileError::Apart`].
    pub async fn preview(&self, input: &InputOptions) -> Result<UploadPreview, ImportFileError> {
        let (files, input) = (self.clone(), input.clone());
        blocking(move || {
            if !files.are_texts() {
                let [upload] = &files.uploads[..] else {
                    return Err(ImportFileError::Apart);
                };
                let preview = formats::preview(
                    &upload.name,
                    files.input(upload, &input, None),
                    PREVIEW_ROWS,
                )?;
                // Lines of invalid JSON are not shown, so a preview without rows does not prove that the file
                // has none.
                if preview.rows.is_empty() && preview.format != FileFormat::Jsonl {
                    return Err(FatalReadError::NoRows.into());
                }

                let mapped = matches!(preview.format, FileFormat::Csv | FileFormat::Jsonl);
                return Ok(UploadPreview { preview, mapped });
            }

            // Opening them checks that their names and number are right, and that each begins well.
            let options = ReadOptions {
                input: input.clone(),
                ..ReadOptions::default()
            };
            let opened = files.open_texts(&options, None)?;

            let mut rows = vec![Vec::new(); PREVIEW_ROWS];
            for upload in &files.uploads {
                let reader = files.input(upload, &input, None);
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
                input: opened.input,
                header: files.names(),
                rows,
                mapping: Default::default(),
                guesses: vec![],
            };

            Ok(UploadPreview {
                preview,
                mapped: false,
            })
        })
        .await
    }

    /// Opens the files. Blocks.
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
            [upload] if !is_text_file(&upload.name) => {
                let read_options = FileReadOptions {
                    mapping: options.mapping.clone(),
                    raters,
                    ..FileReadOptions::default()
                };
                formats::open(self.input(upload, &options.input, progress), read_options)
            }
            _ => self.open_texts(options, progress),
        }
    }

    /// Imports at most `max_rows` rows without storing any, and returns a summary of what an import would add.
    ///
    /// # Errors
    /// [`ImportFileError::File`] and [`ImportFileError::Store`].
    pub async fn rehearse(
        &self,
        study: &Study,
        context: Context,
        options: &ReadOptions,
        raters: Option<SlotRaters>,
        max_rows: u64,
    ) -> Result<ImportSummary, ImportFileError> {
        let (files, options) = (self.clone(), options.clone());
        let open = move || files.open(&options, raters.clone(), None);

        let import_options = ImportOptions::default();
        let rehearsed = rehearse_sources(
            &self.store,
            context,
            Some(study),
            open,
            import_options,
            max_rows,
        );

        rehearsed.await.map_err(|failure| match failure {
            ImportFailure::File(fault) => ImportFileError::File(fault),
            ImportFailure::Store(error) => ImportFileError::Store(error),
            ImportFailure::Strict(_) | ImportFailure::Cancelled => {
                unreachable!("nothing is imported")
            }
        })
    }

    /// The beginning of a line of the first file, read in another encoding; `None` if it cannot be read in that
    /// encoding.
    ///
    /// # Errors
    /// [`ImportFileError::Store`].
    pub async fn line_as(
        &self,
        encoding: TextEncoding,
        line: u64,
    ) -> Result<Option<String>, ImportFileError> {
        let files = self.clone();
        blocking(move || {
            let input = InputOptions {
                encoding: Some(encoding),
                ..InputOptions::default()
            };

            let read = formats::read_line(files.input(&files.uploads[0], &input, None), line);
            match read.map_err(ImportFileError::from) {
                Err(ImportFileError::File(_)) => Ok(None),
                read => read,
            }
        })
        .await
    }

    /// Checks that the files open with these options: the header fits, and each begins well.
    ///
    /// # Errors
    /// [`ImportFileError::File`].
    pub async fn check(&self, options: &ReadOptions) -> Result<(), ImportFileError> {
        let (files, options) = (self.clone(), options.clone());
        blocking(move || Ok(files.open(&options, None, None).map(drop)?)).await
    }

    /// Reads the files as the one that names the rater of each slot.
    ///
    /// # Errors
    /// [`ImportFileError::File`] for the first bad row.
    pub async fn raters(&self) -> Result<SlotRaters, ImportFileError> {
        let files = self.clone();
        blocking(move || match &files.uploads[..] {
            [upload] => {
                let input = files.input(upload, &InputOptions::default(), None);
                Ok(SlotRaters::read(input)?)
            }
            _ => Err(ImportFileError::Apart),
        })
        .await
    }

    /// Opens the files as references of sources that the study has. Blocks.
    ///
    /// # Errors
    /// As for [`formats::open_references`].
    pub fn open_references(
        &self,
        input: &InputOptions,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<OpenedFile<'static>, FatalReadError> {
        open_references(self.texts(input, progress))
    }

    /// Opens the first file as scores of outputs that the study has. Blocks.
    ///
    /// # Errors
    /// As for [`formats::open_scores`].
    pub fn open_scores(
        &self,
        input: &InputOptions,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Result<ScoreRows<'static>, FatalReadError> {
        open_scores(self.input(&self.uploads[0], input, progress))
    }

    /// Checks that the files open as files of this kind: the header fits, and each begins well.
    ///
    /// # Errors
    /// [`ImportFileError::File`], and [`ImportFileError::Several`] for more than one file of scores.
    pub async fn check_as(
        &self,
        kind: ImportKind,
        input: &InputOptions,
    ) -> Result<(), ImportFileError> {
        let (files, input) = (self.clone(), input.clone());

        blocking(move || match kind {
            ImportKind::Sources => {
                let options = ReadOptions {
                    input,
                    ..ReadOptions::default()
                };
                Ok(files.open(&options, None, None).map(drop)?)
            }
            ImportKind::References => match files.open_references(&input, None)?.rows.next() {
                Some(_) => Ok(()),
                None => Err(FatalReadError::NoRows.into()),
            },
            ImportKind::Scores if files.uploads.len() > 1 => Err(ImportFileError::Several),
            ImportKind::Scores => Ok(files.open_scores(&input, None).map(drop)?),
        })
        .await
    }

    /// The metrics that a file of scores names (for JSONL, those of its first rows), and how its bytes are read.
    ///
    /// # Errors
    /// [`ImportFileError::File`].
    pub async fn score_names(
        &self,
        input: &InputOptions,
    ) -> Result<(Vec<String>, InputDescription), ImportFileError> {
        let (files, input) = (self.clone(), input.clone());
        blocking(move || {
            let opened = files.open_scores(&input, None)?;
            let names = opened.names.iter().map(|name| name.to_string());
            Ok((names.collect(), opened.input))
        })
        .await
    }

    /// Matches the references of the files to these sources of the study.
    ///
    /// # Errors
    /// [`ImportFileError::File`].
    pub async fn match_references(
        &self,
        sources: Arc<Vec<SourceEntry>>,
        input: &InputOptions,
    ) -> Result<MatchedReferences, ImportFileError> {
        let (files, input) = (self.clone(), input.clone());
        blocking(move || {
            let opened = files.open_references(&input, None)?;
            let (format, input) = (opened.format, opened.input.clone());
            Ok(MatchedReferences {
                summary: FileReferences::read(opened)?.summary(&sources),
                format,
                input,
            })
        })
        .await
    }

    fn texts(
        &self,
        input: &InputOptions,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> Vec<TextFile<'static>> {
        let text = |upload: &Upload| TextFile {
            name: upload.name.clone(),
            input: self.input(upload, input, progress),
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

        formats::open_texts(self.texts(&options.input, progress), simplifications)
    }

    fn input(
        &self,
        upload: &Upload,
        options: &InputOptions,
        progress: Option<&Arc<RunningJobProgress>>,
    ) -> FileInput<'static> {
        let reader = UploadReader::new(self.store.clone(), upload.id, progress.cloned());
        FileInput::new(reader.for_preview(self.preview.clone()), options.clone())
    }
}

/// Runs `work` on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ImportFileError> + Send + 'static,
) -> Result<T, ImportFileError> {
    tokio::task::spawn_blocking(work)
        .await
        .expect("reading does not panic")
}
