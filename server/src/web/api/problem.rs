//! Failures as problem details (RFC 9457).

use std::error::Error;

use app::{error::Refusal, request::refuse_as};
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use service::{Context, FigureError, wording::error_chain};
use utoipa::ToSchema;

use crate::calls::{CallError, CallErrorKind};

/// The media type of problem details.
const MEDIA_TYPE: &str = "application/problem+json";

/// Why a request failed (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct Problem {
    /// The name of the HTTP status.
    title: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// A sentence that says what to change.
    detail: String,
    /// Seconds after which to try again.
    #[serde(skip)]
    retry_after: Option<u64>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            title: status.canonical_reason().unwrap_or("Failed"),
            status: status.as_u16(),
            detail: detail.into(),
            retry_after: None,
        }
    }

    /// A request that does not fit; the sentence says what to change.
    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// The same problem, attributed to a line of a stream.
    pub(super) fn in_line(self, number: u64) -> Self {
        Self {
            detail: format!("Line {number}: {}", self.detail),
            ..self
        }
    }

    /// Too many requests; the client has to wait this many seconds.
    pub(super) fn too_many(seconds: u64) -> Self {
        let sentence = format!("There were too many requests: try again in {seconds} s.");
        Self {
            retry_after: Some(seconds),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, sentence)
        }
    }

    /// A defect. Its causes are logged, and the client gets only the reference.
    pub(super) fn internal(context: Context, error: &dyn Error) -> Self {
        Self::logged(context, &error_chain(error))
    }

    /// Like [`Self::internal`], with the causes as text.
    pub(super) fn logged(context: Context, error: &str) -> Self {
        let reference = context.new_id().simple().to_string();
        tracing::error!(
            reference,
            error,
            "an API request failed with an internal error"
        );
        Refusal::Internal(reference).into()
    }

    /// The problem for an error of the database or of a figure.
    pub(super) fn store(context: Context, error: impl Into<FigureError>) -> Self {
        refuse_as(error, context).into()
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = StatusCode::from_u16(refusal.status());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry_after = match refusal {
            Refusal::TooMany(_) | Refusal::Busy => Some(5),
            _ => None,
        };

        Self {
            retry_after,
            ..Self::new(status, refusal.to_string())
        }
    }
}

impl From<CallError> for Problem {
    fn from(error: CallError) -> Self {
        let status = match error.kind {
            CallErrorKind::BadRequest => StatusCode::BAD_REQUEST,
            CallErrorKind::BadArguments => StatusCode::UNPROCESSABLE_ENTITY,
            CallErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            CallErrorKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.message)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_string(&self).expect("a problem is plain data");
        let mut response = (status, body).into_response();

        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer realm=\"rankrate\"");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }

        response
    }
}
