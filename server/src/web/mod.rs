//! The site: pages, server functions and files, and what guards them.

mod assets;
mod base_path;
mod forms;
mod guard;
mod headers;
mod panics;

use app::{App, Services, links, shell};
use axum::{Router, middleware, routing::get};
use leptos::prelude::{LeptosOptions, provide_context};
use leptos_axum::{LeptosRoutes as _, generate_route_list, render_app_async_with_context};
use tower_http::{
    CompressionLevel, catch_panic::CatchPanicLayer, compression::CompressionLayer,
    limit::RequestBodyLimitLayer, trace::TraceLayer,
};

use crate::settings::WebSettings;

/// Everything that is served.
///
/// From outside in: the base path is taken off, panics become a page, headers are set, requests
/// are logged, bodies are limited, and changes asked for by other sites are refused.
pub(crate) fn site(settings: &WebSettings, services: Services) -> Router {
    let base = settings.base_path();
    links::set_base(&base);
    if !assets::are_built() {
        tracing::warn!("the interface is not built: pages have no style and islands do not wake");
    }

    let options = LeptosOptions::builder().output_name("app").build();
    let forms = forms::Forms {
        max_form: settings.max_form as usize * 1024,
        secure_cookies: services.secure_cookies,
    };
    let context = move || {
        provide_context(services.clone());
        provide_context(assets::current());
    };
    let not_found = render_app_async_with_context(context.clone(), shell);

    let max_upload = settings.max_upload as usize * 1024 * 1024;
    let guard = guard::Guard::new(settings);

    let site = Router::new()
        .route("/health", get(|| async { "ok" }))
        .merge(assets::routes())
        .leptos_routes_with_context(&options, generate_route_list(App), context, shell)
        .fallback(not_found)
        .with_state(options)
        .layer(middleware::from_fn_with_state(forms, forms::answer))
        .layer(middleware::from_fn_with_state(
            guard,
            guard::refuse_other_sites,
        ))
        .layer(RequestBodyLimitLayer::new(max_upload))
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .layer(TraceLayer::new_for_http())
        .layer(middleware::from_fn_with_state(
            settings.is_https(),
            headers::set,
        ))
        .layer(CatchPanicLayer::custom(panics::page));
    base_path::take_off(base, site)
}
