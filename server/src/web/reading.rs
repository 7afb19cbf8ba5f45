//! Files of reading comprehension, in and out.

use app::{
    Services,
    accounts::Visitor,
    api::{refuse_as, sentence},
    comprehension::{bring_in, digest},
    error::Refusal,
};
use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Multipart, Path, Query, State},
    http::{HeaderValue, Uri, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use domain::ids::StudyId;
use formats::{
    Cells,
    comprehension::{Comprehension, MAX_FILE_BYTES, Mapping, read_comprehension},
};
use leptos::prelude::LeptosOptions;
use serde::Deserialize;

use super::{
    forms,
    panics::apology,
    study::{authorised, refused},
    uploads::{broken, lead_on, led},
};
use crate::export::Readings;

/// Bad rows that are named; a file with one is taken as a whole or not at all.
const NAMED: usize = 3;

/// Where a form with a file posts to (fields `slug`, then `files`), and `/s/STUDY/reading/answers.zip`.
pub(super) fn routes(services: Services) -> Router<LeptosOptions> {
    let take = async |State(services): State<Services>,
                      Extension(visitor): Extension<Visitor>,
                      mut form: Multipart| {
        match take(&services, &visitor, &mut form).await {
            Ok(path) => lead_on(&path),
            Err(refusal) => {
                // A browser that is answered too early may say that the server is gone.
                while let Ok(Some(mut rest)) = form.next_field().await {
                    while let Ok(Some(_)) = rest.chunk().await {}
                }
                forms::refused(&refusal)
            }
        }
    };
    Router::new()
        .route("/api/reading-upload", post(take))
        .layer(DefaultBodyLimit::disable())
        .route("/s/{slug}/reading/answers.zip", get(download))
        .with_state(services)
}

/// Takes the file, and tells which page of the site shows what came of it.
async fn take(
    services: &Services,
    visitor: &Visitor,
    form: &mut Multipart,
) -> Result<String, Refusal> {
    let mut study = None;
    while let Some(mut field) = form.next_field().await.map_err(broken)? {
        match (field.name().unwrap_or_default(), &study) {
            ("slug", _) => {
                let slug = field.text().await.map_err(broken)?;
                study = Some(led(services, visitor, &slug).await?);
            }
            ("files", Some((study, slug))) => {
                let mut bytes = Vec::new();
                while let Some(chunk) = field.chunk().await.map_err(broken)? {
                    bytes.extend_from_slice(&chunk);
                    if bytes.len() as u64 > MAX_FILE_BYTES {
                        let most = MAX_FILE_BYTES >> 20;
                        let sentence = format!("This is more than the {most} MB that are taken.");
                        return Err(Refusal::Invalid(sentence));
                    }
                }
                add(services, *study, bytes).await?;
                return Ok(format!("/s/{slug}/reading"));
            }
            _ => {}
        }
    }
    match study {
        Some(_) => Err(Refusal::invalid("No file is chosen: choose one.")),
        None if visitor.session.is_none() => Err(Refusal::NotSignedIn),
        None => Err(Refusal::NotFound),
    }
}

async fn add(services: &Services, study: StudyId, bytes: Vec<u8>) -> Result<(), Refusal> {
    let read = tokio::task::spawn_blocking(move || {
        let file = read_comprehension(&bytes[..], &Mapping::default());
        file.map(|file| (file, digest(&bytes)))
    });
    let read = read.await.expect("reading does not panic");
    let (file, digest) = read.map_err(|fault| Refusal::Invalid(sentence(&fault.to_string())))?;
    whole(&file)?;
    let (now, new_id) = ((services.now_ms)(), services.new_id);
    let added = bring_in(&services.store, study, &file, &digest, new_id, now).await;
    added.map(drop).map_err(|error| refuse_as(error, new_id))
}

/// Refuses a file that has a bad row.
fn whole(file: &Comprehension) -> Result<(), Refusal> {
    if file.bad_rows.is_empty() {
        return Ok(());
    }
    let named = file.bad_rows.iter().take(NAMED);
    let named: Vec<_> = named.map(|bad| sentence(&bad.to_string())).collect();
    let more = match file.bad_rows.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" And {more} more."),
    };
    Err(Refusal::Invalid(format!(
        "Nothing was brought in, for some rows cannot be taken. {}{more}",
        named.join(" "),
    )))
}

/// What the export's form asks for.
#[derive(Deserialize)]
struct Choice {
    /// `guarded`: nothing that a spreadsheet would run.
    cells: Option<String>,
}

async fn download(
    State(services): State<Services>,
    Extension(visitor): Extension<Visitor>,
    Path(slug): Path<String>,
    Query(choice): Query<Choice>,
    uri: Uri,
) -> Response {
    let study = match authorised(&services, visitor, &slug).await {
        Ok(study) => study,
        Err(refusal) => return refused(&refusal, &uri),
    };
    let cells = match choice.cells.as_deref() {
        Some("guarded") => Cells::Guarded,
        _ => Cells::Verbatim,
    };
    let read = async {
        Ok::<_, store::Error>(Readings {
            study: study.slug.to_string(),
            material: services.store.material(study.id).await?,
            answers: services.store.reading_answers(study.id).await?,
        })
    };
    let readings = match read.await {
        Ok(readings) => readings,
        Err(error) => return apology("answers could not be read", &error),
    };
    let zip = tokio::task::spawn_blocking(move || readings.write_zip(cells)).await;
    let bytes = match zip.expect("writing into memory does not panic") {
        Ok(bytes) => bytes,
        Err(error) => return apology("an export broke off", &error),
    };
    let disposition = format!("attachment; filename=\"{slug}-reading.zip\"");
    let disposition = HeaderValue::from_str(&disposition).expect("short names are plain");
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/zip"),
        ),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, bytes).into_response()
}
