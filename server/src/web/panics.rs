//! A defect in one request is an answer of its own, and the server goes on.

use std::any::Any;

use axum::{
    http::StatusCode,
    response::{Html, IntoResponse, Response},
};

use crate::clock;

/// The page for a request that panicked, with the reference under which it was logged.
pub(super) fn page(panic: Box<dyn Any + Send + 'static>) -> Response {
    let said = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("nothing");
    let reference = clock::new_id().simple().to_string();
    tracing::error!(reference, said, "a request panicked");
    let page = format!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Something went wrong \
         · Rank &amp; Rate</title><h1>Something went wrong on the server</h1><p>What was saved \
         before is safe. Try again, or report the reference {reference}.</p></html>"
    );
    (StatusCode::INTERNAL_SERVER_ERROR, Html(page)).into_response()
}
