//! The site: pages, server functions and files, and what guards them.

#[cfg(test)]
mod account_page_tests;
#[cfg(test)]
mod annotator_page_tests;
mod api;
mod assets;
mod attachment;
#[cfg(test)]
mod attention_tests;
#[cfg(test)]
mod audit_tests;
mod background;
mod base_path;
mod comprehension;
#[cfg(test)]
mod comprehension_tests;
#[cfg(test)]
mod confirm_tests;
pub(crate) mod connections;
mod crowd;
#[cfg(test)]
mod crowd_tests;
#[cfg(test)]
mod demonstration_page_tests;
#[cfg(test)]
mod erasure_tests;
mod event_stream;
#[cfg(test)]
mod event_stream_tests;
#[cfg(test)]
mod experiment_tests;
mod export;
#[cfg(test)]
mod export_tests;
#[cfg(test)]
mod final_value_tests;
#[cfg(test)]
mod first_day_tests;
#[cfg(test)]
mod former_member_tests;
mod forms;
mod guard;
mod headers;
mod health;
#[cfg(test)]
mod hostile_input_tests;
#[cfg(test)]
mod hostile_text_tests;
#[cfg(test)]
mod import_page_tests;
#[cfg(test)]
mod join_limit_tests;
#[cfg(test)]
mod lead_form_tests;
#[cfg(test)]
mod lead_page_tests;
#[cfg(test)]
mod log_in_limit_tests;
#[cfg(test)]
mod log_in_tests;
#[cfg(test)]
mod metrics_tests;
mod models;
mod multipart;
#[cfg(test)]
mod other_study_tests;
mod panics;
mod places;
#[cfg(test)]
mod plain_browser;
#[cfg(test)]
mod plain_form;
#[cfg(test)]
mod protocols_tests;
#[cfg(test)]
mod quality_tests;
#[cfg(test)]
mod question_tests;
#[cfg(test)]
mod reading_passage_tests;
mod request_log;
#[cfg(test)]
mod role_tests;
#[cfg(test)]
mod route_tests;
#[cfg(test)]
mod scriptless_page_tests;
#[cfg(test)]
mod session_tests;
#[cfg(test)]
mod site_page_tests;
#[cfg(test)]
mod source_page_tests;
#[cfg(test)]
mod span_tests;
#[cfg(test)]
mod step_setting_tests;
mod study_access;
mod study_file;
#[cfg(test)]
mod study_fixture;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod training_tests;
mod uploads;
mod visitor;
#[cfg(test)]
mod webhook_tests;
#[cfg(test)]
mod workspace_page_tests;

use std::sync::Arc;

use app::{Services, links};
use axum::{Router, middleware};
use learn::aligner::Aligner;
use leptos::prelude::{LeptosOptions, provide_context};
use leptos_axum::{LeptosRoutes as _, generate_route_list, render_app_async_with_context};
use pages::{App, shell};
use tokio_util::sync::CancellationToken;
use tower_http::{
    CompressionLevel,
    catch_panic::CatchPanicLayer,
    compression::CompressionLayer,
    compression::{DefaultPredicate, Predicate as _, predicate::NotForContentType},
    limit::RequestBodyLimitLayer,
    trace::TraceLayer,
};

use self::connections::ConnectionLimits;
use crate::{
    aligner::word_aligner, calls::CallSession, event_feed::EventFeed, settings::WebSettings,
};

/// The Brotli and gzip level for pages. The largest ones, with 24 systems, take 10 ms and become a seventh smaller
/// than at level 4; levels from 6 on take longer and gain hardly anything.
const COMPRESSION: CompressionLevel = CompressionLevel::Precise(5);

/// Services and settings that the program passes to the site.
pub(crate) struct SiteContext {
    /// For pages and server functions.
    pub(crate) services: Services,
    /// Word aligner for exports of alignments.
    pub(crate) aligner: Arc<Aligner>,
    /// Answers the API's requests for scores.
    pub(crate) session: CallSession,
    /// Announces new events to open pages.
    pub(crate) feed: EventFeed,
    /// Ends streams when the program stops.
    pub(crate) stop: CancellationToken,
    /// Notes the addresses from which people work.
    pub(crate) limits: ConnectionLimits,
}

