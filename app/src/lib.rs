//! The interface of Rank & Rate.
//!
//! Every page is rendered by the server, complete and usable without JavaScript. What moves in
//! the browser is an *island*: a component compiled to WebAssembly as well. So this crate is
//! built twice. With the feature `ssr` it holds everything; with `hydrate` it holds the islands
//! and what they need, and no page, no router and no SQL reaches the browser.
//!
//! - [`pages`]: one file or folder a page, and [`layout`] around them (server only).
//! - [`charts`]: drawings of figures, rendered by the server (server only).
//! - [`comprehension`]: files of reading comprehension on their way into a study (server only).
//! - [`components`]: small parts that pages share.
//! - [`json`]: how server functions and islands talk.
//! - [`islands`]: what runs in the browser.
//! - [`api`]: server functions, one a file: the only way from an island to the server.
//! - [`accounts`]: passwords, sessions and who a request comes from (server only).
//! - [`automatic`]: what outputs get without anybody's doing (server only).
//! - [`error`]: the one way in which a server function says no.
//! - [`imports`]: files that were sent in, and what a worker is told to do with them (server only).
//! - [`learned`]: metrics that learn from a study's ratings (server only).
//! - [`live`]: studies in memory, for figures that keep up with every rating (server only).
//! - [`links`]: the one way to write an address.
//! - [`metrics`]: what scores a study's outputs (server only).

// A page is one deeply nested type until it is rendered.
#![recursion_limit = "256"]
// Leptos' macros write `pub` structs beside `pub` functions, also in private modules.
#![allow(unreachable_pub)]

#[cfg(feature = "ssr")]
pub mod accounts;
pub mod api;
#[cfg(feature = "ssr")]
pub mod automatic_annotation;
pub mod browser;
#[cfg(feature = "ssr")]
pub mod charts;
#[cfg(feature = "ssr")]
pub mod components;
#[cfg(feature = "ssr")]
pub mod comprehension;
#[cfg(feature = "ssr")]
pub mod cookies;
pub mod error;
#[cfg(feature = "ssr")]
pub mod figures;
#[cfg(feature = "ssr")]
pub mod imports;
pub mod islands;
pub mod json;
#[cfg(feature = "ssr")]
pub mod layout;
pub mod links;
#[cfg(feature = "ssr")]
pub mod live;
#[cfg(feature = "ssr")]
pub mod markdown;
#[cfg(feature = "ssr")]
pub mod metric_training;
#[cfg(feature = "ssr")]
pub mod metrics;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
mod services;

#[cfg(feature = "ssr")]
pub use {
    layout::{BuiltAssets, shell},
    pages::App,
    services::Services,
};

/// Called by the page's script once the WebAssembly is there and before the islands wake.
#[cfg(feature = "hydrate")]
#[leptos::wasm_bindgen::prelude::wasm_bindgen(wasm_bindgen = leptos::wasm_bindgen)]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    links::set_base(&browser::base_path());
    leptos::server_fn::client::set_server_url(links::base());
    leptos::mount::hydrate_islands();
}
