//! Access to a study's downloads, uploads and events.

use app::{
    Services, error::Refusal, layout::sign_in_address, links, request::access_as, visitor::Visitor,
};
use axum::{
    http::{StatusCode, Uri},
    response::{IntoResponse, Redirect, Response},
};
use store::Study;

/// The study with that short name, if the visitor may read its figures and export it.
pub(super) async fn authorise_reader(
    services: &Services,
    visitor: &Visitor,
    slug: &str,
) -> Result<Study, Refusal> {
    let access = access_as(services, visitor, slug).await?;
    access.require_panel_access()?;
    Ok(access.study.clone())
}

/// The study with that short name, if the visitor leads it.
pub(super) async fn authorise_lead(
    services: &Services,
    visitor: &Visitor,
    slug: &str,
) -> Result<Study, Refusal> {
    let access = access_as(services, visitor, slug).await?;
    access.require_lead()?;
    Ok(access.study.clone())
}

/// The response to a refusal: a redirect to the sign-in page, or the reason.
pub(super) fn refusal_response(refusal: &Refusal, uri: &Uri) -> Response {
    if *refusal == Refusal::NotSignedIn {
        let current_address = uri.path_and_query().map_or("/", |path| path.as_str());
        return Redirect::to(&links::to(&sign_in_address(current_address))).into_response();
    }
    let status = StatusCode::from_u16(refusal.status());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, refusal.to_string()).into_response()
}
