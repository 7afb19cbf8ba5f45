//! Pages, one file or folder each, and the addresses they live at.

mod home;
mod not_found;

use leptos::prelude::*;
use leptos_meta::provide_meta_context;
use leptos_router::{
    SsrMode,
    components::{Route, Router, Routes},
    path,
};

use home::Home;
use not_found::NotFound;

/// All pages. Each is rendered whole before it is sent.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    view! {
        <Router>
            <Routes fallback=NotFound>
                <Route path=path!("/") view=Home ssr=SsrMode::Async/>
            </Routes>
        </Router>
    }
}
