//! Files of reading comprehension, in and out.

use app::{
    Services,
    error::Refusal,
    request::{audit_entry, refuse_as},
    visitor::Visitor,
};
use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Multipart, Path, Query, State},
    http::Uri,
    response::Response,
    routing::{get, post},
};
use domain::ids::{StudyId, UploadId};
use formats::{FormulaEscaping, comprehension::MAX_FILE_BYTES};
use leptos::prelude::LeptosOptions;
use serde::Deserialize;
use store::{
    NewUpload,
    audit::{AuditKind, AuditSubject},
};

use super::{
    attachment::attachment,
    multipart::{self, field_text, multipart_refusal, plain_file_name},
    panics::error_page,
    study_access::{authorise_lead, authorise_reader, refusal_response},
    uploads::store_file,
};
use service::{comprehension::ComprehensionUpload, export::ComprehensionArchive};

/// The routes `/api/reading-upload`, to which a form posts (`slug`, then `files`), and `/s/STUDY/reading/answers.zip`.
pub(super) fn routes(services: Services) -> Router<LeptosOptions> {
    let take = async |State(services): State<Services>,
                      Extension(visitor): Extension<Visitor>,
                      mut form: Multipart| {
        let page = receive_file(&services, &visitor, &mut form).await;
        multipart::answer(form, page).await
    };

    Router::new()
        .route("/api/reading-upload", post(take))
        .layer(DefaultBodyLimit::disable())
        .route("/s/{slug}/reading/answers.zip", get(download))
        .with_state(services)
}

/// Stores the file and returns the path of the page that shows its content.
async fn receive_file(
    services: &Services,
    visitor: &Visitor,
    form: &mut Multipart,
) -> Result<String, Refusal> {
    let session = visitor.session.as_ref().ok_or(Refusal::NotSignedIn)?;

    let mut study = None;
    while let Some(field) = form.next_field().await.map_err(multipart_refusal)? {
        match (field.name().unwrap_or_default(), &study) {
            ("slug", _) => {
                let slug = field_text(field).await?;
                study = Some(authorise_lead(services, visitor, &slug).await?);
            }
            ("files", Some(study)) => {
                let Some(name) = field.file_name().filter(|name| !name.is_empty()) else {
                    continue;
                };
                let new = NewUpload {
                    id: UploadId(services.context.new_id()),
                    study: study.id,
                    name: &plain_file_name(name),
                    size: i64::try_from(MAX_FILE_BYTES).expect("some megabytes"),
                    created_by: Some(session.person.id),
                };
                let id = new.id;
                let refuse = |error| refuse_as(error, services.context);
                let created = services
                    .store
                    .create_upload(&new, services.context.now_ms());
                created.await.map_err(refuse)?;

                let mut stored = store_file(services, id, field).await;
                if stored.is_ok() {
                    stored = check_file(services, study.id, id).await;
                }
                // Refused files are not kept.
                if let Err(refusal) = stored {
                    services.store.delete_upload(id).await.map_err(refuse)?;
                    return Err(refusal);
                }

                return Ok(format!("/s/{}/reading/import/{id}", study.slug));
            }
            _ => {}
        }
    }

    match study {
        Some(_) => Err(Refusal::invalid("Choose a file first.")),
        None => Err(Refusal::NotFound),
    }
}

/// Refuses a file that its page could not show.
async fn check_file(services: &Services, study: StudyId, id: UploadId) -> Result<(), Refusal> {
    let found = ComprehensionUpload::find(&services.store, study, id).await;
    let found = found.map_err(|error| refuse_as(error, services.context))?;
    let upload = found.ok_or(Refusal::NotFound)?;
    upload.check().await.map_err(Refusal::Invalid)
}

/// The choices of the export's form.
#[derive(Deserialize)]
struct AnswersQuery {
    /// `guarded`: no cell that a spreadsheet would run as a formula.
    cells: Option<String>,
}

async fn download(
    State(services): State<Services>,
    Extension(visitor): Extension<Visitor>,
    Path(slug): Path<String>,
    Query(choice): Query<AnswersQuery>,
    uri: Uri,
) -> Response {
    let study = match authorise_reader(&services, &visitor, &slug).await {
        Ok(study) => study,
        Err(refusal) => return refusal_response(&refusal, &uri),
    };

    let cells = match choice.cells.as_deref() {
        Some("guarded") => FormulaEscaping::Guarded,
        _ => FormulaEscaping::Verbatim,
    };

    let read = async {
        Ok::<_, store::Error>(ComprehensionArchive {
            study: study.slug.to_string(),
            material: services.store.comprehension_material(study.id).await?,
            answers: services.store.participant_answers(study.id).await?,
            participants: services.store.participants(study.id).await?,
        })
    };

    let readings = match read.await {
        Ok(readings) => readings,
        Err(error) => return refusal_response(&refuse_as(error, services.context), &uri),
    };
    let zip = tokio::task::spawn_blocking(move || readings.write_zip(cells)).await;
    let bytes = match zip.expect("writing into memory does not panic") {
        Ok(bytes) => bytes,
        Err(error) => return error_page("an export broke off", &error),
    };

    let file = format!("{slug}-reading.zip");
    let subject = AuditSubject::Named(file.clone());
    let entry = audit_entry(
        &services,
        &visitor,
        AuditKind::Exported,
        Some(study.id),
        subject,
    );
    if let Err(error) = services.store.record_audit(entry).await {
        return refusal_response(&refuse_as(error, services.context), &uri);
    }

    attachment(&file, "application/zip", bytes)
}
