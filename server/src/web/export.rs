//! A study's dataset as a download: a ZIP archive that is written while it is sent.

use std::{
    io::{self, BufWriter, Write},
    time::Duration,
};

use app::{
    Services,
    error::Refusal,
    request::{audit_entry, refuse_as},
    visitor::Visitor,
};
use axum::{
    Extension, Router,
    body::{Body, Bytes},
    extract::{Path, Query, State},
    http::Uri,
    response::Response,
    routing::get,
};
use formats::FormulaEscaping;
use futures::stream;
use serde::Deserialize;
use store::{
    Study,
    audit::{AuditKind, AuditSubject, NewAuditEntry},
    rating_rows::RatingScope,
};
use tokio::{runtime::Handle, sync::mpsc, time::timeout};

use super::{
    attachment::attachment,
    panics::error_page,
    places::{PlacePermit, RequestPlaces},
    study_access::{authorise_reader, refusal_response},
};
use service::export::{
    AlignmentEdits, BadLanguages, BadLicense, DatasetOptions, ExportFailure, ExportFormat,
    ExportRequest, ExportTools, StudyExport, WordAligner, write_zip,
};
use service::wording::sentence;

/// The most downloads at the same time. Each holds a database connection and a thread.
const MAX_DOWNLOADS: usize = 8;

/// The most downloads of one person at the same time.
const MAX_DOWNLOADS_PER_PERSON: usize = 2;

/// The size of a chunk of the response, in bytes.
const CHUNK_SIZE: usize = 64 * 1024;

/// How long a browser may take over a chunk before the download is given up: far longer than any working line
/// needs, and soon enough to end a client that only occupies a place.
const CHUNK_TIMEOUT: Duration = Duration::from_secs(60);

/// Downloads of studies' datasets. Clones share their places.
#[derive(Clone)]
pub(super) struct StudyDownloads {
    services: Services,
    pub(super) places: RequestPlaces,
    aligner: WordAligner,
}

/// Why a download did not begin.
#[derive(Debug)]
pub(super) enum ExportError {
    /// The export did not begin: a description for the log, and the cause.
    Export(&'static str, ExportFailure),
    /// A choice does not fit. The sentence says what to change.
    Choice(String),
    /// The download could not be recorded in the log of changes.
    Audit(store::Error),
}

/// The choices of the export's form.
#[derive(Deserialize)]
pub(super) struct ExportQuery {
    /// `in-work`: also answers about open sources; `consensus`: the judgements on which raters agreed.
    pub(super) count: Option<String>,
    /// `guarded`: no cell that a spreadsheet would run as a formula.
    pub(super) cells: Option<String>,
    /// `with-accepted`: also alignments of edits that annotators left unchanged.
    pub(super) edits: Option<String>,
    pub(super) dimension: Option<String>,
    /// The licence of a dataset folder; empty for none.
    pub(super) license: Option<String>,
    /// The languages of a dataset folder, separated by commas; empty for the default.
    pub(super) language: Option<String>,
}

/// The route of downloads, `/s/STUDY/export/FORMAT.zip`.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(downloads: StudyDownloads) -> Router<S> {
    Router::new()
        .route("/s/{slug}/export/{file}", get(download))
        .with_state(downloads)
}

async fn download(
    State(downloads): State<StudyDownloads>,
    Extension(visitor): Extension<Visitor>,
    Path((slug, file)): Path<(String, String)>,
    Query(choice): Query<ExportQuery>,
    uri: Uri,
) -> Response {
    let study = match authorise_reader(&downloads.services, &visitor, &slug).await {
        Ok(study) => study,
        Err(refusal) => return refusal_response(&refusal, &uri),
    };

    let format = file.strip_suffix(".zip").and_then(ExportFormat::from_name);
    let Some(format) = format else {
        return refusal_response(&Refusal::NotFound, &uri);
    };

    let place = match downloads.places.take(&visitor) {
        Ok(place) => place,
        Err(refusal) => return refusal_response(&refusal, &uri),
    };

    let subject = AuditSubject::Named(format!("{}-{}.zip", study.slug, format.name()));
    let (services, kind) = (&downloads.services, AuditKind::Exported);
    let entry = audit_entry(services, &visitor, kind, Some(study.id), subject);

    match downloads.begin(study, format, choice, place, entry).await {
        Ok(response) => response,
        Err(ExportError::Choice(sentence)) => refusal_response(&Refusal::Invalid(sentence), &uri),
        Err(ExportError::Export(_, ExportFailure::Store(error)) | ExportError::Audit(error)) => {
            refusal_response(&refuse_as(error, services.context), &uri)
        }
        Err(ExportError::Export(what, failure)) => error_page(what, &failure),
    }
}

impl StudyDownloads {
    pub(super) fn new(services: Services, aligner: WordAligner) -> Self {
        Self {
            services,
            places: RequestPlaces::new((MAX_DOWNLOADS, MAX_DOWNLOADS_PER_PERSON), "download"),
            aligner,
        }
    }

    /// Records the download in the log of changes, and returns a response that streams the archive while it is written.
    pub(super) async fn begin(
        &self,
        study: Study,
        format: ExportFormat,
        choice: ExportQuery,
        place: PlacePermit,
        entry: NewAuditEntry,
    ) -> Result<Response, ExportError> {
        let stem = format!("{}-{}", study.slug, format.name());
        let Services {
            store,
            context,
            live,
            ..
        } = &self.services;

        let request = choice.into_request(format, &study);
        let request = request.map_err(ExportError::Choice)?;

        let tools = ExportTools {
            aligner: self.aligner.clone(),
            word_ranks: self.services.word_ranks.clone(),
        };

        let now_ms = context.now_ms();
        let exporting = StudyExport::begin(store, live, study, request, tools, now_ms).await;
        let exporting = exporting
            .map_err(|failure| ExportError::Export("an export could not begin", failure))?;

        // Recorded once the export can begin, and before anything is sent.
        store
            .record_audit(entry)
            .await
            .map_err(ExportError::Audit)?;
        Ok(stream_archive(exporting, stem, place))
    }
}

