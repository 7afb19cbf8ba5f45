//! Requests that are refused by their heads alone, before the site sees them.

use axum::{
    http::{Method, Request, StatusCode, Version, header},
    response::{IntoResponse as _, Response},
};

/// The response to a request that a site cannot serve; `None` for all others.
///
/// `CONNECT` asks for a proxy's connection and has no path, on which the router would panic. A request names
/// one host (RFC 9112, section 3.2): if it names several, a proxy may read another one than the site.
pub(super) fn refuse<B>(request: &Request<B>) -> Option<Response> {
    if request.method() == Method::CONNECT {
        let allowed = [(header::ALLOW, "GET, HEAD, POST")];
        let sentence = "This server connects to no others.";
        return Some((StatusCode::METHOD_NOT_ALLOWED, allowed, sentence).into_response());
    }

    if !request.uri().path().starts_with('/') {
        let sentence = "The request names no path that begins with “/”.";
        return Some((StatusCode::BAD_REQUEST, sentence).into_response());
    }

    let hosts = request.headers().get_all(header::HOST).iter().count();
    let may_lack_host = request.version() < Version::HTTP_11;
    if hosts > 1 || (hosts == 0 && !may_lack_host) {
        let sentence = "A request has one header “Host”.";
        return Some((StatusCode::BAD_REQUEST, sentence).into_response());
    }

    None
}
