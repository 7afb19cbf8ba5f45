//! The built files of the interface, and the plain scripts among them.

use std::collections::BTreeMap;

use leptos::{nonce::Nonce, prelude::*};

use crate::links;

/// The built files of the interface, as paths within the site; their names carry a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltAssets {
    /// The style sheet of every page.
    pub stylesheet: String,
    /// The style sheet that the workspace adds.
    pub workspace_stylesheet: String,
    /// The script made by wasm-bindgen.
    pub script: String,
    /// The WebAssembly module that it loads.
    pub wasm: String,
    /// The WebAssembly module of the workspace's later steps.
    pub later_steps: String,
    /// The plain scripts, by the names of their files.
    pub scripts: BTreeMap<String, String>,
}

/// A plain script, which runs once the page is parsed. It has a file of its own, so that the browser caches
/// it across pages.
#[component]
pub fn PageScript(
    /// The name of the file, without the extension.
    name: &'static str,
) -> impl IntoView {
    let nonce = expect_context::<Nonce>();
    view! { <script type="module" nonce=nonce src=script_address(name)></script> }
}

/// The address of a plain script, by the name of its file without the extension.
pub fn script_address(name: &str) -> String {
    let assets = expect_context::<BuiltAssets>();
    let path = assets.scripts.get(name);
    links::to(path.map_or("/pkg/missing.js", String::as_str))
}
