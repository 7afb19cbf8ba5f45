//! Headers of every response.

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::Response,
};

/// Default headers, for responses that do not set their own. A page brings its own content policy with its nonce;
/// anything else that is opened by itself may load nothing. Nothing is cached: even with `no-cache`, the back button
/// would show pages to the next person at the device. This does not bind the service worker's cache, in which the
/// workspace works offline and which is emptied at sign-out.
const DEFAULTS: [(HeaderName, &str); 7] = [
    (header::CACHE_CONTROL, "no-store"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'; sandbox",
    ),
    (header::REFERRER_POLICY, "same-origin"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Sets the default headers. If the site uses https, browsers are required to keep using it.
pub(super) async fn set(
    State(transport_security): State<Option<&'static str>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in DEFAULTS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    if let Some(policy) = transport_security {
        let policy = HeaderValue::from_static(policy);
        headers.insert(header::STRICT_TRANSPORT_SECURITY, policy);
    }
    response
}
