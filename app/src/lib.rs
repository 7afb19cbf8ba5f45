//! The interface of Rank & Rate.
//!
//! Every page is rendered by the server, complete and usable without JavaScript. Interactive parts are
//! *islands*: components that are compiled to WebAssembly as well. So this crate is built twice. With the
//! feature `ssr` it holds everything; with `hydrate` it holds the islands and their dependencies, and no
//! page, router or SQL reaches the browser.
//!
//! - [`pages`]: one file or folder for each page, and [`layout`] around them (server only).
//! - [`charts`]: charts as SVG, rendered by the server (server only).
//! - [`components`]: small components that pages share.
//! - [`json`]: the encoding between islands and server functions.
//! - [`islands`]: the code that runs in the browser.
//! - [`api`]: server functions, one in each file: the only way from an island to the server.
//! - [`error`]: the refusals of server functions.
//! - [`links`]: the addresses of the site.
//! - [`request`]: the person behind a request, their rights, and shared answers (server only).
//! - [`sessions`], [`known_devices`], [`visitor`], [`cookies`], [`flash`], [`theme`]: data in a browser's
//!   cookies (server only).

// A page is one deeply nested type until it is rendered.
#![recursion_limit = "256"]
// Names and types document most props, fields and arguments of server functions; forced comments only
// repeat them.
#![allow(missing_docs)]
// Leptos' macros write `pub` structs beside `pub` functions, also in private modules.
#![allow(unreachable_pub)]

pub mod api;
pub mod browser;
#[cfg(feature = "ssr")]
pub mod charts;
#[cfg(feature = "ssr")]
pub mod components;
#[cfg(feature = "ssr")]
pub mod cookies;
#[cfg(feature = "ssr")]
mod document;
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
pub mod pages;
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
    document::shell,
    layout::BuiltAssets,
    pages::App,
    services::{Services, services},
};

/// Entry point of the browser's bundle, called by the page's script before the islands are hydrated.
#[cfg(feature = "hydrate")]
#[leptos::wasm_bindgen::prelude::wasm_bindgen(wasm_bindgen = leptos::wasm_bindgen)]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    links::set_base(&browser::base_path());
    leptos::server_fn::client::set_server_url(links::base());
    leptos::mount::hydrate_islands();
}
