use std::sync::Arc;

use domain::ids::{StudyId, UploadId};
use formats::{
    Fatal, Format, Opened, Preview, Reading, Scores, Simplifications, Survey, TextFile,
    open_references, open_scores, simpeval::Raters,
};
use store::{SourceEntry, Store, Upload};

use super::{FoundReferences, Progress, ReferenceSummary, UploadReader, Way, What};

/// How many rows are shown of a file.
const SHOWN: usize = 6;

/// Files that were sent in together: one table, or texts that belong together.
#[derive(Debug, Clone)]
pub struct Files {
    store: Store,
    uploads: Vec<Upload>,
}

/// What files look like.
#[derive(Debug, Clone)]
pub struct Looked {
    /// The beginning. Of texts, each is a column.
    pub preview: Preview,
    /// Whether it is read by a mapping.
    pub mapped: bool,
}

/// Why files cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// They were deleted, or never came in full.
    #[error("the file is no longer here: send it again")]
    Gone,
    /// What is in them.
    #[error(transparent)]
    File(#[from] Fatal),
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

impl Files {
    /// The files of those ids, which belong to the study.
    ///
    /// # Errors
    /// [`Unreadable::Gone`] where one is not there in full, [`Unreadable::Store`].
    pub async fn find(store: &Store, study: StudyId, ids: &[UploadId]) -> Result<Self, Unreadable> {
        let mut uploads = Vec::new();
        for id in ids {
            let upload = store.upload(*id).await?;
            let upload = upload.filter(|upload| upload.study == study && upload.complete);
            uploads.push(upload.ok_or(Unreadable::Gone)?);
        }
        if uploads.is_empty() {
            return Err(Unreadable::Gone);
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
    pub async fn look(&self) -> Result<Looked, Unreadable> {
        let files = self.clone();
        blocking(move || {
            if !files.are_texts() {
                let [upload] = &files.uploads[..] else {
                    return Err(Unreadable::Apart);
                };
                let preview = formats::preview(&upload.name, files.reader(upload, None), SHOWN)?;
                // Lines of JSON that do not read are not shown; the rows after them may.
                if preview.rows.is_empty() && preview.format != Format::Jsonl {
                    return Err(Fatal::NoRows.into());
                }
                let mapped = matches!(preview.format, Format::Csv | Format::Jsonl);
                return Ok(Looked { preview, mapped });
            }
            // Their names and their number are right, and each begins well.
            files.open_texts(&Way::default(), None)?;
            let mut rows = vec![Vec::new(); SHOWN];
            for upload in &files.uploads {
                let reader = files.reader(upload, None);
                let mut sentences = formats::preview(".txt", reader, SHOWN)?.rows.into_iter();
                for row in &mut rows {
                    row.push(sentences.next().unwrap_or_default().concat());
                }
            }
            rows.retain(|row| row.iter().any(|sentence| !sentence.is_empty()));
            let preview = Preview {
                format: Format::Text,
                header: files.names(),
                rows,
                mapping: Default::default(),
            };
            Ok(Looked {
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
        way: &Way,
        raters: Option<Raters>,
        progress: Option<&Arc<Progress>>,
    ) -> Result<Opened<'static>, Fatal> {
        match &self.uploads[..] {
            [upload] if !is_text(&upload.name) => {
                let reading = Reading {
                    mapping: way.mapping.clone(),
                    raters,
                    ..Reading::default()
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
        way: &Way,
        raters: Option<Raters>,
        most: u64,
    ) -> Result<Survey, Unreadable> {
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
    pub async fn check(&self, way: &Way) -> Result<(), Unreadable> {
        let (files, way) = (self.clone(), way.clone());
        blocking(move || Ok(files.open(&way, None, None).map(drop)?)).await
    }

    /// Reads them as a file of raters.
    ///
    /// # Errors
    /// [`Unreadable::File`] for the first row that is wrong.
    pub async fn raters(&self) -> Result<Raters, Unreadable> {
        let files = self.clone();
        blocking(move || match &files.uploads[..] {
            [upload] => Ok(Raters::read(files.reader(upload, None))?),
            _ => Err(Unreadable::Apart),
        })
        .await
    }

    /// Opens them as references of sources that are there; it blocks.
    ///
    /// # Errors
    /// [`Fatal`] as of [`formats::open_references`].
    pub fn open_references(
        &self,
        progress: Option<&Arc<Progress>>,
    ) -> Result<Opened<'static>, Fatal> {
        open_references(self.texts(progress))
    }

    /// Opens the first as scores of outputs that are there; it blocks.
    ///
    /// # Errors
    /// [`Fatal`] as of [`formats::open_scores`].
    pub fn open_scores(&self, progress: Option<&Arc<Progress>>) -> Result<Scores<'static>, Fatal> {
        open_scores(self.reader(&self.uploads[0], progress))
    }

    /// Whether they open as references or scores: the header fits, and each begins well.
    ///
    /// # Errors
    /// [`Unreadable::File`], and where there are several files of scores.
    pub async fn check_as(&self, what: What) -> Result<(), Unreadable> {
        let files = self.clone();
        blocking(move || match what {
            What::Sources => Ok(files.open(&Way::default(), None, None).map(drop)?),
            What::References => match files.open_references(None)?.rows.next() {
                Some(_) => Ok(()),
                None => Err(Fatal::NoRows.into()),
            },
            What::Scores if files.uploads.len() > 1 => Err(Unreadable::Several),
            What::Scores => Ok(files.open_scores(None).map(drop)?),
        })
        .await
    }

    /// The metrics that a file of scores names; of JSONL those of its first rows.
    ///
    /// # Errors
    /// [`Unreadable::File`].
    pub async fn score_names(&self) -> Result<Vec<String>, Unreadable> {
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
    pub async fn fit_references(
        &self,
        sources: Vec<SourceEntry>,
    ) -> Result<ReferenceSummary, Unreadable> {
        let files = self.clone();
        blocking(move || {
            let found = FoundReferences::read(files.open_references(None)?)?;
            Ok(found.summary(&sources))
        })
        .await
    }

    fn texts(&self, progress: Option<&Arc<Progress>>) -> Vec<TextFile<'static>> {
        let text = |upload: &Upload| TextFile {
            name: upload.name.clone(),
            input: Box::new(self.reader(upload, progress)),
        };
        self.uploads.iter().map(text).collect()
    }

    fn open_texts(
        &self,
        way: &Way,
        progress: Option<&Arc<Progress>>,
    ) -> Result<Opened<'static>, Fatal> {
        let simplifications = if way.simplifications_as_outputs {
            Simplifications::Outputs
        } else {
            Simplifications::References
        };
        formats::open_texts(self.texts(progress), simplifications)
    }

    fn reader(&self, upload: &Upload, progress: Option<&Arc<Progress>>) -> UploadReader {
        UploadReader::new(self.store.clone(), upload.id, progress.cloned())
    }
}

/// Whether a file of that name is plain text, one sentence a line.
fn is_text(name: &str) -> bool {
    name.ends_with(".orig") || name.ends_with(".txt") || name.contains(".simp.")
}

/// Runs what reads on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Unreadable> + Send + 'static,
) -> Result<T, Unreadable> {
    tokio::task::spawn_blocking(work)
        .await
        .expect("reading does not panic")
}
