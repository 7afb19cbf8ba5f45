//! The interface of Rank & Rate.
//!
//! Every page is rendered by the server, complete and usable without JavaScript. What moves in
//! the browser is an *island*: a component compiled to WebAssembly as well. So this crate is
//! built twice. With the feature `ssr` it holds everything; with `hydrate` it holds the islands
//! and what they need, and no page, no router and no SQL reaches the browser.
//!
//! - [`pages`]: one file or folder a page, and [`layout`] around them (server only).
//! - [`charts`]: drawings of figures, rendered by the server (server only).
//! - [`components`]: small parts that pages share.
//! - [`json`]: how server functions and islands talk.
//! - [`islands`]: what runs in the browser.
//! - [`api`]: server functions, one a file: the only way from an island to the server.
//! - [`error`]: the one way in which a server function says no.
//! - [`links`]: the one way to write an address.
//! - [`request`]: who asks and what they may do, and the answers that pages share (server only).
//! - [`sessions`], [`visitor`], [`cookies`], [`flash`], [`theme`]: what a browser's cookies hold (server only).

// A page is one deeply nested type until it is rendered.
#![recursion_limit = "256"]
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

/// Called by the page's script once the WebAssembly is there and before the islands wake.
#[cfg(feature = "hydrate")]
#[leptos::wasm_bindgen::prelude::wasm_bindgen(wasm_bindgen = leptos::wasm_bindgen)]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    links::set_base(&browser::base_path());
    leptos::server_fn::client::set_server_url(links::base());
    leptos::mount::hydrate_islands();
}
