//! Files that the browser saves.

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};

/// A response that the browser saves as a file of this name and media type, and that is never cached.
pub(super) fn attachment(
    name: &str,
    media_type: &'static str,
    content: impl IntoResponse,
) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_str(&disposition).expect("short names are plain"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, content).into_response()
}
