//! Files of models that were trained on a study, `/s/STUDY/metrics/models/MODEL`: metrics for `rankrate score`,
//! `rankrate rerank` and further training, and aligners for `rankrate align`.

use app::{
    Services,
    request::{audit_entry, refuse_as},
    visitor::Visitor,
};
use axum::{
    Extension, Router,
    extract::{Path, State},
    http::Uri,
    response::Response,
    routing::get,
};
use domain::ids::ModelId;
use store::audit::{AuditKind, AuditSubject};

use super::{
    attachment::attachment,
    study_access::{authorise_reader, refusal_response},
};

pub(super) fn routes<S: Clone + Send + Sync + 'static>(services: Services) -> Router<S> {
    Router::new()
        .route("/s/{slug}/metrics/models/{model}", get(download))
        .with_state(services)
}

async fn download(
    State(services): State<Services>,
    Extension(visitor): Extension<Visitor>,
    Path((slug, model)): Path<(String, String)>,
    uri: Uri,
) -> Response {
    let study = match authorise_reader(&services, &visitor, &slug).await {
        Ok(study) => study,
        Err(refusal) => return refusal_response(&refusal, &uri),
    };

    let not_found = || refusal_response(&app::error::Refusal::NotFound, &uri);
    let Ok(id) = model.parse::<ModelId>() else {
        return not_found();
    };
    let file = match services.store.model_file(study.id, id).await {
        Ok(Some(file)) => file,
        Ok(None) => return not_found(),
        Err(error) => return refusal_response(&refuse_as(error, services.context), &uri),
    };

    let (kind, model) = (AuditKind::ModelDownloaded, AuditSubject::Model(id));
    let entry = audit_entry(&services, &visitor, kind, Some(study.id), model);
    if let Err(error) = services.store.record_audit(entry).await {
        return refusal_response(&refuse_as(error, services.context), &uri);
    }

    let kind = match services.store.aligners(study.id).await {
        Ok(aligners) if aligners.iter().any(|aligner| aligner.id == id) => "aligner",
        Ok(_) => "metric",
        Err(error) => return refusal_response(&refuse_as(error, services.context), &uri),
    };

    attachment(
        &format!("{slug}-{kind}.safetensors"),
        "application/octet-stream",
        file,
    )
}
