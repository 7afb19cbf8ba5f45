//! Who may have what of a study that is no page.

use app::{Services, error::Refusal, layout::sign_in_address, links, visitor::Visitor};
use axum::{
    http::{StatusCode, Uri},
    response::{IntoResponse, Redirect, Response},
};
use domain::study::Slug;
use store::Study;

/// The study of that short name, where whoever asks may read its figures and take it out.
pub(super) async fn authorise_reader(
    services: &Services,
    visitor: Visitor,
    slug: &str,
) -> Result<Study, Refusal> {
    let person = visitor.session.ok_or(Refusal::NotSignedIn)?.person;
    let slug: Slug = slug.parse().map_err(|_| Refusal::NotFound)?;
    let access = services
        .store
        .study_access(person.id, &slug)
        .await
        .map_err(|error| {
            let reference = services.context.new_id().simple().to_string();
            tracing::error!(reference, %error, "a study could not be looked up");
            Refusal::Internal(reference)
        })?;
    let access = access.ok_or(Refusal::NotFound)?;
    if access.researches() {
        Ok(access.study)
    } else {
        Err(Refusal::NotAllowed)
    }
}

/// Why not, or the way to sign in.
pub(super) fn refusal_response(refusal: &Refusal, uri: &Uri) -> Response {
    if *refusal == Refusal::NotSignedIn {
        let here = uri.path_and_query().map_or("/", |path| path.as_str());
        return Redirect::to(&links::to(&sign_in_address(here))).into_response();
    }
    let status = StatusCode::from_u16(refusal.status());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, refusal.to_string()).into_response()
}
