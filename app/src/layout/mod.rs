//! What surrounds every page: the document, the header, and what was refused before.

pub mod flash;
mod live;
mod page;
mod policy;
mod refusal;
mod scripts;
mod signed_in_page;
mod study_page;
pub mod theme;

use leptos::{nonce::Nonce, prelude::*};
use leptos_meta::MetaTags;
pub use live::LiveSign;
pub use page::Page;
pub use refusal::{expired_link_page, redirect_to, refusal_page, sign_in_address};
pub use scripts::KeepUnsaved;
pub use signed_in_page::{allow_anyone, require_admin, signed_in_page};
pub use study_page::{StudyTab, study_page};

use crate::{links, pages::App};

/// The built files of the interface, as paths within the site; their names carry a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltAssets {
    /// The one style sheet.
    pub stylesheet: String,
    /// The script that wasm-bindgen made.
    pub script: String,
    /// The WebAssembly it loads.
    pub wasm: String,
}

/// The HTML document around the page that the address names.
pub fn shell() -> impl IntoView {
    // Pages are never hydrated, islands alone are: leave the marks for hydration out of the rest.
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
                <script type="module" nonce=nonce>{include_str!("boot.js")}</script>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}
