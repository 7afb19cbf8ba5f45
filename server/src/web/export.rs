//! A study's dataset as a download: a ZIP archive that is made while it is sent.

use std::{
    io::{self, BufWriter, Write},
    sync::Arc,
    time::Duration,
};

use app::{Services, accounts::Visitor, error::Refusal};
use axum::{
    Extension, Router,
    body::{Body, Bytes},
    extract::{Path, Query, State},
    http::{HeaderValue, Uri, header},
    response::{IntoResponse, Response},
    routing::get,
};
use clap::ValueEnum as _;
use formats::Cells;
use futures::stream;
use learn::aligner::Aligner;
use serde::Deserialize;
use store::{Study, ratings::Which};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    time::timeout,
};

use super::{
    panics::apology,
    study::{authorised, refused},
};
use crate::export::{Asked, Edits, Exporting, Failure, Format, write_zip};

/// Downloads that are made at once: each holds a connection to the database and a thread.
const AT_ONCE: usize = 8;

/// Bytes that are sent at once.
const PIECE: usize = 64 * 1024;

/// How long a browser may take none of a download before it is given up.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Clone)]
struct Downloads {
    services: Services,
    places: Arc<Semaphore>,
    aligner: Arc<Aligner>,
}

/// What goes in, as the form of the page of exports asks for it.
#[derive(Deserialize)]
struct Choice {
    /// `in-work`: answers of open sources as well.
    count: Option<String>,
    /// `guarded`: nothing that a spreadsheet would run.
    cells: Option<String>,
    /// `with-accepted`: alignments of edits that annotators left as they were as well.
    edits: Option<String>,
    dimension: Option<String>,
}

/// The route of downloads, `/s/STUDY/export/FORMAT.zip`.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(
    services: Services,
    aligner: Arc<Aligner>,
) -> Router<S> {
    let downloads = Downloads {
        services,
        places: Arc::new(Semaphore::new(AT_ONCE)),
        aligner,
    };
    Router::new()
        .route("/s/{slug}/export/{file}", get(download))
        .with_state(downloads)
}

async fn download(
    State(downloads): State<Downloads>,
    Extension(visitor): Extension<Visitor>,
    Path((slug, file)): Path<(String, String)>,
    Query(choice): Query<Choice>,
    uri: Uri,
) -> Response {
    let study = match authorised(&downloads.services, visitor, &slug).await {
        Ok(study) => study,
        Err(refusal) => return refused(&refusal, &uri),
    };
    let format = file
        .strip_suffix(".zip")
        .map(|name| Format::from_str(name, false));
    let Some(Ok(format)) = format else {
        return refused(&Refusal::NotFound, &uri);
    };
    let Ok(place) = Arc::clone(&downloads.places).try_acquire_owned() else {
        return refused(&Refusal::Busy, &uri);
    };
    let stem = format!("{}-{}", study.slug, format.name());
    let Services { store, now_ms, .. } = &downloads.services;
    let (asked, aligner) = (choice.asked(format, &study), downloads.aligner.clone());
    match Exporting::begin(store, study, asked, aligner, now_ms()).await {
        Ok(exporting) => sent(exporting, stem, place),
        Err(failure) => apology("an export could not begin", &failure),
    }
}

impl Choice {
    fn asked(self, format: Format, study: &Study) -> Asked {
        let first = study.settings.dimensions.first().cloned();
        let is = |found: Option<String>, value| found.as_deref() == Some(value);
        Asked {
            format,
            which: match is(self.count, "in-work") {
                true => Which::WithInWork,
                false => Which::HandedIn,
            },
            cells: match is(self.cells, "guarded") {
                true => Cells::Guarded,
                false => Cells::Verbatim,
            },
            edits: match is(self.edits, "with-accepted") {
                true => Edits::WithAccepted,
                false => Edits::Corrected,
            },
            dimension: self
                .dimension
                .unwrap_or_else(|| first.unwrap_or_default().name),
        }
    }
}

/// The answer, which goes on being made while it is sent.
fn sent(mut exporting: Exporting, stem: String, place: OwnedSemaphorePermit) -> Response {
    let disposition = format!("attachment; filename=\"{stem}.zip\"");
    let disposition = HeaderValue::from_str(&disposition).expect("short names are plain");
    let (to, from) = mpsc::channel(4);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let sending = Sending { runtime, to };
        let mut out = BufWriter::with_capacity(PIECE, sending);
        match write_zip(&mut exporting, &stem, &mut out) {
            Ok(()) => out.get_ref().give(Piece::End).unwrap_or_default(),
            Err(Failure::Write(error)) => tracing::debug!(%error, "a download was not taken"),
            Err(failure) => tracing::error!(%failure, "an export broke off"),
        }
        drop(place);
    });
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/zip"),
        ),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, body(from)).into_response()
}

/// All pieces up to the last. Where that does not come the body breaks off, so that nobody takes
/// half an archive for a whole one.
fn body(from: mpsc::Receiver<Piece>) -> Body {
    Body::from_stream(stream::try_unfold(from, |mut from| async move {
        match from.recv().await {
            Some(Piece::Bytes(bytes)) => Ok(Some((bytes, from))),
            Some(Piece::End) => Ok(None),
            None => Err(io::Error::other("the export broke off")),
        }
    }))
}

enum Piece {
    Bytes(Bytes),
    End,
}

/// Gives what is written to a response, as fast as the browser takes it.
struct Sending {
    runtime: Handle,
    to: mpsc::Sender<Piece>,
}

impl Sending {
    fn give(&self, piece: Piece) -> io::Result<()> {
        let given = async { timeout(PATIENCE, self.to.send(piece)).await };
        match self.runtime.block_on(given) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Write for Sending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.give(Piece::Bytes(Bytes::copy_from_slice(bytes)))?;
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
    async fn a_download_that_breaks_off_is_no_whole_one() {
        for (ends, expect) in [(true, Some("half")), (false, None)] {
            let (to, from) = mpsc::channel(2);
            assert!(to.send(Piece::Bytes("half".into())).await.is_ok());
            if ends {
                assert!(to.send(Piece::End).await.is_ok());
            }
            drop(to);
            let got = to_bytes(body(from), 9).await.ok();
            assert_eq!(got.as_deref(), expect.map(str::as_bytes));
        }
    }
}