/// The router of the whole site.
///
/// Its layers, from outside in: the base path is removed, headers are set, panics become a page, requests are logged,
/// pages that scripts fetch in the background take turns, responses are compressed, changes requested by other
/// sites are refused, responses of server functions are adapted to a form, a script or the workspace, and bodies are
/// limited. Pages and server functions also learn who the visitor is.
pub(crate) fn site(settings: &WebSettings, proxies: u8, context: SiteContext) -> Router {
    let SiteContext {
        mut services,
        aligner,
        session,
        feed,
        stop,
        limits,
    } = context;
    let base = settings.base_path();
    links::set_base(&base);
    if !assets::are_built() {
        tracing::warn!(
            "the interface is not built: pages have no style and the workspace does not start"
        );
    }

    services.api = Arc::new(api::reference());
    let options = LeptosOptions::builder().output_name("app").build();
    let forms = forms::FormSettings {
        max_form: settings.max_form as usize * 1024,
        max_upload: settings.max_upload as usize * 1024 * 1024,
        secure_cookies: services.secure_cookies,
    };

    let visitors = visitor::VisitorLookup {
        services: services.clone(),
        proxies,
        limits,
    };

    let exports = export::StudyDownloads::new(services.clone(), word_aligner(aligner));
    let downloads = export::routes(exports.clone());
    let api = api::routes(api::ApiContext {
        services: services.clone(),
        exports,
        session,
        feed: feed.clone(),
        proxies,
        rate: settings.api_rate,
        max_stream: forms.max_upload,
    });

    let streams = event_stream::routes(services.clone(), feed.clone(), stop);
    let uploads = uploads::route(services.clone());
    let models = models::routes(services.clone());
    let study_files = study_file::routes(services.clone());
    let health = health::route(services.store.clone(), services.context);
    let readings = comprehension::routes(services.clone());
    let pay_sheet = crowd::routes(services.clone());

    let context = move || {
        provide_context(services.clone());
        provide_context(assets::current());
    };
    let not_found = render_app_async_with_context(context.clone(), shell);

    let guard = guard::OriginGuard::new(settings);

    let site = Router::new()
        .leptos_routes_with_context(&options, generate_route_list(App), context, shell)
        .merge(uploads)
        .merge(readings)
        .merge(pay_sheet)
        .merge(models)
        .merge(study_files)
        .fallback(not_found)
        .merge(downloads)
        .merge(streams)
        .layer(middleware::from_fn_with_state(
            feed,
            event_stream::notify_feed,
        ))
        .layer(middleware::from_fn_with_state(
            visitors,
            visitor::identify_visitor,
        ))
        .merge(health)
        .merge(assets::routes())
        .with_state(options)
        .layer(RequestBodyLimitLayer::new(forms.max_upload))
        .layer(middleware::from_fn_with_state(forms, forms::answer))
        .layer(middleware::from_fn_with_state(
            guard,
            guard::refuse_other_sites,
        ))
        .layer(CompressionLayer::new().quality(COMPRESSION).compress_when(
            DefaultPredicate::new().and(NotForContentType::const_new("application/zip")),
        ))
        .layer(middleware::from_fn_with_state(
            background::BackgroundTurns::new(),
            background::take_turns,
        ))
        // The API ignores cookies, so it needs no guard against other sites.
        .nest_service(api::PATH, api)
        .layer(middleware::from_fn(request_log::log_refusals))
        // Internal errors are logged where they occur, with their causes.
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(request_log::request_span)
                .on_failure(()),
        )
        .layer(CatchPanicLayer::custom(panics::panic_page))
        .layer(middleware::from_fn(request_log::name_request))
        .layer(middleware::from_fn_with_state(
            settings.transport_security(),
            headers::set,
        ));

    base_path::strip_base(base, site)
}

#[cfg(test)]
mod tests {
    use axum::{
        body::Body,
        http::{HeaderMap, Request, StatusCode, header},
    };

    use super::testing::TestSite;

    async fn ask(flags: &[&str], request: Request<Body>) -> (StatusCode, HeaderMap) {
        let answer = TestSite::with_flags(flags).await.send(request).await;
        (answer.status(), answer.headers().clone())
    }

    fn get(path: &str) -> Request<Body> {
        Request::get(path).body(Body::empty()).expect("a request")
    }

    #[tokio::test]
    async fn a_page_brings_a_policy_with_its_nonce() {
        let (status, headers) = ask(&[], get("/")).await;
        assert_eq!(status, StatusCode::OK);

        let policy = headers[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .expect("text");
        assert!(policy.contains("script-src 'nonce-"), "{policy}");
        assert!(!policy.contains("unsafe-inline"), "{policy}");
        assert!(!headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
    }

    #[tokio::test]
    async fn https_is_kept_to_where_the_public_address_says_so() {
        let https = ["--public-url", "https://rate.example.org/"];

        // Hosts below the site's own only if the settings say so.
        for (more, expect) in [
            (&[][..], "max-age=31536000"),
            (
                &["--https-subdomains"],
                "max-age=31536000; includeSubDomains",
            ),
        ] {
            let (_, headers) = ask(&[&https[..], more].concat(), get("/health")).await;
            assert_eq!(headers[header::STRICT_TRANSPORT_SECURITY], expect);
        }

        let (_, headers) = ask(&["--https-subdomains"], get("/health")).await;
        assert!(!headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
    }

    #[tokio::test]
    async fn no_browser_keeps_pages_and_answers() {
        let site = TestSite::new().await;
        let person = site.person("somebody", false).await;
        let cookie = site.sign_in(person).await;
        let with_cookie = |request: Request<Body>| {
            let (mut parts, body) = request.into_parts();
            let value = cookie.parse().expect("a cookie is plain");
            parts.headers.insert(header::COOKIE, value);
            Request::from_parts(parts, body)
        };
        let call = || {
            let request = Request::post("/api/theme")
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
            request.body(Body::from("theme=dark")).expect("a request")
        };

        for request in [
            get("/"),
            get("/login"),
            get("/health"),
            get("/no/such/page"),
            call(),
            with_cookie(get("/")),
            with_cookie(get("/account")),
            with_cookie(call()),
        ] {
            let path = request.uri().clone();
            let answer = site.send(request).await;
            let kept = &answer.headers()[header::CACHE_CONTROL];
            assert_eq!(kept, "no-store", "{path}");
        }
    }

    #[tokio::test]
    async fn what_is_not_there_is_not_found() {
        for path in [
            "/no/such/page",
            "/pkg/none.js",
            "/api/none",
            "/pkg/../../../Cargo.toml",
        ] {
            assert_eq!(ask(&[], get(path)).await.0, StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[tokio::test]
    async fn a_form_larger_than_the_limit_is_refused() {
        let body = format!("theme={}", "x".repeat(2048));
        let request = Request::post("/api/theme")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body))
            .expect("a request");
        assert_eq!(
            ask(&["--max-form", "1"], request).await.0,
            StatusCode::UNPROCESSABLE_ENTITY
        );
    }
}
