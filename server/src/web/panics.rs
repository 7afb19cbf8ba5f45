//! Error pages: a defect in one request is answered with a page, and the server keeps running.

use std::{any::Any, error::Error};

use axum::{
    http::StatusCode,
    response::{Html, IntoResponse, Response},
};

use service::{panic_message, wording::error_chain};

use crate::clock;

/// The page for a request that panicked, with the reference under which it was logged.
pub(super) fn panic_page(panic: Box<dyn Any + Send + 'static>) -> Response {
    logged_page("a request panicked", panic_message(&*panic))
}

/// The page for a request that failed with an internal error, with the reference under which the error and its causes
/// are logged.
pub(super) fn error_page(what: &str, error: &dyn Error) -> Response {
    logged_page(what, &error_chain(error))
}

fn logged_page(what: &str, why: &str) -> Response {
    let reference = clock::new_id().simple().to_string();
    tracing::error!(reference, why, "{what}");
    let page = format!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Something went wrong \
         · Rank &amp; Rate</title><h1>Something went wrong on the server</h1><p>What was saved \
         before is safe. Try again, or report the reference {reference}.</p></html>"
    );
    (StatusCode::INTERNAL_SERVER_ERROR, Html(page)).into_response()
}

#[cfg(test)]
mod tests {
    use app::components::figure_or_notice;
    use axum::{Router, body::Body, http::Request, routing::get};
    use leptos::prelude::{Owner, RenderHtml as _, provide_context};
    use service::FigureError;
    use tower::ServiceExt as _;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;
    use crate::web::testing::TestSite;

    #[tokio::test]
    async fn a_notice_stands_in_the_place_of_a_figure_that_panicked() {
        let site = TestSite::new().await;
        let notice = Owner::new().with(|| {
            provide_context(site.services.clone());
            let failed: Result<(), _> = Err(FigureError::Panicked("a variance of −1".to_owned()));
            let shown = figure_or_notice(failed).expect("the page is not refused");
            shown.expect_err("there is no figure").to_html()
        });

        assert!(
            notice.contains("This figure cannot be computed"),
            "{notice}"
        );
        assert!(notice.contains("with the reference <code>"), "{notice}");

        // The message is only in the log; people get the reference to it.
        assert!(!notice.contains("variance"), "{notice}");
    }

    #[tokio::test]
    async fn a_panic_is_answered() {
        async fn panics() {
            panic!("on purpose");
        }

        let site = Router::new()
            .route("/", get(panics))
            .layer(CatchPanicLayer::custom(panic_page));
        let request = Request::get("/").body(Body::empty()).expect("a request");
        let answer = site.oneshot(request).await.expect("infallible");
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
