//! The workspace of Rank & Rate, its server functions, and the parts that all pages share. The pages are a
//! crate of their own.
//!
//! Every page is rendered by the server, complete and usable without JavaScript. Plain scripts improve it.
//! Only the annotator's workspace is an *island*: a component that is compiled to WebAssembly as well. So
//! this crate is built twice. With the feature `ssr` it holds everything; with `hydrate` it holds the
//! workspace and its dependencies, and no page, router or SQL reaches the browser.
//!
//! - [`layout`]: the frame around a page (server only).
//! - [`components`]: small components that pages share.
//! - [`enhanced`]: components that plain scripts improve, such as forms (server only).
//! - [`json`]: the encoding between the workspace and server functions.
//! - [`islands`]: the workspace, the code that runs in the browser as WebAssembly.
//! - [`api`]: server functions, those of one entity in a file.
//! - [`error`]: the refusals of server functions.
//! - [`links`]: the addresses of the site.
//! - [`request`]: the person behind a request, their rights, and shared answers (server only).
//! - [`sessions`], [`known_devices`], [`visitor`], [`cookies`], [`flash`], [`theme`]: data in a browser's
//!   cookies (server only).

// A page is one deeply nested type until it is rendered.
#![recursion_limit = "256"]
// Names and types document most props, fields and arguments of server functions; forced comments would only
// repeat them.
#![allow(missing_docs)]
// Leptos' macros write `pub` structs next to `pub` functions, also in private modules.
#![allow(unreachable_pub)]

pub mod api;
#[cfg(feature = "ssr")]
pub mod api_reference;
pub mod browser;
#[cfg(feature = "ssr")]
pub mod components;
#[cfg(feature = "ssr")]
pub mod cookies;
#[cfg(feature = "ssr")]
pub mod enhanced;
pub mod error;
#[cfg(feature = "ssr")]
pub mod flash;
pub mod islands;
pub mod json;
#[cfg(feature = "ssr")]
pub mod known_devices;
#[cfg(feature = "ssr")]
pub mod layout;
pub mod links;
#[cfg(feature = "ssr")]
pub mod markdown;
#[cfg(feature = "ssr")]
pub mod page_script;
#[cfg(feature = "ssr")]
pub mod request;
#[cfg(feature = "ssr")]
mod services;
#[cfg(feature = "ssr")]
pub mod sessions;
#[cfg(feature = "ssr")]
pub mod theme;
#[cfg(feature = "ssr")]
pub mod visitor;

#[cfg(feature = "ssr")]
pub use {
    page_script::BuiltAssets,
    services::{Services, services},
};

/// Entry point of the browser's bundle, called by the page's script before the workspace is hydrated.
#[cfg(feature = "hydrate")]
#[leptos::wasm_bindgen::prelude::wasm_bindgen(wasm_bindgen = leptos::wasm_bindgen)]
pub async fn hydrate() {
    console_error_panic_hook::set_once();

    links::set_base(&browser::base_path());
    leptos::server_fn::client::set_server_url(links::base());
    islands::load_first_step().await;
    leptos::mount::hydrate_islands();
}
