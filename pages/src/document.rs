//! The HTML document around every page.

use leptos::{nonce::Nonce, prelude::*};
use leptos_meta::MetaTags;

use crate::App;
use app::{enhanced::EnhancementScripts, layout::policy, links, page_script::BuiltAssets, theme};

/// The HTML document around the page at the requested address.
pub fn shell() -> impl IntoView {
    // Only the workspace is hydrated, never a whole page: leave out hydration markers elsewhere.
    if let Some(shared) = Owner::current_shared_context() {
        shared.set_is_hydrating(false);
    }

    let nonce = expect_context::<Nonce>();
    policy::send(&nonce);
    let assets = expect_context::<BuiltAssets>();

    view! {
        <!DOCTYPE html>
        <html
            lang="en"
            data-base=links::base()
            data-script=links::to(&assets.script)
            data-wasm=links::to(&assets.wasm)
            data-theme=theme::from_cookie().name()
        >
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="stylesheet" href=links::to(&assets.stylesheet)/>
                <link rel="icon" href=links::to("/icon.svg") type="image/svg+xml"/>
                <MetaTags/>
                // Every page carries these two scripts, so their comments are here. The browser fades between two
                // pages. If it cannot, for instance because the window changed its size, nothing is missing, and no
                // error belongs in the console. This script runs before the page is shown.
                <script nonce=nonce.clone()>{include_str!("transitions.inline.js")}</script>
                // Marks the page as ready once its scripts have run. The workspace is an island, which is hydrated from
                // the outside in; other pages load no WebAssembly.
                <script type="module" nonce=nonce>{include_str!("boot.inline.js")}</script>
                <EnhancementScripts/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}
