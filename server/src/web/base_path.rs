//! A site under a path of a larger one.

use axum::{Router, extract::Request, http::Uri};
use tower::Layer as _;
use tower::util::MapRequestLayer;

/// Removes `base` from every address before the site sees it.
///
/// A proxy may have removed it already, so an address without it is left as it is.
pub(super) fn strip_base(base: String, site: Router) -> Router {
    if base.is_empty() {
        return site;
    }
    let strip = move |mut request: Request| {
        if let Some(uri) = strip_prefix(request.uri(), &base) {
            *request.uri_mut() = uri;
        }
        request
    };

    Router::new().fallback_service(MapRequestLayer::new(strip).layer(site))
}

/// The address without the base path; `None` if it is not below that path.
pub(super) fn strip_prefix(uri: &Uri, base: &str) -> Option<Uri> {
    let path = uri.path().strip_prefix(base)?;
    if !path.is_empty() && !path.starts_with('/') {
        return None;
    }
    let path = if path.is_empty() { "/" } else { path };

    match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    }
    .parse()
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_parts_are_taken_off() {
        for (uri, expect) in [
            ("/rate", Some("/")),
            ("/rate/", Some("/")),
            ("/rate/a?b=c", Some("/a?b=c")),
            ("/rated", None),
            ("/a", None),
        ] {
            let rest = strip_prefix(&Uri::from_static(uri), "/rate").map(|uri| uri.to_string());
            assert_eq!(rest.as_deref(), expect, "{uri}");
        }
    }
}
