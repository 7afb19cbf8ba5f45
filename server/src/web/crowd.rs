//! The pay sheet of crowd raters.

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
use formats::FormulaEscaping;
use leptos::prelude::LeptosOptions;
use store::audit::{AuditKind, AuditSubject};

use super::{
    attachment::attachment,
    panics::error_page,
    study_access::{authorise_lead, refusal_response},
};
use service::export::write_pay_sheet;

/// The route `/s/STUDY/crowd/pay.csv`.
pub(super) fn routes(services: Services) -> Router<LeptosOptions> {
    Router::new()
        .route("/s/{slug}/crowd/pay.csv", get(download))
        .with_state(services)
}

async fn download(
    State(services): State<Services>,
    Extension(visitor): Extension<Visitor>,
    Path(slug): Path<String>,
    uri: Uri,
) -> Response {
    let study = match authorise_lead(&services, &visitor, &slug).await {
        Ok(study) => study,
        Err(refusal) => return refusal_response(&refusal, &uri),
    };

    let raters = match services.store.crowd_raters(study.id).await {
        Ok(raters) => raters,
        Err(error) => return refusal_response(&refuse_as(error, services.context), &uri),
    };

    let codes = &study.settings.crowd.codes;
    // Platforms append text of any kind to an address, and the sheet is opened in a spreadsheet.
    let bytes = match write_pay_sheet(&raters, codes, FormulaEscaping::Guarded) {
        Ok(bytes) => bytes,
        Err(error) => return error_page("a pay sheet broke off", &error),
    };

    let file = format!("{slug}-pay.csv");
    let subject = AuditSubject::Named(file.clone());
    let kind = AuditKind::Exported;
    let entry = audit_entry(&services, &visitor, kind, Some(study.id), subject);
    if let Err(error) = services.store.record_audit(entry).await {
        return refusal_response(&refuse_as(error, services.context), &uri);
    }

    attachment(&file, "text/csv; charset=utf-8", bytes)
}
