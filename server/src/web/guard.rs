//! Only the site's own pages may request changes.
//!
//! A browser says where a request comes from: in `Sec-Fetch-Site` on https and localhost, in `Origin` with every
//! request that may change something. A request with neither does not come from a browser, so it cannot carry the
//! cookies of an unsuspecting person.

use app::error::Refusal;
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use url::Url;

use crate::settings::WebSettings;

/// The origin that requests must come from.
#[derive(Debug, Clone)]
pub(super) struct OriginGuard {
    /// The public origin of the site, if it is set.
    public_origin: Option<String>,
}

impl OriginGuard {
    pub(super) fn new(settings: &WebSettings) -> Self {
        let origin = |url: &Url| url.origin().ascii_serialization();
        Self {
            public_origin: settings.public_url.as_ref().map(origin),
        }
    }

    /// Checks whether a request may change something.
    ///
    /// # Errors
    /// A sentence that says why it may not.
    fn check_origin(&self, method: &Method, headers: &HeaderMap) -> Result<(), String> {
        if matches!(
            *method,
            Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE
        ) {
            return Ok(());
        }

        match header_text(headers, HeaderName::from_static("sec-fetch-site")) {
            Some("same-origin" | "none") => return Ok(()),
            Some(_) => return Err(refusal("another site", "")),
            None => {}
        }

        let Some(origin) = header_text(headers, header::ORIGIN) else {
            return Ok(());
        };
        if self.public_origin.as_deref() == Some(origin) {
            return Ok(());
        }

        let host = header_text(headers, header::HOST).unwrap_or_default();
        let named = origin.split_once("://").map_or("", |(_, host)| host);
        if self.public_origin.is_none() && !named.is_empty() && named.eq_ignore_ascii_case(host) {
            return Ok(());
        }

        let expected = self.public_origin.as_deref().unwrap_or(host);
        Err(refusal(
            origin,
            &format!(" (the site is reached as {expected})"),
        ))
    }
}

/// Refuses requests of other sites with 403, and names the setting that may be wrong.
pub(super) async fn refuse_other_sites(
    State(guard): State<OriginGuard>,
    request: Request,
    next: Next,
) -> Response {
    match guard.check_origin(request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(sentence) => {
            tracing::warn!(path = request.uri().path(), "{sentence}");
            let accept = header_text(request.headers(), header::ACCEPT).unwrap_or_default();
            // A page or a script shows the sentence; the workspace reads JSON.
            if accept.starts_with("text/") {
                (StatusCode::FORBIDDEN, sentence).into_response()
            } else {
                (StatusCode::FORBIDDEN, Json(Refusal::invalid(sentence))).into_response()
            }
        }
    }
}

fn refusal(origin: &str, but: &str) -> String {
    format!(
        "This was asked for by {origin}{but}, and only the site's own pages may ask for changes. \
         If this is your own server behind a proxy, start it with --public-url (or \
         RANKRATE_PUBLIC_URL) set to the address that people type."
    )
}

fn header_text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn allowed(public: Option<&str>, headers: &[(&'static str, &'static str)]) -> bool {
        let guard = OriginGuard {
            public_origin: public.map(str::to_owned),
        };

        let headers = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        guard.check_origin(&Method::POST, &headers).is_ok()
    }

    #[test]
    fn the_sites_own_pages_may_change_things() {
        let public = Some("https://rate.example.org");
        for (public, headers, expect) in [
            (None, vec![("sec-fetch-site", "same-origin")], true),
            (None, vec![("sec-fetch-site", "cross-site")], false),
            (None, vec![("sec-fetch-site", "same-site")], false),
            (
                None,
                vec![("origin", "http://a:3000"), ("host", "a:3000")],
                true,
            ),
            (
                None,
                vec![("origin", "http://b:3000"), ("host", "a:3000")],
                false,
            ),
            (None, vec![("origin", "null"), ("host", "a:3000")], false),
            (None, vec![("origin", "null"), ("host", "")], false),
            (None, vec![("host", "a:3000")], true),
            (
                public,
                vec![("origin", "https://rate.example.org"), ("host", "10.0.0.1")],
                true,
            ),
            (
                public,
                vec![("origin", "http://10.0.0.1"), ("host", "10.0.0.1")],
                false,
            ),
        ] {
            assert_eq!(allowed(public, &headers), expect, "{public:?} {headers:?}");
        }
    }

    #[test]
    fn reading_is_open_to_all() {
        let guard = OriginGuard {
            public_origin: None,
        };
        let mut headers = HeaderMap::new();
        headers.insert("sec-fetch-site", HeaderValue::from_static("cross-site"));
        assert!(guard.check_origin(&Method::GET, &headers).is_ok());
        assert!(guard.check_origin(&Method::DELETE, &headers).is_err());
    }
}
