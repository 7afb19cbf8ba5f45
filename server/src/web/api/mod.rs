//! The HTTP API, `/api/v1`, by which programs use studies with tokens.
//!
//! Cookies are ignored, so that no page of another site can use them. Every failure is a problem in JSON. Routes and
//! their description (OpenAPI) come from the same functions, so there isn't a route without a description.

mod answers;
mod caller;
mod cursor;
mod exports;
mod extract;
mod figures;
mod imports;
mod jobs;
mod lists;
mod problem;
mod rate_limit;
mod reference;
mod scores;
mod scoring;
mod scoring_session;
mod studies;
#[cfg(test)]
mod tests;

use std::{any::Any, sync::Arc};

use app::{Services, api_reference::ApiReference, error::Refusal, links};
use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Request},
    http::StatusCode,
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use service::{FigureError, panic_message};
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer, DefaultPredicate, Predicate as _, predicate::NotForContentType,
    },
    limit::RequestBodyLimitLayer,
};
use utoipa::{
    IntoResponses, PartialSchema as _, ToSchema as _,
    openapi::{
        InfoBuilder, OpenApi, OpenApiBuilder, SecurityRequirement, Server,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::{router::OpenApiRouter, routes};

use self::{
    caller::ApiCaller,
    extract::{ApiJson, ApiPath, ApiQuery},
    problem::Problem,
    rate_limit::RateLimit,
    scoring_session::ScoringSession,
};
use super::{COMPRESSION, event_stream, export::StudyDownloads, places::RequestPlaces};
use crate::{calls::CallSession, clock, event_feed::EventFeed};

/// The path of the API within the site.
pub(super) const PATH: &str = links::API_V1;

/// The largest body that isn't a stream, in bytes.
const MAX_BODY: usize = 16 << 20;

/// The most simultaneous requests that compute figures: in all, and of one person.
const MAX_COMPUTING: (usize, usize) = (8, 2);

/// The most simultaneous requests that score texts: in all, and of one person.
const MAX_SCORING: (usize, usize) = (8, 1);

/// The parts of the program that the API needs.
pub(super) struct ApiContext {
    pub(super) services: Services,
    pub(super) exports: StudyDownloads,
    pub(super) session: CallSession,
    pub(super) feed: EventFeed,
    pub(super) proxies: u8,
    /// Requests a minute for each token.
    pub(super) rate: u32,
    /// The largest stream, in bytes.
    pub(super) max_stream: usize,
}

/// The state that requests share.
#[derive(Clone)]
struct ApiState {
    services: Services,
    exports: StudyDownloads,
    scoring: ScoringSession,
    places: RequestPlaces,
    scoring_places: RequestPlaces,
    rate_limit: RateLimit,
    proxies: u8,
}

impl ApiState {
    /// The problem for an error of the database or of a figure.
    fn database(&self, error: impl Into<FigureError>) -> Problem {
        Problem::store(self.services.context, error)
    }
}

/// Responses of every request.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it stands for responses in descriptions")]
enum RefusalResponses {
    /// The token is missing, or does not work.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorised(Problem),
    /// The token may not do this.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// Too many requests: `Retry-After` says when to try again.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(Problem),
    /// The server cannot do it now.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}

/// Responses of requests about a study.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it stands for responses in descriptions")]
enum StudyResponses {
    /// The token is missing, or does not work.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorised(Problem),
    /// There is no such thing, or the token does not reach it.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(Problem),
    /// A parameter does not fit.
    #[response(status = 422, content_type = "application/problem+json")]
    Invalid(Problem),
    /// Too many requests: `Retry-After` says when to try again.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(Problem),
    /// The server cannot do it now.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}

/// Responses of requests that change a study.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it stands for responses in descriptions")]
enum StudyChangeResponses {
    /// The body is not JSON.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(Problem),
    /// The token is missing, or does not work.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorised(Problem),
    /// The token only reads, or its person does not lead the study.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// There is no such study, or the token does not reach it.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(Problem),
    /// The body is too large.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// The body is of another media type.
    #[response(status = 415, content_type = "application/problem+json")]
    MediaType(Problem),
    /// The body does not fit, or cannot be imported.
    #[response(status = 422, content_type = "application/problem+json")]
    Invalid(Problem),
    /// Too many requests: `Retry-After` says when to try again.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(Problem),
    /// The server cannot do it now.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}

/// Responses of requests that compute from texts.
#[derive(IntoResponses)]
#[allow(dead_code, reason = "it stands for responses in descriptions")]
enum ComputingResponses {
    /// The body is not JSON.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(Problem),
    /// The token is missing, or does not work.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorised(Problem),
    /// The token reaches no study.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// The body is too large.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// The body is of another media type.
    #[response(status = 415, content_type = "application/problem+json")]
    MediaType(Problem),
    /// The body does not fit.
    #[response(status = 422, content_type = "application/problem+json")]
    Invalid(Problem),
    /// Too many requests: `Retry-After` says when to try again.
    #[response(status = 429, content_type = "application/problem+json")]
    TooMany(Problem),
    /// A model that this needs is missing, or the server cannot do it now.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}

/// The routes with their description.
fn described_routes() -> (Router<ApiState>, OpenApi) {
    let info = InfoBuilder::new()
        .title("Rank & Rate")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Studies of Rank & Rate for programs. Tokens are made on the account page and sent as “Authorization: \
             Bearer rankrate_…”; a token never grants more than its person may do at that moment. Times are RFC 3339. \
             Lists come in pages: repeat the request with `cursor` set to the `next` of the last answer until that is \
             null. Keep the `event` of an answer, and send it as `since` later to get only what changed.",
        ))
        .build();

    let mut description = OpenApiBuilder::new()
        .info(info)
        .servers(Some([Server::new(links::to(PATH))]))
        .security(Some([SecurityRequirement::new::<_, [&str; 0], &str>(
            "token",
            [],
        )]))
        .build();

    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
    let scheme = SecurityScheme::Http(
        bearer
            .description(Some("A token of the account page."))
            .build(),
    );

    let mut components = utoipa::openapi::Components::new();
    components.add_security_scheme("token", scheme);
    // Schemas that no body refers to by itself: problems, and the lines of streams.
    for (name, schema) in [
        (Problem::name(), Problem::schema()),
        (scoring::ScoreLine::name(), scoring::ScoreLine::schema()),
        (scoring::ScoredLine::name(), scoring::ScoredLine::schema()),
        (scoring::RerankLine::name(), scoring::RerankLine::schema()),
        (
            scoring::RerankedLine::name(),
            scoring::RerankedLine::schema(),
        ),
    ] {
        components.schemas.insert(name.into_owned(), schema);
    }
    description.components = Some(components);

    OpenApiRouter::with_openapi(description)
        .routes(routes!(studies::list_studies))
        .routes(routes!(studies::show_study))
        .routes(routes!(lists::list_sources))
        .routes(routes!(lists::list_outputs, imports::add_outputs))
        .routes(routes!(lists::list_ratings))
        .routes(routes!(answers::list_comparisons))
        .routes(routes!(answers::list_spans))
        .routes(routes!(answers::list_answers))
        .routes(routes!(scores::list_scores, scores::add_scores))
        .routes(routes!(figures::show_agreement))
        .routes(routes!(figures::show_systems))
        .routes(routes!(exports::export_study))
        .routes(routes!(jobs::show_job))
        .routes(routes!(scoring::show_metrics))
        .routes(routes!(scoring::score))
        .routes(routes!(scoring::rerank))
        .split_for_parts()
}

/// The description for the page `/api`.
pub(super) fn reference() -> ApiReference {
    reference::read_description(&described_routes().1)
}

/// The router of the API, to be nested at [`PATH`].
pub(super) fn routes(context: ApiContext) -> Router {
    let ApiContext {
        services,
        exports,
        session,
        feed,
        proxies,
        rate,
        max_stream,
    } = context;

    let state = ApiState {
        services,
        exports,
        scoring: ScoringSession::new(session),
        places: RequestPlaces::new(MAX_COMPUTING, "request for figures"),
        scoring_places: RequestPlaces::new(MAX_SCORING, "request that scores"),
        rate_limit: RateLimit::new(rate),
        proxies,
    };

    let (routes, description) = described_routes();
    let description = Arc::new(description);
    let describe = move || async move { Json(OpenApi::clone(&description)) };
    let compression = DefaultPredicate::new()
        .and(NotForContentType::const_new("application/zip"))
        .and(NotForContentType::const_new("application/x-ndjson"));

    routes
        .method_not_allowed_fallback(async || {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "This address does not take that method.",
            )
        })
        .layer(middleware::from_fn_with_state(
            state.clone(),
            caller::authenticate,
        ))
        .layer(middleware::from_fn_with_state(
            feed,
            event_stream::notify_feed,
        ))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(RequestBodyLimitLayer::new(max_stream.max(MAX_BODY)))
        // The description is open to everybody.
        .route("/openapi.json", get(describe))
        .fallback(async || Problem::from(Refusal::NotFound))
        .layer(middleware::from_fn(problems_only))
        .layer(
            CompressionLayer::new()
                .quality(COMPRESSION)
                .compress_when(compression),
        )
        .layer(CatchPanicLayer::custom(panic_problem))
        .with_state(state)
}

/// Replaces failures that a layer answers in plain text by problems.
async fn problems_only(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let status = response.status();

    let is_plain = |value: &axum::http::HeaderValue| value.as_bytes().starts_with(b"text/");
    let headers = response.headers();
    let content_type = headers.get(axum::http::header::CONTENT_TYPE);
    if !(status.is_client_error() || status.is_server_error())
        || content_type.is_some_and(|value| !is_plain(value))
    {
        return response;
    }

    let sentence = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "This body is larger than the server takes.",
        _ => "The server did not take this request.",
    };
    Problem::new(status, sentence).into_response()
}

fn panic_problem(panic: Box<dyn Any + Send + 'static>) -> Response {
    Problem::logged(clock::CONTEXT, panic_message(&*panic)).into_response()
}