impl ExportQuery {
    fn into_request(self, format: ExportFormat, study: &Study) -> Result<ExportRequest, String> {
        let dataset = match format.is_folder() {
            true => self.dataset_options()?,
            false => DatasetOptions::default(),
        };
        let first = study.settings.dimensions.first().cloned();

        let is = |parameter: Option<String>, value| parameter.as_deref() == Some(value);

        Ok(ExportRequest {
            format,
            dataset,
            which: match self.count.as_deref() {
                Some("in-work") => RatingScope::IncludingOpen,
                Some("consensus") => RatingScope::Consensus,
                _ => RatingScope::HandedIn,
            },
            cells: match is(self.cells, "guarded") {
                true => FormulaEscaping::Guarded,
                false => FormulaEscaping::Verbatim,
            },
            edits: match is(self.edits, "with-accepted") {
                true => AlignmentEdits::WithAccepted,
                false => AlignmentEdits::Corrected,
            },
            dimension: self
                .dimension
                .unwrap_or_else(|| first.unwrap_or_default().name),
        })
    }

    /// The choices for the card of a dataset folder. Empty fields of the form are left out.
    fn dataset_options(&self) -> Result<DatasetOptions, String> {
        let chosen = |field: &Option<String>| {
            let field = field.as_deref().map(str::trim);
            field.filter(|text| !text.is_empty()).map(str::to_owned)
        };

        let license = chosen(&self.license).map(|text| text.parse()).transpose();
        let license = license.map_err(|error: BadLicense| sentence(&error.to_string()))?;
        let languages = chosen(&self.language).map(|text| text.parse()).transpose();
        let languages = languages.map_err(|error: BadLanguages| sentence(&error.to_string()))?;

        Ok(DatasetOptions {
            license,
            languages: languages.unwrap_or_default(),
        })
    }
}

/// A response with the archive, which a thread writes while it is sent.
fn stream_archive(mut exporting: StudyExport, stem: String, place: PlacePermit) -> Response {
    let name = format!("{stem}.zip");
    let (to, from) = mpsc::channel(4);
    let runtime = Handle::current();

    tokio::task::spawn_blocking(move || {
        let sending = ChunkWriter {
            runtime,
            to,
            timeout: CHUNK_TIMEOUT,
        };

        let mut out = BufWriter::with_capacity(CHUNK_SIZE, sending);
        match write_zip(&mut exporting, &stem, &mut out) {
            Ok(()) => out
                .get_ref()
                .send_chunk(ArchiveChunk::End)
                .unwrap_or_default(),
            Err(ExportFailure::Write(error)) => tracing::debug!(%error, "a download was not taken"),
            Err(failure) => tracing::error!(%failure, "an export broke off"),
        }
        drop(place);
    });

    attachment(&name, "application/zip", archive_body(from))
}

/// The chunks up to the end mark. Without the mark the body breaks off, so that half an archive is never taken for a
/// whole one.
fn archive_body(from: mpsc::Receiver<ArchiveChunk>) -> Body {
    Body::from_stream(stream::try_unfold(from, |mut from| async move {
        match from.recv().await {
            Some(ArchiveChunk::Bytes(bytes)) => Ok(Some((bytes, from))),
            Some(ArchiveChunk::End) => Ok(None),
            None => Err(io::Error::other("the export broke off")),
        }
    }))
}

enum ArchiveChunk {
    Bytes(Bytes),
    End,
}

/// Passes written bytes on to a response, as fast as the browser takes them.
struct ChunkWriter {
    runtime: Handle,
    to: mpsc::Sender<ArchiveChunk>,
    /// How long the browser may take over a chunk.
    timeout: Duration,
}

impl ChunkWriter {
    fn send_chunk(&self, piece: ArchiveChunk) -> io::Result<()> {
        let send_piece = async { timeout(self.timeout, self.to.send(piece)).await };
        match self.runtime.block_on(send_piece) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The buffer passes large writes through whole; in chunks, the timeout applies to them as well.
        let bytes = &bytes[..bytes.len().min(CHUNK_SIZE)];
        self.send_chunk(ArchiveChunk::Bytes(Bytes::copy_from_slice(bytes)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    #[tokio::test]
    async fn a_download_that_trickles_is_given_up() {
        let (to, mut from) = mpsc::channel(1);
        let mut writer = ChunkWriter {
            runtime: Handle::current(),
            to,
            timeout: Duration::from_millis(200),
        };
        let sent = tokio::task::spawn_blocking(move || {
            let chunk = vec![0; 10 * CHUNK_SIZE];
            let error = writer.write_all(&chunk).expect_err("it is too slow");
            error.kind()
        });

        for _ in 0..3 {
            let Some(ArchiveChunk::Bytes(bytes)) = from.recv().await else {
                panic!("it goes on while it is read");
            };
            assert_eq!(bytes.len(), CHUNK_SIZE);
        }
        assert_eq!(sent.await.unwrap(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_download_that_breaks_off_is_no_whole_one() {
        for (ends, expect) in [(true, Some("half")), (false, None)] {
            let (to, from) = mpsc::channel(2);
            assert!(to.send(ArchiveChunk::Bytes("half".into())).await.is_ok());
            if ends {
                assert!(to.send(ArchiveChunk::End).await.is_ok());
            }
            drop(to);
            let actual = to_bytes(archive_body(from), 9).await.ok();
            assert_eq!(actual.as_deref(), expect.map(str::as_bytes));
        }
    }
}
