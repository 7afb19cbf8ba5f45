//! Files of reading comprehension, in and out.

use app::{Services, accounts::Visitor, api::refuse_as, error::Refusal};
use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Multipart, Path, Query, State},
    http::{HeaderValue, Uri, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use domain::ids::UploadId;
use formats::{Cells, comprehension::MAX_FILE_BYTES};
use leptos::prelude::LeptosOptions;
use serde::Deserialize;
use store::NewUpload;

use super::{
    forms,
    panics::apology,
    study::{authorised, refused},
    uploads::{broken, lead_on, led, plain, take_file, text},
};
use crate::export::Readings;

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

/// Takes the file, and tells which page of the site shows what it holds.
async fn take(
    services: &Services,
    visitor: &Visitor,
    form: &mut Multipart,
) -> Result<String, Refusal> {
    let session = visitor.session.as_ref().ok_or(Refusal::NotSignedIn)?;
    let mut study = None;
    while let Some(field) = form.next_field().await.map_err(broken)? {
        match (field.name().unwrap_or_default(), &study) {
            ("slug", _) => {
                let slug = text(field).await?;
                study = Some(led(services, visitor, &slug).await?);
            }
            ("files", Some((study, slug))) => {
                let Some(name) = field.file_name().filter(|name| !name.is_empty()) else {
                    continue;
                };
                let new = NewUpload {
                    id: UploadId((services.new_id)()),
                    study: *study,
                    name: &plain(name),
                    size: i64::try_from(MAX_FILE_BYTES).expect("some megabytes"),
                    created_by: Some(session.person.id),
                };
                let id = new.id;
                let refuse = |error| refuse_as(error, services.new_id);
                let created = services.store.create_upload(&new, (services.now_ms)());
                created.await.map_err(refuse)?;
                if let Err(refusal) = take_file(services, id, field).await {
                    services.store.delete_upload(id).await.map_err(refuse)?;
                    return Err(refusal);
                }
                return Ok(format!("/s/{slug}/reading/import/{id}"));
            }
            _ => {}
        }
    }
    match study {
        Some(_) => Err(Refusal::invalid("No file is chosen: choose one.")),
        None => Err(Refusal::NotFound),
    }
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
            participants: services.store.readers(study.id).await?,
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
